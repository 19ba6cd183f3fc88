"""The protocol of many classes: learned on training examples, chosen on validation examples, followed on the way.

OBSCURE, Section 4 (Orabona et al. 2010). Examples are drawn anew in each repeat, so many of each class; where the data
come with a split, those for the test are all of its test part. What is tuned is learned once for each value, and the
value of the least validation error is taken, the first of equal ones; with `refit` it is learned again on training and
validation examples together. A sweep may be over the number of kernels, or of training examples of each class: they are
drawn in each repeat, and the fewer are among the more.

An algorithm of two classes learns each class against the rest. One that learns a kernel and no predictor gets a machine
for each class at each C of the protocol, of which validation chooses one C for all.
"""

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms import Algorithm
from grambench.algorithms.checks import scored
from grambench.algorithms.fit import Fit, Floats, Labels, Mixture, Predictor, State, Work
from grambench.algorithms.one_vs_rest import OneVsRest, against_the_rest
from grambench.common.errors import DataError, SolverError
from grambench.datasets.store import PreparedDataset
from grambench.experiments import learner
from grambench.experiments.data import Sample, shuffled
from grambench.experiments.learner import WORK, Trained
from grambench.experiments.outcome import Learned, Outcome, learned_values
from grambench.experiments.seeds import seeds
from grambench.experiments.specification import Specification
from grambench.kernels.pixels import ByPixels
from grambench.kernels.pool import Indices, Pool
from grambench.kernels.views import Viewed

METRICS = (
    "accuracy_percent",
    "error_percent",
    "balanced_accuracy_percent",
    "objective",
    "training_error_percent",
    "support_vectors",
    "epochs",
    "kernels_selected",
    "chosen_c",
    "chosen_value",
    "validation_error_percent",
    "seconds",
    "search_seconds",
    *WORK,
)
CURVES = (
    "stage",
    "epochs",
    "elapsed_seconds",
    "objective",
    "training_error_percent",
    "accuracy_percent",
    "support_vectors",
    "kernel_values",
)
FEW = 4  # examples of each class, on which a run is compiled


@dataclass(frozen=True, slots=True)
class Draw:
    """The examples of one repeat by their numbers, and the seed of the algorithms' own draws.

    Attributes
    ----------
    train, validation, test : ndarray of int
        In no particular order.
    seed : SeedSequence
    """

    train: Indices
    validation: Indices
    test: Indices
    seed: np.random.SeedSequence

    @property
    def known(self) -> Indices:
        """Training and validation examples."""
        return np.concatenate([self.train, self.validation])


class Way(NamedTuple):
    """What was learned, and how: of two-class algorithms one fit a class.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Of the kernels; the mean over the classes.
    predictor : Predictor
        Of all classes.
    C : float
        Of the machines, NaN without.
    states : sequence of State
        The states that the fit went through, of an algorithm that returns them.
    support_vectors : int
        Examples with a coefficient, of any class.
    work : Work
    """

    weights: Floats
    predictor: Predictor
    C: float
    states: Sequence[State]
    work: Work


def outcome(specification: Specification, dataset: PreparedDataset, grams: Sequence[Floats] = ()) -> Outcome:
    """Run what is asked for.

    Parameters
    ----------
    specification : Specification
        The run.
    dataset : PreparedDataset
        The data set, of many classes.
    grams
        Not used.

    Notes
    -----
    `seconds` and the counts of work are those of everything from the features to the chosen predictor, all values
    included, `search_seconds` those of the last fit alone. The curves are those of the last fit; their rounds number
    its states. Everything is run on a few examples first, which compiles it; two fits to them must be the same.
    """
    points, classes = specification.points, len(dataset.classes)
    shape = (len(points), len(specification.repeats))
    metrics = {name: np.full(shape, np.nan) for name in METRICS}
    confusion = np.zeros((*shape, classes, classes))
    learned: dict[tuple[int, int], Learned] = {}
    curves: dict[tuple[int, int], Floats] = {}
    for r, draw in enumerate(draws(specification, dataset)):
        made: dict[bytes, Pools] = {}
        for p, point in enumerate(points):
            if r == p == 0:
                _warm_up(specification, dataset, point, _few(dataset, draw))
            if specification.size:
                made = {}  # other kernels or examples have pools of their own
            chosen, given = _sized(specification, p, dataset, draw)
            asked = replace(specification, kernels=[specification.kernels[k] for k in chosen])
            measured, way, curve, table = _measured(asked, dataset, point, given, made)
            for name, value in measured.items():
                metrics[name][p, r] = value
            weights = np.zeros(len(specification.kernels))
            weights[chosen] = way.weights
            learned[p, r], curves[p, r], confusion[p, r] = Learned(weights, None), curve, table
    return Outcome(
        metrics,
        *_aligned(curves, shape),
        learned_values(learned, shape, specification.kernels),
        class_values={"confusion": confusion},
    )


def draws(specification: Specification, dataset: PreparedDataset) -> Iterator[Draw]:
    """Yield the examples of each repeat that is wanted; they depend on seed, data set's name and number alone.

    Raises
    ------
    DataError
        If there are too few examples of a class.
    """
    sizes = specification.protocol["sizes"]
    wanted = sizes.get(dataset.name) or sizes["default"]
    official = dataset.test is not None
    given = dataset.test if dataset.test is not None else np.zeros(len(dataset.labels), dtype=np.bool_)
    for repeat in specification.repeats:
        shared, own = seeds(specification.seed, dataset.name, repeat)
        rng = np.random.default_rng(shared)
        parts: list[list[Indices]] = [[], [], []]
        for number, name in enumerate(dataset.classes):
            members = rng.permutation(np.flatnonzero((dataset.labels == number) & ~given))
            counts = [len(members) - wanted[1], wanted[1], 0] if wanted[0] == 0 else list(wanted)
            if sum(counts) > len(members) or counts[0] < 1:
                raise DataError(f"{dataset.name}: expected {sum(counts)} examples of {name}, got {len(members)}")
            for part, chosen in zip(parts, np.split(members, np.cumsum(counts)), strict=False):
                part.append(chosen)
        train, validation, test = (np.concatenate(part) for part in parts)
        yield Draw(train, validation, np.flatnonzero(given) if official else test, own)


def _first(count: int, dataset: PreparedDataset, part: Indices) -> Indices:
    """Return the first so many examples of each class in a part of a draw."""
    return np.concatenate([part[dataset.labels[part] == number][:count] for number in range(len(dataset.classes))])


def _few(dataset: PreparedDataset, draw: Draw) -> Draw:
    """Return a draw of the first few examples of each class."""
    train, validation, test = (_first(FEW, dataset, part) for part in (draw.train, draw.validation, draw.test))
    return Draw(train, validation, test, draw.seed)


def _sized(specification: Specification, p: int, dataset: PreparedDataset, draw: Draw) -> tuple[list[int], Draw]:
    """Return the numbers of the kernels, and the draw, at a point of a run; all but in a sweep over a size.

    Raises
    ------
    DataError
        If a class has fewer training examples.
    """
    m, size = len(specification.kernels), specification.values[p] if specification.size else 0
    if specification.size == "kernels":
        own = np.random.SeedSequence(draw.seed.entropy, spawn_key=(*draw.seed.spawn_key, 2))
        return sorted(np.random.default_rng(own).permutation(m)[:size].tolist()), draw
    if specification.size == "examples":
        least = int(np.bincount(dataset.labels[draw.train]).min())
        if size > least:
            raise DataError(f"{dataset.name}: the sweep asks for {size} training examples a class, one has {least}")
        draw = replace(draw, train=_first(size, dataset, draw.train))
    return list(range(m)), draw


class Pools:
    """The pools that belong to some training examples: of blocks of pixels, or of views; vectors are one view.

    Each is made once, for all points of a sweep.

    Attributes
    ----------
    seconds : float
        That the pool of the training examples took.
    """

    def __init__(self, specification: Specification, dataset: PreparedDataset, train: Indices) -> None:
        self._kernels, self._dataset = specification.pool, dataset
        self._views = list(dict.fromkeys(kernel.view for kernel in self._kernels))
        self._between: dict[bytes, Pool] = {}
        begun = time.perf_counter()
        kind = ByPixels if dataset.views and not dataset.images else Viewed
        self.train: ByPixels | Viewed = kind(self._kernels, self._features(train))
        _make(self.train)  # or the first fit alone would spend their time
        self.seconds = time.perf_counter() - begun

    def between(self, others: Indices) -> Pool:
        """Return the pool between other examples and the training ones."""
        key = others.tobytes()
        if key not in self._between:
            features, basis = self._features(others), self.train
            if isinstance(basis, ByPixels):
                self._between[key] = ByPixels(self._kernels, basis.features, features, basis=basis)
            else:
                self._between[key] = Viewed(self._kernels, basis.train, features, basis=basis)
            _make(self._between[key])  # which every state is tested with
        return self._between[key]

    def _features(self, chosen: Indices) -> dict[str, Any]:
        views: dict[str, Any] = {"": self._dataset.features} | dict(self._dataset.views)
        return {view: views[view][chosen] for view in self._views}


def _make(pool: Pool) -> None:
    """Make the Gram matrices of a pool that keeps them."""
    if isinstance(pool, Viewed):
        list(pool.grams())


def _measured(
    specification: Specification, dataset: PreparedDataset, point: dict[str, Any], draw: Draw, made: dict[bytes, Pools]
) -> tuple[dict[str, float], Way, Floats, Floats]:
    """Choose, learn and test once; return metrics, what was learned, the curves (S, c) and the confusion matrix.

    `made` are the pools of this draw by their training examples, which earlier points have made.
    """

    def pools_of(train: Indices) -> Pools:
        key = train.tobytes()
        if key not in made:
            made[key] = Pools(specification, dataset, train)
        return made[key]

    protocol, algorithm = specification.protocol, algorithms.load(specification.file)
    name, values = learner.tuned(algorithm, specification.tune)
    tried = [point if name is None else point | {name: value} for value in values]
    own = (specification.tune or {}).get("C") if name else None  # values of the algorithm's own C
    if own:
        tried = [settings | {"C": C} for settings in tried for C in own]
    pools, known, costs = pools_of(draw.train), draw.train, list(protocol["values"])
    seconds, begun = pools.seconds, time.perf_counter()
    choice = Choice()
    machines = len(costs) > 1 and not algorithms.takes_many_classes(algorithm.name)
    if len(draw.validation) and (name is not None or machines):
        choice = _chosen(algorithm, tried, pools, dataset, draw, costs)
    if choice.way is None or protocol["refit"]:
        costs = costs[-1:] if choice.way is None else [choice.way.C]
        if protocol["refit"]:
            known, asked = draw.known, time.perf_counter()
            pools = pools_of(known)
            seconds += pools.seconds - (time.perf_counter() - asked)  # whether it is made here or was before
        sample, asked = _sample(pools, dataset, known, draw), time.perf_counter()
        *_, way = _ways(algorithm, tried[choice.place], sample, draw.seed, costs)
        choice = choice._replace(way=way, seconds=time.perf_counter() - asked, work=choice.work + way.work)
    else:
        way = choice.way
    seconds += time.perf_counter() - begun
    unknown, truth = pools.between(draw.test), dataset.labels[draw.test]
    predicted = _predicted(way.predictor, unknown, dataset)
    last = way.states[-1] if way.states else None
    measured: dict[str, float] = {
        "accuracy_percent": 100.0 * float(np.mean(predicted == truth)),
        "error_percent": 100.0 * float(np.mean(predicted != truth)),
        "balanced_accuracy_percent": learner.balanced_percent(predicted == truth, truth),
        "objective": last.objective if last else np.nan,
        "training_error_percent": 100.0 * (last.training_error if last else _wrong(way, pools, dataset, known)),
        "support_vectors": learner.support_vectors(way.predictor),
        "epochs": last.epochs if last else np.nan,
        "kernels_selected": learner.kernels_selected(way.weights) if way.weights.any() else np.nan,
        "chosen_c": tried[choice.place]["C"] if own else way.C,
        "chosen_value": np.nan if name is None else tried[choice.place][name],
        "validation_error_percent": 100.0 * choice.error,
        "seconds": seconds,
        "search_seconds": choice.seconds,
        **learner.counts(choice.work, len(known)),
    }
    classes = len(dataset.classes)
    confusion = np.zeros((classes, classes))
    np.add.at(confusion, (truth, predicted), 1.0)
    return measured, way, _curve(way, unknown, dataset, truth), confusion


def _warm_up(specification: Specification, dataset: PreparedDataset, point: dict[str, Any], few: Draw) -> None:
    """Run everything on a few examples, and raise ContractError where two fits to them, with one seed, differ."""
    made: dict[bytes, Pools] = {}
    _measured(specification, dataset, point, few, made)
    algorithm = algorithms.load(specification.file)
    name, values = learner.tuned(algorithm, specification.tune)
    sample = _sample(made[few.train.tobytes()], dataset, few.train, few)
    if not algorithms.takes_many_classes(algorithm.name):
        sample = replace(sample, labels=against_the_rest(sample.labels, 0))
    with contextlib.suppress(SolverError):  # at another value it may learn something
        learner.fit_twice(algorithm, point if name is None else point | {name: values[0]}, sample, few.seed)


def _ways(
    algorithm: Algorithm, settings: dict[str, Any], sample: Sample, seed: np.random.SeedSequence, costs: list[float]
) -> Iterator[Way]:
    """Yield what an algorithm learns; with machines for each C, until one cannot be trained."""
    if algorithms.takes_many_classes(algorithm.name):
        fit = learner.fit(algorithm, settings, sample, seed)
        if fit.predictor is None:
            raise SolverError(f"{algorithm.name}: expected a predictor of many classes, got a kernel alone")
        yield Way(fit.weights, fit.predictor, np.nan, fit.states, fit.work)
        return
    weights, work, trained = np.zeros(sample.pool.shape[0]), Work(), []
    classes = range(int(sample.labels.max()) + 1)
    for number in classes:
        own = Sample(sample.pool, against_the_rest(sample.labels, number), sample.order)
        fit = learner.fit(algorithm, settings, own, seed)
        weights += _shares(fit) / len(classes)
        work += fit.work
        trained.append([_light(machine) for machine in learner.trained(fit, own, costs)])
    for machines in zip(*trained, strict=False):
        used = work + sum((machine.work for machine in machines), Work())
        yield Way(weights, OneVsRest([machine.predictor for machine in machines]), machines[0].C, (), used)


def _light(machine: Trained) -> Trained:
    """Return a machine without the kernel values that it keeps: there may be a hundred of them, each on its kernel."""
    predictor = machine.predictor
    return replace(machine, predictor=replace(predictor, kept=None)) if isinstance(predictor, Mixture) else machine


def _shares(fit: Fit) -> Floats:
    return fit.weights / fit.weights.sum() if fit.weights.any() else fit.weights


def _predicted(predictor: Predictor, pool: Pool, dataset: PreparedDataset) -> NDArray[np.intp]:
    return np.asarray(scored(predictor, pool, len(dataset.classes)).argmax(axis=1))


def _sample(pools: Pools, dataset: PreparedDataset, known: Indices, draw: Draw) -> Sample:
    """Return some training examples in an order that depends on the draw alone."""
    return Sample(pools.train, dataset.labels[known], shuffled(len(known), draw.seed))


class Choice(NamedTuple):
    """What validation has chosen: what was learned, the number of its settings, error, seconds, and the work of all."""

    way: Way | None = None
    place: int = 0
    error: float = np.nan
    seconds: float = np.nan
    work: Work = Work()


def _chosen(
    algorithm: Algorithm,
    tried: list[dict[str, Any]],
    pools: Pools,
    dataset: PreparedDataset,
    draw: Draw,
    costs: list[float],
) -> Choice:
    """Return the first of what errs least on the validation examples."""
    unknown, truth = pools.between(draw.validation), dataset.labels[draw.validation]
    choice, works = Choice(), dict[int, Work]()  # of each settings, all their machines included
    sample = _sample(pools, dataset, draw.train, draw)
    for place, way, seconds in _search(algorithm, tried, sample, draw.seed, costs):
        works[place] = way.work
        error = float(np.mean(_predicted(way.predictor, unknown, dataset) != truth))
        if choice.way is None or error < choice.error:
            choice = Choice(way, place, error, seconds)
    return choice._replace(work=sum(works.values(), Work()))


def _search(
    algorithm: Algorithm, tried: list[dict[str, Any]], sample: Sample, seed: np.random.SeedSequence, costs: list[float]
) -> Iterator[tuple[int, Way, float]]:
    """Yield what is learned with each settings, their number, and the seconds since those before.

    Raises
    ------
    SolverError
        If nothing is learned with any.
    """
    failed, any_learned = SolverError(f"{algorithm.name}: nothing was learned"), False
    for number, settings in enumerate(tried):
        begun = time.perf_counter()
        try:
            for way in _ways(algorithm, settings, sample, seed, costs):
                any_learned = True
                yield number, way, time.perf_counter() - begun
        except SolverError as reason:  # another value may do
            failed = reason
    if not any_learned:
        raise failed


def _wrong(way: Way, pools: Pools, dataset: PreparedDataset, known: Indices) -> float:
    """Return the share of the training examples that are classified wrongly."""
    return float(np.mean(_predicted(way.predictor, pools.train, dataset) != dataset.labels[known]))


def _curve(way: Way, unknown: Pool, dataset: PreparedDataset, truth: Labels) -> Floats:
    """Return a row for each state of a fit, its columns CURVES."""
    rows = []
    for state in way.states:
        accuracy = 100.0 * float(np.mean(_predicted(state.predictor, unknown, dataset) == truth))
        rows.append(
            [
                state.stage,
                state.epochs,
                state.seconds,
                state.objective,
                100.0 * state.training_error,
                accuracy,
                learner.support_vectors(state.predictor),
                state.work.kernel_values,
            ]
        )
    return np.array(rows, dtype=np.float64).reshape(-1, len(CURVES))


def _aligned(
    curves: dict[tuple[int, int], Floats], shape: tuple[int, int]
) -> tuple[dict[str, Floats], NDArray[np.int64]]:
    """Return the curves (P, R, S) by name, NaN after the last state of each, and the numbers of the states."""
    longest = max(len(curve) for curve in curves.values())
    if not longest:
        return {}, np.zeros(0, dtype=np.int64)
    made = {name: np.full((*shape, longest), np.nan) for name in CURVES}
    for place, curve in curves.items():
        for name, column in zip(CURVES, curve.T, strict=True):
            made[name][place][: len(column)] = column
    return made, np.arange(1, longest + 1)
