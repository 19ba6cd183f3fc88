"""AdaRaker: Rakers that start anew on intervals of doubling length, weighted by their losses (Shen et al. 2019).

A Raker that learns for long adapts slowly when the data change, so that AdaRaker runs one on each interval of a fixed
set: of every length 1, 2, 4, and so on, one interval begins where the last one of this length ends. The weight of a
Raker falls exponentially with its loss beyond the loss of the whole, and its step size falls with the length of its
interval.

Formula
-------
    intervals I = {k 2ʲ, ..., (k + 1) 2ʲ − 1},  k ≥ 1,  j ≥ 0;   η_I = min(1/2, η / √2ʲ)
    f(x) = Σ_I h_I f_I(x) / Σ_I h_I   over the intervals that contain the round t;   ŷ = sign f(x)
    h_I = η_I in the first round of I,   then   h_I ← h_I exp(−η_I (l(y f_I(x)) − l(y f(x))))

f_I is Raker with the step size η_I, from the first round of I on. Rounds are numbered from 1, and round t is in
1 + ⌊log₂ t⌋ intervals.

Complexity
----------
On D features a round costs O(m D log t), and the memory is O(m D log t). On Gram matrices a step of a kernel costs O(n)
in each interval.

Deviations
----------
Those of `raker`, whose loss of a margin is used here too. The default η is ours. All intervals end before a round whose
number is a power of 2: nothing is left for this round, which predicts +1.

References
----------
Shen, Chen and Giannakis (2019). Random feature-based online multi-kernel learning in environments with unknown
dynamics. Journal of Machine Learning Research 20(22).

Daniely, Gonen and Shalev-Shwartz (2015). Strongly adaptive online learning. International Conference on Machine
Learning, 1405-1411. The intervals are theirs.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.bandit import normalised_weights
from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.fit import Fit, Trace, Work
from grambench.algorithms.gradient import GradientParameters, KernelExpansions, learn_kernel
from grambench.algorithms.online.raker import combine_scores, write_weights
from grambench.algorithms.streaming import (
    LOSSES,
    Features,
    LinearClassifiers,
    OnlineState,
    Starts,
    learn_block,
    loss_value,
)
from grambench.common.lazy_numba import njit
from grambench.common.parameters import POSITIVE
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(GradientParameters):
    """Parameters of AdaRaker; see `GradientParameters`.

    Attributes
    ----------
    eta : float
        Step size of an interval of length 1; that of an interval of length L is min(1/2, eta / sqrt(L)).
    """

    eta: Annotated[float, POSITIVE] = 10.0


@dataclass(frozen=True, slots=True)
class Ensemble:
    """f(x) = sum_I shares_I f_I(x) over the intervals I that contain the next round.

    Attributes
    ----------
    shares : ndarray of float64 (levels,)
        Weights of the intervals, by their length.
    members : tuple of KernelExpansions
        The Raker of each interval.
    """

    shares: Floats
    members: tuple[KernelExpansions, ...]

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,), added in the order of the pass."""
        total = np.zeros(pool.shape[1])
        for share, member in zip(self.shares, self.members, strict=True):
            total += share * member.scores(pool)
        return total


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; support vectors are counted over all kernels, each once for all intervals."""
    check_two_classes(pool, labels, order)
    (m, _, n), rounds, loss = pool.shape, len(order), LOSSES[parameters.loss]
    meta, grams, signs = Intervals(parameters, m), pool.grams(), labels[order]
    # The interval of the round after the last may be the first of its length.
    count = (rounds + 1).bit_length()
    scores, weights = np.zeros((rounds, count)), np.zeros((rounds, m, count))
    dual, updated = np.zeros((count, m, rounds)), np.zeros((rounds, m), dtype=np.bool_)
    updates = 0
    for level in range(count):
        eta, each = meta.eta(level), np.zeros((m, rounds))
        for k in range(m):
            _learn_level(grams[k], labels, order, loss, eta, 2**level, each[k], dual[level, k])
        updates += int(np.count_nonzero(dual[level]))
        updated |= (dual[level] != 0.0).T
        logarithms = np.zeros(m)
        part = np.empty((rounds, m))
        _combine_level(np.ascontiguousarray(each.T), signs, loss, eta, 1, 2**level, logarithms, scores[:, level], part)
        weights[:, :, level] = part
    shares, combined = np.empty((rounds, count)), np.empty(rounds)
    meta.combine(scores, signs, combined, shares)
    mixed = np.einsum("tkl,tl->tk", weights, shares)
    members = []
    for level in range(count):
        # Only the interval that contains the next round predicts; one that begins with it has no support vectors.
        first = max(0, (rounds + 1) // 2**level * 2**level - 1)
        used = dual[level, :, first:].any(axis=0)
        coefficients = np.ascontiguousarray(dual[level, :, first:][:, used])
        members.append(KernelExpansions(weights[-1, :, level], order[first:][used], coefficients))
    trace = Trace(
        mistakes=(combined >= 0.0) != (signs > 0),
        scores=combined,
        support_vectors=np.cumsum(updated.sum(axis=1)),
        weights=mixed,
        updates=updated.sum(axis=0),
    )
    return Fit(
        weights=mixed[-1],
        predictor=Ensemble(shares[-1], tuple(members)),
        trace=trace,
        work=Work(kernel_values=updates * n, row_additions=updates),
    )


@njit(cache=True)
def _learn_level(gram, labels, order, loss, eta, length, scores, dual):  # type: ignore[no-untyped-def]
    """Run the classifiers of one kernel on all intervals of a length, which cover the rounds from this number on."""
    for start in range(length - 1, order.size, length):
        # Rounds are numbered from 1, positions in the order from 0.
        stop = min(start + length, order.size)
        learn_kernel(gram, labels, order[start:stop], loss, eta, scores[start:stop], dual[start:stop])


@njit(cache=True)
def _combine_level(scores, labels, loss, eta, first, length, logarithms, combined, weights):  # type: ignore[no-untyped-def]
    """Combine the scores of the kernels (b, m) within each interval of a length; `first` is the number of the round."""
    start = max(0, length - first)
    # Before the first interval of this length nothing is predicted, with equal weights.
    combined[:start] = 0.0
    weights[:start] = 1.0 / logarithms.size
    while start < labels.size:
        stop = min(labels.size, start + length - (first + start) % length)
        part = np.empty(stop - start)
        combine_scores(scores[start:stop], labels[start:stop], loss, eta, logarithms, part, weights[start:stop])
        combined[start:stop] = part
        if (first + stop) % length == 0:
            # The next interval begins with equal weights.
            logarithms[:] = 0.0
            weights[stop - 1] = 1.0 / logarithms.size
        start = stop


class Intervals:
    """The weights h of the intervals that contain the next round, one of each length.

    Parameters
    ----------
    parameters : Parameters
        Of AdaRaker.
    m : int
        The number of kernels.
    """

    def __init__(self, parameters: Parameters, m: int) -> None:
        self._eta, self._loss, self.m = parameters.eta, LOSSES[parameters.loss], m
        self.round, self.logarithms = 1, np.array([np.log(self.eta(0))])

    def eta(self, level: int) -> float:
        """Return the step size of intervals of length 2^level."""
        return float(min(0.5, self._eta / np.sqrt(2.0**level)))

    def combine(self, scores: Floats, labels: Labels, combined: Floats, shares: Floats) -> None:
        """Play the next b rounds.

        Parameters
        ----------
        scores : ndarray of float64 (b, levels)
            Scores of the Raker of each length.
        labels : ndarray of int8 (b,)
            -1 or +1.
        combined : ndarray of float64 (b,)
            Receives f(x).
        shares : ndarray of float64 (b, levels)
            Receives the weights of the intervals that contain the next round, summing to one, after each round.
        """
        etas = np.array([self.eta(level) for level in range(scores.shape[1])])
        logarithms = np.concatenate([self.logarithms, np.full(len(etas) - len(self.logarithms), -np.inf)])
        _combine_intervals(scores, labels, self._loss, etas, self.round, logarithms, combined, shares)
        self.round += len(labels)
        self.logarithms = logarithms


@njit(cache=True)
def _combine_intervals(scores, labels, loss, etas, first, logarithms, combined, shares):  # type: ignore[no-untyped-def]
    before = np.empty(etas.size)
    write_weights(logarithms, before)
    for t in range(labels.size):
        combined[t] = 0.0
        for level in range(etas.size):
            combined[t] += before[level] * scores[t, level]
        whole, length = loss_value(loss, labels[t] * combined[t]), 1
        for level in range(etas.size):
            logarithms[level] -= etas[level] * (loss_value(loss, labels[t] * scores[t, level]) - whole)
            # An interval that begins with the next round has its first weight; longer ones that have not begun have 0.
            if (first + t + 1) % length == 0:
                logarithms[level] = np.log(etas[level])
            length *= 2
        before = shares[t]
        write_weights(logarithms, before)


def start(parameters: Parameters, starts: Starts, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example; see `grambench.algorithms.streaming`."""
    return AdaRakerOnFeatures(parameters, starts)


class AdaRakerOnFeatures:
    """The state of a pass on features; see `grambench.algorithms.streaming.OnlineState`."""

    def __init__(self, parameters: Parameters, starts: Starts) -> None:
        self._starts, self._loss = starts, parameters.loss
        self._meta = Intervals(parameters, len(starts) - 1)
        self._classifiers: list[LinearClassifiers] = []
        self._logarithms: list[Floats] = []
        self.updates = np.zeros(len(starts) - 1, dtype=np.int64)
        self._reserve(1)

    def _reserve(self, last: int) -> None:
        """Add a Raker for each length of an interval that contains a round up to `last`."""
        for level in range(len(self._classifiers), last.bit_length()):
            self._classifiers.append(LinearClassifiers(self._starts, self._loss, self._meta.eta(level)))
            self._logarithms.append(np.zeros(len(self._starts) - 1))

    @property
    def _shares(self) -> Floats:
        """Weights of the intervals that contain the next round, by their length."""
        return normalised_weights(self._meta.logarithms)

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,), means over the intervals that contain the next round."""
        each = np.array([normalised_weights(logarithms) for logarithms in self._logarithms])
        return np.asarray(self._shares @ each[: len(self._shares)])

    def block(self, features: Features, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""
        first, b, m = self._meta.round, len(labels), len(self._starts) - 1
        # The interval of the round after the block may be the first of its length.
        self._reserve(first + b)
        scores, updated = np.empty((b, len(self._classifiers))), np.zeros((b, m), dtype=np.bool_)
        for level, classifiers in enumerate(self._classifiers):
            arrays = np.zeros((b, m)), np.zeros((b, m), dtype=np.bool_)
            settings = LOSSES[self._loss], self._meta.eta(level), first, 2**level
            _learn_intervals(features, labels, self._starts, classifiers.linear, *settings, *arrays)
            _combine_level(arrays[0], labels, *settings, self._logarithms[level], scores[:, level], np.empty((b, m)))
            updated |= arrays[1]
        self.updates += updated.sum(axis=0)
        combined = np.empty(b)
        self._meta.combine(scores, labels, combined, np.empty(scores.shape))
        return combined

    def scores(self, features: Features) -> Floats:
        """Return f(x), (t,)."""
        total = np.zeros(len(features))
        for share, classifiers, logarithms in zip(self._shares, self._classifiers, self._logarithms, strict=True):
            total += share * (classifiers.scores(features) @ normalised_weights(logarithms))
        return total


@njit(cache=True)
def _learn_intervals(features, labels, starts, linear, loss, eta, first, length, scores, updated):  # type: ignore[no-untyped-def]
    """Run the classifiers of all kernels on each interval of a length."""
    begin = max(0, length - first)
    while begin < labels.size:
        end = min(labels.size, begin + length - (first + begin) % length)
        learn_block(
            features[begin:end], labels[begin:end], starts, linear, loss, eta, scores[begin:end], updated[begin:end]
        )
        # The next interval begins with classifiers that are 0.
        if (first + end) % length == 0:
            linear[:] = 0.0
        begin = end
