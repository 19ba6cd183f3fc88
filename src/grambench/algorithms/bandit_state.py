"""The state of OKS and SOM on a stream: one kernel is drawn for each example, and only its classifier learns from it.

These are the rounds of `grambench.algorithms.bandit`. The log weight of a kernel is -eta times the sum of its losses.
A stream has no number T of rounds for which the default eta of OKS could be optimal. There, round t has the eta that
is optimal for T = t, and multiplies all losses so far (Auer, Cesa-Bianchi and Gentile 2002).
"""

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bandit import BanditParameters, draw, normalised_weights
from grambench.algorithms.bounded import Source, lane_product
from grambench.algorithms.streaming import Basis, LinearClassifiers, OnlineState, add_to, inner_product, kernel_count
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels


class DrawRule(NamedTuple):
    """How kernels are drawn, and what a mistake of the drawn kernel changes.

    Attributes
    ----------
    delta : float
        Smoothing of the probabilities of a draw.
    eta : float
        Decrease of a log weight for a loss of 1.
    decays : bool
        Whether eta is divided by the square root of the round's number.
    step : float
        Step size of the classifiers.
    divides : bool
        Whether loss and step are divided by the probability of the draw, as in OKS.
    """

    delta: float
    eta: float
    decays: bool
    step: float
    divides: bool


class Losses(NamedTuple):
    """What the rounds so far have cost; rounds change it in place.

    Attributes
    ----------
    sums : ndarray of float64 (m,)
        Losses of each kernel.
    rounds : ndarray of int64 (1,)
        The number of rounds.
    updates : ndarray of int64 (m,)
        Updates of each kernel's classifier.
    """

    sums: Floats
    rounds: NDArray[np.int64]
    updates: NDArray[np.int64]


def start(parameters: BanditParameters, rule: DrawRule, basis: Basis, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example; see `grambench.algorithms.streaming`."""
    if isinstance(basis, np.ndarray):
        return SelectionOnFeatures(parameters, rule, basis, rng)
    return SelectionWithBudget(parameters, rule, basis, rng)


class KernelSelection:
    """The draws and the selected kernel; a subclass has the classifiers."""

    def __init__(self, parameters: BanditParameters, rule: DrawRule, kernels: int, rng: np.random.Generator) -> None:
        self._rule, self._select, self._rng = rule, parameters.select, rng
        self._losses = Losses(np.zeros(kernels), np.zeros(1, dtype=np.int64), np.zeros(kernels, dtype=np.int64))

    @property
    def updates(self) -> NDArray[np.int64]:
        """Updates of each kernel's classifier, (m,)."""
        return self._losses.updates

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,): 1 for the selected kernel."""
        return np.asarray(np.eye(len(self.updates))[self.selected()])

    def selected(self) -> int:
        """Return the kernel that predicts if the stream ends here."""
        eta = step_size(self._rule, max(1, self._losses.rounds[0]))
        q = normalised_weights(-eta * self._losses.sums)
        if self._select == "largest":
            return int(np.argmax(q))
        # A copy of the generator, since a prediction must not change the draws of later rounds.
        return int(draw(q, copy.deepcopy(self._rng).random()))


class SelectionOnFeatures(KernelSelection):
    """The state of a pass on features; see `grambench.algorithms.streaming.OnlineState`."""

    def __init__(
        self, parameters: BanditParameters, rule: DrawRule, starts: NDArray[np.int64], rng: np.random.Generator
    ) -> None:
        super().__init__(parameters, rule, kernel_count(starts), rng)
        self._classifiers = LinearClassifiers(starts)

    def block(self, features: Any, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each by the kernel drawn for it, (b,)."""
        scores, classifiers = np.empty(len(labels)), self._classifiers
        uniforms = self._rng.random(len(labels))
        _play_rounds(
            features, labels, uniforms, self._rule, self._losses, classifiers.starts, classifiers.linear, scores
        )
        return scores

    def scores(self, features: Any) -> Floats:
        """Return the selected kernel's f(x), (t,)."""
        return self._classifiers.scores(features)[:, self.selected()]


class SelectionWithBudget(KernelSelection):
    """The state of a pass with a budget; see `grambench.algorithms.streaming.OnlineState`."""

    def __init__(self, parameters: BanditParameters, rule: DrawRule, source: Source, rng: np.random.Generator) -> None:
        super().__init__(parameters, rule, source.count, rng)
        self._source, self._capacity = source, int(parameters.budget)
        self._dual: list[Floats] = [np.empty(0)] * source.count

    def block(self, features: Any, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each by the kernel drawn for it, (b,)."""
        scores, block = np.empty(len(labels)), self._source.prepare(features)
        for t, (y, uniform) in enumerate(zip(labels.tolist(), self._rng.random(len(labels)), strict=True)):
            k, divisor = draw_kernel(self._rule, self._losses, uniform)
            # One example at a time, since the other kernels need no values with it.
            example = block[t : t + 1]
            scores[t] = self._kernel_scores(k, example)[0]
            if y * scores[t] <= 0.0:
                count_mistake(self._losses, k, divisor)
                full = len(self._dual[k]) == self._capacity
                self._source.replace(k, int(full), example, np.array([0]))
                self._dual[k] = np.append(self._dual[k][int(full) :], self._rule.step * y / divisor)
        return scores

    def scores(self, features: Any) -> Floats:
        """Return the selected kernel's f(x), (t,)."""
        return self._kernel_scores(self.selected(), self._source.prepare(features))

    def _kernel_scores(self, kernel: int, block: Any) -> Floats:
        """Return f_k(x) of a block, (b,)."""
        dual, values = self._dual[kernel], self._source.values(kernel, 0, block)
        return np.array([lane_product(dual, row[: len(dual)]) for row in values])


@njit(cache=True)
def step_size(rule, number):  # type: ignore[no-untyped-def]
    """Return eta of the round with this number, from 1 on."""
    return rule.eta / np.sqrt(number) if rule.decays else rule.eta


@njit(cache=True)
def draw_kernel(rule, losses, uniform):  # type: ignore[no-untyped-def]
    """Begin a round; return the drawn kernel, and what its loss and step are divided by."""
    losses.rounds[0] += 1
    p, total, least = np.empty(losses.sums.size), 0.0, losses.sums.min()
    eta = step_size(rule, losses.rounds[0])
    for k in range(p.size):
        # The largest weight is 1, so that the sum cannot underflow.
        p[k] = np.exp(-eta * (losses.sums[k] - least))
        total += p[k]
    for k in range(p.size):
        p[k] = (1.0 - rule.delta) * (p[k] / total) + rule.delta / p.size
    k = draw(p, uniform)
    return k, p[k] if rule.divides else 1.0


@njit(cache=True)
def count_mistake(losses, k, divisor):  # type: ignore[no-untyped-def]
    """Add a mistake of the drawn kernel to its losses."""
    losses.sums[k] += 1.0 / divisor
    losses.updates[k] += 1


@njit(cache=True)
def _play_rounds(features, labels, uniforms, rule, losses, starts, linear, scores):  # type: ignore[no-untyped-def]
    """Play the rounds of a block on features (b, D_1 + ... + D_m), and write their scores, (b,)."""
    products = np.empty(linear.size, dtype=np.float32)
    for t in range(labels.size):
        k, divisor = draw_kernel(rule, losses, uniforms[t])
        weights, row = linear[starts[k] : starts[k + 1]], features[t, starts[k] : starts[k + 1]]
        scores[t] = inner_product(weights, row, products)
        # A score of exactly 0 is a mistake on both classes, as printed.
        if labels[t] * scores[t] <= 0.0:
            count_mistake(losses, k, divisor)
            add_to(weights, row, rule.step * labels[t] / divisor)
