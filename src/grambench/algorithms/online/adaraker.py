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

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.bandit import normalised_weights
from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.experts import LOSSES, Classifiers, Learned, clear, loss_value, pass_work, play_alone
from grambench.algorithms.fit import Fit, Trace
from grambench.algorithms.gradient import GradientParameters, KernelExpansions, expansions, gradient_classifiers
from grambench.algorithms.online.raker import combine_scores, write_weights
from grambench.algorithms.streaming import LinearClassifiers, OnlineState, Starts
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
    state, rounds = AdaRaker(parameters, partial(gradient_classifiers, pool)), len(order)
    levels, scores, shares = state.learn(order, labels[order])
    mixed = np.einsum("tkl,tl->tk", np.stack([weights for _, weights in levels], axis=2), shares)
    members = []
    for level, (learned, weights) in enumerate(levels):
        # Only the interval that contains the next round predicts; one that begins with it has no support vectors.
        first = max(0, (rounds + 1) // 2**level * 2**level - 1)
        members.append(expansions(weights[-1], learned.dual[first:], order[first:]))
    trace = Trace(
        mistakes=(scores >= 0.0) != (labels[order] > 0),
        scores=scores,
        support_vectors=np.cumsum(np.any([learned.updated for learned, _ in levels], axis=0).sum(axis=1)),
        weights=mixed,
        updates=state.updates,
    )
    updates = sum(int(learned.sizes[-1].sum()) for learned, _ in levels)
    predictor = Ensemble(shares[-1], tuple(members))
    return Fit(weights=mixed[-1], predictor=predictor, trace=trace, work=pass_work(updates, len(labels)))


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
        # A loop, since assigning a slice compiles the text of an error for three seconds.
        for t in range(part.size):
            combined[start + t] = part[t]
        if (first + stop) % length == 0:
            # The next interval begins with equal weights.
            logarithms[:] = 0.0
            weights[stop - 1] = 1.0 / logarithms.size
        start = stop


@njit(cache=True)
def _combine_intervals(scores, labels, loss, etas, first, logarithms, combined, shares):  # type: ignore[no-untyped-def]
    """Write f(x) of b rounds, (b,), from the scores of the Raker of each length, (b, levels), and shares after each.

    The shares are the weights of the intervals that contain the next round, (b, levels), summing to one.
    """
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
    return AdaRaker(parameters, partial(LinearClassifiers, starts))


class AdaRaker:
    """The state of a pass; see `grambench.algorithms.streaming.OnlineState`.

    Parameters
    ----------
    parameters : Parameters
        Of AdaRaker.
    new : callable
        Returns the classifiers of a Raker before its first example.
    """

    def __init__(self, parameters: Parameters, new: Callable[[], Classifiers]) -> None:
        self._new, self._eta, self._loss = new, parameters.eta, LOSSES[parameters.loss]
        # The classifiers of the Raker of each length, and the logarithms of its weights of the kernels.
        self._rakers: list[tuple[Classifiers, Floats]] = []
        # The number of the next round, and the logarithms of the weights of the intervals that contain it.
        self._round, self._logarithms = 1, np.array([np.log(self._step_size(0))])
        self._reserve(1)
        self.updates = np.zeros(self._rakers[0][0].count, dtype=np.int64)

    def _reserve(self, last: int) -> None:
        """Add a Raker for each length of an interval that contains a round up to `last`."""
        for _ in range(len(self._rakers), last.bit_length()):
            classifiers = self._new()
            self._rakers.append((classifiers, np.zeros(classifiers.count)))

    def _step_size(self, level: int) -> float:
        """Return the step size of intervals of length 2^level."""
        return float(min(0.5, self._eta / np.sqrt(2.0**level)))

    @property
    def _shares(self) -> Floats:
        """Weights of the intervals that contain the next round, by their length."""
        return normalised_weights(self._logarithms)

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,), means over the intervals that contain the next round."""
        each = np.array([normalised_weights(logarithms) for _, logarithms in self._rakers])
        return np.asarray(self._shares @ each[: len(self._shares)])

    def learn(self, examples: Any, labels: Labels) -> tuple[list[tuple[Learned, Floats]], Floats, Floats]:
        """Learn from b examples in turn.

        Returns
        -------
        list of tuple
            What the Raker of each length has learned, and its weights of the kernels after each round, (b, m).
        ndarray of float64 (b,)
            The score of each example before its label was used.
        ndarray of float64 (b, levels)
            The weights of the Rakers in the round that follows each.
        """
        first, levels = self._round, []
        # The interval of the round after the block may be the first of its length.
        self._reserve(first + len(labels))
        scores = np.empty((len(labels), len(self._rakers)))
        for level, (classifiers, logarithms) in enumerate(self._rakers):
            settings = labels, self._loss, self._step_size(level), first, 2**level
            learned = classifiers.play_each(examples, partial(_learn_intervals, *settings))
            weights = np.empty(learned.scores.shape)
            _combine_level(learned.scores, *settings, logarithms, scores[:, level], weights)
            levels.append((learned, weights))
        etas = np.array([self._step_size(level) for level in range(len(levels))])
        unbegun = np.full(len(levels) - len(self._logarithms), -np.inf)
        self._logarithms = np.concatenate([self._logarithms, unbegun])
        combined, shares = np.empty(len(labels)), np.empty(scores.shape)
        _combine_intervals(scores, labels, self._loss, etas, first, self._logarithms, combined, shares)
        self._round += len(labels)
        self.updates += np.any([learned.updated for learned, _ in levels], axis=0).sum(axis=0)
        return levels, combined, shares

    def block(self, features: Any, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""
        return self.learn(features, labels)[1]

    def scores(self, features: Any) -> Floats:
        """Return f(x), (t,)."""
        total = np.zeros(len(features))
        for share, (classifiers, logarithms) in zip(self._shares, self._rakers, strict=True):
            total += share * (classifiers.scores(features) @ normalised_weights(logarithms))
        return total


@njit(cache=True)
def _learn_intervals(labels, loss, eta, first, length, kernels, scores, dual, start, experts):  # type: ignore[no-untyped-def]
    """Let each classifier play the rounds of each interval of a length by itself, from 0 on."""
    for place in range(kernels.size):
        begin = max(start, length - first)
        while begin < labels.size:
            end = min(labels.size, begin + length - (first + begin) % length)
            play_alone(experts, kernels[place], begin, end, labels, loss, eta, scores[place], dual[place])
            if (first + end) % length == 0:
                clear(experts, kernels[place])
            begin = end
    return labels.size
