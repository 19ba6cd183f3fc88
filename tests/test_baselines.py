"""The baselines: scikit-learn's models under the contract of all algorithms."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from fitting import fit
from kernel_pools import on_vectors
from problems import labelled
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from grambench import algorithms
from grambench.algorithms.checks import scored
from grambench.algorithms.fit import Work
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

NAMES = algorithms.names("baselines")
ON_FEATURES = [name for name in algorithms.names() if algorithms.needs(name) == "features"]
KERNELS = [Kernel("gaussian", 1.0), Kernel("polynomial", 1.0)]


def problem(seed=0, n=120, d=4):
    return labelled(seed, n, d, lambda x, noise: x[0] + x[1] ** 2 + 0.3 * noise > 1.0)


def pools(features, others):
    train = on_vectors(KERNELS, features)
    return train, on_vectors(KERNELS, features, others, basis=train)


@pytest.mark.parametrize("name", NAMES)
def test_they_use_no_kernel_and_beat_the_majority(name):
    (features, labels), (others, truth) = problem(), problem(1)
    train, test = pools(features, others)
    found = fit(name, train, labels)
    assert found.weights.tolist() == [0.0, 0.0]
    scores = scored(found.predictor, test)
    right = np.mean((scores >= 0.0) == (truth > 0))
    floor = max(np.mean(truth > 0), np.mean(truth < 0))
    assert right == floor if name == "majority" else right > floor
    assert (train.computed, test.computed) == (0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_five_examples_of_each_class_are_enough(name):
    features, labels = problem()
    few = np.concatenate([np.flatnonzero(labels == label)[:5] for label in (-1, 1)])
    train, test = pools(features[few], features)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scored(fit(name, train, labels[few]).predictor, test).shape == (120,)


@pytest.mark.parametrize("name", NAMES)
def test_sparse_features_give_what_dense_ones_give(name):
    features, labels = problem()
    features[np.abs(features) < 0.5] = 0.0
    stored = np.zeros((1, 120, 120))
    dense, thin = (Stored(stored, features={"": each}) for each in (features, sparse.csr_array(features)))
    values = [scored(fit(name, pool, labels).predictor, pool) for pool in (dense, thin)]
    # LIBLINEAR's and LIBSVM's sums have another order, and trees other random numbers
    if name == "random_forest":
        assert np.mean((values[0] >= 0) == (values[1] >= 0)) > 0.95
    else:
        np.testing.assert_allclose(*values, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ON_FEATURES)
def test_a_pool_without_features_is_refused(name):
    with pytest.raises(ValueError, match=r"expected a pool with features, .* got one with none"):
        fit(name, Stored(np.zeros((1, 120, 120))), problem()[1])


def test_majority_counts():
    pool = Stored(np.zeros((1, 5, 5)))
    for labels, sign in (([1, 1, 1, -1, -1], 1), ([-1, 1, -1, 1, -1], -1)):
        scores = fit("majority", pool, np.array(labels, dtype=np.int8)).predictor.scores(pool)
        assert np.array_equal(np.sign(scores), np.full(5, sign))


@pytest.mark.parametrize(
    ("name", "settings", "model"),
    [
        ("linear_svm", {"C": 0.3}, LinearSVC(C=0.3, dual=False)),
        ("logistic_regression", {"C": 0.3}, LogisticRegression(C=0.3, solver="liblinear")),
        ("gradient_boosting", {"learning_rate": 0.3, "leaf": 20}, HistGradientBoostingClassifier(learning_rate=0.3)),
    ],
)
def test_they_are_scikit_learns(name, settings, model):
    (features, labels), (others, _) = problem(), problem(1)
    train, test = pools(features, others)
    scores = fit(name, train, labels, **settings).predictor.scores(test)
    np.testing.assert_allclose(scores, model.fit(features, labels).decision_function(others))


def test_boosting_learns_from_31_examples():
    """With 20 examples a leaf it gave the majority."""
    features, labels = problem()
    train, test = pools(features[:31], problem(1)[0])
    scores = fit("gradient_boosting", train, labels[:31]).predictor.scores(test)
    assert np.mean((scores >= 0.0) == (problem(1)[1] > 0)) > 0.7


@pytest.mark.parametrize("k", [1, 4.0, 500])  # a study's candidates are floats
def test_neighbours_vote(k):
    (features, labels), (others, _) = problem(), problem(1)
    train, test = pools(features, others)
    scores = fit("k_nearest_neighbours", train, labels, k=k).predictor.scores(test)
    distances = np.linalg.norm(others[:, None] - features[None], axis=2)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, : int(k)]
    np.testing.assert_allclose(scores, (labels[nearest] == 1).mean(axis=1) - 0.5)


def views(features, columns):
    """Return a pool of features and of groups of their columns."""
    stored = np.zeros((1, len(features), len(features)))
    return Stored(stored, features={"": features} | {name: features[:, part] for name, part in columns.items()})


def test_stacking_weights_an_svm_on_each_view():
    (features, labels), (others, _) = problem(d=6), problem(1, d=6)
    columns = {"one": [0, 1], "two": [2, 3, 4, 5]}
    found = fit("view_stacking", views(features, columns), labels, C=2.0, folds=4)
    held_out = np.empty((120, 2))
    for train, rest in StratifiedKFold(4).split(features, labels):
        for v, part in enumerate(columns.values()):
            machine = SVC(C=2.0).fit(features[np.ix_(train, part)], labels[train])
            held_out[rest, v] = machine.decision_function(features[np.ix_(rest, part)])
    model = LogisticRegression().fit(held_out, labels)
    machines = [SVC(C=2.0).fit(features[:, part], labels) for part in columns.values()]
    values = [
        machine.decision_function(others[:, part]) for machine, part in zip(machines, columns.values(), strict=True)
    ]
    expected = model.decision_function(np.stack(values, axis=1))
    np.testing.assert_allclose(found.predictor.scores(views(others, columns)), expected)


def test_stacking_needs_no_two_examples_of_each_class():
    features, labels = problem()
    few = np.concatenate([np.flatnonzero(labels == 1)[:1], np.flatnonzero(labels == -1)[:9]])
    train, test = pools(features[few], features)
    assert scored(fit("view_stacking", train, labels[few]).predictor, test).shape == (120,)


def test_a_forest_votes():
    features, labels = problem()
    train, test = pools(features, problem(1)[0])
    found = fit("random_forest", train, labels, trees=30, max_features=1.0)
    seed = int(np.random.default_rng(0).integers(2**31))
    model = RandomForestClassifier(30, max_features=1.0, random_state=seed).fit(features, labels)
    np.testing.assert_array_equal(found.predictor.scores(test), model.predict_proba(test.features[""])[:, 1] - 0.5)


@pytest.mark.parametrize("width", [0.25, 1.0, 4.0])
def test_a_gaussian_machine_of_one_width_is_that_machine(width):
    features, labels = problem()
    train, test = pools(features, problem(1)[0])
    found = fit("gaussian_svm", train, labels, C=3.0, widths=(width,))
    unit = train.measures.measured("", "median")
    model = SVC(C=3.0, gamma=1.0 / (2.0 * width**2 * unit)).fit(features, labels)
    np.testing.assert_allclose(
        found.predictor.scores(test), model.decision_function(test.features[""]), rtol=1e-6, atol=1e-9
    )
    assert found.work == Work()


def test_cross_validation_chooses_the_width():
    """Labels that alternate in the first feature at half the median distance: only a narrow kernel sees them."""
    rng = np.random.default_rng(0)
    features = rng.uniform(-3.0, 3.0, size=(300, 1))
    labels = np.where(np.sin(6.0 * features[:, 0]) > 0.0, 1, -1).astype(np.int8)
    train, test = pools(features, rng.uniform(-3.0, 3.0, size=(200, 1)))
    found = fit("gaussian_svm", train, labels, C=10.0, widths=(4.0, 0.1, 1.0))
    narrow = fit("gaussian_svm", train, labels, C=10.0, widths=(0.1,))
    np.testing.assert_array_equal(found.predictor.scores(test), narrow.predictor.scores(test))
    assert found.work == Work()


def test_a_plan_loads_all_algorithms_without_scikit_learn():
    load = "import sys; from grambench import algorithms as a; any(map(a.fault, a.names()))"
    code = f"{load}; print('sklearn' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
