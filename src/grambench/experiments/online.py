"""The online protocol: one prequential pass over each of several permutations of the examples (OMKC, Section 5.1).

An algorithm that learns online reports its own pass. If it passes several times, the first pass is measured, in which
every example is new. On features that approximate its kernels it passes once, by the loop that learns streams.

The order of a stream is a permutation of its chunks and of the examples within each chunk. Of a stream, mistakes are
those of all rounds, and all other metrics of predictions those of the last 100 000.

An algorithm that learns from all examples at once is trained anew at each checkpoint on the examples received by then,
and predicts those up to the next checkpoint; if it learns a kernel alone, an SVM is trained on it. Until each class has
been received a few times it learns nothing, and the majority class is predicted.

Of C classes, a two-class algorithm passes once for each class one-vs-rest, and the largest score predicts.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms import Algorithm
from grambench.algorithms.checks import check_same
from grambench.algorithms.feature_learner import SAMPLE, FeatureLearner
from grambench.algorithms.fit import Fit, Trace
from grambench.algorithms.one_vs_rest import OneVsRest
from grambench.common import clock
from grambench.common.clock import Seconds
from grambench.common.types import Floats, Settings
from grambench.config.metrics import METRICS, WORK, Predictions
from grambench.config.protocols import Online
from grambench.datasets.store import PreparedDataset
from grambench.experiments.curves import checkpoints
from grambench.experiments.outcome import Origin, Outcome, Random, Result, collect
from grambench.experiments.passes import ChunkOrder, Rows, RunningMoments, cut
from grambench.experiments.pools import dense, full_pool
from grambench.experiments.run import Run
from grambench.experiments.seeds import seeds
from grambench.experiments.training import (
    Examples,
    Generators,
    Learned,
    by_class,
    class_numbers,
    counts,
    fit_twice,
    learn_task,
    predicted,
    scores_of,
    support_vectors,
)
from grambench.solvers.platt import probabilities

LEAST = 5  # examples of each class from which something is learned
KEPT = 100_000  # rounds at the end of a stream whose predictions are kept
TIMED_TWICE_BELOW = 10.0  # seconds; a first fit that reads from disk may take some


@dataclass(frozen=True, slots=True)
class Orders:
    """Orders of presentation and where they come from.

    Attributes
    ----------
    indices : ndarray of int32 (R, n)
        Permutations of range(n).
    origin : str
        "published", "seeded", or "stored" for the order of the data.
    """

    indices: NDArray[np.int32]
    origin: Origin


def draw_orders(
    published: NDArray[np.int32] | None, n: int, repetitions: int, root: int, dataset: str, numbers: range | None = None
) -> Orders:
    """Return the published permutations of the examples if there are enough of them, else seeded ones.

    Those of all repetitions are returned, or of some by their numbers. Beyond the last repetition, in replications, the
    published permutations start again and the seeded ones go on.
    """
    numbers = range(repetitions) if numbers is None else numbers
    if published is not None and len(published) >= repetitions:
        return Orders(np.ascontiguousarray(published[np.array(numbers) % repetitions]), "published")
    permutations = [
        np.random.default_rng(seeds(root, dataset, number)[0]).permutation(n).astype(np.int32) for number in numbers
    ]
    return Orders(np.array(permutations), "seeded")


def outcome(run: Run, dataset: PreparedDataset, grams: Sequence[Floats]) -> Outcome:
    """Run what is asked for.

    Parameters
    ----------
    run : Run
        The run.
    dataset : PreparedDataset
        The data set.
    grams : sequence of m ndarrays of float64 (n, n)
        Its Gram matrices in the order of the study's kernels.

    Returns
    -------
    Outcome
        Metrics of predictions, mistake_percent, support_vectors, seconds and the counts of work; curves
        mistake_percent, support_vectors and weights; for each kernel its `updates`.

    Notes
    -----
    Of an algorithm that passes several times, mistakes, support vectors and all curves are those of the first pass;
    seconds, work and updates are those of all passes.

    Seconds cover `fit` alone, after a run over a few examples that compiles it. The first pass of a run, or of a block
    of it, is done twice if it is short, and the shorter time counts: it maps the Gram matrices into memory, where the
    paper's kernels were (OMKC, Section 5.5). Later passes find most rows there. Sweeps and replications are not timed
    twice.
    """
    protocol, algorithm = run.protocol, algorithms.load(run.file)
    if not isinstance(protocol, Online):
        raise TypeError(f"{run.study}: expected an online protocol, got {protocol}")
    n, numbers, points = len(dataset.labels), run.repetitions, run.points
    if run.approximation:
        return _outcome_on_features(run, protocol, dataset)
    orders = _orders(run, protocol, dataset)
    twice = len(points) == 1 and not run.replicates
    pool, rounds = full_pool(run, dataset, grams), checkpoints(n, protocol.checkpoints)
    passes: dict[tuple[int, int], Pass] = {}
    samples = [Examples(pool, dataset.labels, order, len(dataset.classes)) for order in orders.indices]
    learns_online = _warm_up(algorithm, points[0], samples[0])
    for p, point in enumerate(points):
        for r, number in enumerate(numbers):
            seed = seeds(run.seed, f"{dataset.name}/{algorithm.name}", number)[1]
            if learns_online:
                passes[p, r] = present(algorithm, point, samples[r], rounds, seed)
                if twice and r == 0 and passes[p, r].seconds.wall < TIMED_TWICE_BELOW:
                    again = present(algorithm, point, samples[r], rounds, seed)
                    check_same(algorithm.name, passes[p, r].outline(), again.outline())
                    passes[p, r] = replace(again, seconds=min(passes[p, r].seconds, again.seconds))
            else:
                passes[p, r] = retrain(algorithm, point, samples[r], rounds, seed, protocol.C)
    results = {place: _result(measured, rounds) for place, measured in passes.items()}
    random: Random = "yes" if any(measured.random for measured in passes.values()) else "no"
    return collect(results, (len(points), len(numbers)), orders.origin, random)


def _orders(run: Run, protocol: Online, dataset: PreparedDataset) -> Orders:
    """Return the orders of the repetitions of a run."""
    n, numbers = len(dataset.labels), run.repetitions
    if protocol.shuffle:
        return draw_orders(dataset.orders, n, protocol.repetitions, run.seed, dataset.name, numbers)
    return Orders(np.tile(np.arange(n, dtype=np.int32), (len(numbers), 1)), "stored")


def _outcome_on_features(run: Run, protocol: Online, dataset: PreparedDataset) -> Outcome:
    """Run what is asked for on features that approximate the kernels."""
    n, numbers, orders = len(dataset.labels), run.repetitions, list[Iterable[Rows]]()
    if dataset.is_stream:
        origin: Origin = "seeded" if protocol.shuffle else "stored"
        for number in numbers:
            orders.append(ChunkOrder(n, seeds(run.seed, dataset.name, number)[0] if protocol.shuffle else None))
    else:
        drawn = _orders(run, protocol, dataset)
        orders, origin = [[order] for order in drawn.indices], drawn.origin
    results, rounds = {}, checkpoints(n, protocol.checkpoints)
    for p, point in enumerate(run.points):
        for r, number in enumerate(numbers):
            seed = seeds(run.seed, f"{dataset.name}/{algorithms.load(run.file).name}", number)[1]
            measured = learn_on_features(run, point, dataset, orders[r], rounds, seed)
            results[p, r] = _result(measured, rounds)
    return collect(results, (len(run.points), len(numbers)), origin, "yes")


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass over n examples with m kernels, measured at S rounds.

    Attributes
    ----------
    mistakes : ndarray of int64 (S,)
        Misclassified examples so far.
    support_vectors : ndarray (S,)
        Support vectors of the classifier after the round; NaN if they are not known.
    weights : ndarray of float64 (S, m)
        Weights of the kernels after the round; NaN where the learned kernel is made of others.
    updates : ndarray of float64 (m,)
        Updates of each kernel's classifier in all passes; NaN if kernels have no classifiers.
    seconds : Seconds
        The time of all fits.
    work : dict of int
        The work of all fits, under the names of WORK.
    random : bool
        Whether a fit has drawn random numbers.
    y_true, y_pred : ndarray of int (n,)
        The true and the predicted class of each round; of a stream, of the last rounds.
    scores : ndarray of float64 (n,) or (n, C)
        The scores that it was predicted by; 0 while the majority class was predicted.
    """

    mistakes: NDArray[np.int64]
    support_vectors: NDArray[Any]
    weights: Floats
    updates: Floats
    seconds: Seconds
    work: dict[str, int]
    random: bool
    y_true: NDArray[np.intp]
    y_pred: NDArray[np.intp]
    scores: Floats

    def outline(self) -> dict[str, Any]:
        """Return all but the seconds, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "seconds"}


def _warm_up(algorithm: Algorithm, point: Settings, sample: Examples) -> bool:
    """Fit to the first examples, twice, and return whether the algorithm learns online; it is compiled by then."""
    rows = sample.order[: _enough(sample.y_true[sample.order], sample.classes)]
    first = Examples(sample.pool.part(rows, rows), sample.labels[rows], _numbers(len(rows)), sample.classes)
    return fit_twice(algorithm, point, first, np.random.SeedSequence(0)).fits[0].trace is not None


def _numbers(n: int) -> Any:
    return np.arange(n, dtype=np.int32)


def _enough(y_true: NDArray[np.intp], classes: int) -> int:
    """Return the round after which each class was received `LEAST` times; the last round if none is."""
    received = np.min([np.cumsum(y_true == label) for label in range(classes or 2)], axis=0) >= LEAST
    return int(np.argmax(received)) + 1 if received.any() else len(y_true)


def present(
    algorithm: Algorithm, point: Settings, sample: Examples, rounds: NDArray[np.int64], seed: np.random.SeedSequence
) -> Pass:
    """Let an algorithm that learns online pass over a sample, and measure it at some rounds of its first pass."""
    generators, start = Generators(seed), clock.now()
    learned = learn_task(algorithm, point, sample, generators)
    seconds = clock.now() - start
    traces, at, n = [_trace(algorithm, fit) for fit in learned.fits], rounds - 1, len(sample.order)
    y_true = sample.y_true[sample.order]
    if learned.one_vs_rest:
        scores = np.stack([trace.scores[:n] for trace in traces], axis=1)
        y_pred = predicted(scores)
        mistakes = np.cumsum(y_pred != y_true, dtype=np.int64)[at]
        support = np.full(len(rounds), np.nan)
        support[-1] = support_vectors(OneVsRest([fit.predictor for fit in learned.fits if fit.predictor]))
        weights = np.mean([trace.weights[at] for trace in traces], axis=0)
    else:
        (trace,), scores = traces, traces[0].scores[:n]
        mistakes, support = np.cumsum(trace.mistakes, dtype=np.int64)[at], trace.support_vectors[at]
        weights = trace.weights[at]
        y_pred = np.where(trace.mistakes[:n], 1 - y_true, y_true)
    updates = np.sum([trace.updates for trace in traces], axis=0).astype(np.float64)
    work = counts(learned.work, len(sample.labels))
    return Pass(mistakes, support, weights, updates, seconds, work, generators.used, y_true, y_pred, scores)


def _trace(algorithm: Algorithm, fit: Fit) -> Trace:
    if fit.trace is None:
        raise TypeError(f"{algorithm.name}: expected a trace of the pass, got a fit without one")
    return fit.trace


def retrain(
    algorithm: Algorithm,
    point: Settings,
    sample: Examples,
    rounds: NDArray[np.int64],
    seed: np.random.SeedSequence,
    C: float,
) -> Pass:
    """Train an algorithm for all examples at once at each of some rounds on those received, and measure it.

    Seconds are those of all fits, their SVMs and the predictions between them; work is that of fits and SVMs.
    """
    order, m, generators = sample.order, sample.pool.shape[0], Generators(seed)
    enough = _enough(sample.y_true[order], sample.classes)
    y_true, y_pred = sample.y_true, np.empty(len(order), dtype=np.intp)
    scores = np.zeros((len(order), sample.classes) if sample.classes else len(order))
    begun, work = clock.now(), dict.fromkeys(WORK, 0)
    support, weights = np.zeros(len(rounds)), np.full((len(rounds), m), np.nan)
    model, received = None, order[:0]
    for number, (before, now) in enumerate(zip([0, *rounds[:-1]], rounds, strict=True)):
        coming = order[before:now]
        if model is None:
            y_pred[before:now] = _majority(y_true[received], sample.classes)
        else:
            next_examples = Examples(sample.pool.part(coming, received), sample.labels[coming], coming, sample.classes)
            scores[before:now] = scores_of(model.predictor, next_examples)
            y_pred[before:now] = predicted(scores[before:now])
        received = order[:now]
        if now >= enough:
            pool, numbers = sample.pool.part(received, received), _numbers(int(now))
            train = Examples(pool, sample.labels[received], numbers, sample.classes)
            learned = learn_task(algorithm, point, train, generators)
            model = next(learned.models([C]))
            for name, count in counts(learned.work + model.work, int(now)).items():
                work[name] += count
            support[number], weights[number] = support_vectors(model.predictor), _shares(learned, m)
    seconds = clock.now() - begun
    mistakes = np.cumsum(y_pred != y_true[order], dtype=np.int64)[rounds - 1]
    updates = np.full(m, np.nan)
    return Pass(mistakes, support, weights, updates, seconds, work, generators.used, y_true[order], y_pred, scores)


def learn_on_features(
    run: Run,
    point: Settings,
    dataset: PreparedDataset,
    order: Iterable[Rows],
    rounds: NDArray[np.int64],
    seed: np.random.SeedSequence,
) -> Pass:
    """Let an algorithm pass over a data set on features that approximate its kernels, and measure it at some rounds.

    Parameters
    ----------
    run : Run
        The run.
    point : dict
        The parameters of the algorithm.
    dataset : PreparedDataset
        The data set, or a stream.
    order : iterable of ndarray of int
        The rows of the examples in turn, part by part; the first part gives units, scales and landmarks.
    rounds : ndarray of int64 (S,)
        The rounds.
    seed : SeedSequence
        Controls the draws of the algorithm.

    Notes
    -----
    Seconds include the features, but not the reading of a stream. Work counts kernel evaluations, of which there are
    none, so that all its counts are 0.
    """
    features, classes, m = dense(dataset), len(dataset.classes), len(run.kernels)
    number, kept = int(seed.generate_state(1)[0]), KEPT if dataset.is_stream else len(dataset.labels)
    standardise = isinstance(run.protocol, Online) and run.protocol.standardise
    first_rows = next(iter(order))[:SAMPLE]
    first, y_first = features[first_rows].astype(np.float64), class_numbers(dataset.labels[first_rows], classes)
    first = RunningMoments().standardised(first) if standardise else first
    kernels: dict[str, Any] = {"kernels": run.pool, "columns": dataset.columns, "scale": False}
    approximation: dict[str, Any] = {"method": run.approximation, "n_components": run.n_components, "seed": number}
    start = partial(FeatureLearner, run.file, point, examples=first, classes=classes or 2, **kernels, **approximation)
    start().learn(first[:LEAST], y_first[:LEAST])  # which compiles
    begun = clock.now()
    learner, moments = start(), RunningMoments()
    seconds = clock.now() - begun
    mistakes, weights = np.empty(len(rounds), dtype=np.int64), np.empty((len(rounds), m))
    place, recent, n_kept = 0, deque[tuple[Floats, NDArray[np.intp]]](), 0
    for rows in cut(order, rounds):
        examples, y_true = features[rows].astype(np.float64, copy=False), class_numbers(dataset.labels[rows], classes)
        begun = clock.now()
        scores = learner.learn(moments.standardised(examples) if standardise else examples, y_true)
        seconds += clock.now() - begun
        recent.append((scores, y_true))
        n_kept += len(rows)
        while n_kept - len(recent[0][1]) >= kept:
            n_kept -= len(recent.popleft()[1])
        if learner.examples == rounds[place]:
            mistakes[place], weights[place] = learner.mistakes, np.atleast_2d(learner.weights).mean(axis=0)
            place += 1
    scores, y_true = (np.concatenate(parts)[-kept:] for parts in zip(*recent, strict=True))
    updates, work = learner.updates.astype(np.float64), dict.fromkeys(WORK, 0)
    support = np.full(len(rounds), np.nan)
    y_pred = learner.predicted(scores, y_true)
    return Pass(mistakes, support, weights, updates, seconds, work, True, y_true, y_pred, scores)


def _majority(y_true: NDArray[np.intp], classes: int) -> int:
    """Return the class that was received most often: of two equally frequent classes class 1, else the first."""
    received = np.bincount(y_true, minlength=classes or 2)
    return int(received.argmax()) if classes else int(received[1] >= received[0])


def _shares(learned: Learned, m: int) -> Floats:
    """Return the weights of the pool's m kernels, summing to one; NaN where the kernel is made of others."""
    weights = learned.weights
    if learned.thetas is not None or not weights.any():
        return np.full(m, np.nan)
    return np.asarray(weights / weights.sum())


def predictions(measured: Pass) -> Predictions:
    """Return the predictions of a pass, each with probabilities that are calibrated on earlier rounds alone.

    Scores are calibrated anew when the number of received examples has doubled. Before each class has been received a
    few times, probabilities are the shares of the classes so far.
    """
    y_true, scores = measured.y_true, by_class(measured.scores)
    classes, n = scores.shape[1], len(y_true)
    estimated, enough = np.empty((n, classes)), _enough(y_true, classes)
    shares = np.cumsum(y_true[:, None] == np.arange(classes), axis=0)
    estimated[0] = 1.0 / classes
    estimated[1:enough] = (shares[: enough - 1] + 1.0) / (np.arange(1, enough)[:, None] + classes)
    while enough < n:
        end = min(2 * enough, n)
        estimated[enough:end] = probabilities(scores[:enough], y_true[:enough], scores[enough:end])
        enough = end
    return Predictions(y_true, measured.y_pred, scores, estimated)


def _result(measured: Pass, rounds: NDArray[np.int64]) -> Result:
    """Return the numbers of a pass."""
    pass_predictions = predictions(measured)
    curves = {"mistake_percent": 100.0 * measured.mistakes / rounds, "support_vectors": measured.support_vectors}
    metrics = {name: float(curve[-1]) for name, curve in curves.items()} | measured.work
    metrics |= {"seconds": measured.seconds.processor, "wall_seconds": measured.seconds.wall}
    metrics |= {name: metric.value(pass_predictions) for name, metric in METRICS.items() if metric.value}
    return Result(metrics, curves | {"weights": measured.weights}, rounds, {"updates": measured.updates})
