"""The split protocol: learned on the training part that the data come with, tuned on a share of it, tested on the rest.

OKS, Empirical Studies (Yang et al. 2012): the default split; parameters are chosen on a validation set, "a 10% random
sample from the training data"; what is stochastic runs with several seeds. The paper does not say what is trained last:
here, what was chosen is trained again on the whole training part.

An entry that selects and then trains (`then`) does this twice: its own algorithm on all kernels, then the other on the
one kernel that got most weight. The validation examples and the order of the training examples are the same in every
repeat; an algorithm that draws nothing has the same result in all of them, and is run once.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms import Algorithm
from grambench.algorithms.checks import check_same, learn, scored
from grambench.algorithms.fit import Fit, Floats, Work
from grambench.common.errors import DataError, SolverError
from grambench.datasets.store import PreparedDataset
from grambench.experiments import learner
from grambench.experiments.data import Sample, shuffled
from grambench.experiments.learner import WORK, Trained
from grambench.experiments.online import checkpoints
from grambench.experiments.outcome import Learned, Outcome, learned_values
from grambench.experiments.seeds import seeds
from grambench.experiments.specification import Specification
from grambench.kernels.pool import Indices, Pool
from grambench.kernels.views import Viewed

METRICS = (
    "accuracy_percent",
    "error_percent",
    "balanced_accuracy_percent",
    "kernels_selected",
    "selected_kernel",
    "chosen_c",
    "chosen_value",
    "validation_error_percent",
    "kernel_share_percent",
    "seconds",
    "search_seconds",
    *WORK,
)
FEW = 30  # examples of either part, on which a run is compiled


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of a data set by their numbers, n for training and t for the test, and what all repeats share.

    Attributes
    ----------
    train, test : ndarray of int (n,), (t,)
        Of the data set.
    known, held : ndarray of int
        Of the training part: what is learned from while parameters are chosen, and what they are chosen by.
    order : ndarray of int32 (n,)
        In which online algorithms see the training part.
    """

    train: Indices
    test: Indices
    known: Indices
    held: Indices
    order: Any

    @classmethod
    def of(cls, specification: Specification, dataset: PreparedDataset, few: int | None = None) -> "Examples":
        """Return those of a data set, or the first few of either part; DataError where it comes with no split."""
        if dataset.test is None:
            raise DataError(f"{dataset.name}: expected a data set with a split of its own, got one without")
        shared, _ = seeds(specification.seed, dataset.name, 0)
        arranged = np.random.default_rng(shared).permutation(len(dataset.labels))  # so that few are of both classes
        train, test = (np.sort(arranged[dataset.test[arranged] == part][:few]) for part in (False, True))
        drawn = np.random.default_rng(shared).permutation(len(train))
        cut = max(1, round(specification.protocol["validation"] * len(train)))
        return cls(train, test, np.sort(drawn[cut:]), np.sort(drawn[:cut]), shuffled(len(train), shared))


@dataclass(slots=True)
class Draws:
    """Random numbers for the fits of one repeat, and whether any has been drawn."""

    seed: np.random.SeedSequence
    given: list[tuple[np.random.Generator, Any]] = field(default_factory=list)

    def rng(self) -> np.random.Generator:
        """Return the numbers of one fit, the same for each."""
        rng = learner.generator(self.seed)
        self.given.append((rng, _drawn(rng)))
        return rng

    def happened(self) -> bool:
        """Return whether some fit has drawn some."""
        return any(_drawn(rng) != before for rng, before in self.given)


def _drawn(rng: np.random.Generator) -> Any:
    """Return what is another once numbers were drawn, or generators spawned that draw some."""
    return rng.bit_generator.state, rng.bit_generator.seed_seq.n_children_spawned  # type: ignore[attr-defined]


class Stage(NamedTuple):
    """What was learned in one stage: the fit, its machine, the value and the validation error, and all the work."""

    fit: Fit
    machine: Trained
    value: float
    error: float
    work: Work


@dataclass(frozen=True, slots=True)
class Repeat:
    """One repeat, and whether it would be another with other random numbers.

    Attributes
    ----------
    metrics : dict of float
        Under the names of METRICS.
    learned : Learned
        The kernel of the first stage.
    rounds, weights : ndarray of int64 (C,), of float64 (C, m), or None
        Of the first stage's kernels, where it was a pass.
    drew : bool
    scores : ndarray of float64 (t,)
        Of the test examples.
    """

    metrics: dict[str, float]
    learned: Learned
    rounds: NDArray[np.int64] | None
    weights: Floats | None
    drew: bool
    scores: Floats

    def outline(self) -> dict[str, Any]:
        """Return all but measured seconds, by name."""
        metrics = {name: value for name, value in self.metrics.items() if not name.endswith("seconds")}
        return {"weights": self.learned.weights, "scores": self.scores, "trace": self.weights} | metrics


def outcome(specification: Specification, dataset: PreparedDataset, grams: Sequence[Floats] = ()) -> Outcome:
    """Run what is asked for.

    Parameters
    ----------
    specification : Specification
        The run.
    dataset : PreparedDataset
        The data set, with a split of its own and the views that the kernels are on.
    grams
        Not used: kernels are made in the run, those that it needs.

    Notes
    -----
    `seconds`, the counts of work and `kernel_share_percent`, the kernel values made in percent of m n^2, are those of
    everything from the features to the tuned and trained predictor, as the paper counts time; `search_seconds` those of
    the first stage. The test is not counted. Everything is run on a few examples first, which compiles it, and once
    more, which must find the same.
    """
    points, repeats = specification.points, specification.repeats
    shape = (len(points), len(repeats))
    found: dict[tuple[int, int], Repeat] = {}
    few, whole = (Examples.of(specification, dataset, count) for count in (FEW, None))
    tried = [_measured(specification, dataset, points[0], few, repeats[0]).outline() for _ in range(2)]
    check_same(specification.file, *tried)
    for p, point in enumerate(points):
        done: Repeat | None = None
        for r, number in enumerate(repeats):
            if done is None or done.drew:
                done = _measured(specification, dataset, point, whole, number)
            found[p, r] = done
    metrics = {name: np.empty(shape) for name in METRICS}
    for place, each in found.items():
        for name in METRICS:
            metrics[name][place] = each.metrics[name]
    learned = learned_values({place: each.learned for place, each in found.items()}, shape, specification.kernels)
    first = found[0, 0]
    if first.rounds is None or first.weights is None:
        return Outcome(metrics, kernel_values=learned)
    weights = np.empty((*shape, *first.weights.shape))
    for place, each in found.items():
        weights[place] = each.weights
    return Outcome(metrics, {"weights": weights}, first.rounds, learned)


def _measured(
    specification: Specification, dataset: PreparedDataset, point: dict[str, Any], examples: Examples, number: int
) -> Repeat:
    """Learn, choose and test once."""
    protocol = specification.protocol
    draws = Draws(seeds(specification.seed, dataset.name, number)[1])
    begun = time.perf_counter()
    pool = _pool(specification, dataset, examples)
    algorithm = algorithms.load(specification.file)
    stage = selected = _stage(algorithm, point, specification.tune, pool, dataset, examples, protocol, draws)
    search_seconds, kernel = time.perf_counter() - begun, int(np.argmax(selected.fit.weights))
    if specification.then is not None:
        then = algorithms.load(specification.then)
        settings = algorithms.resolved(specification.then, {})
        stage = _stage(then, settings, None, pool.only([kernel]), dataset, examples, protocol, draws)
        stage = stage._replace(work=selected.work + stage.work)
    seconds, made = time.perf_counter() - begun, pool.computed
    unknown = _pool(specification, dataset, examples, basis=pool)
    labels = dataset.labels[examples.test]
    asked = unknown if specification.then is None else unknown.only([kernel])
    scores = scored(stage.machine.predictor, asked)
    correct = (scores >= 0.0) == (labels > 0)
    m, n = len(specification.kernels), len(examples.train)
    measured: dict[str, float] = {
        "accuracy_percent": 100.0 * float(np.mean(correct)),
        "error_percent": 100.0 * float(np.mean(~correct)),
        "balanced_accuracy_percent": learner.balanced_percent(correct, labels),
        "kernels_selected": learner.kernels_selected(selected.fit.weights),
        "selected_kernel": kernel + 1,
        "chosen_c": stage.machine.C,
        "chosen_value": selected.value,
        "validation_error_percent": 100.0 * stage.error,
        "kernel_share_percent": 100.0 * made / (m * n * n),
        "seconds": seconds,
        "search_seconds": search_seconds,
        **learner.counts(stage.work, n),
    }
    rounds = weights = None
    if (trace := selected.fit.trace) is not None:
        rounds = checkpoints(len(trace.weights), protocol["checkpoints"])
        weights = trace.weights[rounds - 1]
    return Repeat(measured, Learned(selected.fit.weights, None), rounds, weights, draws.happened(), scores)


def _pool(
    specification: Specification, dataset: PreparedDataset, examples: Examples, basis: Viewed | None = None
) -> Viewed:
    """Return the pool of the training examples, or that between the others and them."""
    kernels = specification.pool
    rows = examples.train if basis is None else examples.test
    views = {view: dataset.views[view][rows] for view in dict.fromkeys(kernel.view for kernel in kernels)}
    return Viewed(kernels, views) if basis is None else Viewed(kernels, basis.train, views, basis=basis)


def _stage(
    algorithm: Algorithm,
    settings: dict[str, Any],
    search: dict[str, Any] | None,
    pool: Pool,
    dataset: PreparedDataset,
    examples: Examples,
    protocol: dict[str, Any],
    draws: Draws,
) -> Stage:
    """Choose a parameter, or the C of a machine, by the validation examples, and learn again from all for training.

    What has neither is learned once, from all.

    Raises
    ------
    SolverError
        If nothing can be learned at any value.
    """
    whole = Sample(pool, dataset.labels[examples.train], examples.order)
    name, values = learner.tuned(algorithm, search)
    last = _fit(algorithm, settings, whole, draws) if name is None else None
    if last is not None and last.predictor is not None:
        (machine,) = learner.trained(last, whole, [])
        return Stage(last, machine, np.nan, np.nan, last.work)
    points = [settings if name is None else settings | {name: value} for value in values]
    choice = _chosen(algorithm, points, whole, examples, protocol, draws)
    if last is None:
        last = _fit(algorithm, points[choice.place], whole, draws)
    (machine,) = learner.trained(last, whole, [choice.C])
    return Stage(last, machine, values[choice.place], choice.error, choice.work + last.work + machine.work)


class Choice(NamedTuple):
    """What the validation examples have chosen: the number of a point, the C of its machine, and their error."""

    place: int
    C: float
    error: float
    work: Work


def _chosen(
    algorithm: Algorithm,
    points: list[dict[str, Any]],
    whole: Sample,
    examples: Examples,
    protocol: dict[str, Any],
    draws: Draws,
) -> Choice:
    """Return the first of the best points; what was learned for it is given up with its copies of the kernels."""
    places = np.empty(len(whole.labels), dtype=np.int32)
    places[examples.known] = np.arange(len(examples.known))
    within = places[examples.order[np.isin(examples.order, examples.known)]]
    known = Sample(whole.pool.part(examples.known, examples.known), whole.labels[examples.known], within)
    held = Sample(whole.pool.part(examples.held, examples.known), whole.labels[examples.held], examples.order)
    best: Choice | None = None
    failed, work = SolverError(f"{algorithm.name}: nothing was learned"), Work()
    for place, point in enumerate(points):
        tried = _tried(algorithm, point, known, held, protocol, draws)
        work, failed = work + tried.work, tried.failed or failed
        for wrong, C in tried.errors:
            if best is None or wrong < best.error:
                best = Choice(place, C, wrong, Work())
    if best is None:
        raise failed
    return best._replace(work=work)


class Tried(NamedTuple):
    """Validation error and C of each machine at one point, the work, and why there are no more, if for a reason."""

    errors: list[tuple[float, float]]
    work: Work
    failed: SolverError | None


def _tried(
    algorithm: Algorithm,
    point: dict[str, Any],
    known: Sample,
    held: Sample,
    protocol: dict[str, Any],
    draws: Draws,
) -> Tried:
    """Learn at one point; a fit may hold all Gram matrices, so none outlives this call."""
    errors, work, trained = [], Work(), Work()
    try:
        fit = _fit(algorithm, point, known, draws)
        work = fit.work
        for machine in learner.trained(fit, known, protocol["values"], steps=protocol["steps"]):
            errors.append((float(np.mean(~learner.right(machine.predictor, held))), machine.C))
            trained = machine.work
    except SolverError as reason:  # another point may do
        return Tried(errors, work + trained, reason.with_traceback(None))
    return Tried(errors, work + trained, None)


def _fit(algorithm: Algorithm, settings: dict[str, Any], sample: Sample, draws: Draws) -> Fit:
    parameters = algorithms.parameters(algorithm.name, settings)
    return learn(algorithm, parameters, sample.pool, sample.labels, order=sample.order, rng=draws.rng())
