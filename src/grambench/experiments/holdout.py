"""The holdout protocol: learned on training examples, tuned on validation examples, tested on others.

CA, Section 3 (Afkanpour et al. 2013): examples are drawn anew in each repeat. An algorithm either learns a kernel, on
which a support vector machine is trained with the C of the least validation error, or a predictor, with the parameter
of the least validation error. The algorithms of one repeat share its examples; one that learns online passes over the
training examples once, in an order that all share.

The paper does not say how it breaks ties: here the first of the best values is taken. A machine that is not trained
after the protocol's number of steps ends the search for C: where classes overlap, a larger C takes longer still.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from grambench import algorithms
from grambench.algorithms import Algorithm
from grambench.algorithms.alignment import alignment
from grambench.algorithms.checks import certified, check_same, outline
from grambench.algorithms.fit import Fit, Floats, Labels, Order, Work
from grambench.common.errors import SolverError
from grambench.config.sizes import drawn
from grambench.datasets.store import PreparedDataset
from grambench.experiments import learner
from grambench.experiments.data import Pools, Sample, dense, shuffled, standardised
from grambench.experiments.learner import WORK, Trained
from grambench.experiments.outcome import Learned, Outcome, learned_values
from grambench.experiments.seeds import seeds
from grambench.experiments.specification import Specification

FEW = 30  # test examples by whose scores two fits are compared
METRICS = (
    "error_percent",
    "accuracy_percent",
    "balanced_accuracy_percent",
    "alignment",
    "kernels_selected",
    "iterations",
    "gap",
    "converged",
    "chosen_c",
    "chosen_value",
    "validation_error_percent",
    "seconds",
    "search_seconds",
    *WORK,
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
    order : ndarray of int32 (n,)
        In which online algorithms see the training examples.
    seed : SeedSequence
        Of the algorithms' own draws.
    """

    train: Floats
    validation: Floats
    test: Floats
    train_labels: Labels
    validation_labels: Labels
    test_labels: Labels
    order: Order
    seed: np.random.SeedSequence


class Candidate(NamedTuple):
    """A fit, the value of the tuned parameter (NaN where there is none) and the seconds of the fit."""

    fit: Fit
    value: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """A fit with its predictor, the share of the validation examples on the wrong side, and the work of the search."""

    candidate: Candidate
    machine: Trained
    error: float
    work: Work

    def outline(self, pools: Pools, draw: Draw) -> dict[str, Any]:
        """Return what a second search must find too, with the scores of the first test examples."""
        fit = replace(self.candidate.fit, predictor=self.machine.predictor)
        found = outline(fit, pools.between(draw.test[:FEW]))
        return found | {"chosen C": self.machine.C, "chosen value": self.candidate.value, "work": self.work}


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
    `seconds` and the counts of work are those of everything from the features to the tuned machine, but for work on
    kernel values with validation examples, and of fits that are given up. `search_seconds` are those of the algorithm
    alone at the chosen value, without Gram matrices that were made for an earlier value. The first draw is run twice,
    so that the compiler's time is in neither; both must find the same. The alignment is that of the learned kernel
    among the test examples, NaN where no kernel was learned.

    `converged` is what the algorithm says of its fit at the chosen value, `gap` what the fit's certificate says, in
    which the machine's own tolerance shows too; NaN where nothing is said. Measured seconds have no part of either.
    """
    algorithm, points = algorithms.load(specification.file), specification.points
    shape = (len(points), len(specification.repeats))
    metrics = {name: np.empty(shape) for name in METRICS}
    learned: dict[tuple[int, int], Learned] = {}
    first: dict[str, Any] = {}
    for r, draw in enumerate(draws(specification, dataset)):
        for p, point in enumerate(points):
            if r == p == 0 and not specification.replicates:
                pools = _pools(specification, draw)
                first = tune(algorithm, point, specification, draw, pools).outline(pools, draw)
            begun = time.perf_counter()
            pools = _pools(specification, draw)
            tuned = tune(algorithm, point, specification, draw, pools)
            seconds = time.perf_counter() - begun
            fit = tuned.candidate.fit
            if r == p == 0 and first:
                check_same(algorithm.name, first, tuned.outline(pools, draw))
            correct = learner.right(
                tuned.machine.predictor, Sample(pools.between(draw.test), draw.test_labels, draw.order)
            )
            used = fit.weights.any()
            measured: dict[str, Any] = {
                "error_percent": 100.0 * float(np.mean(~correct)),
                "accuracy_percent": 100.0 * float(np.mean(correct)),
                "balanced_accuracy_percent": learner.balanced_percent(correct, draw.test_labels),
                "alignment": alignment(fit.gram(pools.among(draw.test)), draw.test_labels) if used else np.nan,
                "kernels_selected": learner.kernels_selected(fit.weights),
                "iterations": len(fit.steps),
                "gap": certified(fit).gap,
                "converged": learner.converged(fit),
                "chosen_c": tuned.machine.C,
                "chosen_value": tuned.candidate.value,
                "validation_error_percent": 100.0 * tuned.error,
                "seconds": seconds,
                "search_seconds": tuned.candidate.seconds,
                **learner.counts(tuned.work, len(draw.train)),
            }
            for name in METRICS:
                metrics[name][p, r] = measured[name]
            learned[p, r] = Learned(fit.weights, fit.thetas)
    return Outcome(metrics, kernel_values=learned_values(learned, shape, specification.kernels))


def draws(specification: Specification, dataset: PreparedDataset) -> Iterator[Draw]:
    """Yield the examples of each repeat that is wanted; they depend on seed, data set's name and number alone.

    Raises
    ------
    DataError
        If the features are sparse, or there are too few examples.
    """
    protocol, features, labels = specification.protocol, dense(dataset), dataset.labels
    counts = drawn(protocol, dataset.name, len(labels))
    for repeat in specification.repeats:
        shared, own = seeds(specification.seed, dataset.name, repeat)
        chosen = np.random.default_rng(shared).permutation(len(labels))[: sum(counts)]
        parts = np.split(chosen, np.cumsum(counts)[:-1])
        train, validation, test = (features[part] for part in parts)
        if protocol["standardise"]:
            train, validation, test = standardised(train, validation, test)
        known, held_out, unknown = (labels[part] for part in parts)
        order = shuffled(counts[0], shared)
        yield Draw(train, validation, test, known, held_out, unknown, order, own)


def _pools(specification: Specification, draw: Draw) -> Pools:
    return Pools(specification, draw.train, specification.protocol["trace"])


def tune(algorithm: Algorithm, point: dict[str, Any], specification: Specification, draw: Draw, pools: Pools) -> Tuned:
    """Fit an algorithm at every value of the parameter that is tuned, and return the first of the best fits.

    Raises
    ------
    SolverError
        If there is none at all.
    """
    protocol, search = specification.protocol, specification.tune
    known = Sample(pools.train(), draw.train_labels, draw.order)
    held_out = Sample(pools.between(draw.validation), draw.validation_labels, draw.order)
    found = candidates(algorithm, point, search, known, draw.seed)
    work = sum((each.fit.work for each in found), Work())
    if all(each.fit.thetas is None or known.pool.holds(each.fit.thetas) for each in found):
        work.kernel_values = min(work.kernel_values, math.prod(known.pool.shape))  # made once for all values
    if len(found) > 1 and all(each.fit.thetas is known.pool.thetas is not None for each in found):
        held_out.pool.grams()  # made once, where all of them mix the same kernels
    if search and search["by"] == "alignment":
        among = pools.among(draw.validation)
        found = [max(found, key=lambda each: alignment(each.fit.gram(among), draw.validation_labels))]
    best: tuple[Candidate, Trained, float] | None = None
    failed = SolverError(f"{algorithm.name}: nothing was learned")
    for candidate in found:
        machine = None
        try:
            for machine in learner.trained(
                candidate.fit, known, protocol["values"], steps=protocol["steps"], trace=protocol["trace"]
            ):
                error = float(np.mean(~learner.right(machine.predictor, held_out)))
                if best is None or error < best[2]:
                    best = candidate, machine, error
        except SolverError as reason:  # another value may do
            failed = reason
        work += machine.work if machine else Work()
    if best is None:
        raise failed
    return Tuned(*best, work)


def candidates(
    algorithm: Algorithm,
    point: dict[str, Any],
    search: dict[str, Any] | None,
    sample: Sample,
    seed: np.random.SeedSequence,
) -> list[Candidate]:
    """Return the fits at the values of the parameter that is tuned; a single one where there is none.

    Raises
    ------
    SolverError
        If the first value has none; a later one ends the list.
    """
    found: list[Candidate] = []
    name, values = learner.tuned(algorithm, search)
    for value in values:
        begun = time.perf_counter()
        try:
            fit = learner.fit(algorithm, point if name is None else point | {name: value}, sample, seed)
        except SolverError:
            if not found:
                raise
            break
        found.append(Candidate(fit, value, time.perf_counter() - begun))
    return found
