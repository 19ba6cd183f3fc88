"""The estimators: what the library's own calls give, in scikit-learn's manners."""

import os
import pickle
import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
import pytest
import yaml
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from threadpoolctl import threadpool_info, threadpool_limits

from grambench import KernelClassifier, MultipleKernelTransformer, RandomSubsets, algorithms, check_grams
from grambench.algorithms import omkc
from grambench.algorithms.checks import certified, learn
from grambench.algorithms.fit import mixture
from grambench.algorithms.online import om2
from grambench.common import threads
from grambench.config.study import KernelFamily
from grambench.estimators import kernels as kernel_input
from grambench.estimators.classifier import PASS_ONCE
from grambench.experiments.training import Examples, svms
from grambench.kernels import approximation
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import FAMILIES, FunctionFamily, Kernel
from grambench.kernels.pools import BoundKernels
from grambench.kernels.streamed import KernelSum

ROOT = Path(__file__).parent.parent
SOME = ("rkl", "omkc_ss", "oks", "ca_nd", "cka", "logistic_regression")  # that learn each class one-vs-rest
ONLINE = [*algorithms.names("online"), *PASS_ONCE]
KERNELS = [{"family": "meanpolynomial", "values": [1, 2]}, "mediangaussian_sigma1", "gaussian_sigma0.5"]
SEVEN = [Kernel("meanpolynomial", degree) for degree in (1, 2, 3)]  # as many as in test_computed.py: numba compiles
SEVEN += [Kernel("mediangaussian", 2.0**power) for power in (-6, -3, 0, 3)]  # online passes for each number anew


def problem(classes=2, n=40, t=15):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + t, 3))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2, np.quantile(X[:, 0] + X[:, 1] ** 2, np.arange(1, classes) / classes))
    return X[:n], y[:n], X[n:]


def pools_of(kernels, X):
    """Return the pools of kernels, beside them the default range, as a protocol makes them."""
    return BoundKernels(kernels, X, FamilyRange.of(**kernel_input.DEFAULT_FAMILY), trace=float(len(X)))


def library(name, pool, labels, test, seed):
    """Return fit and scores of other examples by the library's own calls."""
    algorithm, order = algorithms.load(name), np.arange(len(labels), dtype=np.int32)
    fit = learn(algorithm, algorithm.parameters(), pool, labels, order=order, rng=np.random.default_rng(seed))
    (model,) = svms(fit, Examples(pool, labels, order), [1.0], trace=float(len(labels)))
    return fit, model.predictor.scores(test)


@pytest.mark.parametrize(
    ("name", "classes"),
    [*((name, 2) for name in algorithms.names()), *((name, 3) for name in (*SOME, *algorithms.names("multiclass")))],
)
def test_every_algorithm_scores_as_the_library_does_and_can_be_pickled(name, classes):
    X, y, test = problem(classes)
    kernels = SEVEN if name in ONLINE else "default"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelClassifier(name, kernels, shuffle=False, random_state=7).fit(X, y)
    pools = pools_of(kernel_input.DEFAULT if kernels == "default" else kernels, X)
    pool, between = pools.train(), pools.between(test)
    if algorithms.is_multiclass(name):
        fit, scores = library(name, pool, y.astype(np.int8), between, 7)
        predicted, fits = scores.argmax(axis=1), [fit]
        scores = scores[:, 1] - scores[:, 0] if classes == 2 else scores
    else:
        rest = [np.where(y == c, 1, -1).astype(np.int8) for c in ([1] if classes == 2 else range(classes))]
        fits, each = zip(*[library(name, pool, labels, between, 7) for labels in rest], strict=True)
        scores = each[0] if classes == 2 else np.stack(each, axis=1)
        predicted = (scores > 0).astype(int) if classes == 2 else scores.argmax(axis=1)
    # An SVM adds the terms of its support vectors alone, so that the last bits of its scores may differ.
    assert np.allclose(model.decision_function(test), scores, rtol=1e-9, atol=1e-12)
    assert np.array_equal(model.predict(test), predicted)
    if any(fit.weights.any() for fit in fits):
        weights = np.atleast_2d(model.kernel_weights_)
        assert weights.shape == (len(fits), len(model.kernels_))
        assert np.allclose(weights.sum(axis=1), [fit.weights.sum() for fit in fits])
    else:
        assert hasattr(model, "kernel_weights_") == bool(model.kernels_) == (name == "makl")
    certificates = model.certificate_ if len(fits) > 1 else [model.certificate_]
    assert np.array_equal(certificates, [certified(fit) for fit in fits], equal_nan=True)
    kept = pickle.loads(pickle.dumps(model))
    assert np.array_equal(kept.decision_function(test), model.decision_function(test))


TIED = np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, -1.0], [0.0, -0.0], [0.0, 1e-300], [1e-300, 0.0]])


@pytest.mark.parametrize(("name", "classes"), [("rkl", 2), ("rkl", 3), ("lp_beta", 2), ("lp_beta", 3)])
def test_at_a_tie_the_first_class_is_predicted(name, classes, monkeypatch):
    """By one rule for two classes and for more, for scores of one number an example and of one a class."""
    X, y, _ = problem(classes)
    model = KernelClassifier(name).fit(X, np.array(["a", "b", "c"])[y])
    scores = np.hstack([TIED, TIED.min(axis=1, keepdims=True)])[:, :classes]
    if name == "rkl" and classes == 2:
        scores = scores[:, 1] - scores[:, 0]
    monkeypatch.setattr(model, "_scores", lambda X: scores)
    assert model.predict(X).tolist() == ["a", "a", "a", "a", "b", "a"]
    decision = model.decision_function(X)
    shown = (decision > 0).astype(int) if classes == 2 else decision.argmax(axis=1)
    assert model.predict(X).tolist() == model.classes_[shown].tolist()


@pytest.mark.parametrize("labels", [["no", "yes"], ["no", "perhaps", "yes"]])
def test_the_majority_of_equal_classes_is_the_first(labels):
    y = np.repeat(labels, 4)
    model = KernelClassifier("majority").fit(np.arange(len(y), dtype=float)[:, None], y)
    assert not model.decision_function([[0.0]]).any() or len(labels) > 2
    assert model.predict([[0.0], [9.0]]).tolist() == ["no", "no"]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ONLINE)
def test_a_stream_is_learned_as_one_fit_of_it(name, classes):
    X, y, test = problem(classes)
    order = np.argsort(np.r_[y[:20], np.full(20, classes)], kind="stable")  # the first batch has class 0 alone
    X, y = X[order], y[order]
    whole = KernelClassifier(name, SEVEN, shuffle=False, random_state=3).fit(X, y)
    model = KernelClassifier(name, SEVEN, random_state=3)
    for batch in np.split(np.arange(len(y)), [2, 3, 30]):
        model.partial_fit(X[batch], y[batch], classes=range(classes))
    assert np.array_equal(model.decision_function(test), whole.decision_function(test))
    assert np.array_equal(model.kernel_weights_, whole.kernel_weights_)


def test_a_stream_goes_on_where_a_fit_ended():
    X, y, _ = problem()
    model = KernelClassifier("omkc_ss", random_state=3).fit(X[:30], y[:30])
    order = np.r_[model._order, 30:40]
    model.partial_fit(X[30:], y[30:])
    whole = KernelClassifier("omkc_ss", shuffle=False, random_state=3).fit(X[order], y[order])
    assert np.array_equal(model.trace_.mistakes, whole.trace_.mistakes)


@pytest.mark.parametrize("seen", [{0}, {1}, {0, 1}, {0, 2}])
def test_classes_that_have_not_come_yet(seen):
    X, y, _ = problem(3)
    rows = np.isin(y, [*seen])
    model = KernelClassifier("om2_multiclass").partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    assert model.decision_function(X).shape == (40, 3)
    assert set(model.predict(X)) == seen
    one = KernelClassifier("omkc_dd").partial_fit(X[:1], y[:1], classes=[0, 1, 2])
    assert one.predict(X[:1]).tolist() == [y[0]]


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_a_batch_that_is_refused_is_as_if_it_had_never_come():
    X, y, test = problem()
    model, plain = (KernelClassifier("omkc_dd", random_state=0) for _ in range(2))
    with pytest.raises(ValueError, match="expected classes"):
        model.partial_fit(X, 2 * y, classes=[0, 1])
    for wrong in (changed(X, (0, 0), np.nan), 1e200 * X):
        with pytest.raises(ValueError, match=r"finite|scale the features"):
            model.partial_fit(wrong, y, classes=[0, 1])
    for batch in (slice(20), slice(20, 40)):
        model.partial_fit(X[batch], y[batch], classes=[0, 1])
        with pytest.raises(ValueError, match="scale the features"):
            model.partial_fit(1e200 * X, y)
        plain.partial_fit(X[batch], y[batch], classes=[0, 1])
    assert np.array_equal(model.decision_function(test), plain.decision_function(test))


@pytest.mark.parametrize("name", sorted(set(algorithms.names()) - set(ONLINE)))
def test_who_does_not_learn_online_has_no_partial_fit(name):
    assert not hasattr(KernelClassifier(name), "partial_fit")


@parametrize_with_checks([KernelClassifier(), MultipleKernelTransformer("cka")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


DRAWN = "every example has a vote of its own kernels, drawn in the order of the call"
EXCEPTIONS = {  # all other checks pass; scikit-learn's DummyClassifier is excused from the accuracy too
    "omkc_ds": {"check_methods_sample_order_invariance": DRAWN, "check_methods_subset_invariance": DRAWN},
    "omkc_ss": {"check_methods_sample_order_invariance": DRAWN, "check_methods_subset_invariance": DRAWN},
    "majority": {"check_classifiers_train": "a control, which predicts one class for all examples"},
}
QUICK = {  # what takes long at the defaults
    "cr": {"iterations": 2},
    "cr_dc": {"iterations": 2},
    "gaussian_svm": {"widths": (1.0,)},
    "gradient_boosting": {"rounds": 5},
    "random_forest": {"trees": 5},
}


def quick(name):
    """Return an estimator with few kernels: a family, as many as other tests compile online passes for, or two.

    Those that draw a kernel for each round are not compiled, and have too few rounds here for seven.
    """
    compiled = name in ONLINE and name not in ("oks", "oks_loss", "som")
    kernels = SEVEN if compiled else ["gaussian_sigma1", "polynomial_p1"]
    if name in algorithms.names("parametric"):
        kernels = {"family": "gaussian", "low": 0.5, "high": 2, "count": 3, "spacing": "log"}
    return KernelClassifier(name, kernels, **QUICK.get(name, {}))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", algorithms.names())
def test_every_algorithm_passes_scikit_learns_checks(name):
    expected = EXCEPTIONS.get(name, {})
    found = check_estimator(quick(name), expected_failed_checks=expected, on_skip=None)
    assert {each["check_name"] for each in found if each["status"] == "xfail"} == set(expected)
    assert sum(each["status"] == "passed" for each in found) >= 50


@pytest.mark.parametrize(
    "settings", [{"approximation": "fourier"}, {"approximation": "nystroem"}, {"budget": 20}], ids=str
)
def test_streams_pass_scikit_learns_checks(settings):
    model = KernelClassifier("omkc_dd", ["gaussian_sigma1", "polynomial_p1"], random_state=0, **settings)
    check_estimator(model, on_skip=None)


def test_parameters_of_algorithms_and_estimators_do_not_share_names():
    own = set(KernelClassifier._get_param_names())
    assert {name for each in algorithms.names() for name in algorithms.fields(each)} & own == {"C"}


def test_parameters_are_those_of_the_algorithm():
    model = KernelClassifier("omkc_dd", beta=0.5)
    assert model.get_params()["beta"] == 0.5
    assert KernelClassifier("omkc_dd").get_params()["beta"] == 0.8
    assert "beta" not in KernelClassifier("omkc_dd").get_params(deep=False)
    assert clone(model).get_params() == model.get_params()
    assert "beta=0.5" in repr(model)
    assert model.set_params(algorithm="omkc_ss", delta=0.1).get_params()["delta"] == 0.1
    with pytest.raises(ValueError, match=r"Invalid parameter 'delta' for KernelClassifier with omkc_dd"):
        KernelClassifier("omkc_dd").set_params(delta=0.1)
    X, y, _ = problem()
    unlike = [KernelClassifier("omkc_dd", beta=beta, random_state=0).fit(X, y).kernel_weights_ for beta in (0.5, 0.8)]
    assert not np.array_equal(*unlike)


def test_another_algorithm_takes_over_what_it_has():
    model = KernelClassifier("omkc_ss", beta=0.5, delta=0.1)
    assert clone(model).set_params(algorithm="omkc_dd").get_params()["beta"] == 0.5
    rkl = clone(model).set_params(algorithm="rkl", gap=0.1)
    assert rkl.get_params() == KernelClassifier("rkl", gap=0.1).get_params()
    assert rkl.set_params(algorithm="omkc_ss").get_params()["beta"] == 0.8  # forgotten, which is its default
    with pytest.raises(ValueError, match="Invalid parameter 'beta' for KernelClassifier with rkl"):
        clone(model).set_params(algorithm="rkl", beta=0.5)
    assert clone(model).set_params(algorithm="rkll").get_params()["beta"] == 0.5  # nothing is known of it
    X, y, _ = problem()
    with pytest.raises(ValueError, match="unknown parameter of rkl 'betta'"):  # that of no algorithm is not forgotten
        KernelClassifier("omkc_dd", betta=0.5).set_params(algorithm="rkl").fit(X, y)


def test_a_search_over_algorithms_goes_on_where_one_lacks_a_parameter():
    X, y, _ = problem()
    model = KernelClassifier("omkc_dd", SEVEN, beta=0.5, random_state=0)
    search = GridSearchCV(model, {"algorithm": ["omkc_dd", "uniform_svm"]}, cv=2, error_score="raise").fit(X, y)
    wanted = [model, KernelClassifier("uniform_svm", SEVEN, random_state=0)]
    found = search.cv_results_["mean_test_score"]
    assert found.tolist() == [cross_val_score(each, X, y, cv=2).mean() for each in wanted]
    assert model.get_params()["beta"] == 0.5


def test_C_is_the_algorithms_or_the_machines():
    X, y, test = problem()
    for name in ("uniform_svm", "cka"):
        low, high, plain = (KernelClassifier(name, C=C).fit(X, y).decision_function(test) for C in (0.01, 100.0, None))
        assert not np.allclose(low, high)
        assert not np.allclose(plain, high)
    with pytest.warns(UserWarning, match="C: omkc_dd trains no SVM, expected no C, got 1.0, which is not used"):
        search = GridSearchCV(KernelClassifier(), {"algorithm": ["omkc_dd"], "C": [1.0]}, cv=2, error_score="raise")
        assert search.fit(X, y).best_score_ > 0.5


def test_searches_pipelines_and_frames():
    X, y, _ = problem()
    frame, labels = pd.DataFrame(X, columns=["a", "b", "c"]), np.array(["no", "yes"])[y]
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), KernelClassifier("uniform_svm", KERNELS))
    grid = [
        {"kernelclassifier__C": [0.1, 10.0]},
        {"kernelclassifier__algorithm": ["omkc_dd"], "kernelclassifier__beta": [0.5, 0.9]},
    ]
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(frame, labels)
    assert len(search.cv_results_["params"]) == 4
    assert set(search.predict(frame)) <= {"no", "yes"}
    assert search.best_estimator_[-1].feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.warns(UserWarning, match="feature names"):
        search.best_estimator_[-1].predict(X)


def test_seeds():
    X, y, test = problem()

    def scores(**settings):
        return KernelClassifier("omkc_ss", **settings).fit(X, y).decision_function(test)

    assert np.array_equal(scores(random_state=1), scores(random_state=1))
    assert not np.array_equal(scores(random_state=1), scores(random_state=2))
    assert not np.array_equal(scores(random_state=1), scores(random_state=1, shuffle=False))
    assert np.array_equal(*[scores(random_state=np.random.RandomState(1)) for _ in range(2)])
    assert len(scores()) == len(test)


def test_kernels_in_all_their_forms_learn_the_same():
    X, y, test = problem()
    grams, others = (np.stack([linear_kernel(E, X), rbf_kernel(E, X, gamma=2.0)]) for E in (X, test))
    every = np.stack([kernel(np.r_[X, test]) for kernel in (linear_kernel, partial(rbf_kernel, gamma=2.0))])
    numbers = np.arange(55)
    forms = [
        (["linear", partial(rbf_kernel, gamma=2.0)], X, test, ["linear", "rbf_kernel(gamma=2.0)"]),
        ([linear_kernel, "gaussian_sigma0.5"], X, test, ["linear_kernel", "gaussian_sigma0.5"]),
        (["polynomial_p1", "gaussian_sigma0.5"], X, test, ["polynomial_p1", "gaussian_sigma0.5"]),
        ("precomputed", grams, others, ["kernel_0", "kernel_1"]),
        (every, numbers[:40], numbers[40:], ["kernel_0", "kernel_1"]),
        (list(every), numbers[:40, None], numbers[40:, None], ["kernel_0", "kernel_1"]),
        # new examples by their kernel values
        (every, numbers[:40], others, ["kernel_0", "kernel_1"]),
        ({"a": every[0], "b": every[1].tolist()}, numbers[:40], {"b": others[1], "a": others[0]}, ["a", "b"]),
        ({"a": linear_kernel, "b": partial(rbf_kernel, gamma=2.0)}, X, test, ["a", "b"]),
    ]
    for scale in (True, False):
        wanted = None
        for kernels, known, unknown, names in forms:
            model = clone(KernelClassifier("uniform_svm", kernels, scale=scale)).fit(known, y)
            scores = model.decision_function(unknown)
            wanted = scores if wanted is None else wanted
            assert model.kernels_ == names
            assert np.allclose(scores, wanted, atol=1e-2)  # the machine's tolerance
    single = KernelClassifier("uniform_svm", "rbf").fit(X, y)
    assert single.kernels_ == ["rbf"]
    assert KernelClassifier("rkl", [linear_kernel] * 2).fit(X, y).kernels_ == ["linear_kernel", "linear_kernel_1"]


def test_kernels_in_all_their_forms_are_centred_as_by_scikit_learn():
    X, y, test = problem()
    rbf, numbers = partial(rbf_kernel, gamma=2.0), np.arange(len(X) + len(test))
    centerer = KernelCenterer().fit(rbf(X))
    expected = SVC(kernel="precomputed").fit(centerer.transform(rbf(X)), y)
    forms = [
        ("gaussian_sigma0.5", X, test),
        (rbf, X, test),
        ("precomputed", rbf(X)[None], rbf(test, X)[None]),
        (rbf(np.r_[X, test])[None], numbers[: len(X)], numbers[len(X) :]),
    ]
    for kernels, train, others in forms:
        model = KernelClassifier("uniform_svm", kernels, center=True, scale=False, C=1.0).fit(train, y)
        scores = expected.decision_function(centerer.transform(rbf(test, X)))
        assert np.allclose(model.decision_function(others), scores, atol=1e-2)  # the machine's tolerance


@pytest.mark.parametrize("algorithm", ["omkcdd", "rkl"])
def test_partial_fit_says_which_algorithms_have_it(algorithm):
    with pytest.raises(AttributeError) as error:
        KernelClassifier(algorithm).partial_fit(*problem()[:2])
    assert re.search(f"omkc_dd, omkc_ds, .*; got '{algorithm}'$", str(error.value.__cause__))


def test_an_offset_that_leaves_distances_inexact_is_said():
    X, y, _ = problem()
    far = X + 1e7 * (np.arange(X.shape[1]) == 0)
    with pytest.warns(UserWarning, match="features: expected examples around 0, got squared norms up to 1e[+]14 with"):
        KernelClassifier("uniform_svm", "gaussian_sigma1").fit(far, y)
    for settings in ({"approximation": "fourier"}, {"budget": 9}):
        with pytest.warns(UserWarning, match="features: expected examples around 0"):
            KernelClassifier("omkc_dd", "gaussian_sigma1", **settings).partial_fit(far, y, classes=[0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelClassifier("uniform_svm", "gaussian_sigma1").fit(X + 1e3, y)
    for scale in (1e-160, 1e80):  # LIBLINEAR would not return
        with pytest.raises(ValueError, match=r"squared norms from 1e-308 to 1e.150, got .* up to"):
            KernelClassifier("linear_svm").fit(X * scale, y)


def test_a_kernel_that_rounding_makes_indefinite_has_a_remedy():
    X, y, _ = problem()
    with pytest.raises(ValueError, match="; rounding may have made a kernel indefinite: scale the features"):
        KernelClassifier("cr").fit(np.concatenate([X, [[1e12, *X[0, 1:]]]]), np.append(y, y[0]))


@pytest.mark.parametrize("algorithm", ["cka", "alignf", "memo", "single_kernel"])
@pytest.mark.parametrize("kernels", [{"kernels": "precomputed", "scale": False}, {"center": True}])
def test_a_learned_kernel_that_is_0_predicts_one_class(algorithm, kernels):
    X = np.zeros((1, 9, 9)) if "kernels" in kernels else np.ones((9, 2))
    model = KernelClassifier(algorithm, **kernels).fit(X, np.arange(9) % 2)
    assert (model.predict(X) == 0).all()


OF_ONE_KERNEL = ["alignf", "cka", "easy_mkl", "gram_mkl", "klc", "lp_mkl", "memo", "mkl_l2", "simple_mkl"]


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("algorithm", "center"), [("rkl", False), *((name, True) for name in ["rkl", *OF_ONE_KERNEL])])
def test_a_view_that_is_constant_has_no_weight(algorithm, center):
    X, y, _ = problem()
    X = np.column_stack([X, np.ones(len(X))])
    views = {"real": list(range(X.shape[1] - 1)), "constant": [X.shape[1] - 1]}
    model = KernelClassifier(algorithm, views=views, center=center, random_state=0).fit(X, y)
    weights = model.weights_by("view")
    assert weights["constant"] == 0.0 and weights["real"] > 0.5


@pytest.mark.parametrize(
    ("algorithm", "changes", "message"),
    [
        ("om1", {}, "budget: om1 needs the whole stream, expected one of .*omkc_dd, "),
        ("omkc_dd", {"kernels": "rbf"}, "budget: expected this benchmark's kernels, .*; got 'rbf'"),
        ("omkc_dd", {"center": True}, "center: expected False for a stream with a budget, got True"),
        ("omkc_dd", {"bugdet": 5}, "unknown parameters? .*bugdet"),
    ],
)
def test_a_budget_is_refused_where_the_stream_would_be_stored(algorithm, changes, message):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=message):
        KernelClassifier(algorithm, budget=5, **changes).partial_fit(X, y, classes=np.unique(y))


def test_the_kernel_of_a_transformer_is_the_one_of_the_classifier():
    """A product of powers is no sum of kernels."""
    X, y, test = problem()
    kernels = ["gaussian_sigma0.5", "gaussian_sigma1"]
    gram = MultipleKernelTransformer("gmkl", kernels).fit(X, y).transform(test)
    product = KernelClassifier("gmkl", kernels).fit(X, y)._predictor_
    grams = [rbf_kernel(test, X, gamma=0.5 / sigma**2) for sigma in (0.5, 1.0)]
    assert np.allclose(gram, np.prod([K**power for K, power in zip(grams, product.exponents, strict=True)], axis=0))


def test_functions_have_names_that_tell_them_apart_and_that_their_errors_begin_with():
    X, y, _ = problem()
    widths = [partial(rbf_kernel, gamma=gamma) for gamma in (0.1, 1.0)]
    model = KernelClassifier("uniform_svm", widths).fit(X, y)
    assert model.kernels_ == ["rbf_kernel(gamma=0.1)", "rbf_kernel(gamma=1.0)"]

    def fails(left, right):
        raise ValueError("deep inside")

    with pytest.raises(ValueError, match=r"fails: expected kernel values \(40, 40\); .* deep inside") as caught:
        KernelClassifier("uniform_svm", fails).fit(X, y)
    assert str(caught.value.__cause__) == "deep inside"


def test_too_little_memory_is_one_line_with_the_ways_out(monkeypatch):
    X, y, _ = problem()

    def lacks(*_):
        raise MemoryError("Unable to allocate 38.7 GiB")

    monkeypatch.setattr(BoundKernels, "train", lacks)
    with pytest.raises(ValueError, match=r"not enough memory \(Unable to allocate 38.7 GiB\); take .* \"makl\""):
        KernelClassifier("uniform_svm").fit(X, y)


def test_a_relative_kernel_beside_a_function_measures_in_units_of_the_training_examples():
    X, y, test = problem()
    mixed = KernelClassifier("single_kernel", ["mediangaussian_sigma1", "linear"]).fit(X, y)
    alone = KernelClassifier("single_kernel", ["mediangaussian_sigma1"]).fit(X, y)
    assert np.allclose(mixed.decision_function(test), alone.decision_function(test))


def test_a_dictionary_is_a_continuous_range():
    X, y, test = problem()
    model = KernelClassifier("ca_1d", RANGE).fit(X, y)
    assert all(name.startswith("gaussian(") for name in model.kernels_)
    assert model.predict(test).shape == (15,)
    assert len(KernelClassifier("cka", RANGE).fit(X, y).kernels_) == 5


def test_cross_validation_cuts_precomputed_kernels():
    X, y, _ = problem()
    grams, folds = np.stack([linear_kernel(X), rbf_kernel(X)]), StratifiedKFold(4)
    got = cross_val_score(KernelClassifier(kernels=grams), np.arange(40), y, cv=folds)
    wanted = []
    for train, test in folds.split(X, y):
        model = KernelClassifier(kernels="precomputed").fit(grams[:, train][:, :, train], y[train])
        wanted.append(np.mean(model.predict(grams[:, test][:, :, train]) == y[test]))
    assert np.array_equal(got, wanted)
    one = cross_val_score(KernelClassifier(kernels="precomputed"), grams[0], y, cv=folds)
    assert np.array_equal(one, cross_val_score(KernelClassifier(kernels=grams[0]), np.arange(40), y, cv=folds))


def test_the_defaults_are_the_leaderboards():
    study = yaml.safe_load((ROOT / "config/studies/leaderboard.yaml").read_text())
    kernels = [kernel for entry in study["kernels"] for kernel in KernelFamily.model_validate(entry).kernels()]
    assert kernels == kernel_input.DEFAULT
    assert study["dictionary"] == pytest.approx(kernel_input.DEFAULT_FAMILY)


def test_the_learned_kernel_for_another_estimator():
    X, y, test = problem(3)
    transformer = MultipleKernelTransformer("cka", KERNELS).set_output(transform="pandas").fit(X, y)
    values = transformer.transform(test)
    assert values.shape == (15, 40)
    assert values.columns[0] == "multiplekerneltransformer0"
    assert np.trace(transformer.transform(X)) == pytest.approx(40.0)
    two = MultipleKernelTransformer("cka", KERNELS).fit(X, y > 0)
    found = mixture(two._bound.between(test), two.kernel_weights_, None)
    assert np.allclose(two.transform(test) / two.transform(test)[0, 0], found / found[0, 0])
    pipeline = make_pipeline(MultipleKernelTransformer("ca_1d"), SVC(kernel="precomputed"))
    assert cross_val_score(pipeline, X, y, cv=2, error_score="raise").shape == (2,)
    grams = np.stack([linear_kernel(X), rbf_kernel(X)])
    values = MultipleKernelTransformer(kernels="precomputed").fit(grams, y).transform(grams[:, :3])
    assert values.shape == (3, 40)


def test_nobody_can_change_what_was_learned():
    X, y, test = problem()
    model = KernelClassifier("rkl").fit(X, y)
    before = model.decision_function(test)
    X[:] = 0.0
    assert np.array_equal(model.decision_function(test), before)


def test_a_saved_model_has_no_gram_matrices():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    for kernels, examples in (("default", X), ("rbf", X), ("precomputed", rbf_kernel(X))):
        model = KernelClassifier("uniform_svm", kernels).fit(examples, X[:, 0] > 0)
        model.predict(examples)
        assert len(pickle.dumps(model)) < 300 * 300 * 8 / 10


def test_a_fit_that_stops_short_warns():
    X, y, _ = problem()
    with pytest.warns(ConvergenceWarning, match="simple_mkl: 1 of 1 fits stopped short; .* gap .*, asked 1e-09;"):
        KernelClassifier("simple_mkl", C=100.0, gap=1e-9, iterations=1).fit(X, y)
    with pytest.warns(
        ConvergenceWarning, match="ufo_mkl: 1 of 1 fits .* certified gap .*, which counts as reached at 0.01; .* epochs"
    ):
        assert KernelClassifier("ufo_mkl", SEVEN).fit(X, y).certificate_.gap > 0.05


@pytest.mark.parametrize("name", ["kernel_stacking", "view_stacking", "mlp", "localised_mkl"])
def test_weights_that_no_kernel_has_are_not_shown(name):
    X, y, _ = problem()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelClassifier("uniform_svm", SEVEN).fit(X, y).set_params(algorithm=name).fit(X, y)
    assert model.kernels_ == [] and not hasattr(model, "kernel_weights_")
    assert model.score(X, y) > 0.5


def test_makl_shows_the_norms_of_its_groups():
    X, y, _ = problem(3)
    model = KernelClassifier("makl", SEVEN[:1], views={"a": [0, 1], "b": [2]}, regulariser=0.05).fit(X, y)
    assert model.kernels_ == ["a/gaussian_width1", "b/gaussian_width1"]
    assert model.kernel_weights_.shape == (3, 2) and (model.kernel_weights_[:, 0] > 0.0).any()


MINE = '''"""Mine: the first kernel alone."""
from dataclasses import dataclass
import numpy as np
from grambench.algorithms.fit import Fit

@dataclass(frozen=True)
class Parameters:
    weight: float = 1.0

def fit(parameters, pool, labels, *, order, rng):
    return Fit(weights=parameters.weight * np.eye(pool.shape[0])[0], thetas=pool.thetas)
'''


def test_an_algorithm_of_ones_own(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    X, y, test = problem()
    model = KernelClassifier(str(path), SEVEN, weight=2.0).fit(X, y)
    assert model.kernel_weights_.tolist() == [2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    kept = pickle.loads(pickle.dumps(model))
    assert np.array_equal(kept.decision_function(test), model.decision_function(test))
    broken = tmp_path / "broken.py"
    broken.write_text("def fit(:")
    assert KernelClassifier(str(broken)).get_params()["algorithm"] == str(broken)
    with pytest.raises(ValueError, match=r"broken\.py: SyntaxError: invalid syntax"):
        KernelClassifier(str(broken)).fit(X, y)


@pytest.mark.parametrize("algorithm", ["uniform_svm", "simple_mkl", "cka"])
def test_an_svm_on_vectors_predicts_what_the_sum_over_its_kernels_gives(algorithm):
    """Of every family that a sum takes, with scales and without; on training examples, distances are 0."""
    X, y, new = problem(n=150)
    kernels = [f"{name}_{family.symbol}{value}" for name, family in FAMILIES.items() for value in (1, 3)]
    kernels = [name for name in kernels if KernelSum.takes([Kernel.parse(name)])]
    for scale in (True, False):
        model = KernelClassifier(algorithm, kernels, scale=scale, C=10).fit(X, y)
        for examples in (X, new, new[:1]):
            direct = model._predictor_.scores(model._bound.between(examples))
            assert model._kernel_sum is not None and np.abs(direct).max() > 0.1
            error = 1e-12 * np.abs(direct).max()
            assert np.allclose(model.decision_function(examples), direct, rtol=1e-12, atol=error)
        with pytest.raises(ValueError, match="expected finite values"):
            model.predict(1e200 * new)


@pytest.mark.parametrize("algorithm", ["perceptron", "perceptron_u", "omkc_dd", "omkc_ss", "om2", "oks"])
def test_predictions_need_the_kernel_values_of_support_vectors_alone(algorithm):
    X, y, new = problem(n=150)
    model = KernelClassifier(algorithm, SEVEN, random_state=0).fit(X, y)
    support, _ = model._on_support
    assert len(support) < 150 or algorithm == "om2"
    wanted = model._predictor_.scores(model._bound.between(new))
    scores = model.decision_function(new)
    assert np.abs(scores).max() > 0.01 and np.allclose(scores, wanted, rtol=1e-12, atol=1e-12)


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.mark.parametrize("of_features", [False, True])
def test_blas_has_one_thread_in_small_products_alone(monkeypatch, of_features):
    X, y, new = problem()
    write, seen, scores = approximation._ViewFeatures.write, [], []

    def watched(*arguments):
        seen.append(blas_threads())
        return write(*arguments) if of_features else rbf_kernel(*arguments)

    monkeypatch.setattr(approximation._ViewFeatures, "write", watched)
    with threadpool_limits(2, user_api="blas"):
        # Of products that are too small for OpenBLAS to use threads, small ones, and large ones.
        for tiny, largest, expected in ((2**20, 2**30, 2), (0, 2**30, 1), (0, 1, 2)):
            monkeypatch.setattr(threads, "TINY", tiny)
            monkeypatch.setattr(threads, "SMALL", largest)
            method = "fourier" if of_features else None
            kernels = KERNELS if of_features else watched
            model = KernelClassifier("omkc_dd", kernels, approximation=method, n_components=16, random_state=0)
            model.partial_fit(X, y, classes=[0, 1])
            # The first call of a stream has one thread whatever its size: it may take a matrix apart.
            seen.clear()
            scores.append(model.partial_fit(X, y).decision_function(new))
            if not of_features:
                MultipleKernelTransformer("cka", watched).fit(X, y).transform(new)
            assert seen and set.union(*seen) == {expected} and blas_threads() == {2}
            seen.clear()
    assert all(np.array_equal(each, scores[0]) for each in scores)


def test_verbose_shows_progress(capsys):
    X, y, _ = problem(3)
    KernelClassifier("uniform_svm").fit(X, y)
    assert capsys.readouterr().err == ""
    KernelClassifier("uniform_svm", verbose=1).fit(X, y)
    assert "uniform_svm: 100%" in (shown := capsys.readouterr().err)
    assert "3/3" in shown


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
@pytest.mark.parametrize("budget", [0, 5])
@pytest.mark.parametrize(("name", "module"), [("om2", om2), ("omkc_sd", omkc)])
def test_a_pass_is_compiled_once_for_any_number_of_kernels(name, module, budget):
    X, y, _ = problem()
    kernels, signatures = ["gaussian_sigma1", "gaussian_sigma2", "gaussian_sigma4"], []
    for m in (2, 3):
        KernelClassifier(name, kernels[:m], budget=budget).fit(X, y)
        signatures.append(len(module._play_rounds._dispatcher.signatures))
    assert signatures[0] == signatures[1] > 0


X, Y, _ = problem()
GRAMS = np.stack([linear_kernel(X), rbf_kernel(X)])


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def objects(first, second):
    return np.array([first, second] * 20, dtype=object)


DAYS = (1e9 * X).astype("datetime64[s]")
RANGE = {"family": "gaussian", "unit": "median", "low": 0.1, "high": 10, "count": 5, "spacing": "log"}
WRONG = [
    (KernelClassifier(), changed(X, (1, 1), np.nan), Y, "got 1 NaN and 0 inf of 120; scikit-learn's SimpleImputer"),
    (KernelClassifier(), X.astype(str), Y, "not compatible with arrays of bytes/strings"),
    (KernelClassifier(), X + 1j, Y, "Complex data not supported"),
    (KernelClassifier(), X, Y[:-1], "X and y are inconsistent: expected one label for each of 40 examples, got 39"),
    (KernelClassifier(), X, np.where(Y, 1.0, np.nan), "y: expected finite numbers, got"),
    (KernelClassifier(), X, X[:, 0], "Unknown label type: continuous"),
    (KernelClassifier(), X, 0 * Y, "expected examples of two classes or more, got one class: 0"),
    (KernelClassifier(), X, None, "requires y to be passed"),
    (KernelClassifier(), 1e200 * X, Y, "scale the features"),
    (KernelClassifier("rkll"), X, Y, "unknown algorithm 'rkll': did you mean rkl"),
    (KernelClassifier(3), X, Y, "algorithm: expected a name, got 3"),
    (KernelClassifier(gapp=2), X, Y, "unknown parameter of rkl 'gapp': did you mean gap"),
    (KernelClassifier(C=-1), X, Y, "rkl: C must be positive and finite, got -1"),
    (KernelClassifier("cka", C=-1), X, Y, "C must be positive and finite, got -1"),
    (KernelClassifier(kernels="rbff"), X, Y, "unknown kernel 'rbff': did you mean rbf"),
    (KernelClassifier(kernels=[]), X, Y, r"kernels: expected names, functions or arrays, got \[\]"),
    (KernelClassifier(kernels=3), X, Y, "kernels: expected names, functions or arrays, got 3"),
    (KernelClassifier(kernels=[3]), X, Y, "kernels: expected names or functions, got 3"),
    (KernelClassifier(kernels="gaussian_sigma-1"), X, Y, "sigma must be a positive number, got -1"),
    (KernelClassifier(kernels="gaussian_sigmax"), X, Y, "kernel 'gaussian_sigmax': could not convert"),
    (KernelClassifier(kernels="gaussian_sigma"), X, Y, "unknown kernel 'gaussian_sigma': did you mean gaussian_sigma1"),
    (KernelClassifier(kernels=["precomputed", "rbf"]), X, Y, "kernels: expected 'precomputed' alone"),
    (KernelClassifier(kernels=["chi2"]), X, Y, "chi2: .*[Nn]egative values"),
    (KernelClassifier("easy_mkl", "linear", views={"a": [0]}), X, Y, "such as .*polynomial_p1.*; got 'linear'"),
    (KernelClassifier(views={"a": ["age"]}), X, Y, "got 'age'; X has no names"),
    (KernelClassifier(C=True), X, Y, "C must be a number, got True"),
    (KernelClassifier(), X[:, 0], Y, r"X: expected a 2D array \(t, d\), got \(40,\)"),
    (KernelClassifier(), np.where(X > 0, "high", "low").astype(object), Y, r"convert string .* \(encode text"),
    (KernelClassifier(), np.where(X > 0, "high", "low").tolist(), Y, r"strings.* \(encode text"),
    (KernelClassifier(), pd.DataFrame({"a": pd.Categorical(["x"] * 40)}), Y, r"convert string .* \(encode text"),
    (KernelClassifier(kernels="precomputed"), {"a": GRAMS[0]}, Y, "as X, got a dictionary; named Gram matrices"),
    (KernelClassifier(kernel="rbf"), X, Y, "unknown parameter of rkl 'kernel': did you mean kernels"),
    (KernelClassifier(kernels={"family": "gaussian", "low": 1}), X, Y, "kernels: high is missing"),
    (KernelClassifier(kernels=[{"a": linear_kernel}, "rbf"]), X, Y, "expected functions themselves beside"),
    (KernelClassifier(kernels="gaussian"), X, Y, "the parameter of gaussian in its name, such as gaussian_sigma1"),
    (KernelClassifier(kernels={"family": "gausian", "values": [1]}), X, Y, "did you mean gaussian"),
    (KernelClassifier(kernels={"family": "gaussian", "value": [1]}), X, Y, "unknown key of kernels 'value': did you"),
    (KernelClassifier(kernels={"family": "gaussian", "values": []}), X, Y, "kernels: expected one of values or more"),
    (KernelClassifier(kernels={"family": "gaussian", "values": ["x"]}), X, Y, "kernels: could not convert"),
    (KernelClassifier(kernels=RANGE | {"count": 0}), X, Y, "kernels: expected a count from 1 to"),
    (KernelClassifier(kernels=RANGE | {"high": 0.05}), X, Y, "kernels: low must be below high, got 0.1 and 0.05"),
    (KernelClassifier(kernels=RANGE | {"spacing": "logg"}), X, Y, "kernels: expected linear or log as spacing"),
    (KernelClassifier(kernels=RANGE | {"unit": "mean"}), X, Y, "kernels: expected median as unit, got 'mean'"),
    (KernelClassifier(kernels=RANGE | {"high": 1e200}), X, Y, "kernels: expected bounds between 1e-100 and 1e"),
    (KernelClassifier("ca_1d", "rbf"), X, Y, "continuous parameter.*of an estimator: kernels"),
    (KernelClassifier("majority", GRAMS), np.arange(40) + 1, Y, "numbers of examples in the given Gram matrices"),
    (KernelClassifier("random_forest", GRAMS), np.arange(40), Y, "expected a pool with features"),
    (KernelClassifier(kernels=GRAMS), X, Y, r"whole ones below 40, got \(40, 3\)"),
    (KernelClassifier(kernels=GRAMS), np.arange(40) / 2, Y, "whole ones below 40, got 0 to 19.5"),
    (KernelClassifier(kernels=GRAMS[:, :, :30]), np.arange(20), Y[:20], r"Gram matrices of all examples, \(m, N, N\)"),
    (KernelClassifier(kernels=lambda a, b: a), X, Y, r"<lambda>: expected kernel values \(40, 40\)"),
    (KernelClassifier(kernels=lambda a, b: np.nan * a @ b.T), X, Y, "<lambda>: expected finite numbers"),
    (KernelClassifier(kernels=lambda a, b: -a @ b.T), X, Y, "<lambda>: expected a positive semi-definite"),
    (KernelClassifier(kernels=lambda a, b: a @ b.T + a[:, :1]), X, Y, "<lambda>: expected a symmetric"),
    (KernelClassifier(kernels="precomputed"), changed(GRAMS, (1, 2, 2), np.nan), Y, "kernels: expected finite numbers"),
    (KernelClassifier(kernels="precomputed"), changed(GRAMS, (1, 2, 3), 9), Y, "kernel_1: expected a symmetric"),
    (KernelClassifier(kernels="precomputed"), changed(GRAMS, (1, 2, 2), -9), Y, "kernel_1: .*eigenvalues from -9"),
    (KernelClassifier(kernels="precomputed"), GRAMS.astype(str), Y, "kernels: expected real numbers, got <U"),
    (KernelClassifier(kernels="precomputed"), GRAMS.T, Y, "X and y are inconsistent|expected a square"),
    (KernelClassifier(kernels="precomputed"), 0 * GRAMS, Y, "kernel_0: expected a diagonal with a mean above 0"),
    (KernelClassifier(kernels=[GRAMS[0], GRAMS[1, :5]]), np.arange(40), Y, "kernels: expected arrays of one shape"),
    (MultipleKernelTransformer("majority"), X, Y, "majority: expected an algorithm that learns a kernel"),
    (MultipleKernelTransformer("localised_mkl"), X, Y, "localised_mkl: expected an algorithm that learns a kernel"),
    (KernelClassifier(), X, objects(0, "a"), "y: expected labels of one kind, got numbers and text"),
    (KernelClassifier(), X, ["a", np.nan] * 20, "y: expected no missing label, got 20, the first at 1"),
    (KernelClassifier(), X, objects("a", None), "y: expected no missing label"),
    (KernelClassifier(), X, pd.Series(["a", pd.NA] * 20, dtype="string"), "y: expected no missing label"),
    (KernelClassifier(), X, pd.Series(["a", None] * 20, dtype="category"), "y: expected no missing label"),
    (KernelClassifier(), X, DAYS[:, 0], "y: expected numbers or text, got datetime64"),
    (KernelClassifier(), DAYS, Y, "X: expected numbers, got dates or durations"),
    (KernelClassifier(), DAYS.astype(">M8[s]"), Y, "X: expected numbers, got dates or durations"),
    *(
        (KernelClassifier(), table, Y, "X: .*dates or .* from column 'day'")
        for table in (
            pd.DataFrame({"a": X[:, 0], "day": DAYS[:, 0]}),
            pd.DataFrame({"a": X[:, 0], "day": pd.period_range("2020", periods=40)}),
            pyarrow.table({"a": X[:, 0], "day": DAYS[:, 0]}),
            pyarrow.table({"a": X[:, 0], "day": DAYS[:, 0] - DAYS[0, 0]}),
        )
    ),
    (KernelClassifier(kernels=[GRAMS[0], "rbf"]), np.arange(40), Y, r"got an array \(40, 40\); .* cannot be mixed"),
    (KernelClassifier(kernels={"s": GRAMS[0], "g": "rbf"}), X, Y, "cannot be mixed, got a matrix for 's'"),
    (KernelClassifier(kernels=[[[1.0], [1.0, 2.0]]]), np.arange(2), Y[:2], "kernels: expected matrices"),
    (KernelClassifier(kernels=GRAMS[0, 0]), X, Y, "kernels: expected names or functions, got np.float64"),
    (KernelClassifier(kernels=None), np.arange(40), Y, "kernels: expected names, functions or arrays, got None"),
    (KernelClassifier(kernels=[csr_matrix(GRAMS[0])]), np.arange(40), Y, "kernels: expected real numbers, got object"),
    (KernelClassifier(kernels=GRAMS), np.arange(40) > 3, Y, "X: expected numbers of examples in the given Gram"),
    (KernelClassifier("raker", "precomputed", approximation="fourier"), GRAMS, Y, "approximation: expected kernels by"),
    (KernelClassifier(center=True, approximation="fourier"), X, Y, "center: .* with approximation='fourier'"),
    (KernelClassifier(center=True, kernels=RandomSubsets()), X, Y, "center: expected False with RandomSubsets"),
    (KernelClassifier(5, approximation="fourier"), X, Y, "algorithm: expected a name, got 5"),
    (KernelClassifier("rkl", gap=None), X, Y, r"rkl: gap must lie in \(0, 1\), got None"),
    (KernelClassifier("omkc_dd", when_full=None), X, Y, "omkc_dd: when_full must be forget, shrink or project, got"),
]


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize(("model", "examples", "labels", "message"), WRONG, ids=[each[3] for each in WRONG])
def test_what_is_refused_is_refused_in_one_line(model, examples, labels, message):
    with pytest.raises(ValueError, match=message) as caught:
        model.fit(examples, labels)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 400


def test_a_table_of_arrow_is_learned_as_its_array():
    model, table = KernelClassifier("uniform_svm"), pyarrow.table(list(X.T), names=list("abc"))
    assert np.array_equal(model.fit(table, Y).decision_function(table), model.fit(X, Y).decision_function(X))


def test_what_is_not_there_is_said():
    model, sparse = KernelClassifier("uniform_svm").fit(X, Y), csr_matrix(X)
    for call in (model.fit, KernelClassifier("omkc_dd").partial_fit):
        with pytest.raises(TypeError, match="unexpected keyword argument 'sample_weight'"):
            call(X, Y, sample_weight=np.ones(40))
    for refuse in (lambda: model.predict(sparse), lambda: KernelClassifier().fit(sparse, Y)):
        with pytest.raises(TypeError, match="Sparse data was passed"):
            refuse()
    assert not hasattr(model, "predict_proba")
    chances = CalibratedClassifierCV(KernelClassifier("uniform_svm"), cv=2).fit(X, Y).predict_proba(X)
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert np.corrcoef(chances[:, 1], model.decision_function(X))[0, 1] > 0.9


@pytest.mark.parametrize("form", [pd.DataFrame, lambda gram: [pd.DataFrame(gram)], lambda gram: gram.tolist()])
def test_gram_matrices_may_be_data_frames_and_lists(form):
    wanted = KernelClassifier("uniform_svm", GRAMS[:1]).fit(np.arange(40), Y).decision_function([3, 4])
    model = KernelClassifier("uniform_svm", form(GRAMS[0])).fit(np.arange(40)[:, None], Y)
    assert np.array_equal(model.decision_function([3, 4]), wanted)


STREAM = partial(KernelClassifier, "raker", SEVEN, n_components=16, random_state=0)


@pytest.mark.parametrize("method", ["fourier", "nystroem"])
@pytest.mark.parametrize("value", [1e12, 1e39, 1e300, np.finfo(float).max])  # 1e12 to the power of 6 is beyond 32 bits
def test_values_beyond_32_bits_are_refused_before_anything_is_learned(method, value):
    model = STREAM(approximation=method).partial_fit(X, Y, classes=[0, 1])
    before = model.decision_function(X)
    fits = [STREAM(approximation=method).fit] if value > 1e30 else []  # else scaled by its own mean diagonal
    for call in (model.partial_fit, lambda X, Y: model.predict(X), *fits):
        with pytest.raises(ValueError, match=r"expected (finite values|squared norms)"):
            call(changed(X, (2, 1), value), Y)
    assert np.array_equal(model.decision_function(X), before) and model.n_samples_seen_ == 40


@pytest.mark.parametrize(("parameter", "value"), [("approximation", None), ("approximation", "nystroem"), ("eta", 3.0)])
def test_a_stream_keeps_its_parameters(parameter, value):
    model = STREAM(approximation="fourier").partial_fit(X, Y, classes=[0, 1]).set_params(**{parameter: value})
    with pytest.raises(ValueError, match=f"^{parameter}: expected .* as at the start of the stream, got {value!r}"):
        model.partial_fit(X, Y)


def test_a_stream_that_gets_an_approximation_keeps_its_examples():
    model = STREAM().partial_fit(X, Y, classes=[0, 1]).set_params(approximation="fourier").partial_fit(X, Y)
    assert model.n_samples_seen_ == 80


def test_units_and_landmarks_of_few_examples_are_said():
    first = partial(KernelClassifier, "raker", n_components=16, random_state=0)
    with pytest.warns(UserWarning, match="expected 20 examples or more at first, .* units .*, got 1"):
        first("mediangaussian_sigma1", approximation="fourier").partial_fit(X[:1], Y[:1], classes=[0, 1])
    with pytest.warns(UserWarning, match="n_components: expected 16 examples or more .*, got 1"):
        first("gaussian_sigma1", approximation="nystroem").partial_fit(X[:1], Y[:1], classes=[0, 1])
    with warnings.catch_warnings(action="error"):  # and of kernels without either nothing
        first("gaussian_sigma1", approximation="fourier").partial_fit(X[:1], Y[:1], classes=[0, 1])


def test_a_family_that_is_not_positive_semi_definite_is_said(monkeypatch):
    """Its dual has no bound on the distance from the optimum: the certified gap is below 0."""

    def t_student(squared, parameter, out):
        out[:] = 1.0 / (1.0 + squared ** (0.5 * parameter))

    family = FunctionFamily(t_student, "d", FAMILIES["gaussian"].requirement, "squared")
    monkeypatch.setitem(FAMILIES, "t_student", family)
    X = np.linspace(-3.0, 3.0, 60)[:, None]
    model = KernelClassifier("uniform_svm", "t_student_d3", C=1e3)
    with pytest.warns(ConvergenceWarning, match="certified gap -1 .* a kernel is not positive semi-definite"):
        model.fit(X, np.sin(3.0 * X[:, 0]) > 0.0)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([], "expected two classes or more"),
        ([0], "expected two classes or more"),
        ([0, None], "expected no missing label"),
        ([0, "a"], "expected labels of one kind"),
        (5, "should be a 1d array"),
        (DAYS[:2, 0], "expected numbers or text"),
    ],
)
def test_wrong_classes_are_named(classes, message):
    with pytest.raises(ValueError, match=f"^classes:? .*{message}|^classes: {message}"):
        KernelClassifier("omkc_dd").partial_fit(X, Y, classes=classes)


def test_what_is_refused_later():
    model = KernelClassifier(kernels="precomputed").fit(GRAMS, Y)
    with pytest.raises(ValueError, match=r"expected values of 2 kernels with 40 training examples"):
        model.predict(GRAMS[:, :, :5])
    with pytest.raises(ValueError, match="expected classes"):
        KernelClassifier("om1").partial_fit(X, Y, classes=[0, 2])
    with pytest.raises(ValueError, match="expected kernels as an array"):
        KernelClassifier("om1", "precomputed").partial_fit(GRAMS, Y, classes=[0, 1])
    with pytest.raises(ValueError, match="X: expected finite numbers"):
        KernelClassifier("uniform_svm").fit(X, Y).predict(changed(X, (0, 0), np.inf))


def test_definiteness_is_looked_at_where_it_is_cheap_or_asked_for(monkeypatch):
    check_grams(GRAMS)
    wrong = GRAMS - 0.5 * np.eye(40)
    with pytest.raises(ValueError, match="semi-definite"):
        check_grams(wrong)
    monkeypatch.setattr(kernel_input, "CHEAP", 30)
    check_grams(wrong)
    with pytest.raises(ValueError, match="semi-definite"):
        check_grams(wrong, definite=True)
    check_grams(GRAMS[0] - 1e-7 * np.linalg.eigvalsh(GRAMS[0])[-1] * np.eye(40), definite=True)


def test_weights_have_names_by_kernel_by_view_and_of_each_class():
    X, y = load_iris(return_X_y=True)
    views = {"sepal": [0, 1], "petal": [2, 3]}
    model = KernelClassifier("easy_mkl", ["gaussian_sigma1", "gaussian_sigma4"], views=views).fit(X, y)
    weights = model.kernel_weights_ / model.kernel_weights_.sum(axis=1, keepdims=True)
    assert model.weights_by() == pytest.approx(dict(zip(model.kernels_, weights.mean(axis=0), strict=True)))
    for number, name in enumerate(model.classes_):
        by_view = {view: sum(weights[number, [view in kernel for kernel in model.kernels_]]) for view in views}
        assert model.weights_by("view", of=name) == pytest.approx(by_view)
    shares = list(model.weights_by().values())
    assert shares == sorted(shares, reverse=True)
    for mistake in ({"by": "column"}, {"of": "setosa"}):
        with pytest.raises(ValueError, match=f"^{next(iter(mistake))}: expected"):
            model.weights_by(**mistake)
    with pytest.raises(ValueError, match=r"^by: expected .* views"):
        KernelClassifier("cka", ["gaussian_sigma1", "gaussian_sigma4"]).fit(X, y).weights_by("view")
    functions = {"sepal/linear": lambda A, B: A[:, :2] @ B[:, :2].T, "petal/linear": lambda A, B: A[:, 2:] @ B[:, 2:].T}
    assert set(KernelClassifier("cka", functions).fit(X, y).weights_by("view")) == {"sepal", "petal"}
    with pytest.raises(ValueError, match=r"^random_forest: expected"):
        KernelClassifier("random_forest").fit(X, y).weights_by()
