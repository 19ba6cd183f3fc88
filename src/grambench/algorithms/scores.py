"""Perceptrons of kernels after a pass, and the weighted vote of several.

Sums are in the four lanes of `grambench.algorithms.rows`.

Chosen by published numbers: additions in four lanes.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bounded import BoundedClassifiers, PoolSource
from grambench.algorithms.budget import PerceptronBudget
from grambench.algorithms.experts import Learned, learn_each, learn_pass
from grambench.algorithms.fit import Fit, Predictor, Supported, Trace, Work
from grambench.algorithms.rows import LANES, RowClassifiers
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import GramRows, Pool

PassClassifiers = RowClassifiers | BoundedClassifiers


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


def lane_sum(columns: Floats, dual: Floats | Labels) -> Floats:
    """Return sum_s dual_s columns_s of support vectors in their order of arrival, (t,), added as in a pass.

    Parameters
    ----------
    columns : ndarray of float64 (s, t)
        Kernel values of the support vectors with t examples.
    dual : ndarray (s,)
        Coefficients of the support vectors; 0 skips one, which then does not count towards the lane.
    """
    used, lanes = np.flatnonzero(dual), np.zeros((LANES, columns.shape[1]))
    for first in range(0, len(used), LANES):
        rows = used[first : first + LANES]
        lanes[: len(rows)] += dual[rows, None] * columns[rows]
    return np.asarray((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))


def support_columns(gram: Floats, support: NDArray[np.int32]) -> Floats:
    """Return the kernel values of s support vectors with t examples, (s, t), from those of all, (t, n)."""
    return np.ascontiguousarray(gram[:, support].T)


@dataclass(frozen=True, slots=True)
class Perceptron(Supported):
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


def perceptrons_on_pool(pool: Pool, rows: GramRows, budget: PerceptronBudget, rounds: int) -> PassClassifiers:
    """Return the Perceptrons of all kernels before a pass of a number of rounds.

    Parameters
    ----------
    pool, rows
        The training examples, and rows of kernel values along an order that begins as that of the pass.
    budget : PerceptronBudget
        What bounds the classifiers.
    rounds : int
        The number of rounds; classifiers of this capacity or more have no bound.
    """
    if (capacity := budget.capacity(rounds)) < rounds:
        return BoundedClassifiers(PoolSource(pool.values, len(rows.values)), capacity, budget.when_full)
    return RowClassifiers(rows)


def one_classifier_fit(
    classifiers: PassClassifiers,
    weights: Floats,
    predictor: Callable[[NDArray[np.int32], Floats], Predictor],
    labels: Labels,
    order: Order,
    **loss: Any,
) -> Fit:
    """Let one classifier pass over an order, and return its Fit.

    Parameters
    ----------
    classifiers : Classifiers
        The classifier before the pass.
    weights : ndarray of float64 (m,)
        Weight of each kernel of the pool, 0 for unused kernels.
    predictor : callable
        Returns the predictor from the support vectors (s,) in their order of arrival, and their coefficients (s,).
    labels, order
        See `grambench.algorithms.fit`.
    loss
        See `learn_alone`.
    """
    learned = learn_alone(classifiers, labels, order, **loss)
    scores, sizes = learned.scores[:, 0], learned.sizes[:, 0]
    trace = Trace(
        mistakes=(scores >= 0.0) != (labels[order] > 0),
        scores=scores,
        support_vectors=sizes,
        weights=np.tile(weights, (len(order), 1)),
        updates=(weights > 0.0) * learned.updated.sum(),
    )
    # Kernels that share their support vectors are evaluated one by one.
    used, work = int(np.count_nonzero(weights)), classifiers.work(sizes, len(labels))
    return Fit(
        weights=weights,
        predictor=predictor(*classifiers.expansion(0, learned.dual, order)),
        trace=trace,
        work=Work(kernel_values=used * work.kernel_values, row_additions=used * work.row_additions),
    )


def single_kernel_fit(
    pool: Pool, rows: GramRows, kernel: int, budget: PerceptronBudget, labels: Labels, order: Order
) -> Fit:
    """Let the Perceptron of one of the m kernels pass over an order, and return its Fit."""
    classifiers = perceptrons_on_pool(pool.only([kernel]), rows.only(kernel), budget, len(order))
    return one_classifier_fit(classifiers, np.eye(len(rows.values))[kernel], partial(Perceptron, kernel), labels, order)


def learn_alone(
    classifiers: PassClassifiers, labels: Labels, order: Order, loss: str = "perceptron", eta: float = 1.0
) -> Learned:
    """Let classifiers pass over an order, each by itself; see `grambench.algorithms.experts.learn_each`."""
    return learn_pass(partial(learn_each, classifiers, loss=loss, eta=eta), classifiers.block, order, labels[order])


class TrainedPerceptrons(NamedTuple):
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
    def after(
        cls, classifiers: PassClassifiers, updated: NDArray[np.bool_], labels: Labels, order: Order
    ) -> "TrainedPerceptrons":
        """Return the experts after a pass whose rounds updated some classifiers, (T, m)."""
        if isinstance(classifiers, RowClassifiers):
            rounds = updated.any(axis=1)
            support = order[rounds]
            return cls(support, (updated[rounds] * labels[support, None]).T.astype(np.float64))
        round_of = np.empty(order.max() + 1, dtype=np.int64)
        round_of[order] = np.arange(len(order))
        numbers = [round_of[support] for support in classifiers.support]
        arrival = np.unique(np.concatenate(numbers))
        coefficients = np.zeros((len(numbers), len(arrival)))
        for k, dual in enumerate(classifiers.dual):
            coefficients[k, np.searchsorted(arrival, numbers[k])] = dual
        return cls(order[arrival], coefficients)

    def scores(self, pool: Pool, needed: NDArray[np.bool_]) -> Floats:
        """Return f_k(x) of t examples, (t, m); the scores of kernels that are not needed are 0 and not computed."""
        rows, scores = np.arange(pool.shape[1]), np.zeros((pool.shape[1], len(self.dual)))
        for k in np.flatnonzero(needed & self.dual.any(axis=1)).tolist():
            own = np.flatnonzero(self.dual[k])
            values = pool.values(k, rows, self.support[own])
            scores[:, k] = lane_sum(np.ascontiguousarray(values.T), self.dual[k, own])
        return scores


def voting_weights(weights: Floats, probabilities: Floats | None, rng: np.random.Generator, examples: int) -> Floats:
    """Return the weights of the kernels that vote on each of t examples, (t, m), and 0 for the others.

    All kernels vote if there are no probabilities of drawing them, (m,). The first example gets the kernels that the
    algorithm's next round would draw: the generator stays as it is.
    """
    votes = np.tile(weights, (examples, 1))
    if probabilities is not None:
        votes *= copy.deepcopy(rng).random(votes.shape) < probabilities
    return votes


def combine_votes(weights: Floats, scores: Floats) -> Floats:
    """Return the `vote` on each of t examples, (t,), to the last bit, from weights and scores of m kernels, (t, m)."""
    signed = np.where(scores >= 0.0, weights, -weights)
    total, mass = (lane_sum(each.T, np.ones(each.shape[1])) for each in (signed, weights))
    return np.divide(total, mass, out=np.zeros(len(mass)), where=mass > 0.0)


@dataclass(frozen=True, slots=True)
class Vote(Supported):
    """The weighted vote of all kernels' Perceptrons: f(x) = sum_k weights_k sign(f_k(x)), sign(0) = +1.

    Attributes
    ----------
    experts : TrainedPerceptrons
        Perceptrons of the kernels.
    weights : ndarray of float64 (m,)
        Weights of the votes.
    probabilities : ndarray of float64 (m,) or None
        In a stochastic combination, the probability of drawing each kernel; None if all of them vote.
    rng : Generator
        Generator of the draws in its state after the last round.
    """

    experts: TrainedPerceptrons
    weights: Floats
    probabilities: Floats | None
    rng: np.random.Generator

    def on_support(self) -> tuple[NDArray[np.intp], "Vote"]:
        """Return the support vectors of all Perceptrons, ascending, and the vote on these examples alone."""
        examples, places = np.unique(self.experts.support, return_inverse=True)
        return examples.astype(np.intp), replace(self, experts=self.experts._replace(support=places.astype(np.int32)))

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        weights = voting_weights(self.weights, self.probabilities, self.rng, pool.shape[1])
        return combine_votes(weights, self.experts.scores(pool, (weights != 0.0).any(axis=0)))
