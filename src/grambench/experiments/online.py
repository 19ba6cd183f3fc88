"""The online protocol: one pass over each of several orders of the examples (OMKC, Section 5.1)."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms import Algorithm, OnlineFit
from grambench.datasets.store import PreparedDataset
from grambench.experiments.blocks import repeats
from grambench.experiments.outcome import Origin, Outcome
from grambench.experiments.seeds import seeds

WARM_UP_ROUNDS = 2
TIMED_TWICE_BELOW = 10.0  # seconds; a first fit that reads from disk may take some


@dataclass(frozen=True, slots=True)
class Orders:
    """Orders of presentation and where they come from.

    Attributes
    ----------
    indices : ndarray of int32 (R, n)
        Permutations of range(n).
    origin : str
        "published" or "seeded".
    """

    indices: NDArray[np.int32]
    origin: Origin


def draw_orders(published: NDArray[np.int32] | None, n: int, repeats: int, root: int, dataset: str) -> Orders:
    """Return the published orders where there are enough of them, else seeded permutations."""
    if published is not None and len(published) >= repeats:
        return Orders(np.ascontiguousarray(published[:repeats]), "published")
    permutations = [
        np.random.default_rng(seeds(root, dataset, repeat)[0]).permutation(n).astype(np.int32)
        for repeat in range(repeats)
    ]
    return Orders(np.array(permutations), "seeded")


def checkpoints(rounds: int, count: int) -> NDArray[np.int64]:
    """Return about `count` numbers of rounds, evenly spread, of which the last is `rounds`."""
    return np.unique(np.linspace(rounds / count, rounds, count).round().astype(np.int64).clip(1, rounds))


def outcome(settings: Mapping[str, Any], dataset: PreparedDataset, grams: Sequence[NDArray[np.float64]]) -> Outcome:
    """Run what a run's settings ask for.

    Parameters
    ----------
    settings : dict
        See grambench.pipeline.plan.Plan.run_spec.
    dataset : PreparedDataset
        The data set.
    grams : sequence of m ndarrays of float64 (n, n)
        Its Gram matrices in the order of the study's kernels.
    """
    protocol, seed, file = settings["protocol"], settings["seed"], settings["file"]
    return run(
        algorithms.load(file),
        [algorithms.parameters(file, point) for point in settings["points"]],
        grams,
        dataset.labels,
        draw_orders(dataset.orders, len(dataset.labels), protocol["repeats"], seed, dataset.name),
        repeats(settings),
        root=seed,
        dataset=dataset.name,
        curve_points=protocol["checkpoints"],
    )


def run(
    algorithm: Algorithm[OnlineFit],
    points: Sequence[Any],
    grams: Sequence[NDArray[np.float64]],
    labels: NDArray[np.int8],
    orders: Orders,
    numbers: Sequence[int],
    *,
    root: int,
    dataset: str,
    curve_points: int,
) -> Outcome:
    """Run an algorithm over some orders at all parameter points.

    Parameters
    ----------
    algorithm : Algorithm
        What to run.
    points : sequence of P parameter objects
        Each is run over the same orders, with the same random draws.
    grams : sequence of m ndarrays of float64 (n, n)
        Gram matrices.
    labels : ndarray of int8 (n,)
        -1 or +1.
    orders : Orders
        Orders of presentation.
    numbers : sequence of R ints
        Which of the orders are wanted, from 0; random draws go by these numbers.
    root, dataset
        Of the random draws; see `seeds`.
    curve_points : int
        Points of a pass at which curves are recorded.

    Returns
    -------
    Outcome
        Metrics mistake_percent, support_vectors and seconds; curves mistake_percent, support_vectors and weights; for
        each kernel its `updates` in the pass.

    Notes
    -----
    Seconds are those of `fit` alone, after a run over two examples that compiles it. A short fit is
    done twice, and the shorter time counts: the first one may have to read rows from disk, and the paper's kernels
    were in memory (OMKC, Section 5.5). A sweep is not timed twice.
    """
    n, m = len(labels), len(grams)
    rounds = checkpoints(orders.indices.shape[1], curve_points)
    shape = (len(points), len(numbers))
    metrics = {name: np.empty(shape) for name in ("mistake_percent", "support_vectors", "seconds")}
    curves = {name: np.empty((*shape, len(rounds))) for name in ("mistake_percent", "support_vectors")}
    curves["weights"] = np.empty((*shape, len(rounds), m))
    updates = np.empty((*shape, m))
    for p, parameters in enumerate(points):
        if p == 0:
            rng = np.random.default_rng(0)
            algorithm.fit(parameters, grams, labels, order=orders.indices[0, : min(n, WARM_UP_ROUNDS)], rng=rng)
        for r, number in enumerate(numbers):
            seconds: list[float] = []
            while len(seconds) < 1 or (len(seconds) < 2 and len(points) == 1 and seconds[0] < TIMED_TWICE_BELOW):
                rng = np.random.default_rng(seeds(root, f"{dataset}/{algorithm.name}", number)[1])
                start = time.perf_counter()
                trace = algorithm.fit(parameters, grams, labels, order=orders.indices[number], rng=rng)
                seconds.append(time.perf_counter() - start)
            metrics["seconds"][p, r] = min(seconds)
            curve = 100.0 * np.cumsum(trace.mistakes)[rounds - 1] / rounds
            curves["mistake_percent"][p, r] = curve
            curves["support_vectors"][p, r] = trace.support_vectors[rounds - 1]
            curves["weights"][p, r] = trace.weights[rounds - 1]
            metrics["mistake_percent"][p, r] = curve[-1]
            metrics["support_vectors"][p, r] = trace.support_vectors[-1]
            updates[p, r] = trace.updates
    return Outcome(metrics, curves, rounds, {"updates": updates}, orders.origin)
