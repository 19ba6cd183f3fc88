"""The holdout protocol: a kernel learned on training examples, tuned on validation examples, tested on others.

CA, Section 3 (Afkanpour et al. 2013): examples are drawn anew in each repeat. An algorithm either learns a kernel, on
which a support vector machine is trained with the C of the least validation error, or a kernel with its machine, with
the regulariser of the least validation error. The algorithms of one repeat share its examples.

The paper does not say how it breaks ties: here the first of the best values is taken. A machine that is not trained
after the protocol's number of steps ends the search for C: where classes overlap, a larger C takes longer still.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms import Algorithm, ParametricFit
from grambench.algorithms.alignment import alignment
from grambench.algorithms.learned_kernel import Dictionary, LearnedKernel
from grambench.common.errors import DataError, SolverError
from grambench.datasets.store import PreparedDataset
from grambench.experiments.blocks import repeats
from grambench.experiments.outcome import Outcome
from grambench.experiments.seeds import seeds
from grambench.kernels import continuous
from grambench.kernels.continuous import KernelFamily
from grambench.solvers import svm
from grambench.solvers.combination import Combination

Floats = NDArray[np.float64]
Labels = NDArray[np.int8]

SLOTS = 50  # kernels of a run whose weights and parameters are recorded
SELECTED = 1e-4  # of the largest weight: what counts as a selected kernel
METRICS = (
    "error_percent",
    "alignment",
    "kernels_selected",
    "iterations",
    "chosen_c",
    "chosen_value",
    "validation_error_percent",
    "seconds",
    "search_seconds",
)


@dataclass(frozen=True, slots=True)
class Draw:
    """The examples of one repeat: n for training, v for validation, t for the test.

    Attributes
    ----------
    train, validation, test : ndarray of float64 (n, d), (v, d), (t, d)
        Features.
    train_labels, validation_labels, test_labels : ndarray of int8
        -1 or +1.
    seed : SeedSequence
        Of the algorithms' own draws.
    """

    train: Floats
    validation: Floats
    test: Floats
    train_labels: Labels
    validation_labels: Labels
    test_labels: Labels
    seed: np.random.SeedSequence


class Fit(NamedTuple):
    """A learned kernel, the value of the tuned parameter (NaN where there is none) and the seconds of the fit."""

    kernel: LearnedKernel
    value: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """A fit with its machine.

    Attributes
    ----------
    fit : Fit
        The learned kernel.
    dual, bias : ndarray of float64 (n,), float
        The machine on it.
    error : float
        Share of the validation examples on the wrong side.
    C : float
        Of the machine trained afterwards, NaN where the algorithm trained its own.
    """

    fit: Fit
    dual: Floats
    bias: float
    error: float
    C: float


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
    `seconds` are those of everything from the features to the tuned machine; `search_seconds` those of the algorithm
    alone at the chosen value. The first draw is run twice, so that the compiler's time is in neither.
    """
    algorithm, points = algorithms.load(settings["file"]), settings["points"]
    family = continuous.load(settings["dictionary"]["family"])
    shape = (len(points), len(repeats(settings)))
    metrics = {name: np.empty(shape) for name in METRICS}
    slots = {name: np.full((*shape, SLOTS), np.nan) for name in ("weight", "parameter")}
    for r, draw in enumerate(draws(settings, dataset)):
        for p, point in enumerate(points):
            if r == p == 0:
                tune(algorithm, point, family, settings, draw)
            begun = time.perf_counter()
            tuned = tune(algorithm, point, family, settings, draw)
            seconds = time.perf_counter() - begun
            kernel = tuned.fit.kernel
            cross = kernel.gram(family(draw.train, draw.test))
            measured: dict[str, Any] = {
                "error_percent": 100.0 * wrong(cross, tuned.dual, tuned.bias, draw.test_labels),
                "alignment": alignment(kernel.gram(family(draw.test)), draw.test_labels),
                "kernels_selected": np.count_nonzero(kernel.weights > SELECTED * kernel.weights.max()),
                "iterations": len(kernel.steps),
                "chosen_c": tuned.C,
                "chosen_value": tuned.fit.value,
                "validation_error_percent": 100.0 * tuned.error,
                "seconds": seconds,
                "search_seconds": tuned.fit.seconds,
            }
            for name in METRICS:
                metrics[name][p, r] = measured[name]
            count = min(len(kernel.weights), SLOTS)
            slots["weight"][p, r, :count] = kernel.weights[:count]
            if all(len(parameter) == 1 for parameter in kernel.parameters):
                slots["parameter"][p, r, :count] = np.concatenate(kernel.parameters)[:count]
    return Outcome(metrics, kernel_values=slots)


def draws(settings: Mapping[str, Any], dataset: PreparedDataset) -> Iterator[Draw]:
    """Yield the examples of each repeat that is wanted; they depend on seed, data set's name and number alone.

    Raises
    ------
    DataError
        If the features are sparse, or there are too few examples.
    """
    protocol = settings["protocol"]
    sizes = protocol["sizes"].get(dataset.name, protocol["sizes"].get("default"))
    features, labels = dataset.features, dataset.labels
    if not isinstance(features, np.ndarray):
        raise DataError(f"{dataset.name}: expected dense features, got sparse ones")
    if sum(sizes) > len(labels):
        raise DataError(f"{dataset.name}: {' + '.join(map(str, sizes))} examples are asked for, it has {len(labels)}")
    for repeat in repeats(settings):
        shared, own = seeds(settings["seed"], dataset.name, repeat)
        chosen = np.random.default_rng(shared).permutation(len(labels))[: sum(sizes)]
        parts = np.split(chosen, np.cumsum(sizes)[:-1])
        train, validation, test = (features[part] for part in parts)
        if protocol["standardise"]:
            centre, spread = train.mean(axis=0), train.std(axis=0)
            spread[spread == 0.0] = 1.0
            train, validation, test = ((part - centre) / spread for part in (train, validation, test))
        known, held_out, unknown = (labels[part] for part in parts)
        yield Draw(train, validation, test, known, held_out, unknown, own)


def tune(
    algorithm: Algorithm[ParametricFit],
    point: Mapping[str, Any],
    family: type[KernelFamily],
    settings: Mapping[str, Any],
    draw: Draw,
) -> Tuned:
    """Fit an algorithm at every value of the parameter that is tuned, and return the first of the best fits.

    Raises
    ------
    SolverError
        If there is none at all.
    """
    dictionary = Dictionary.on(draw.train, family, settings["dictionary"])
    cross = family(draw.train, draw.validation)
    fits = candidates(algorithm, point, dictionary, settings["tune"], draw)
    if settings["tune"] and settings["tune"]["by"] == "alignment":
        validation = family(draw.validation)
        fits = [max(fits, key=lambda fit: alignment(fit.kernel.gram(validation), draw.validation_labels))]
    tuned = [finish(fit, dictionary.family, cross, settings["protocol"], draw) for fit in fits]
    return min(tuned, key=lambda each: each.error)


def candidates(
    algorithm: Algorithm[ParametricFit],
    point: Mapping[str, Any],
    dictionary: Dictionary,
    search: Mapping[str, Any] | None,
    draw: Draw,
) -> list[Fit]:
    """Return the fits at the values of the parameter that is tuned; a single one where there is none.

    Raises
    ------
    SolverError
        If the first value has none; a later one ends the list.
    """
    fits: list[Fit] = []
    for value in search["values"] if search else [np.nan]:
        chosen = dict(point) | ({search["parameter"]: value} if search else {})
        parameters = algorithms.parameters(algorithm.name, chosen)
        begun = time.perf_counter()
        try:
            kernel = algorithm.fit(parameters, dictionary, draw.train_labels, rng=np.random.default_rng(draw.seed))
        except SolverError:
            if not fits:
                raise
            break
        fits.append(Fit(kernel, value, time.perf_counter() - begun))
    return fits


def finish(fit: Fit, train: KernelFamily, cross: KernelFamily, protocol: Mapping[str, Any], draw: Draw) -> Tuned:
    """Measure the machine of a learned kernel on the validation examples, trained at the best C where it has none.

    Raises
    ------
    SolverError
        If no machine could be trained.
    """
    known = fit.kernel.gram(cross)
    if fit.kernel.dual is not None:
        error = wrong(known, fit.kernel.dual, fit.kernel.bias, draw.validation_labels)
        return Tuned(fit, fit.kernel.dual, fit.kernel.bias, error, np.nan)
    combination = Combination.single(fit.kernel.gram(train))
    tuned: list[Tuned] = []
    for C in protocol["values"]:
        start = tuned[-1].dual if tuned else None
        try:
            machine = svm.train(combination, draw.train_labels, C, start=start, max_steps=protocol["steps"])
        except SolverError:
            break
        error = wrong(known, machine.dual, machine.bias, draw.validation_labels)
        tuned.append(Tuned(fit, machine.dual, machine.bias, error, C))
    if not tuned:
        smallest = protocol["values"][0]
        raise SolverError(f"no machine could be trained within {protocol['steps']} steps at C = {smallest:g}")
    return min(tuned, key=lambda each: each.error)


def wrong(cross: Floats, dual: Floats, bias: float, labels: Labels) -> float:
    """Return the share of examples on the wrong side, from their kernel values (n, t); a value of 0 is positive."""
    return float(np.mean((dual @ cross + bias >= 0.0) != (labels > 0)))
