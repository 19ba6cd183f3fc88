"""The nested protocol: parts that are tested in turn, one parameter chosen by cross-validation on the others.

See `grambench.experiments.splits` for the parts, and RKL, Section 6 (Gai et al. 2010).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms import Algorithm, BatchFit
from grambench.algorithms.kernel_fit import Calls, KernelFit
from grambench.datasets.store import PreparedDataset
from grambench.experiments import splits
from grambench.experiments.blocks import repeats
from grambench.experiments.outcome import Outcome
from grambench.kernels.functions import Kernel

Floats = NDArray[np.float64]

SELECTED = 1e-4  # of the largest weight: what counts as a selected kernel, all of them having the same trace
CURVE = np.arange(1, 101)  # calls of the machine's solver at which the convergence is recorded
UNTOLD = 1e-6  # an excess of an objective that the solvers' precision does not tell from 0
METRICS = (
    "accuracy_percent",
    "kernels_selected",
    "chosen_c",
    "iterations",
    "svm_calls",
    "meb_calls",
    "gap",
    "kkt",
    "seconds",
    "search_seconds",
)


def outcome(settings: Mapping[str, Any], dataset: PreparedDataset) -> Outcome:
    """Run what a run's settings ask for.

    Parameters
    ----------
    settings : dict
        See grambench.pipeline.plan.Plan.run_spec.
    dataset : PreparedDataset
        The data set, with dense features.

    Notes
    -----
    Seconds are those of `fit` alone on the whole training set at the chosen value; it is compiled by then.
    """
    algorithm, points, protocol = algorithms.load(settings["file"]), settings["points"], settings["protocol"]
    shape = (len(points), len(repeats(settings)))
    metrics = {name: np.empty(shape) for name in METRICS}
    excess = np.empty((*shape, len(CURVE)))
    weights = np.empty((*shape, len(settings["kernels"])))
    for r, part in enumerate(parts_of(settings, dataset)):
        for p, point in enumerate(points):
            begun = time.perf_counter()
            value = choose(algorithm, point, protocol["select"], protocol["values"], part)
            start = time.perf_counter()
            fit = train(algorithm, point | {protocol["select"]: value}, part.outer, part)
            end = time.perf_counter()
            measured: dict[str, Any] = {
                "accuracy_percent": 100.0 * part.outer.right(fit) / len(part.outer.test_labels),
                "kernels_selected": np.count_nonzero(fit.weights > SELECTED * fit.weights.max()),
                "chosen_c": value,
                "iterations": len(fit.calls.steps) - 1,
                "svm_calls": fit.calls.svm,
                "meb_calls": fit.calls.meb,
                "gap": fit.certificate.gap,
                "kkt": fit.certificate.kkt,
                "seconds": end - start,
                "search_seconds": start - begun,
            }
            for name in METRICS:
                metrics[name][p, r] = measured[name]
            excess[p, r] = convergence(fit.calls)
            weights[p, r] = fit.weights
    return Outcome(metrics, {"objective_excess": excess}, CURVE, {"weight": weights})


def parts_of(settings: Mapping[str, Any], dataset: PreparedDataset) -> Iterator[splits.Part]:
    """Yield the parts that a run's settings ask for."""
    protocol = settings["protocol"]
    kernels = [Kernel.parse(name) for name in settings["kernels"]]
    numbers = {"count": protocol["parts"], "folds": protocol["folds"], "trace": protocol["trace"]}
    return splits.parts(dataset, kernels, **numbers, root=settings["seed"], wanted=repeats(settings))


def choose(
    algorithm: Algorithm[BatchFit], point: dict[str, Any], select: str, values: Sequence[float], part: splits.Part
) -> float:
    """Return the value of a parameter with the most right predictions over the folds; the first of several."""
    right = []
    for value in values:
        fits = [(fold, train(algorithm, point | {select: value}, fold, part)) for fold in part.inner]
        right.append(sum(fold.right(fit) for fold, fit in fits))
    return values[int(np.argmax(right))]


def train(
    algorithm: Algorithm[BatchFit], settings: dict[str, Any], split: splits.Split, part: splits.Part
) -> KernelFit:
    """Fit an algorithm on the training examples of a split."""
    parameters = algorithms.parameters(algorithm.name, settings)
    return algorithm.fit(parameters, split.train, split.train_labels, rng=np.random.default_rng(part.draws))


def convergence(calls: Calls) -> Floats:
    """Return by how much the objective exceeds its last value, relative to it, after each number of calls of CURVE.

    Returns
    -------
    ndarray of float64 (100,)
        NaN before the first iteration has ended.
    """
    made = np.array([step.svm_calls for step in calls.steps])
    objectives = np.array([step.objective for step in calls.steps])
    last = objectives[-1]
    relative = (objectives - last) / abs(last) if last else np.zeros(len(objectives))
    ended = np.searchsorted(made, CURVE, side="right") - 1
    relative[relative < UNTOLD] = 0.0
    return np.where(ended >= 0, relative[np.maximum(ended, 0)], np.nan)
