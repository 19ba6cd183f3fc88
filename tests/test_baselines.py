"""The baselines: scikit-learn's models under the contract of all algorithms."""

import warnings
from dataclasses import replace

import lightgbm
import numpy as np
import pytest
from fitting import fit as fit_plainly
from kernel_pools import on_vectors
from problems import labelled
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from grambench import algorithms
from grambench.algorithms.baselines import ard_gp, rfm
from grambench.algorithms.checks import scored
from grambench.algorithms.fit import Work
from grambench.algorithms.on_features import signs
from grambench.algorithms.oracle import stratified_folds
from grambench.experiments.training import Binary
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

NAMES = algorithms.names("baselines")
ON_FEATURES = [name for name in algorithms.names() if algorithms.needs(name) == "features"]
KERNELS = [Kernel("gaussian", 1.0), Kernel("polynomial", 1.0)]


def problem(seed=0, n=120, d=4):
    return labelled(seed, n, d, lambda x, noise: x[0] + x[1] ** 2 + 0.3 * noise > 1.0)


def fit(name, train, labels, **settings):
    """Fit to two classes, as protocols do: an algorithm for several learns class numbers."""
    if not algorithms.is_multiclass(name):
        return fit_plainly(name, train, labels, **settings)
    found = fit_plainly(name, train, (labels > 0).astype(np.int8), **settings)
    return replace(found, predictor=Binary(found.predictor))


def three_classes(seed=0, n=150, d=4):
    """Return features, class numbers and features of others."""
    rng = np.random.default_rng(seed)
    features, others = rng.normal(size=(2, n, d))
    return features, np.digitize(features[:, 0] + 0.3 * features[:, 1] ** 2, [-0.3, 0.7]).astype(np.int8), others


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


@pytest.mark.parametrize(
    ("name", "settings", "model"),
    [
        ("linear_svm", {"C": 0.3}, LinearSVC(C=0.3, dual=False)),
        ("logistic_regression", {"C": 0.3}, LogisticRegression(C=0.3, solver="liblinear")),
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
    shares = model.predict_proba(test.features[""])
    np.testing.assert_array_equal(found.predictor.scores(test), shares[:, 1] - shares[:, 0])


def test_a_forest_of_three_classes_is_one_forest():
    features, labels, others = three_classes()
    labels[labels == 1] = 0  # a class that no training example has
    train, test = pools(features, others)
    scores = fit_plainly("random_forest", train, labels, trees=30).predictor.scores(test)
    model = RandomForestClassifier(30, random_state=int(np.random.default_rng(0).integers(2**31))).fit(features, labels)
    np.testing.assert_array_equal(scores[:, [0, 2]], model.predict_proba(others))
    assert scores.shape == (150, 3) and not scores[:, 1].any()


@pytest.mark.parametrize("classes", [2, 3])
def test_boosting_is_that_of_lightgbm_with_the_rounds_that_a_fifth_selects(classes):
    features, labels, others = three_classes()
    labels = np.minimum(labels, classes - 1).astype(np.int8)
    train, test = pools(features, others)
    settings = {"learning_rate": 0.2, "leaves": 6.0, "depth": 3.0}  # a study's candidates are floats
    found = fit_plainly("gradient_boosting", train, labels, **settings, rounds=200, patience=10).predictor.scores(test)
    rng = np.random.default_rng(0)
    rng.integers(2**31)
    left_out = stratified_folds(labels, 5, rng)[-1]
    shared = {
        "learning_rate": 0.2,
        "num_leaves": 6,
        "max_depth": 3,
        "min_child_samples": 15,
        "verbosity": -1,
        "n_jobs": 1,
    }
    stopped = lightgbm.LGBMClassifier(n_estimators=200, **shared)
    kept = np.setdiff1d(np.arange(150), left_out)
    stop = lightgbm.early_stopping(10, verbose=False)
    stopped.fit(features[kept], labels[kept], eval_X=features[left_out], eval_y=labels[left_out], callbacks=[stop])
    assert 1 < stopped.best_iteration_ < 200
    whole = lightgbm.LGBMClassifier(n_estimators=stopped.best_iteration_, **shared).fit(features, labels)
    expected = whole.predict(others, raw_score=True)
    expected = expected if classes > 2 else np.stack([-expected, expected], axis=1) / 2.0
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_boosting_on_few_examples_selects_no_rounds():
    features, labels, others = three_classes()
    few = np.concatenate([np.flatnonzero(labels == label)[:7] for label in range(3)])
    train, test = pools(features[few], others)
    scores = fit_plainly("gradient_boosting", train, labels[few], rounds=15).predictor.scores(test)
    model = lightgbm.LGBMClassifier(n_estimators=15, min_child_samples=2, verbosity=-1, n_jobs=1)
    expected = model.fit(features[few], labels[few]).predict(others, raw_score=True)
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def process(logarithms):
    scale, *widths, noise = np.exp(logarithms)
    kernel = ConstantKernel(scale) * RBF(widths) + WhiteKernel(noise)
    return GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0)


def test_the_marginal_likelihood_and_its_gradient_are_scikit_learns():
    features, labels, _ = three_classes(n=60)
    y = signs(labels) - signs(labels).mean(axis=0)
    for seed in range(3):
        logarithms = np.random.default_rng(seed).normal(size=6)
        expected = process(logarithms).fit(features, y).log_marginal_likelihood(logarithms, eval_gradient=True)
        loss, slope = ard_gp._loss(logarithms, features, y)
        np.testing.assert_allclose(loss, -expected[0], rtol=1e-9)
        np.testing.assert_allclose(slope, -expected[1], rtol=1e-6, atol=1e-8)


def test_a_gaussian_process_predicts_as_scikit_learns_and_finds_the_features_that_tell(monkeypatch):
    features, labels, others = three_classes()
    train, test = pools(features, others)
    kept, split = [], ard_gp._split
    monkeypatch.setattr(ard_gp, "_split", lambda logarithms: kept.append(logarithms) or split(logarithms))
    scores = fit_plainly("ard_gp", train, labels, iterations=30.0).predictor.scores(test)
    y = signs(labels)
    model = process(kept[-1]).fit(features, y - y.mean(axis=0))
    np.testing.assert_allclose(scores, model.predict(others) + y.mean(axis=0), rtol=1e-7, atol=1e-9)
    start, best = (model.log_marginal_likelihood(each) for each in (kept[0], kept[-1]))
    assert best > start + 50.0
    widths = split(kept[-1])[1]
    assert widths[:2].max() < widths[2:].min()


def machine(features, labels, metric, bandwidth):
    """Return a ridge regression with a metric, written with the kernel values of each pair."""
    differences = features[:, None] - features
    lengths = np.sqrt(np.einsum("ijk,kl,ijl->ij", differences, metric, differences))
    return rfm.Machine(
        features,
        metric,
        bandwidth,
        np.linalg.solve(np.exp(-lengths / bandwidth) + 0.01 * np.eye(len(features)), signs(labels)),
    )


def test_the_average_gradient_outer_product_is_that_of_finite_differences():
    features, labels, others = three_classes(n=30, d=3)
    root = np.random.default_rng(5).normal(size=(3, 3))
    learned, step = machine(features, labels, root @ root.T, 1.7), 1e-6
    moves = step * np.eye(3)
    slopes = [(learned.scores(others + move) - learned.scores(others - move)) / (2.0 * step) for move in moves]
    gradients = np.stack(slopes, axis=2)  # examples, classes, features
    expected = np.einsum("ick,icl->kl", gradients, gradients) / len(others)
    np.testing.assert_allclose(learned.outer_product(others), expected, rtol=1e-6)


def test_a_recursive_feature_machine_repeats_regression_and_metric():
    features, labels, others = three_classes(n=60)
    train, test = pools(features, others[:60])
    found = fit_plainly("rfm", train, labels, iterations=3.0).predictor.scores(test)
    metric, pairs = np.eye(4), np.triu_indices(60, 1)
    bandwidth = np.median(np.linalg.norm(features[:, None] - features, axis=2)[pairs])
    for _ in range(3):
        learned = machine(features, labels, metric, bandwidth).outer_product(features)
        metric = learned * (4 / np.trace(learned))
    expected = machine(features, labels, metric, bandwidth).scores(others[:60])
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    assert np.diag(metric)[:2].min() > np.diag(metric)[2:].max()  # the features that tell


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
