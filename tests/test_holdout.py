"""The holdout protocol: what is drawn, what tuning may see, and what happens where nothing can be trained."""

from dataclasses import replace

import numpy as np
import pytest
from specifications import specification

from grambench import algorithms
from grambench.algorithms.alignment import alignment
from grambench.common.errors import DataError, SolverError
from grambench.datasets.store import PreparedDataset
from grambench.experiments import holdout
from grambench.experiments.data import Pools

GRID = [0.5, 1.0, 2.0, 4.0]


def dataset(n=120, d=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(3.0, 2.0, size=(n, d))
    labels = np.where((features[:, 0] - 3.0) ** 2 + rng.normal(size=n) > 3.0, 1, -1).astype(np.int8)
    return PreparedDataset(name="made", features=features, labels=labels, orders=None, source={})


def settings(file="ca_1d", *, tune=None, **protocol):
    defaults = {"repetitions": 2, "sizes": {"default": [40, 30, 50]}, "values": [0.01, 1.0, 100.0]}
    dictionary = {"family": "gaussian", "low": 0.2, "high": 20.0, "grid": GRID}
    return specification(
        file, "random_splits", protocol=defaults | protocol, kernels=[], dictionary=dictionary, tune=tune
    )


def tuned(asked, draw, **parameters):
    pools = Pools(asked, draw.train)
    return holdout.tune(algorithms.load(asked.file), parameters, asked, draw, pools)


def test_draws_are_disjoint_of_the_sizes_asked_for_and_the_same_for_every_algorithm():
    data = dataset()
    first = list(holdout.draws(settings(), data))
    again = list(holdout.draws(settings("alignf"), data))
    assert len(first) == 2
    for draw, other in zip(first, again, strict=True):
        assert [len(part) for part in (draw.train, draw.validation, draw.test)] == [40, 30, 50]
        rows = np.concatenate([draw.train, draw.validation, draw.test])
        assert len(np.unique(rows, axis=0)) == 120
        assert np.array_equal(draw.test, other.test)
        assert np.array_equal(draw.train_labels, other.train_labels)
    assert not np.array_equal(first[0].train, first[1].train)


def test_sizes_of_a_data_set_of_its_own_come_first():
    asked = settings(sizes={"default": [40, 30, 50], "made": [10, 10, 10]})
    assert [len(draw.test) for draw in holdout.draws(asked, dataset())] == [10, 10]


def test_features_are_standardised_by_the_training_examples():
    (draw, *_) = holdout.draws(settings(standardise=True), dataset())
    (plain, *_) = holdout.draws(settings(), dataset())
    np.testing.assert_allclose(draw.train.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(draw.train.std(axis=0), 1.0)
    expected = (plain.test - plain.train.mean(axis=0)) / plain.train.std(axis=0)
    np.testing.assert_allclose(draw.test, expected)


def test_too_few_examples_are_said():
    with pytest.raises(DataError, match=r"made: 40 \+ 30 \+ 50 examples are asked for, it has 100"):
        list(holdout.draws(settings(), dataset(n=100)))


@pytest.mark.parametrize(
    ("file", "tune"),
    [
        ("ca_1d", None),
        ("cr", {"parameter": "gamma", "values": [0.01, 1.0, 100.0], "by": "error"}),
        ("ca_nd", {"parameter": "regulariser", "values": [0.0, 1e12], "by": "alignment"}),
        ("lp_mkl", {"parameter": "C", "values": [0.1, 10.0], "by": "error"}),
    ],
)
def test_test_examples_change_nothing_but_what_is_measured_on_them(file, tune):
    data = dataset()
    asked = settings(file, tune=tune)
    outcome = holdout.outcome(asked, data)
    (draw, *_) = holdout.draws(asked, data)
    tested = {tuple(row) for row in draw.test}
    where = np.array([tuple(row) in tested for row in data.features])
    other = PreparedDataset(
        name="made",
        features=np.where(where[:, None], 2.0 * data.features, data.features),
        labels=np.where(where, -data.labels, data.labels).astype(np.int8),
        orders=None,
        source={},
    )
    changed = holdout.outcome(asked, other)
    measured = {"error_percent", "accuracy_percent", "balanced_accuracy_percent", "alignment"}
    for name in set(holdout.METRICS) - measured - {"seconds", "fit_seconds"}:
        assert np.array_equal(outcome.metrics[name][:, 0], changed.metrics[name][:, 0], equal_nan=True), name
    for name in measured:
        assert outcome.metrics[name][0, 0] != changed.metrics[name][0, 0]
    assert np.array_equal(outcome.kernel_values["weight"][0, 0], changed.kernel_values["weight"][0, 0], equal_nan=True)


def test_tuning_takes_the_first_of_the_best_on_the_validation_examples():
    (draw, *_) = holdout.draws(settings(), dataset())
    values = [0.01, 1.0, 100.0]
    asked = settings("cr", tune={"parameter": "gamma", "values": values, "by": "error"})
    errors = []
    for value in values:
        alone = settings("cr", tune={"parameter": "gamma", "values": [value], "by": "error"})
        errors.append(tuned(alone, draw).error)
    assert tuned(asked, draw).candidate.value == values[int(np.argmin(errors))]
    asked = settings("ca_nd", tune={"parameter": "regulariser", "values": [1e12, 0.0], "by": "alignment"})
    found = tuned(asked, draw)
    among = Pools(asked, draw.train).among(draw.validation)
    reached = []
    for value in (1e12, 0.0):
        asked.tune["values"] = [value]
        reached.append(alignment(tuned(asked, draw).candidate.fit.gram(among), draw.validation_labels))
    assert found.candidate.value == (1e12, 0.0)[int(np.argmax(reached))]


def test_the_machine_is_the_best_of_its_c_and_errors_are_counted_right():
    (draw, *_) = holdout.draws(settings(), dataset())
    found = tuned(settings(), draw)
    machine = found.machine.predictor
    assert found.machine.C in (0.01, 1.0, 100.0)
    kernel = found.candidate.fit.gram(Pools(settings(), draw.train).between(draw.validation))
    decisions = kernel @ machine.dual + machine.bias
    assert found.error == np.mean(np.where(decisions >= 0.0, 1, -1) != draw.validation_labels)


def test_a_machine_that_cannot_be_trained_ends_the_search():
    (draw, *_) = holdout.draws(settings(), dataset())
    hard = tuned(settings(values=[1e-4, 1e5], steps=50), draw)
    assert hard.machine.C == 1e-4
    assert hard.work.svm_calls == 2 and hard.work.solver_steps >= 50  # giving up has taken work too
    with pytest.raises(SolverError, match=r"no machine could be trained at C = 1: .* after 1 steps"):
        tuned(settings(values=[1.0], steps=1), draw)
    tune = {"parameter": "C", "values": [1e-4, 1e5], "by": "error"}
    limited = tuned(settings("lp_mkl", tune=tune), draw, steps=50)
    assert limited.candidate.value == 1e-4


def test_a_value_without_a_machine_leaves_the_others(monkeypatch):
    (draw, *_) = holdout.draws(settings(), dataset())
    asked = settings("ca_nd", tune={"parameter": "regulariser", "values": [1.0, 10.0], "by": "error"})
    alone = tuned(settings("ca_nd"), draw, regulariser=10.0)
    trained, calls = holdout.learner.trained, []

    def fails_first(*given, **settings):
        calls.append(given)
        if len(calls) == 1:
            raise SolverError("no machine")
        return trained(*given, **settings)

    monkeypatch.setattr(holdout.learner, "trained", fails_first)
    found = tuned(asked, draw)
    assert (found.candidate.value, found.error) == (10.0, alone.error)


@pytest.mark.parametrize("file", ["lp_mkl", "simple_mkl", "grid_uniform", "cka", "alignf"])
def test_kernel_values_that_are_made_once_count_once(file):
    (draw, *_) = holdout.draws(settings(), dataset())
    found = tuned(settings(file, tune={"parameter": "C", "values": [0.1, 1.0, 10.0], "by": "error"}), draw)
    assert found.work.kernel_values == len(GRID) * 40**2


def measured(file, **parameters):
    asked = replace(settings(file, repetitions=1), points=[parameters])
    metrics = holdout.outcome(asked, dataset()).metrics
    return metrics["gap"][0, 0], metrics["converged"][0, 0], metrics["iterations"][0, 0]


@pytest.mark.parametrize(
    ("file", "parameters"),
    [("cr", {"gamma": 0.1, "gap": 0.01}), ("lp_mkl", {"C": 10.0, "p": 1.0, "gap": 0.01}), ("ca_1d", {})],
)
def test_a_record_says_whether_the_fit_converged(file, parameters):
    gap, converged, iterations = measured(file, **parameters)
    assert converged == 1.0 and iterations > 2
    cut = measured(file, **parameters, iterations=1)
    assert cut[1] == 0.0 and cut[2] < iterations
    if file == "ca_1d":  # no bound on the best alignment is known
        assert np.isnan([gap, cut[0]]).all()
    else:
        assert gap <= 0.015 < cut[0]


def test_a_record_does_not_say_what_the_algorithm_does_not(monkeypatch):
    """An algorithm of one's own may know nothing of convergence."""
    assert np.isnan(measured("grid_uniform")[:2]).all()
    load = algorithms.load

    def silent(file):
        right = load(file)
        return replace(right, fit=lambda *given, **kw: replace(right.fit(*given, **kw), converged=None, certify=None))

    monkeypatch.setattr(algorithms, "load", silent)
    assert np.isnan(measured("cr")[:2]).all()
