"""Scores of kernel experts, summed in the order that the published numbers of OMKC need.

A score f(x_t) = sum_s y_s k(x_s, x_t) over integer-coded data often cancels to exactly 0 or to the rounding error of
its sum, and its sign then hangs on the order of the additions. The authors' numbers come out to the printed digit on
all their data sets when term number s of an expert, in the order of arrival, is added to lane s mod 4, and the lanes
are combined as (0 + 1) + (2 + 3): what a dot product with four-wide vector instructions does. Plain summation misses
votes84, breast, splice, a3a and mushrooms by up to 0.07 percentage points.

Chosen by published numbers: additions in four lanes.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bounded import BoundedClassifiers, PoolSource, blocks, bounded_work
from grambench.algorithms.budget import PerceptronBudget
from grambench.algorithms.fit import Fit, Predictor, Trace, Work
from grambench.common.lazy_numba import njit
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
    """Return the weighted mean of the kernels' signs, sum_k w_k sign_k / sum_k w_k, in [-1, 1]; 0 without a weight.

    Both sums are in four lanes as those of scores, so that kernels that agree give exactly -1 or +1.

    Parameters
    ----------
    weights : ndarray of float64 (m,)
        Weight of each kernel; 0 leaves it out.
    positive : ndarray of bool (m,)
        Whether its expert predicts +1.
    """
    lanes, totals = np.zeros(LANES), np.zeros(LANES)
    for k in range(weights.size):
        lanes[k % LANES] += weights[k] if positive[k] else -weights[k]
        totals[k % LANES] += weights[k]
    # The sum is divided, not the weights: published mistakes depend on the sign of its rounding error.
    total = (totals[0] + totals[1]) + (totals[2] + totals[3])
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) / total if total > 0.0 else 0.0


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


class Passed(NamedTuple):
    """The output of T rounds of one Perceptron.

    Attributes
    ----------
    scores : ndarray of float64 (T,)
        The score of each round's example.
    sizes : ndarray of int64 (T,)
        The number of support vectors after each round.
    support : ndarray of int32 (s,)
        The support vectors after the last round, in their order of arrival.
    dual : ndarray of float64 (s,)
        Their coefficients.
    work : Work
        The work of the pass.
    """

    scores: Floats
    sizes: NDArray[np.int64]
    support: NDArray[np.int32]
    dual: Floats
    work: Work


def run_perceptron(
    values: Callable[[Indices, Indices], Floats],
    unbounded: Callable[[], Floats],
    budget: PerceptronBudget,
    labels: Labels,
    order: Order,
    capacity: int,
) -> Passed:
    """Run one Perceptron over `order`, with or without a budget.

    Parameters
    ----------
    values : callable
        Returns kernel values between training examples, (b, c), from the indices of rows and columns.
    unbounded : callable
        Returns the scores of a pass without a budget, see `perceptron_pass`.
    budget : PerceptronBudget
        What a full Perceptron does.
    labels, order
        See `perceptron_pass`.
    capacity : int
        Largest number of support vectors; there is no budget if the order has no more examples.
    """
    if capacity < len(order):
        source = PoolSource(lambda _, rows, columns: values(rows, columns), 1)
        classifier = BoundedClassifiers(source, capacity, budget.when_full)
        parts = [classifier.learn(order[block], labels[order[block]]) for block in blocks(len(order))]
        scores, sizes = (np.concatenate([part[field][:, 0] for part in parts]) for field in (0, 2))
        return Passed(scores, sizes, source.numbers[0], classifier.dual[0], bounded_work(sizes, len(labels)))
    scores = unbounded()
    mistakes = (scores >= 0.0) != (labels[order] > 0)
    support, work = order[mistakes], pass_work(mistakes, len(labels))
    return Passed(scores, np.cumsum(mistakes), support, labels[support].astype(np.float64), work)


def run_expert(
    pool: Pool,
    rows: GramRows,
    kernel: int,
    budget: PerceptronBudget,
    labels: Labels,
    order: Order,
    capacity: int,
) -> Passed:
    """Run the Perceptron of one kernel over `order`; see `run_perceptron`."""
    return run_perceptron(
        partial(pool.values, kernel),
        lambda: expert_pass(rows, kernel, labels, order),
        budget,
        labels,
        order,
        capacity,
    )


def expert_pass(rows: GramRows, kernel: int, labels: Labels, order: Order) -> Floats:
    """Run the Perceptron of one kernel without a budget, and return the score of each round's example, (T,)."""
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


def lane_sum(columns: Floats, dual: Floats | Labels) -> Floats:
    """Return sum_s dual_s columns_s of support vectors in their order of arrival, (t,), added as `add_row` does.

    Parameters
    ----------
    columns : ndarray of float64 (s, t)
        Kernel values of the support vectors with t examples.
    dual : ndarray (s,)
        Coefficients of the support vectors; 0 skips one, which then does not count towards the lane.
    """
    lanes = np.zeros((LANES, columns.shape[1]))
    for count, s in enumerate(np.flatnonzero(dual)):
        lanes[count % LANES] += dual[s] * columns[s]
    return np.asarray((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))


def support_columns(gram: Floats, support: NDArray[np.int32]) -> Floats:
    """Return the kernel values of s support vectors with t examples, (s, t), from those of all, (t, n)."""
    return np.ascontiguousarray(gram[:, support].T)


@dataclass(frozen=True, slots=True)
class Perceptron:
    """The Perceptron of one kernel of the pool: f(x) = sum_s dual_s k(x_s, x).

    Attributes
    ----------
    kernel : int
        Index of the kernel in the pool.
    support : ndarray of int32 (s,)
        Support vectors in their order of arrival.
    dual : ndarray of float64 (s,)
        Coefficients of the support vectors; their labels without a budget.
    """

    kernel: int
    support: NDArray[np.int32]
    dual: Floats

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        return lane_sum(support_columns(pool.grams()[self.kernel], self.support), self.dual)


def perceptron_fit(
    passed: Passed,
    weights: Floats,
    predictor: Callable[[NDArray[np.int32], Floats], Predictor],
    labels: Labels,
    order: Order,
) -> Fit:
    """Return the Fit of the pass of a Perceptron.

    Parameters
    ----------
    passed : Passed
        The output of the pass.
    weights : ndarray of float64 (m,)
        Weight of each kernel of the pool, 0 for unused kernels.
    predictor : callable
        Returns the predictor from the support vectors (s,) in their order of arrival, and their coefficients (s,).
    labels, order
        See `perceptron_pass`.
    """
    mistakes = (passed.scores >= 0.0) != (labels[order] > 0)
    trace = Trace(
        mistakes=mistakes,
        scores=passed.scores,
        support_vectors=passed.sizes,
        weights=np.tile(weights, (len(order), 1)),
        updates=(weights > 0.0) * mistakes.sum(),
    )
    # Kernels that share their support vectors are evaluated one by one.
    used = int(np.count_nonzero(weights))
    work = Work(kernel_values=used * passed.work.kernel_values, row_additions=used * passed.work.row_additions)
    return Fit(weights=weights, predictor=predictor(passed.support, passed.dual), trace=trace, work=work)


def single_kernel_fit(
    pool: Pool, rows: GramRows, kernel: int, budget: PerceptronBudget, labels: Labels, order: Order
) -> Fit:
    """Run the Perceptron of one of the m kernels over `order`, and return its Fit."""
    passed = run_expert(pool, rows, kernel, budget, labels, order, budget.capacity(len(order)))
    return perceptron_fit(passed, np.eye(len(rows.values))[kernel], partial(Perceptron, kernel), labels, order)


def pass_work(updated: NDArray[np.bool_], n: int) -> Work:
    """Return the work of a pass without a budget from the mask of the classifiers updated in each round, (T, ...).

    An update adds a row of n kernel values.
    """
    total = int(updated.sum())
    return Work(kernel_values=total * n, row_additions=total)


class Experts(NamedTuple):
    """The Perceptrons of m kernels.

    Attributes
    ----------
    support : ndarray of int32 (s,)
        All support vectors in their order of arrival.
    dual : ndarray of float64 (m, s)
        Coefficients of the support vectors; 0 if an example is not a support vector of a kernel.
    """

    support: NDArray[np.int32]
    dual: Floats

    @classmethod
    def from_updates(cls, updated: NDArray[np.bool_], labels: Labels, order: Order) -> "Experts":
        """Return the experts of a pass without a budget from the mask of the kernels updated in each round, (T, m)."""
        rounds = updated.any(axis=1)
        support = order[rounds]
        return cls(support, (updated[rounds] * labels[support, None]).T.astype(np.float64))

    @classmethod
    def from_lists(cls, numbers: Sequence[Indices], dual: Sequence[Floats], order: Order) -> "Experts":
        """Return experts from the support vectors and coefficients of each kernel, both in the order of arrival."""
        rounds = np.empty(order.max() + 1, dtype=np.int64)
        rounds[order] = np.arange(len(order))
        arrival = np.unique(np.concatenate([rounds[support] for support in numbers]))
        coefficients = np.zeros((len(numbers), len(arrival)))
        for k, support in enumerate(numbers):
            coefficients[k, np.searchsorted(arrival, rounds[support])] = dual[k]
        return cls(order[arrival], coefficients)

    def scores(self, pool: Pool, needed: NDArray[np.bool_]) -> Floats:
        """Return f_k(x) of t examples, (t, m); the scores of kernels that are not needed are 0 and not computed."""
        grams, scores = pool.grams(), np.zeros((pool.shape[1], len(self.dual)))
        for k in np.flatnonzero(needed & self.dual.any(axis=1)).tolist():
            scores[:, k] = lane_sum(support_columns(grams[k], self.support), self.dual[k])
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
