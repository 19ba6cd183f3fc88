"""The nested protocol: parts that are tested in turn, one parameter chosen by cross-validation on the others.

See `grambench.experiments.splits` for the parts, and RKL, Section 6 (Gai et al. 2010). What is chosen is the study's
parameter where an algorithm has it, an entry's own where it names one, and for an algorithm that trains no machine the
C of the one that is trained on its kernel. An algorithm that has none of these has nothing to choose. One that learns
online passes over the training examples once, in an order that all algorithms share.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms import Algorithm
from grambench.algorithms.checks import certified
from grambench.algorithms.fit import Fit, Floats, Step
from grambench.datasets.store import PreparedDataset
from grambench.experiments import learner, splits
from grambench.experiments.learner import WORK, Trained
from grambench.experiments.outcome import Learned, Outcome, learned_values
from grambench.experiments.specification import Specification

CURVE = np.arange(1, 101)  # calls of the machine's solver at which the convergence is recorded
UNTOLD = 1e-6  # an excess of an objective that the solvers' precision does not tell from 0
METRICS = (
    "accuracy_percent",
    "balanced_accuracy_percent",
    "kernels_selected",
    "chosen_c",
    "iterations",
    "gap",
    "kkt",
    "converged",
    "seconds",
    "search_seconds",
    *WORK,
)

Choice = tuple[float, float]  # of the tuned parameter, and of the machine's C; NaN where there is none


def outcome(specification: Specification, dataset: PreparedDataset, grams: Sequence[Floats] = ()) -> Outcome:
    """Run what is asked for.

    Parameters
    ----------
    specification : Specification
        The run.
    dataset : PreparedDataset
        The data set, with dense features.
    grams
        Not used.

    Notes
    -----
    Seconds and work are those of the fit and its machine alone, on the whole training set at the chosen value; it is
    compiled by then.
    """
    algorithm, points = algorithms.load(specification.file), specification.points
    search = search_of(specification)
    shape = (len(points), len(specification.repeats))
    metrics = {name: np.empty(shape) for name in METRICS}
    excess = np.empty((*shape, len(CURVE)))
    learned: dict[tuple[int, int], Learned] = {}
    for r, part in enumerate(splits.parts(specification, dataset)):
        for p, point in enumerate(points):
            if r == p == 0:
                check_again(algorithm, point, search, part)
            begun = time.perf_counter()
            choice = choose(algorithm, point, search, part)
            start = time.perf_counter()
            fit, machine = train(algorithm, point, search, choice, part.outer, part)
            end = time.perf_counter()
            correct = learner.right(machine.predictor, part.outer.test)
            certificate = certified(fit)
            work = fit.work + machine.work
            measured: dict[str, Any] = {
                "accuracy_percent": 100.0 * np.count_nonzero(correct) / len(correct),
                "balanced_accuracy_percent": learner.balanced_percent(correct, part.outer.test.labels),
                "kernels_selected": learner.kernels_selected(fit.weights),
                "chosen_c": choice[1] if np.isnan(choice[0]) else choice[0],
                "iterations": max(len(fit.steps) - 1, 0),
                "gap": certificate.gap,
                "kkt": certificate.kkt,
                "converged": learner.converged(fit),
                "seconds": end - start,
                "search_seconds": start - begun,
                **learner.counts(work, len(part.outer.train.labels)),
            }
            for name in METRICS:
                metrics[name][p, r] = measured[name]
            excess[p, r] = convergence(fit.steps)
            learned[p, r] = Learned(fit.weights, fit.thetas)
    values = learned_values(learned, shape, specification.kernels)
    return Outcome(metrics, {"objective_excess": excess}, CURVE, values)


def search_of(specification: Specification) -> dict[str, Any]:
    """Return the parameter that is chosen and its values, the entry's own, else the study's; and the machines' C."""
    protocol = specification.protocol
    search = specification.tune or {"parameter": protocol["select"], "values": protocol["values"]}
    return search | {"C": protocol["values"]}


def check_again(algorithm: Algorithm, point: dict[str, Any], search: dict[str, Any], part: splits.Part) -> None:
    """Raise ContractError where two fits on the first fold, at the first value, differ."""
    name, values = learner.tuned(algorithm, search)
    settings = point if name is None else point | {name: values[0]}
    learner.fit_twice(algorithm, settings, part.inner[0].train, part.draws)


def choose(algorithm: Algorithm, point: dict[str, Any], search: dict[str, Any], part: splits.Part) -> Choice:
    """Return the values with the most right predictions over the folds; the first of several."""
    right: dict[Choice, int] = {}
    name, values = learner.tuned(algorithm, search)
    for value in values:
        settings = point if name is None else point | {name: value}
        for fold in part.inner:
            fit = learner.fit(algorithm, settings, fold.train, part.draws)
            for machine in learner.trained(fit, fold.train, search["C"]):
                correct = int(np.count_nonzero(learner.right(machine.predictor, fold.test)))
                right[value, machine.C] = right.get((value, machine.C), 0) + correct
    return max(right, key=right.__getitem__)


def train(
    algorithm: Algorithm,
    point: dict[str, Any],
    search: dict[str, Any],
    choice: Choice,
    split: splits.Split,
    part: splits.Part,
) -> tuple[Fit, Trained]:
    """Fit an algorithm on the training examples of a split at the chosen values."""
    name, _ = learner.tuned(algorithm, search)
    settings = point if name is None else point | {name: choice[0]}
    fit = learner.fit(algorithm, settings, split.train, part.draws)
    (machine,) = learner.trained(fit, split.train, [choice[1]])
    return fit, machine


def convergence(steps: Sequence[Step]) -> NDArray[np.float64]:
    """Return by how much the objective exceeds its last value, relative to it, after each number of calls of CURVE.

    Returns
    -------
    ndarray of float64 (100,)
        NaN before the first iteration has ended, and where there are none.
    """
    if not steps:
        return np.full(len(CURVE), np.nan)
    made = np.array([step.svm_calls for step in steps])
    objectives = np.array([step.objective for step in steps])
    last = objectives[-1]
    relative = (objectives - last) / abs(last) if last else np.zeros(len(objectives))
    ended = np.searchsorted(made, CURVE, side="right") - 1
    relative[relative < UNTOLD] = 0.0
    return np.where(ended >= 0, relative[np.maximum(ended, 0)], np.nan)
