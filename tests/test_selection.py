"""Selection: which candidate is taken, what is skipped and counted, and the same rules under every protocol."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from problems import GRID, on_vectors_of, vectors

from grambench import algorithms
from grambench.algorithms.alignment import alignment
from grambench.common.errors import SolverError
from grambench.config.metrics import MEASURED
from grambench.config.names import Tuning
from grambench.experiments import selection
from grambench.experiments.offline import Evaluator, outcome
from grambench.experiments.splits import splits
from grambench.experiments.training import Generators
from grambench.solvers import svm

PROTOCOLS = {
    "random_splits": {"repetitions": 1, "sizes": {"default": [40, 30, 50]}},
    "official_split": {"repetitions": 1, "validation": 0.4},
    "per_class_splits": {"repetitions": 1, "sizes": {"default": [10, 8, 4]}},
    "nested_cv": {"outer_folds": 3, "inner_folds": 2, "select": "none"},
}

asked = partial(on_vectors_of, PROTOCOLS)


def evaluator_of(run, data=None):
    """Return the evaluator of the first repetition, and the seed of its random numbers."""
    data = vectors() if data is None else data
    (split, seed), *_ = splits(run, data)
    return Evaluator(run, data, split), seed


def select_and_train(run, data=None, **parameters):
    """Return what is selected and trained in the first repetition."""
    evaluator, seed = evaluator_of(run, data)
    return evaluator.select_and_train(run.file, parameters, Generators(seed))


# --- the rules on one split -------------------------------------------------------------------------------------------


def test_the_kernel_with_the_largest_alignment_is_selected():
    run = asked("ca_nd", tune=Tuning("regulariser", [1e12, 0.0], "alignment"))
    evaluator, _ = evaluator_of(run)
    fold = evaluator.split.folds[0]
    among = evaluator.pools(fold.train).among(fold.validation)
    labels = vectors().labels[fold.validation]
    reached = []
    for value in (1e12, 0.0):
        (fit,) = select_and_train(replace(run, tune=Tuning("regulariser", [value], "alignment"))).learned.fits
        reached.append(alignment(fit.gram(among), labels))
    assert select_and_train(run).selection.settings["regulariser"] == (1e12, 0.0)[int(np.argmax(reached))]


def test_the_svm_is_the_best_of_its_c_and_errors_are_counted_right():
    run = asked()
    found = select_and_train(run)
    assert found.model.C == found.selection.C in (0.01, 1.0, 100.0)
    evaluator, _ = evaluator_of(run)
    fold, (fit,) = evaluator.split.folds[0], found.learned.fits
    kernel = fit.gram(evaluator.pools(fold.train).between(fold.validation))
    decisions = kernel @ found.model.predictor.dual + found.model.predictor.bias
    labels = vectors().labels[fold.validation]
    assert found.selection.error == np.mean(np.where(decisions >= 0.0, 1, -1) != labels)
    C_values = [0.01, 1.0, 100.0]
    errors = [select_and_train(asked(protocol={"values": [C]})).selection.error for C in C_values]
    assert (found.selection.error, found.selection.C) == (min(errors), C_values[int(np.argmin(errors))])
    assert found.selection.tied == (errors.count(min(errors)) > 1)


def test_an_svm_that_cannot_be_trained_ends_the_search_and_is_counted():
    hard = select_and_train(asked(protocol={"values": [1e-4, 1e5], "steps": 50}))
    assert hard.model.C == 1e-4
    assert hard.work.svm_calls == 2 and hard.work.solver_steps >= 50  # giving up has taken work too
    assert hard.selection.failed == 1
    limited = select_and_train(asked("lp_mkl", tune=Tuning("C", [1e-4, 1e5])), steps=50)
    assert limited.selection.settings["C"] == 1e-4
    assert limited.selection.failed == 1


def test_a_value_without_an_svm_leaves_the_others(monkeypatch):
    run = asked("ca_nd", tune=Tuning("regulariser", [1.0, 10.0]))
    alone = select_and_train(asked("ca_nd"), regulariser=10.0)
    models, calls = selection.Learned.models, []

    def fails_first(*given, **settings):
        calls.append(given)
        if len(calls) == 1:
            raise SolverError("no SVM")
        return models(*given, **settings)

    monkeypatch.setattr(selection.Learned, "models", fails_first)
    found = select_and_train(run).selection
    assert (found.settings["regulariser"], found.error, found.failed) == (10.0, alone.selection.error, 1)


@pytest.mark.parametrize("file", ["lp_mkl", "simple_mkl", "grid_uniform", "cka", "alignf"])
def test_kernel_values_that_are_made_once_count_once(file):
    found = select_and_train(asked(file, tune=Tuning("C", [0.1, 1.0, 10.0])))
    assert found.work.kernel_values == len(GRID) * 40**2


@pytest.mark.parametrize("tune", [Tuning("C", [1e-3, 1.0, 100.0]), Tuning("p", [1.05, 2.0], also={"C": [1e-3, 1.0]})])
@pytest.mark.parametrize("kind", PROTOCOLS)
def test_what_validation_chooses_is_the_first_of_the_best(kind, tune):
    """A C that is tuned is C, under every protocol."""
    data = vectors(3)
    candidates = [
        Tuning(tune.parameter, [values.pop(tune.parameter)], also={name: [value] for name, value in values.items()})
        for values in tune.candidates()
    ]
    chosen, *tried = (outcome(asked("pegasos", kind, tune=each), data).metrics for each in (tune, *candidates))
    errors = np.array([metrics["validation_error_percent"][0] for metrics in tried])
    best = np.argmin(errors, axis=0)
    for name in ("selected_value", "selected_C", "validation_error_percent"):
        expected = [tried[place][name][0, r] for r, place in enumerate(best)]
        np.testing.assert_allclose(chosen[name][0], expected)
    assert np.isnan(chosen["selected_value"]).all() == (tune.parameter == "C")
    assert chosen["selection_tied"][0].tolist() == (np.count_nonzero(errors == errors.min(axis=0), axis=0) > 1).tolist()
    assert np.ptp(errors) > 0.0


# --- the same rules under every protocol ------------------------------------------------------------------------------

VALUES = [0.1, 1.0, 10.0, 100.0]


@pytest.fixture
def failing(monkeypatch):
    """Return a function that makes the uniform SVM fail at some values of C."""
    right = algorithms.load("uniform_svm")

    def at(*values):
        def fit(parameters, *given, **settings):
            if parameters.C in values:
                raise SolverError(f"given up at C = {parameters.C:g}")
            return right.fit(parameters, *given, **settings)

        monkeypatch.setattr(algorithms, "load", lambda name: replace(right, fit=fit))

    return at


CASES = [(kind, classes) for kind in PROTOCOLS for classes in (2, 3)]


@pytest.mark.parametrize("failed", [(0.1,), (10.0,), (100.0,), (0.1, 10.0, 100.0)])
@pytest.mark.parametrize(("kind", "classes"), CASES)
def test_a_candidate_that_fails_is_skipped_and_counted(kind, classes, failed, failing):
    failing(*failed)
    data = vectors(classes)
    rest = [value for value in VALUES if value not in failed]
    found = outcome(asked("uniform_svm", kind, tune=Tuning("C", VALUES)), data).metrics
    expected = outcome(asked("uniform_svm", kind, tune=Tuning("C", rest)), data).metrics
    assert (found["candidates_failed"] == len(failed)).all() and (expected["candidates_failed"] == 0).all()
    for name in [name for name in found if name != "candidates_failed" and not name.endswith(MEASURED)]:
        # Kernels with validation examples are computed at once for several candidates, which rounds otherwise.
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, err_msg=name)


def test_a_candidate_that_fails_on_one_fold_is_skipped_and_counted_once(monkeypatch):
    right, fits = algorithms.load("uniform_svm"), []

    def fit(parameters, *given, **settings):
        fits.append(parameters.C)
        if parameters.C == 1.0 and fits.count(1.0) == 2:
            raise SolverError("given up on the second fold")
        return right.fit(parameters, *given, **settings)

    run = asked("uniform_svm", "nested_cv", protocol={"inner_folds": 3}, tune=Tuning("C", VALUES))
    expected = select_and_train(replace(run, tune=Tuning("C", [0.1, 10.0, 100.0]))).selection
    monkeypatch.setattr(algorithms, "load", lambda name: replace(right, fit=fit))
    found = select_and_train(run).selection
    assert fits.count(1.0) == 2 and fits.count(10.0) >= 3
    assert (found.failed, found.settings, found.error) == (1, expected.settings, expected.error)


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_c_that_is_not_reached_on_one_fold_is_not_selected(kind, monkeypatch):
    """All of its predictions are correct on the folds on which it is."""
    train, calls = svm.train, []

    def limited(combination, labels, C, **settings):
        calls.append(C)
        if C == 10.0 and calls.count(10.0) == (2 if kind == "nested_cv" else 1):
            raise SolverError("too many steps")
        return train(combination, labels, C, **settings)

    monkeypatch.setattr(svm, "train", limited)
    found = select_and_train(asked("cka", kind, protocol={"values": [1.0, 10.0]})).selection
    assert (found.C, found.failed, found.tied) == (1.0, 1, False)


@pytest.mark.parametrize(("kind", "classes"), CASES)
def test_a_run_fails_if_all_candidates_do(kind, classes, failing):
    failing(*VALUES)
    with pytest.raises(SolverError, match="given up at C = 100"):
        outcome(asked("uniform_svm", kind, tune=Tuning("C", VALUES)), vectors(classes))


@pytest.mark.parametrize("file", ["uniform_svm", "cka"])
@pytest.mark.parametrize(("kind", "classes"), CASES)
def test_ties_go_to_the_first_or_the_middle_and_are_recorded(kind, classes, file, monkeypatch):
    """Every candidate is the same classifier, or the SVM is the same whatever its C."""
    right, train = algorithms.load(file), svm.train
    if file == "cka":
        monkeypatch.setattr(svm, "train", lambda grams, labels, C, **limits: train(grams, labels, 1.0))
    else:
        same = lambda parameters, *given, **more: right.fit(replace(parameters, C=1.0), *given, **more)  # noqa: E731
        monkeypatch.setattr(algorithms, "load", lambda name: replace(right, fit=same))

    def found(values, ties="first"):
        changes = {"tune": Tuning("C", values)} if file != "cka" else {}
        changes["protocol"] = {"ties": ties} | ({"values": values} if file == "cka" else {})
        return outcome(asked(file, kind, **changes), vectors(classes)).metrics

    for values in (VALUES, VALUES[1:] if file == "cka" else VALUES[::-1]):
        first, middle = found(values), found(values, "middle")
        assert (first["selected_C"] == values[0]).all() and (first["selection_tied"] == 1.0).all()
        assert (middle["selected_C"] == values[(len(values) - 1) // 2]).all()
    assert (found([1.0])["selection_tied"] == 0.0).all()


@pytest.mark.parametrize(("kind", "classes"), CASES)
def test_a_c_that_cannot_be_reached_is_counted_and_leaves_the_smaller(kind, classes, monkeypatch):
    train = svm.train

    def limited(combination, labels, C, **settings):
        if C >= 10.0:
            raise SolverError("too many steps")
        return train(combination, labels, C, **settings)

    monkeypatch.setattr(svm, "train", limited)
    data = vectors(classes)
    found = outcome(asked("cka", kind, protocol={"values": VALUES}), data).metrics
    expected = outcome(asked("cka", kind, protocol={"values": VALUES[:2]}), data).metrics
    assert (found["candidates_failed"] == 2.0).all() and (expected["candidates_failed"] == 0.0).all()
    for name in ("selected_C", "validation_error_percent", "accuracy_percent", "selection_tied"):
        assert np.array_equal(found[name], expected[name]), name
    with pytest.raises(SolverError, match="no SVM could be trained at C = 10"):
        outcome(asked("cka", kind, protocol={"values": VALUES[2:]}), data)


@pytest.mark.parametrize(("kind", "classes"), CASES)
def test_an_algorithm_without_the_hyperparameter_selects_nothing(kind, classes):
    found = outcome(asked("om2", kind, tune=Tuning("C", VALUES), kernels=["polynomial_p1"]), vectors(classes)).metrics
    assert np.isnan(found["selected_C"]).all() and np.isnan(found["selected_value"]).all()
    assert (found["candidates_failed"] == 0.0).all() and (found["selection_tied"] == 0.0).all()
