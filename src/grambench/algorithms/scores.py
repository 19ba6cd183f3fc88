"""Scores of kernel experts, summed in the order that the published numbers of OMKC need.

A score f(x_t) = sum_s y_s k(x_s, x_t) over integer-coded data often cancels to exactly 0 or to the rounding error of
its sum, and its sign then hangs on the order of the additions. The authors' numbers come out to the printed digit on
all their data sets when term number s of an expert, in the order of arrival, is added to lane s mod 4, and the lanes
are combined as (0 + 1) + (2 + 3): what a dot product with four-wide vector instructions does. Plain summation misses
votes84, breast, splice, a3a and mushrooms by up to 0.07 percentage points.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.bounded import BoundedClassifiers, PoolSource, blocks, bounded_work
from grambench.algorithms.budget import capped_counts, retained_rounds
from grambench.algorithms.fit import Fit, Predictor, Trace, Work
from grambench.common.types import Floats, Indices, Labels, Order
from grambench.kernels.pool import GramRows, Pool, RowsOnDemand, Stream

LANES = 4


@njit(cache=True)
def add_row(lanes, count, y, row):  # type: ignore[no-untyped-def]
    """Add support vector number `count` of one expert to its scores of all examples.

    Parameters
    ----------
    lanes : ndarray of float64 (4, n)
        The expert's partial scores; changed in place.
    count : int
        Number of support vectors of the expert before this one.
    y : int
        Label of the support vector.
    row : ndarray of float64 (n,)
        Row of the support vector in the Gram matrix.
    """
    # A sum over the four lanes in turn is what vector instructions make of a dot product, see the top of this file.
    lane = lanes[count % LANES]
    for j in range(lane.size):
        lane[j] += y * row[j]


@njit(cache=True)
def score(lanes, i):  # type: ignore[no-untyped-def]
    """Return one expert's score of example i from its partial scores (4, n)."""
    return (lanes[0, i] + lanes[1, i]) + (lanes[2, i] + lanes[3, i])


@njit(cache=True)
def vote(weights, positive):  # type: ignore[no-untyped-def]
    """Return sum_k w_k sign_k over the kernels, summed in four lanes as scores are.

    Parameters
    ----------
    weights : ndarray of float64 (m,)
        Weight of each kernel; 0 leaves it out.
    positive : ndarray of bool (m,)
        Whether its expert predicts +1.
    """
    lanes = np.zeros(LANES)
    for k in range(weights.size):
        lanes[k % LANES] += weights[k] if positive[k] else -weights[k]
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])


class PerceptronPass(NamedTuple):
    """The output of the pass of one Perceptron without a budget.

    Attributes
    ----------
    scores : ndarray of float64 (T,)
        The score of each round's example; it predicts +1 from 0 on.
    lanes : ndarray of float64 (4, n)
        Partial scores of all examples.
    updates : ndarray of int64 (1,)
        Number of support vectors so far.
    """

    scores: Floats
    lanes: Floats
    updates: NDArray[np.int64]


def play(rounds: Callable[[int], int], rows: GramRows, count: int, needed: Callable[[int], NDArray[np.bool_]]) -> None:
    """Run a compiled loop over all rounds of a pass, and fetch missing rows of kernel values.

    Parameters
    ----------
    rounds : callable
        Plays the rounds from a given number on. Returns the number of rounds, or the number of the first round that
        needs a missing row; that round must not have changed any state.
    rows : GramRows
        The rows of m kernels.
    count : int
        The number of rounds.
    needed : callable
        Returns the mask (m,) of the kernels that a round updates.
    """
    t = rounds(0)
    if isinstance(rows, RowsOnDemand):
        while t < count:
            rows.fetch(t, needed(t))
            t = rounds(t)


def perceptron_pass(
    rounds: Callable[[int, Stream, PerceptronPass], int], rows: GramRows, labels: Labels, order: Order
) -> Floats:
    """Run one Perceptron without a budget over `order`, and return the score of each round's example, (T,).

    Parameters
    ----------
    rounds : callable
        The compiled loop from a round on, see `play`.
    rows : GramRows
        Rows of the kernels that the rounds read, along an order that begins with this one.
    labels : ndarray of int8 (n,)
        -1 or +1.
    order : ndarray of int32 (T,)
        The examples in the order of presentation.
    """
    stream, everyone = rows.stream(labels, order), np.ones(len(rows.values), dtype=np.bool_)
    state = PerceptronPass(np.empty(len(order)), np.zeros((LANES, len(stream.labels))), np.zeros(1, dtype=np.int64))
    play(lambda t: rounds(t, stream, state), rows, len(order), lambda t: everyone)
    return state.scores


def bounded_pass(values: Callable[[Indices, Indices], Floats], labels: Labels, order: Order, capacity: int) -> Floats:
    """Run one Perceptron with at most `capacity` support vectors, and return the score of each round's example, (T,).

    Parameters
    ----------
    values : callable
        Returns kernel values between training examples, (b, c), from the indices of rows and columns.
    labels, order
        See `perceptron_pass`.
    capacity : int
        Largest number of support vectors.
    """
    classifier = BoundedClassifiers(PoolSource(lambda _, rows, columns: values(rows, columns), 1), capacity)
    passed = [classifier.learn(order[block], labels[order[block]]).scores[:, 0] for block in blocks(len(order))]
    return np.concatenate(passed)


def expert_pass(pool: Pool, rows: GramRows, kernel: int, labels: Labels, order: Order, capacity: int) -> Floats:
    """Run the Perceptron of one kernel over `order`, and return the score of each round's example, (T,)."""
    if capacity < len(order):
        return bounded_pass(partial(pool.values, kernel), labels, order, capacity)
    return perceptron_pass(_play_rounds, rows.only(kernel), labels, order)


@njit(cache=True)
def _play_rounds(start, stream, state):  # type: ignore[no-untyped-def]
    labels, place, scores, lanes = stream.labels, stream.place, state.scores, state.lanes
    for t in range(start, stream.order.size):
        i = stream.order[t]
        scores[t] = score(lanes, i)
        if (scores[t] >= 0.0) != (labels[i] > 0):
            # Nothing but this round's score is written yet, so the round can be played again once its row is there.
            if place[i] < 0:
                return t
            add_row(lanes, state.updates[0], labels[i], stream.values[0][place[i]])
            state.updates[0] += 1
    return stream.order.size


def lane_sum(columns: Floats, signs: NDArray[np.int8]) -> Floats:
    """Return sum_s signs_s columns_s of support vectors in their order of arrival, (t,), added as `add_row` does.

    Parameters
    ----------
    columns : ndarray of float64 (s, t)
        Kernel values of the support vectors with t examples.
    signs : ndarray of int8 (s,)
        Labels of the support vectors; 0 skips one, which then does not count towards the lane.
    """
    lanes = np.zeros((LANES, columns.shape[1]))
    for count, s in enumerate(np.flatnonzero(signs)):
        lanes[count % LANES] += signs[s] * columns[s]
    return np.asarray((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))


def support_columns(gram: Floats, support: NDArray[np.int32]) -> Floats:
    """Return the kernel values of s support vectors with t examples, (s, t), from those of all, (t, n)."""
    return np.ascontiguousarray(gram[:, support].T)


@dataclass(frozen=True, slots=True)
class Perceptron:
    """The Perceptron of one kernel of the pool: f(x) = sum_s signs_s k(x_s, x).

    Attributes
    ----------
    kernel : int
        Index of the kernel in the pool.
    support : ndarray of int32 (s,)
        Support vectors in their order of arrival.
    signs : ndarray of int8 (s,)
        Labels of the support vectors.
    """

    kernel: int
    support: NDArray[np.int32]
    signs: NDArray[np.int8]

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        return lane_sum(support_columns(pool.grams()[self.kernel], self.support), self.signs)


def perceptron_fit(
    scores: Floats,
    weights: Floats,
    predictor: Callable[[NDArray[np.int32], Labels], Predictor],
    labels: Labels,
    order: Order,
    capacity: int,
) -> Fit:
    """Return the Fit of the pass of a Perceptron.

    Parameters
    ----------
    scores : ndarray of float64 (T,)
        Scores of the rounds, see `perceptron_pass`.
    weights : ndarray of float64 (m,)
        Weight of each kernel of the pool, 0 for unused kernels.
    predictor : callable
        Returns the predictor from the support vectors (s,) in their order of arrival, and their labels (s,).
    labels, order, capacity
        See `perceptron_pass`.
    """
    mistakes = (scores >= 0.0) != (labels[order] > 0)
    trace = Trace(
        mistakes=mistakes,
        scores=scores,
        support_vectors=capped_counts(np.cumsum(mistakes), capacity),
        weights=np.tile(weights, (len(order), 1)),
        updates=(weights > 0.0) * mistakes.sum(),
    )
    support = order[retained_rounds(mistakes, capacity)]
    work = pass_work((weights > 0.0) * mistakes[:, None], len(labels), capacity)
    return Fit(weights=weights, predictor=predictor(support, labels[support]), trace=trace, work=work)


def single_kernel_fit(pool: Pool, rows: GramRows, kernel: int, labels: Labels, order: Order, capacity: int) -> Fit:
    """Run the Perceptron of one of the m kernels over `order`, and return its Fit."""
    scores, weights = expert_pass(pool, rows, kernel, labels, order, capacity), np.eye(len(rows.values))[kernel]
    return perceptron_fit(scores, weights, partial(Perceptron, kernel), labels, order, capacity)


def pass_work(updated: NDArray[np.bool_], n: int, capacity: int) -> Work:
    """Return the work of a pass from the mask of the classifiers updated in each of T rounds, (T, ...).

    Without a budget an update adds a row of n kernel values.
    """
    if capacity < len(updated):
        return bounded_work(capped_counts(np.cumsum(updated, axis=0), capacity), n)
    total = int(updated.sum())
    return Work(kernel_values=total * n, row_additions=total)


class Experts(NamedTuple):
    """The Perceptrons of m kernels.

    Attributes
    ----------
    support : ndarray of int32 (s,)
        All support vectors in their order of arrival.
    signs : ndarray of int8 (m, s)
        Labels of the support vectors; 0 if an example is not a support vector of a kernel.
    """

    support: NDArray[np.int32]
    signs: NDArray[np.int8]

    @classmethod
    def from_updates(cls, updated: NDArray[np.bool_], labels: Labels, order: Order, capacity: int) -> "Experts":
        """Return the experts of a pass from the mask of the kernels updated in each of T rounds, (T, m)."""
        updated = retained_rounds(updated, capacity)
        rounds = updated.any(axis=1)
        support = order[rounds]
        return cls(support, (updated[rounds] * labels[support, None]).T.astype(np.int8))

    def scores(self, pool: Pool, needed: NDArray[np.bool_]) -> Floats:
        """Return f_k(x) of t examples, (t, m); the scores of kernels that are not needed are 0 and not computed."""
        grams, scores = pool.grams(), np.zeros((pool.shape[1], len(self.signs)))
        for k in np.flatnonzero(needed & self.signs.any(axis=1)).tolist():
            scores[:, k] = lane_sum(support_columns(grams[k], self.support), self.signs[k])
        return scores


@dataclass(frozen=True, slots=True)
class Vote:
    """The weighted vote of all kernels' Perceptrons: f(x) = sum_k weights_k sign(f_k(x)), sign(0) = +1.

    In a stochastic combination, only the kernels drawn for an example vote on it. The first example of a call gets the
    kernels that the algorithm's next round would draw.

    Attributes
    ----------
    experts : Experts
        Perceptrons of the kernels.
    weights : ndarray of float64 (m,)
        Weights of the votes.
    probabilities : ndarray of float64 (m,) or None
        Probability of drawing each kernel; None if all of them vote.
    rng : Generator or None
        Generator of the draws in its state after the last round.
    """

    experts: Experts
    weights: Floats
    probabilities: Floats | None = None
    rng: np.random.Generator | None = None

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        weights = np.tile(self.weights, (pool.shape[1], 1))
        if self.probabilities is not None:
            weights *= copy.deepcopy(self.rng).random(weights.shape) < self.probabilities  # type: ignore[union-attr]
        positive = self.experts.scores(pool, (weights != 0.0).any(axis=0)) >= 0.0
        return np.array([vote(*example) for example in zip(weights, positive, strict=True)])
