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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms, families
from grambench.algorithms import Algorithm, ParametricFit
from grambench.algorithms.alignment import alignment
from grambench.algorithms.learned_kernel import Dictionary, LearnedKernel
from grambench.datasets.store import PreparedDataset
from grambench.errors import DataError, SolverError
from grambench.experiments.outcome import Outcome
from grambench.experiments.seeds import seeds
from grambench.families import KernelFamily
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


@dataclass(frozen=True, slots=True)
class Tuned:
    """A learned kernel with its machine, after tuning.

    Attributes
    ----------
    kernel : LearnedKernel
        What the algorithm returned at the chosen value.
    dual, bias : ndarray of float64 (n,), float
        The machine on it.
    error : float
        Share of the validation examples on the wrong side.
    C : float
        Of the machine trained afterwards, NaN where the algorithm trained its own.
    value : float
        Of the tuned parameter, NaN where there is none.
    seconds : float
        Time of the algorithm's fit at that value.
    """

    kernel: LearnedKernel
    dual: Floats
    bias: float
    error: float
    C: float
    value: float
    seconds: float


def outcome(settings: Mapping[str, Any], dataset: PreparedDataset) -> Outcome:
    """Run what a run's settings ask for.

    Parameters
    ----------
    settings : dict
        See grambench.plan.Plan.run_spec.
    dataset : PreparedDataset
        The data set, with dense features.

    Notes
    -----
    `seconds` are those of everything from the features to the tuned machine; `search_seconds` those of the algorithm
    alone at the chosen value. The first draw is run twice, so that the compiler's time is in neither.
    """
    algorithm, points, protocol = algorithms.load(settings["file"]), settings["points"], settings["protocol"]
    family = families.load(settings["dictionary"]["family"])
    shape = (len(points), protocol["repeats"])
    metrics = {name: np.empty(shape) for name in METRICS}
    slots = {name: np.full((*shape, SLOTS), np.nan) for name in ("weight", "parameter")}
    for r, draw in enumerate(draws(settings, dataset)):
        for p, point in enumerate(points):
            if r == p == 0:
                tune(algorithm, point, family, settings, draw)
            begun = time.perf_counter()
            tuned = tune(algorithm, point, family, settings, draw)
            seconds = time.perf_counter() - begun
            kernel = tuned.kernel
            cross = kernel.gram(family(draw.train, draw.test))
            measured = {
                "error_percent": 100.0 * wrong(cross, tuned.dual, tuned.bias, draw.test_labels),
                "alignment": alignment(kernel.gram(family(draw.test)), draw.test_labels),
                "kernels_selected": np.count_nonzero(kernel.weights > SELECTED * kernel.weights.max()),
                "iterations": len(kernel.steps),
                "chosen_c": tuned.C,
                "chosen_value": tuned.value,
                "validation_error_percent": 100.0 * tuned.error,
                "seconds": seconds,
                "search_seconds": tuned.seconds,
            }
            for name in METRICS:
                metrics[name][p, r] = measured[name]
            count = min(len(kernel.weights), SLOTS)
            slots["weight"][p, r, :count] = kernel.weights[:count]
            if all(len(parameter) == 1 for parameter in kernel.parameters):
                slots["parameter"][p, r, :count] = np.concatenate(kernel.parameters)[:count]
    return Outcome(metrics, kernel_values=slots)


def draws(settings: Mapping[str, Any], dataset: PreparedDataset) -> Iterator[Draw]:
    """Yield the examples of every repeat; they depend on the seed, the data set's name and the repeat alone.

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
    for repeat in range(protocol["repeats"]):
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
    described, search = settings["dictionary"], settings["tune"]
    examples, features = draw.train.shape
    grid = np.array(described["grid"])
    dictionary = Dictionary(family(draw.train), examples, features, described["low"], described["high"], grid)
    cross = family(draw.train, draw.validation)
    best: tuple[float, Tuned] | None = None
    for value in search["values"] if search else [np.nan]:
        chosen = dict(point) | ({search["parameter"]: value} if search else {})
        parameters = algorithms.parameters(algorithm.name, chosen)
        begun = time.perf_counter()
        try:
            kernel = algorithm.fit(parameters, dictionary, draw.train_labels, rng=np.random.default_rng(draw.seed))
        except SolverError:
            break
        seconds = time.perf_counter() - begun
        if search and search["by"] == "alignment":
            loss = -alignment(kernel.gram(family(draw.validation)), draw.validation_labels)
            if best is None or loss < best[0]:
                best = loss, Tuned(kernel, np.zeros(0), 0.0, np.nan, np.nan, value, seconds)
            continue
        tuned = finish(kernel, value, seconds, dictionary.family, cross, settings["protocol"], draw)
        if best is None or tuned.error < best[0]:
            best = tuned.error, tuned
    if best is None:
        raise SolverError("no machine could be trained at the first value that is tried")
    tuned = best[1]
    if search and search["by"] == "alignment":
        tuned = finish(tuned.kernel, tuned.value, tuned.seconds, dictionary.family, cross, settings["protocol"], draw)
    return tuned


def finish(
    kernel: LearnedKernel,
    value: float,
    seconds: float,
    family: KernelFamily,
    cross: KernelFamily,
    protocol: Mapping[str, Any],
    draw: Draw,
) -> Tuned:
    """Measure the machine of a learned kernel on the validation examples, trained at the best C where it has none."""
    known = kernel.gram(cross)
    if kernel.dual is not None:
        error = wrong(known, kernel.dual, kernel.bias, draw.validation_labels)
        return Tuned(kernel, kernel.dual, kernel.bias, error, np.nan, value, seconds)
    combination = Combination.single(kernel.gram(family))
    machine: svm.Machine | None = None
    best: Tuned | None = None
    for C in protocol["values"]:
        start = None if machine is None else machine.dual
        try:
            machine = svm.train(combination, draw.train_labels, C, start=start, max_steps=protocol["steps"])
        except SolverError:
            break
        error = wrong(known, machine.dual, machine.bias, draw.validation_labels)
        if best is None or error < best.error:
            best = Tuned(kernel, machine.dual, machine.bias, error, C, value, seconds)
    if best is None:
        raise SolverError(
            f"no machine could be trained within {protocol['steps']} steps at C = {protocol['values'][0]}"
        )
    return best


def wrong(cross: Floats, dual: Floats, bias: float, labels: Labels) -> float:
    """Return the share of examples on the wrong side, from their kernel values (n, t); a value of 0 is positive."""
    return float(np.mean((dual @ cross + bias >= 0.0) != (labels > 0)))
