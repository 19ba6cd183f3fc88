"""Estimators and streams on groups of columns, beside kernels on the columns of one group alone."""

import dataclasses
import pickle
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from kernel_pools import on_vectors
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from grambench import KernelClassifier, MultipleKernelTransformer
from grambench.kernels.approximation import FeatureMap
from grambench.kernels.functions import Kernel
from grambench.kernels.streamed import VectorKernels

VIEWS = {"left": [0, 1], "right": [4, 2], "both": [1, 4]}
COLUMNS = {view: np.array(columns) for view, columns in VIEWS.items()}
ONE = [Kernel("gaussian", 1.0), Kernel("mediangaussian", 0.5), Kernel("inhomogeneous", 1.0), Kernel("polynomial", 2.0)]
ON_VIEWS = [dataclasses.replace(kernel, view=view) for kernel in ONE for view in (*VIEWS, "")]


def problem(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, (X[:, 4] * X[:, 2] + 0.3 * X[:, 0] > 0).astype(int)


def exact(kernel, X):
    """Return the values between examples, scaled to a mean diagonal of 1, from a pool of the view's columns."""
    own = np.ascontiguousarray(X[:, COLUMNS[kernel.view]]) if kernel.view else X
    return on_vectors([dataclasses.replace(kernel, view="")], own, trace=float(len(X))).grams()[0]


@pytest.mark.parametrize(("method", "accuracy"), [("nystroem", 1e-3), ("fourier", 0.2)])
def test_features_approximate_the_kernels_of_each_group(method, accuracy):
    X = problem()[0]
    rng = np.random.default_rng(0)
    made = FeatureMap(VectorKernels(ON_VIEWS, X, scale=True, columns=COLUMNS), X, method, 2000, rng)
    values = np.concatenate([block.copy() for _, block in made.blocks(X)]).astype(float)
    for kernel, (start, end) in zip(ON_VIEWS, pairwise(made.starts), strict=True):
        approximated, gram = values[:, start:end] @ values[:, start:end].T, exact(kernel, X)
        assert np.abs(approximated - gram).max() < accuracy, kernel.name
        others = [exact(dataclasses.replace(kernel, view=view), X) for view in {*VIEWS, ""} - {kernel.view}]
        assert all(np.abs(approximated - other).max() > 3 * accuracy for other in others), kernel.name


@pytest.mark.parametrize("algorithm", ["simple_mkl", "cka", "omkc_dd", "uniform_svm"])
def test_an_estimator_learns_the_kernels_of_each_group(algorithm):
    X, y = problem()
    by_views = KernelClassifier(algorithm, "gaussian_sigma1", views=VIEWS, random_state=0).fit(X, y)
    assert by_views.kernels_ == [f"{view}/gaussian_sigma1" for view in VIEWS]

    def on(columns, a, b):
        return rbf_kernel(a[:, columns], b[:, columns], gamma=0.5)

    functions = [partial(on, columns) for columns in VIEWS.values()]
    by_functions = KernelClassifier(algorithm, functions, random_state=0).fit(X, y)
    new = problem(20, seed=1)[0]
    np.testing.assert_allclose(by_views.kernel_weights_, by_functions.kernel_weights_, atol=1e-6)
    np.testing.assert_allclose(by_views.decision_function(new), by_functions.decision_function(new), atol=1e-5)
    with_names = pd.DataFrame(X, columns=list("abcde"))
    named = clone(by_views).set_params(views={view: ["abcde"[k] for k in columns] for view, columns in VIEWS.items()})
    assert np.array_equal(named.fit(with_names, y).kernel_weights_, by_views.kernel_weights_)


def test_support_vectors_of_a_stream_have_the_columns_of_their_group():
    X, y = problem(300)
    few, many = (
        KernelClassifier("omkc_dd", "gaussian_sigma1", views=views, budget=50).partial_fit(X, y, classes=[0, 1])
        for views in ({"one": [0]}, {str(k): [k] for k in range(5)})
    )
    assert len(pickle.dumps(many)) < 6 * len(pickle.dumps(few))


def test_a_stream_names_the_kernel_that_it_cannot_learn():
    X, y = problem(20)
    for kernel, scale in (("chisquare_s1", 1.0), ("polynomial_p3", 1e60)):
        model = KernelClassifier("omkc_dd", kernel, views={"a": [0], "b": [1]}, budget=5)
        with pytest.raises(ValueError, match=f"[ab]/{kernel}"):
            model.partial_fit(X * scale, y, classes=[0, 1])


def test_algorithms_on_vectors_have_their_features():
    X, y = problem()
    for algorithm in ("random_forest", "makl"):
        model = KernelClassifier(algorithm, "gaussian_sigma1", views={"left": [0, 1]}, random_state=0)
        assert model.fit(X, y).predict(X).shape == y.shape
    kernel = MultipleKernelTransformer("cka", "gaussian_sigma1", views=VIEWS).fit(X, y)
    assert kernel.transform(X[:3]).shape == (3, len(X))


@pytest.mark.parametrize("settings", [{"budget": 1000}, {"approximation": "nystroem", "n_components": 300}])
def test_a_stream_learns_the_groups_that_a_fit_learns(settings):
    X, y = problem(300)
    plain = KernelClassifier("omkc_dd", "gaussian_sigma1", views=VIEWS, shuffle=False, scale=False).fit(X, y)
    model = clone(plain).set_params(**settings).partial_fit(X, y, classes=[0, 1])
    assert model.kernels_ == plain.kernels_
    assert abs(model.mistakes_ - plain.trace_.mistakes.sum()) <= 5
    assert model.kernel_weights_.argmax() == plain.kernel_weights_.argmax()
    later = clone(model).partial_fit(X[:150], y[:150], classes=[0, 1]).partial_fit(X[150:], y[150:])
    assert later.n_samples_seen_ == 300


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"views": [1]}, r"views: expected a dictionary of lists of columns by name, got \[1\]"),
        ({"views": {}}, "views: expected a dictionary of lists of columns by name, got {}"),
        ({"views": {"a": []}}, r"views: expected a list of columns for view 'a', got \[\]"),
        ({"views": {"a": "bc"}}, "views: expected a list of columns for view 'a', got 'bc'"),
        ({"views": {"a": [5]}}, "views: a: expected positions from 0 to 4, got 5"),
        ({"views": {"a": [True, False]}}, "views: a: expected positions from 0 to 4, got True"),
        ({"views": {"a": ["x"]}}, "views: a: expected positions from 0 to 4, got 'x'"),
        ({"views": {"a": [1, 1]}}, "views: a has a column twice"),
        ({"views": {"a/b": [1]}}, "views: expected names that are text without a slash, got 'a/b'"),
        ({"kernels": "precomputed"}, "views: expected kernels by name, got Gram matrices"),
        ({"kernels": rbf_kernel}, "views: expected this benchmark's kernels, such as .*; got <function"),
        ({"views": {0: [1]}}, "views: expected names that are text without a slash, got 0"),
        ({"kernels": {"family": "gaussian", "low": 1, "high": 2}}, "views: .* got a continuous family"),
        ({"kernels": [Kernel("gaussian", 1.0, "a")]}, "expected kernels without a view, .* got a/gaussian_sigma1"),
        ({"algorithm": "ca_1d"}, "views: expected none, since ca_1d searches a continuous family on all columns"),
    ],
)
def test_wrong_groups_are_told_in_one_line(settings, message):
    X, y = problem(10)
    model = KernelClassifier(**{"algorithm": "cka", "views": {"a": [0]}} | settings)
    with pytest.raises(ValueError, match=message) as raised:
        model.fit((X @ X.T)[None] if settings.get("kernels") == "precomputed" else X, y)
    assert "\n" not in str(raised.value)
