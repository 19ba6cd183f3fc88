"""The state of OKS and SOM on a stream: one kernel is drawn for each example, and only its classifier learns from it.

These are the rounds of `grambench.algorithms.bandit`. The log weight of a kernel is -eta times the sum of its losses.
A stream has no number T of rounds for which the default eta of OKS could be optimal. There, round t has the eta that
is optimal for T = t, and multiplies all losses so far (Auer, Cesa-Bianchi and Gentile 2002).
"""

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bandit import BanditParameters, DrawRule, draw, normalised_weights, play_round
from grambench.algorithms.bounded import Source, lane_product
from grambench.algorithms.streaming import Basis, LinearClassifiers
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels


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

    def draw_kernel(self, rule: DrawRule, uniform: float) -> tuple[int, float]:
        """Begin a round; return the drawn kernel and the probability of its draw."""
        return _draw_kernel(self, rule, uniform)  # type: ignore[no-any-return]

    def reduce_weight(self, rule: DrawRule, k: int, loss: float, divisor: float) -> None:
        """Count an update of the drawn kernel, and its loss."""
        self.sums[k] += loss / divisor
        self.updates[k] += 1


class SourceClassifiers:
    """The classifiers of a stream with a budget, which evaluate the kernel of a round when it is drawn.

    Parameters
    ----------
    source : Source
        The support vectors.
    capacity : int
        Largest number of support vectors of each classifier.
    """

    def __init__(self, source: Source, capacity: int) -> None:
        self._source, self._capacity, self.count = source, capacity, source.count
        self._dual: list[Floats] = [np.empty(0)] * source.count
        self.block: Any = None

    def begin(self, examples: Any) -> None:
        """Begin a block of examples, whose rounds follow."""
        self.block = self._source.prepare(examples)

    def score(self, kernel: int, t: int) -> float:
        """Return f_k(x) of the example of round t."""
        return float(self._scores(kernel, self.block[t : t + 1], learning=True)[0])

    def scores(self, kernel: int, examples: Any) -> Floats:
        """Return f_k(x) of examples, (t,), beside the block and its rounds."""
        return self._scores(kernel, self._source.prepare(examples), learning=False)

    def _scores(self, kernel: int, block: Any, learning: bool) -> Floats:
        dual, values = self._dual[kernel], self._source.values(kernel, 0, block, learning)
        return np.array([lane_product(dual, row[: len(dual)]) for row in values])

    def update(self, kernel: int, t: int, coefficient: float) -> None:
        """Add coefficient k(x, .) to f_k; a full classifier forgets its oldest support vector."""
        full = int(len(self._dual[kernel]) == self._capacity)
        self._source.replace(kernel, full, self.block[t : t + 1], np.array([0]))
        self._dual[kernel] = np.append(self._dual[kernel][full:], coefficient)


class KernelSelection:
    """The state of OKS or SOM on a stream; see `grambench.algorithms.streaming.OnlineState`."""

    def __init__(self, parameters: BanditParameters, rule: DrawRule, basis: Basis, rng: np.random.Generator) -> None:
        self._rule, self._select, self._rng = rule, parameters.select, rng
        self._classifiers: LinearClassifiers | SourceClassifiers = (
            LinearClassifiers(basis) if isinstance(basis, np.ndarray) else SourceClassifiers(basis, parameters.budget)
        )
        m = self._classifiers.count
        self._losses = Losses(np.zeros(m), np.zeros(1, dtype=np.int64), np.zeros(m, dtype=np.int64))

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

    def block(self, features: Any, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each by the kernel drawn for it, (b,)."""
        scores = np.empty(len(labels))
        arguments = self._losses, self._rule, self._rng.random(len(labels))
        if isinstance(self._classifiers, LinearClassifiers):
            _play_rounds(*arguments, self._classifiers.experts(features), labels, scores)
        else:
            self._classifiers.begin(features)
            # Uncompiled, since Python computes the kernel values of each round.
            _play_rounds.__wrapped__(*arguments, self._classifiers, labels, scores)
        return scores

    def scores(self, features: Any) -> Floats:
        """Return the selected kernel's f(x), (t,)."""
        kernel = self.selected()
        if isinstance(self._classifiers, LinearClassifiers):
            return self._classifiers.scores(features)[:, kernel]
        return self._classifiers.scores(kernel, features)


@njit(cache=True)
def step_size(rule, number):  # type: ignore[no-untyped-def]
    """Return eta of the round with this number, from 1 on."""
    return rule.eta / np.sqrt(number) if rule.decays else rule.eta


@njit(cache=True)
def _draw_kernel(losses, rule, uniform):  # type: ignore[no-untyped-def]
    """Begin a round; return the drawn kernel and the probability of its draw."""
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
    return k, p[k]


@njit(cache=True)
def _play_rounds(losses, rule, uniforms, experts, labels, scores):  # type: ignore[no-untyped-def]
    """Play the rounds of a block, and write their scores, (b,)."""
    for t in range(labels.size):
        scores[t] = play_round(losses, rule, uniforms[t], experts, t, labels[t])
