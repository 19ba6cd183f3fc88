"""Algorithms that break the contract: each is stopped, and told what was expected and what it gave."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from copies import NEW
from fitting import UNSEEDED, unsteady
from problems import labelled, prepared
from specifications import make_run

from grambench import algorithms
from grambench.algorithms.checks import certified, learn, scored
from grambench.algorithms.fit import Expansion, Fit, State, Step, SupportExpansion, Work
from grambench.algorithms.one_vs_rest import OneVsRest
from grambench.common.errors import ContractError, DataError
from grambench.datasets import store
from grambench.experiments import conformance
from grambench.kernels import grams, matrices
from grambench.kernels.continuous import gaussian
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Continuous, Stored
from grambench.pipeline.job import Job
from grambench.pipeline.steps import evaluate
from grambench.pipeline.steps import fit as step
from grambench.pipeline.steps import run as supervised
from grambench.results import records
from grambench.solvers.certificates import Certificate

N, SIGMAS = 40, (0.5, 1.0, 2.0)


def data():
    return prepared(*labelled(0, N, 3, lambda x, noise: x[0] + 0.3 * noise > 0.0), source={"kind": "none"})


def pool(features):
    family = Continuous(gaussian.Family, features, 0.1, 10.0, np.array(SIGMAS))
    values = grams.compute(grams.inner_products(features), [Kernel("gaussian", sigma) for sigma in SIGMAS])
    return Stored(values, features={"": features}, family=family)


def masked(values):
    """Return an array that keeps its first number from whoever computes with it."""
    return np.ma.masked_array(values, mask=np.arange(np.size(values)).reshape(np.shape(values)) == 0)


class MoreFit(Fit):
    """A fit whose weights are others whenever they are asked for."""


class Constant:
    """A predictor of whatever it is given."""

    def __init__(self, values):
        self.values = values

    def scores(self, pool):
        return self.values(pool.shape[1])


def traced(**changes):
    """Return what turns a fit into one whose trace is changed: a new array, or a function of the old one."""

    def change(fit):
        made = {name: how(getattr(fit.trace, name)) for name, how in changes.items()}
        return replace(fit, trace=replace(fit.trace, **made))

    return change


def changed(**changes):
    return lambda fit: replace(fit, **changes)


def worked(**changes):
    return lambda fit: replace(fit, work=replace(fit.work, **changes))


def put(place, value):
    """Return what changes one place of a copy."""

    def change(values):
        values = values.copy()
        values[place] = value
        return values

    return change


def contradiction(fit):
    """Return a fit that denies the first mistake or hit that its scores tell of."""
    first = int(np.argmax(fit.trace.scores != 0.0))
    return traced(mistakes=put(first, not fit.trace.mistakes[first]))(fit)


def state(**changes):
    """Return what gives a fit one state on its way, with something changed."""
    usual = {"stage": 1, "epochs": 1, "rounds": N, "updates": 3, "seconds": 0.1, "objective": 1.0}
    usual |= {"training_error": 0.5, "work": Work(), "predictor": Constant(np.ones)}
    return changed(states=[State(**usual | changes)])


DOUBTFUL = Expansion(np.ones(3), masked(np.ones(N)), 0.0)
TOO_MANY = SupportExpansion(np.ones(3), np.zeros(N + 1, dtype=np.int32), np.zeros((N + 1, 2)))
ARRAY, NO_WHOLE = "expected an array of float64", "expected a whole number of at least 0"
BROKEN = {  # what breaks it, by the message
    "fit: expected a grambench.algorithms.fit.Fit, got MoreFit": lambda fit: MoreFit(weights=fit.weights),
    "fit: expected a grambench.algorithms.fit.Fit, got dict": lambda fit: {"weights": fit.weights},
    "work: expected a grambench.algorithms.fit.Work, got NoneType": changed(work=None),
    f"weights: {ARRAY} (3,), got MaskedArray of float64 (3,)": changed(weights=masked(np.array([np.nan, 0.5, 0.5]))),
    f"weights: {ARRAY} (3,), got >f8 (3,)": changed(weights=np.ones(3, dtype=">f8")),
    f"weights: {ARRAY} (3,), got float64 (2,)": changed(weights=np.ones(2)),
    "weights: expected finite numbers, got 2 of 3 that are not": changed(weights=np.array([0.5, np.nan, np.inf])),
    "weights: expected nothing below 0, got -0.5": changed(weights=np.array([1.5, -0.5, 0.0])),
    "weights: expected a kernel to train an SVM on, got weights that": changed(weights=np.zeros(3), predictor=None),
    "thetas: expected a list, got ndarray": changed(thetas=np.ones((3, 1))),
    f"thetas[2]: {ARRAY} (1,), got float64 (2,)": changed(thetas=[np.ones(1), np.ones(3), np.ones(2)]),
    f"weights: {ARRAY} (1,), got float64 (3,)": changed(thetas=[np.ones(1)]),
    "predictor: expected a method `scores`, got object without one": changed(predictor=object()),
    f"predictor.dual: {ARRAY} ({N},), got MaskedArray": changed(predictor=DOUBTFUL),
    f"predictor.support: expected at most {N} examples, got {N + 1}": changed(predictor=TOO_MANY),
    f"train_scores: {ARRAY} ({N}, 2), got float64 ({N + 1}, 2)": changed(train_scores=np.zeros((N + 1, 2))),
    f"work.row_additions: {NO_WHOLE} and below 2^53, got one of 1329 bits": worked(row_additions=10**400),
    f"work.svm_calls: {NO_WHOLE}, got -1": worked(svm_calls=-1),
    f"work.kernel_values: {NO_WHOLE}, got 2.5": worked(kernel_values=2.5),
    "steps[0]: expected a grambench.algorithms.fit.Step, got tuple": changed(steps=[(1, 0, 2.0)]),
    "steps: expected finite objectives, got nan": changed(steps=[Step(1, 0, 2.0), Step(2, 0, np.nan)]),
    "states[0]: expected a grambench.algorithms.fit.State, got dict": changed(states=[{}]),
    "states[0].training_error: expected a share from 0 to 1, got 1.5": state(training_error=1.5),
    "states[0].objective: expected a finite number, got nan": state(objective=float("nan")),
    "states[0].predictor: expected a method `scores`, got NoneType without one": state(predictor=None),
    "converged: expected True, False or None, got 1": changed(converged=1),
    f"trace.mistakes: expected an array of bool ({N},), got float64": traced(mistakes=lambda old: np.full(N, -3.0)),
    "trace.mistakes: expected what the scores say, got ": contradiction,
    f"trace.scores: expected finite numbers, got 1 of {N} that are not": traced(scores=put(3, np.nan)),
    f"trace.support_vectors: expected an array of int64 ({N},), got int16": traced(support_vectors=np.int16),
    "trace.support_vectors: expected at most 15 of 3 kernels after 5 rounds": traced(support_vectors=put(4, 16)),
    "trace.support_vectors: expected nothing below 0, got -": traced(support_vectors=lambda old: old - 1000),
    f"trace.weights: {ARRAY} ({N}, 3), got float64 ({N - 1}, 3)": traced(weights=lambda old: old[1:]),
    "trace.weights: expected sums of 1, got 6 in round 7": traced(weights=put(6, 2.0)),
    "trace.updates: expected an array of int64 (3,), got int64 (2,)": traced(updates=lambda old: old[:2]),
    f"trace.updates: expected at most one in each of {N} rounds, got {N + 1}": traced(updates=put(1, N + 1)),
}
SCORES = {  # of t examples
    "scores: expected finite numbers, got 40 of 40 that are not": lambda t: np.full(t, np.nan),
    f"scores: {ARRAY} (40,), got float64 (40, 1)": lambda t: np.ones((t, 1)),
    f"scores: {ARRAY} (40,), got float64 (39,)": lambda t: np.ones(t - 1),
    f"scores: {ARRAY} (40,), got list": lambda t: [1.0] * t,
}


def broken(change, name="omkc_dd"):
    """Return an algorithm whose fit is changed."""
    right = algorithms.load(name)
    return replace(right, fit=lambda *arguments, **keywords: change(right.fit(*arguments, **keywords)))


def attempt(algorithm):
    made, rng = data(), np.random.default_rng(0)
    order = np.arange(N, dtype=np.int32)
    return learn(algorithm, algorithm.parameters(), pool(made.features), made.labels, order=order, rng=rng)


@pytest.mark.parametrize("message", BROKEN)
def test_a_fit_that_breaks_the_contract(message):
    with pytest.raises(ContractError, match=f"^{re.escape(message)}"):
        attempt(broken(BROKEN[message]))


@pytest.mark.parametrize("message", SCORES)
def test_scores_that_break_the_contract(message):
    with pytest.raises(ContractError, match=re.escape(message)):
        scored(Constant(SCORES[message]), pool(data().features))


def test_scores_of_one_class_against_the_rest_are_as_plain():
    plain, doubtful = Constant(np.ones), Constant(lambda t: masked(np.ones(t)))
    assert scored(OneVsRest([plain, plain]), pool(data().features), 2).shape == (N, 2)
    with pytest.raises(ContractError, match=rf"^scores: .* \({N},\), got MaskedArray of float64 \({N},\)$"):
        scored(OneVsRest([plain, doubtful]), pool(data().features), 2)


def test_a_certificate_that_says_nothing():
    fit = attempt(algorithms.load("uniform_svm"))
    assert certified(fit).gap < 0.01
    assert np.isnan(certified(replace(fit, certify=None))).all()
    for wrong in (Certificate(kkt=0.0, gap=float("nan")), Certificate(kkt=float("nan"), gap=0.0), None):
        with pytest.raises(ContractError, match=re.escape(f"certificate: expected numbers, got {wrong}")):
            certified(replace(fit, certify=lambda wrong=wrong: wrong))


WRITES = {
    "labels": lambda pool, labels, order: labels.__setitem__(0, 1),
    "order": lambda pool, labels, order: order.sort(),
    "a Gram matrix": lambda pool, labels, order: pool.grams()[1].__setitem__((0, 0), 2.0),
    "features": lambda pool, labels, order: pool.features[""].__setitem__((0, 0), 2.0),
}


@pytest.mark.parametrize("what", WRITES)
def test_what_is_handed_out_cannot_be_written_to(what):
    right = algorithms.load("uniform_svm")

    def fit(parameters, pool, labels, *, order, rng):
        WRITES[what](pool, labels, order)
        return right.fit(parameters, pool, labels, order=order, rng=rng)

    with pytest.raises(ValueError, match="read-only"):
        attempt(replace(right, fit=fit))


@pytest.mark.parametrize("how", ["base", "flags"])
def test_labels_that_are_forced_open_are_not_those_that_count(how):
    """A view of the labels lets everybody at what it is a view of, and can be made writeable again itself."""
    right = algorithms.load("perceptron")

    def fit(parameters, pool, labels, *, order, rng):
        opened = labels.base if how == "base" and labels.base is not None else labels
        opened.flags.writeable = True
        opened[:] = 1
        return right.fit(parameters, pool, labels, order=order, rng=rng)

    with pytest.raises(ContractError, match=r"trace\.mistakes: expected a score of 0 to count as .* got 0 mistakes"):
        attempt(replace(right, fit=fit))


# --- a run as a whole -------------------------------------------------------------------------------------------------


@pytest.fixture
def inputs(tmp_path):
    """A specification by protocol, a place for the record, and the files that a run reads."""
    made, kernels = data(), ["gaussian_sigma0.5", "gaussian_sigma1", "gaussian_sigma2"]
    store.write(tmp_path / "made.h5", made)
    files = [tmp_path / f"{name}.h5" for name in kernels]
    for name, path in zip(kernels, files, strict=True):
        matrices.write_gram(path, grams.inner_products(made.features), Kernel.parse(name))
    protocols = {
        "online": {"repetitions": 1, "checkpoints": 2},
        "nested_cv": {"outer_folds": 2, "inner_folds": 2, "select": "C", "values": [1.0]},
        "random_splits": {"repetitions": 1, "sizes": {"default": [20, 10, 10]}, "values": [1.0]},
    }

    def arguments(file, kind):
        asked = make_run(file, kind, protocol=protocols[kind], kernels=kernels)
        return json.dumps(asked.to_dict()), tmp_path / "record.h5", [tmp_path / "made.h5", *files]

    return arguments


@pytest.mark.parametrize("kind", ["online", "nested_cv", "random_splits"])
def test_a_run_ends_at_a_broken_fit_and_at_broken_scores(kind, inputs, monkeypatch):
    spec, output, files = inputs("uniform_svm", kind)
    negative = broken(changed(weights=np.array([1.5, -0.5, 0.0])), "uniform_svm")
    silent = broken(changed(predictor=Constant(lambda t: np.full(t, np.nan))), "uniform_svm")
    monkeypatch.setattr(algorithms, "load", lambda name: negative)
    with pytest.raises(ContractError, match=r"^weights: expected nothing below 0, got -0\.5$"):
        step.main(Job(spec, "code", [output], files))
    monkeypatch.setattr(algorithms, "load", lambda name: silent)
    with pytest.raises(ContractError, match=r"^scores: expected finite numbers, got \d+ of \d+ that are not$"):
        step.main(Job(spec, "code", [output], files))
    assert not output.exists()


@pytest.mark.parametrize("source", UNSEEDED)
@pytest.mark.parametrize(
    ("name", "kind"),
    [("omkc_sd", "online"), ("uniform_svm", "online"), ("uniform_svm", "nested_cv"), ("uniform_svm", "random_splits")],
)
def test_a_fit_that_is_another_each_time_is_no_number(name, kind, source, inputs, monkeypatch):
    spec, output, files = inputs(name, kind)
    step.main(Job(spec, "code", [output], files))
    output.unlink()
    another = unsteady(name, source)
    monkeypatch.setattr(algorithms, "load", lambda name: another)
    with pytest.raises(ContractError, match=rf"^{name}: expected the same weights from two fits with the same seed"):
        step.main(Job(spec, "code", [output], files))
    assert not output.exists()


@pytest.mark.parametrize("kind", ["online", "nested_cv", "random_splits"])
def test_a_predictor_that_is_another_each_time_is_no_number(kind, inputs, monkeypatch):
    """Though it says the same of its fit, and is as often right."""
    right, made = algorithms.load("uniform_svm"), []

    def fit(*arguments, **keywords):
        made.append(1)
        more = float(len(made))
        return replace(right.fit(*arguments, **keywords), predictor=Constant(lambda t: np.full(t, more)))

    spec, output, files = inputs("uniform_svm", kind)
    monkeypatch.setattr(algorithms, "load", lambda name: replace(right, fit=fit))
    with pytest.raises(ContractError, match=r"^uniform_svm: expected the same scores from two fits with the same seed"):
        step.main(Job(spec, "code", [output], files))


def test_random_numbers_may_be_spawned_from_those_of_the_fit(inputs, monkeypatch):
    """Which leaves a trace in the seed that it was made of: the next fit must not see it."""
    right = algorithms.load("uniform_svm")

    def fit(parameters, pool, labels, *, order, rng):
        (own,) = rng.spawn(1)
        return replace(right.fit(parameters, pool, labels, order=order, rng=rng), weights=own.dirichlet(np.ones(3)))

    spec, output, files = inputs("uniform_svm", "online")
    monkeypatch.setattr(algorithms, "load", lambda name: replace(right, fit=fit))
    step.main(Job(spec, "code", [output], files))
    assert records.read(output).status == "ok"


def test_what_hangs_on_the_order_of_a_set_is_the_same_each_time(inputs, tmp_path, monkeypatch):
    """Python's own order of texts is another in each process, which two fits in one do not tell."""
    (tmp_path / "mine.py").write_text(NEW.format(body="raise ValueError(hash('a kernel'))"))
    monkeypatch.setenv("PYTHONHASHSEED", "random")
    spec, output, files = inputs(str(tmp_path / "mine.py"), "online")
    supervised.main(Job(spec, "code", [output], files, seconds=3000.0, memory_mb=4000.0))
    command = [sys.executable, "-c", "print(hash('a kernel'))"]
    expected = subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": "0"}, capture_output=True, text=True)
    record = records.read(output)
    assert (record.status, record.reason) == ("error", f"ValueError: {expected.stdout.strip()}")
    assert "ValueError" in record.detail and not record.metrics


def test_a_kernel_that_is_not_finite_fails_its_runs_and_is_named(inputs, tmp_path):
    spec, output, files = inputs("perceptron", "online")
    kernel, inner = Kernel("polynomial", 1000), tmp_path / "inner.h5"
    matrices.write_inner(inner, grams.inner_products(100.0 * data().features), {})
    asked = json.dumps({"family": kernel.family, "parameter": kernel.parameter})
    evaluate.main(Job(asked, "code", [files[1]], [inner]))
    with pytest.raises(DataError, match=r"holds no matrix \(polynomial_p1000: expected finite values, got others"):
        step.main(Job(spec, "code", [output], files))
    assert not output.exists()


def test_training_scores_are_those_of_the_predictor(monkeypatch):
    conformance.scores_each_example_by_itself("obscure", {})
    learn_right = conformance._learn

    def learn_wrong(*arguments):
        fit = learn_right(*arguments)
        return replace(fit, train_scores=fit.train_scores + 1e-6)

    monkeypatch.setattr(conformance, "_learn", learn_wrong)
    with pytest.raises(ContractError, match=r"^train_scores: expected the predictor's scores of the training examples"):
        conformance.scores_each_example_by_itself("obscure", {})
