"""Metrics of predictions and Platt scaling, against scikit-learn, and what probabilities may depend on."""

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from problems import prepared
from sklearn.calibration import CalibratedClassifierCV, _SigmoidCalibration
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    log_loss,
    recall_score,
    roc_auc_score,
)
from specifications import make_run

from grambench import algorithms
from grambench.common.errors import ConfigError
from grambench.config import metrics
from grambench.config.load import check
from grambench.config.metrics import METRICS, Predictions
from grambench.config.protocols import KINDS, PREDICTIONS
from grambench.config.study import Study
from grambench.experiments import offline, online
from grambench.experiments.pools import full_pool
from grambench.experiments.splits import splits
from grambench.experiments.training import Examples, Generators
from grambench.kernels.functions import Kernel
from grambench.kernels.grams import compute, inner_products
from grambench.solvers import platt


def brier(y_true, likely):
    """Return the Brier score: of two classes, of class 1 alone; of more, the sum over the classes."""
    if likely.shape[1] == 2:
        return brier_score_loss(y_true, likely[:, 1])
    return np.mean(np.sum((likely - np.eye(likely.shape[1])[y_true]) ** 2, axis=1))


def area(y_true, scores):
    """Return the mean area of each class one-vs-rest; scikit-learn's own "ovr" takes probabilities alone."""
    if scores.shape[1] == 2:
        return roc_auc_score(y_true, scores[:, 1])
    return np.mean([roc_auc_score(y_true == label, scores[:, label]) for label in range(scores.shape[1])])


EXPECTED = {
    "accuracy_percent": lambda y, p, s, q: 100 * accuracy_score(y, p),
    "error_percent": lambda y, p, s, q: 100 * (1 - accuracy_score(y, p)),
    "balanced_accuracy_percent": lambda y, p, s, q: 100 * balanced_accuracy_score(y, p),
    "macro_f1_percent": lambda y, p, s, q: 100 * f1_score(y, p, average="macro"),
    "auc_percent": lambda y, p, s, q: 100 * area(y, s),
    "log_loss": lambda y, p, s, q: log_loss(y, q, labels=np.arange(s.shape[1])),
    "brier_score": lambda y, p, s, q: brier(y, q),
}


def test_every_metric_of_predictions_is_compared():
    assert set(EXPECTED) == PREDICTIONS


def predictions(seed, classes, *, tied=False, n=80):
    rng = np.random.default_rng(seed)
    y_true = rng.permutation(np.arange(n) % classes)
    scores = rng.normal(size=(n, classes)) + np.eye(classes)[y_true]
    scores = scores.round() if tied else scores
    if classes == 2:
        scores = np.stack([-scores[:, 1], scores[:, 1]], axis=1)
    likely = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return Predictions(y_true, scores.argmax(axis=1), scores, likely)


def parts(found):
    return found.y_true, found.y_pred, found.scores, found.probabilities


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("name", EXPECTED)
def test_metrics_are_those_of_scikit_learn(name, classes, tied):
    for seed in range(5):
        found = predictions(seed, classes, tied=tied)
        assert METRICS[name].value(found) == pytest.approx(EXPECTED[name](*parts(found)), rel=1e-12), seed


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("classes", [2, 5])
def test_a_class_that_is_missing_leaves_all_metrics_but_the_area(classes):
    found = predictions(0, classes)
    kept = found.y_true != 0
    found = Predictions(*(values[kept] for values in parts(found)))
    assert np.isnan(METRICS["auc_percent"].value(found))
    for name in EXPECTED.keys() - {"auc_percent"}:
        assert METRICS[name].value(found) == pytest.approx(EXPECTED[name](*parts(found)), rel=1e-12), name


@pytest.mark.parametrize("classes", [2, 5])
def test_constant_scores_are_worth_a_guess(classes):
    y_true = np.arange(40) % classes
    scores, likely = np.zeros((40, classes)), np.full((40, classes), 1 / classes)
    found = Predictions(y_true, np.zeros(40, dtype=np.intp), scores, likely)
    for name, expected in EXPECTED.items():
        assert METRICS[name].value(found) == pytest.approx(expected(*parts(found)), rel=1e-12), name
    assert METRICS["auc_percent"].value(found) == 50.0
    assert METRICS["log_loss"].value(found) == pytest.approx(np.log(classes))


def test_a_probability_of_zero_of_the_true_class_has_a_finite_loss():
    likely = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = Predictions(np.array([1, 1]), np.array([0, 1]), np.array([[1.0, -1.0], [-1.0, 1.0]]), likely)
    assert np.isfinite(METRICS["log_loss"].value(found)) and METRICS["log_loss"].value(found) > 100


# --- Platt scaling ----------------------------------------------------------------------------------------------------


def scored(seed, size, n=200):
    """Return scores f of examples, two columns of opposite sign, and their classes."""
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 2, n)
    f = size * (rng.normal(size=n) + 1.5 * y_true - 0.3)
    return np.stack([-f, f], axis=1), y_true


@pytest.mark.parametrize("size", [1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e4])
def test_probabilities_are_those_of_scikit_learn(size):
    scores, y_true = scored(1, size)
    asked, _ = scored(2, size, n=50)
    expected = _SigmoidCalibration().fit(scores[:, 1], y_true).predict(asked[:, 1])
    found = platt.probabilities(scores, y_true, asked)
    np.testing.assert_allclose(found[:, 1], expected, atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-15)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_probabilities_of_more_classes_are_those_of_scikit_learn(classes):
    """A sigmoid for each class one-vs-rest, normalised."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 4))
    y_true = np.argmax(X @ rng.normal(size=(4, classes)) + rng.normal(size=(300, classes)), axis=1)
    estimator = LogisticRegression().fit(X[:100], y_true[:100])
    expected = CalibratedClassifierCV(FrozenEstimator(estimator), method="sigmoid", ensemble=False)
    expected = expected.fit(X[100:200], y_true[100:200]).predict_proba(X[200:])
    scores = estimator.decision_function(X)
    scores = scores if scores.ndim == 2 else np.stack([-scores, scores], axis=1)
    found = platt.probabilities(scores[100:200], y_true[100:200], scores[200:])
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("size", [0.0, 1e-310, 1e-200, 1e100, 1e150, 1e300])
def test_scores_of_any_size_have_probabilities(size, classes):
    rng = np.random.default_rng(0)
    y_true = np.arange(60) % classes
    scores = rng.normal(size=(60, classes)) + np.eye(classes)[y_true]
    if classes == 2:
        scores = np.stack([-scores[:, 1], scores[:, 1]], axis=1)
    for of in (size * scores, 1e3 * scores, 1e-3 * scores):
        found = platt.probabilities(size * scores, y_true, of)
        assert np.isfinite(found).all() and (found >= 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)


# --- what probabilities depend on -------------------------------------------------------------------------------------

ASKED = {
    "online": {"repetitions": 1, "checkpoints": 4},
    "nested_cv": {"outer_folds": 2, "inner_folds": 2, "select": "C", "values": [1.0]},
    "random_splits": {"repetitions": 1, "sizes": {"default": [40, 20, 20]}, "values": [1.0, 10.0]},
    "official_split": {"repetitions": 1, "validation": 0.3, "values": [1.0]},
    "per_class_splits": {"repetitions": 1, "sizes": {"default": [7, 5, 5]}, "values": [1.0]},
}


def data(classes=2, n=120):
    rng = np.random.default_rng(4)
    features = rng.normal(size=(n, 3))
    numbers = np.digitize(features[:, 0] + 0.4 * rng.normal(size=n), [-0.5, 0.5] if classes == 3 else [0.0])
    labels, names = (numbers, ("a", "b", "c")) if classes == 3 else (2 * numbers - 1, ())
    return prepared(features, labels, classes=names, test=np.arange(n) % 3 == 0)


def flipped(made, rows):
    """Return a data set in which the classes of some rows are others."""
    labels = made.labels.copy()
    labels[rows] = (labels[rows] + 1) % 3 if made.classes else -labels[rows]
    return replace(made, labels=labels)


def test_the_example_of_a_metric_is_right_as_it_stands_on_its_page():
    page = (Path(__file__).parents[1] / "docs/extending_report.md").read_text()
    function, entry, expected, *_ = re.findall(r"```python\n(.*?)```", page, re.S)
    names = vars(metrics) | {"recall_score": recall_score}
    exec(f"{function}\nentries = {{{entry}}}\nexpected = {{{expected}}}", names)
    ((name, metric),) = names["entries"].items()
    reference = names["expected"][name]
    for classes, tied, seed in itertools.product((2, 5), (False, True), range(5)):
        found = predictions(seed, classes, tied=tied)
        kept = found.y_true != seed  # a class may be missing
        for each in (found, Predictions(*(values[kept] for values in parts(found)))):
            assert metric.value(each) == pytest.approx(reference(*parts(each)), rel=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "online"])
def test_probabilities_do_not_depend_on_the_labels_of_test_examples(kind, classes):
    made, asked = data(classes), make_run("uniform_svm", kind, protocol=ASKED[kind])
    split, seed = next(splits(asked, made))
    changed = flipped(made, split.test[::2])
    first, again = (
        offline.Evaluator(asked, each, split).evaluate(asked.points[0], Generators(seed)).predictions
        for each in (made, changed)
    )
    assert not np.array_equal(first.y_true, again.y_true)
    assert first.probabilities.tobytes() == again.probabilities.tobytes()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ["omkc_dd", "uniform_svm"])
def test_probabilities_of_a_round_do_not_depend_on_later_labels(name, classes):
    made, asked = (
        data(classes),
        make_run(name, "online", protocol=ASKED["online"], points=[algorithms.resolved(name, {})]),
    )
    grams = compute(inner_products(made.features), [*map(Kernel.parse, asked.kernels)])
    order = np.random.default_rng(1).permutation(len(made.labels)).astype(np.int32)
    rounds, seed = np.array([30, 60, 90, 120]), np.random.SeedSequence(3)

    def likely(dataset):
        sample = Examples(full_pool(asked, dataset, grams), dataset.labels, order, len(dataset.classes))
        if name == "omkc_dd":
            found = online.present(algorithms.load(name), asked.points[0], sample, rounds, seed)
        else:
            found = online.retrain(algorithms.load(name), asked.points[0], sample, rounds, seed, 1.0)
        return online.predictions(found).probabilities

    first = likely(made)
    for known in (100, 75, 45, 20):
        again = likely(flipped(made, order[known:]))
        assert first[: known + 1].tobytes() == again[: known + 1].tobytes(), known
    assert first.tobytes() != again.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_may_show_what_its_protocol_yields_and_nothing_else(kind):
    study = {
        **{"name": "small", "title": "Small", "paper": "Nobody", "datasets": ["sonar"], "algorithms": {"om2": {}}},
        **{"protocol": {"kind": kind} | ASKED[kind], "kernels": [{"family": "gaussian", "values": [1]}]},
    }
    refused = set()
    for metric in METRICS:
        table = {"title": "A", "caption": "B", "algorithms": ["om2"], "metrics": [metric]}
        try:
            check(Study, study | {"tables": {"one": table}}, "small.yaml")
        except ConfigError as error:
            said = f"one shows {metric}, which a study of kind {kind} does not"
            assert said in str(error) and "\n" not in str(error), error
            refused.add(metric)
    assert refused == {name for name, each in METRICS.items() if not each.derived} - KINDS[kind].yields
