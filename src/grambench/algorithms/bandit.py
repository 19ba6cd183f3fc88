"""Selection of one kernel by draws: in each round one kernel is drawn, and only its classifier sees the example.

The rounds are those of OKS (Yang et al. 2012, Algorithms 1 and 2) and SOM (Jin et al. 2010, Algorithm 3), which differ
in how a round changes the weight and the classifier of the drawn kernel. A round reads values of the drawn kernel
alone, between the example and that kernel's support vectors. `play_round` is compiled for features. Elsewhere it runs
as it is, since Python computes the kernel values of each round.

Both papers leave out how several passes continue: here weights and classifiers carry over. An example that is added to
a classifier again adds to its coefficient and is not a new support vector; under a budget it keeps its age. Weights are
stored as logarithms, since the factors exp(-eta / p) and beta would underflow to 0/0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.budget import Budget
from grambench.algorithms.experts import score, update
from grambench.algorithms.fit import Fit, Supported, Trace, Work
from grambench.common.lazy_numba import njit, operation
from grambench.common.parameters import POSITIVE
from grambench.common.types import Floats, Indices, Labels, Order
from grambench.kernels.pool import Pool


class DrawRule(NamedTuple):
    """How kernels are drawn, and what a mistake of the drawn kernel changes.

    Attributes
    ----------
    delta : float
        Smoothing of the probabilities of a draw.
    eta : float
        Decrease of a log weight for a loss of 1.
    step : float
        Step size of the classifiers.
    divides : bool
        Whether loss and step are divided by the probability of the draw, as in OKS.
    decays : bool
        Whether eta is divided by the square root of the round's number.
    """

    delta: float
    eta: float
    step: float
    divides: bool
    decays: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BanditParameters(Budget):
    """Parameters of all algorithms that draw one kernel a round.

    Attributes
    ----------
    delta : tuple of float
        Smoothing of the probabilities of a draw in each pass, in (0, 1); as many as there are passes. Yang et al. pass
        twice, for which one number will do.
    select : str
        "largest", the kernel of the largest weight, as in the experiments of Yang et al.; or "drawn" from Multi(q_T),
        for which their Corollary 2 holds.
    """

    delta: tuple[float, ...] = (0.5, 0.2)
    select: Literal["largest", "drawn"] = "largest"

    def __post_init__(self) -> None:
        Budget.__post_init__(self)
        deltas = (self.delta, self.delta) if isinstance(self.delta, int | float) else tuple(self.delta)
        # Studies give a list, and a number in sweeps.
        object.__setattr__(self, "delta", deltas)
        if not self.delta or not all(0.0 < delta < 1.0 for delta in self.delta):
            raise ValueError(f"delta must hold a value in (0, 1) for each pass, got {self.delta}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialWeights(BanditParameters):
    """Parameters of exponential weights, in both algorithms of Yang et al.

    Attributes
    ----------
    eta : float or None
        Step size of the weights in all passes, above 0; None takes the one that minimises the bound in each.
    horizon : str
        The rounds T of that bound: those of one "pass" or of "all". The paper does not say which its two passes take.
    """

    eta: Annotated[float | None, POSITIVE] = None
    horizon: Literal["pass", "all"] = "pass"

    def rounds(self, examples: int) -> int:
        """Return T, the rounds for which a bound is minimised, from the examples of a pass."""
        return examples * (1 if self.horizon == "pass" else len(self.delta))

    def etas(self, kernels: int, examples: int, largest: float = 1.0) -> list[float]:
        """Return eta of each pass, from its number of examples: sqrt(2 (1 - delta) ln m / (m T L^2)) if eta is None."""
        if self.eta is not None:
            return [self.eta] * len(self.delta)
        T = self.rounds(examples)
        return [float(np.sqrt(2.0 * (1.0 - d) * np.log(kernels) / (kernels * T)) / largest) for d in self.delta]


@dataclass(frozen=True, slots=True)
class SingleKernelClassifier(Supported):
    """The classifier of one kernel of the pool: f(x) = sum_s dual_s k(x_s, x).

    Attributes
    ----------
    kernel : int
        Index of the kernel in the pool.
    support : ndarray of int32 (s,)
        Support vectors in their order of arrival.
    dual : ndarray of float64 (s,)
        Coefficients of the support vectors.
    """

    kernel: int
    support: NDArray[np.int32]
    dual: Floats

    def scores_at(self, pool: Pool, examples: Indices) -> Floats:
        """Return f(x) of b examples of a pool, (b,), summed in the order of arrival."""
        if len(self.support) == 0:
            return np.zeros(len(examples))
        terms = pool.values(self.kernel, examples, self.support) * self.dual
        return np.asarray(terms.cumsum(axis=1)[:, -1])

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        return self.scores_at(pool, np.arange(pool.shape[1]))


class OnlineClassifiers:
    """The classifiers of m kernels, each with support vectors of its own among n training examples.

    Parameters
    ----------
    pool : Pool
        Kernels among the training examples.
    budget : Budget
        Bound on the support vectors of each classifier.

    Attributes
    ----------
    kernel_values : int
        Kernel evaluations so far.
    support_vectors : int
        Number of support vectors of all classifiers together.
    updates : ndarray of int64 (m,)
        Updates of each kernel's classifier.
    last_score : float
        What `score` returned last.
    """

    last_score = 0.0

    def __init__(self, pool: Pool, budget: Budget) -> None:
        m, _, n = pool.shape
        self._pool, self._capacity = pool, budget.capacity(n)
        self._support, self._dual = np.zeros((m, self._capacity), dtype=np.int32), np.zeros((m, self._capacity))
        # Positions count from the first support vector ever added, so that forgetting one changes no other's.
        self._positions: list[dict[int, int]] = [{} for _ in range(m)]
        self._forgotten = [0] * m
        self.kernel_values, self.support_vectors, self.updates = 0, 0, np.zeros(m, dtype=np.int64)

    def classifier(self, kernel: int) -> SingleKernelClassifier:
        """Return the classifier of one kernel; it shares its arrays, so it is valid until the next `update`."""
        size = len(self._positions[kernel])
        return SingleKernelClassifier(kernel, self._support[kernel, :size], self._dual[kernel, :size])

    def score(self, kernel: int, example: int) -> float:
        """Return f_k(x) of a training example."""
        classifier = self.classifier(kernel)
        self.kernel_values += len(classifier.support)
        self.last_score = float(classifier.scores_at(self._pool, np.array([example]))[0])
        return self.last_score

    def is_full(self, kernel: int, example: int) -> bool:
        """Return whether f_k has to forget its oldest support vector before this example can be added."""
        return len(self._positions[kernel]) == self._capacity and example not in self._positions[kernel]

    def update(self, kernel: int, example: int, coefficient: float) -> None:
        """Add coefficient k(x, .) to f_k, for the example that was scored last."""
        if self.is_full(kernel, example):
            self._forget(kernel)
        positions, forgotten = self._positions[kernel], self._forgotten[kernel]
        size = len(positions)
        position = positions.setdefault(example, forgotten + size) - forgotten
        self.support_vectors += len(positions) - size
        self._support[kernel, position] = example
        self._dual[kernel, position] += coefficient
        self.updates[kernel] += 1

    def _forget(self, kernel: int) -> None:
        """Remove the oldest support vector of f_k."""
        support, dual = self._support[kernel], self._dual[kernel]
        del self._positions[kernel][int(support[0])]
        self._forgotten[kernel] += 1
        self.support_vectors -= 1
        support[:-1], dual[:-1], dual[-1] = support[1:], dual[1:], 0.0


@njit(cache=True)
def draw(probabilities, uniform):  # type: ignore[no-untyped-def]
    """Return the first k with uniform < p_0 + ... + p_k; the last k if rounding leaves their sum below."""
    # A loop, since the cumulative sums of NumPy would allocate an array in every round.
    total = 0.0
    for k in range(len(probabilities)):
        total += probabilities[k]
        if uniform < total:
            return k
    return len(probabilities) - 1


def normalised_weights(logarithms: Floats) -> Floats:
    """Return q_k = w_k / sum_j w_j from ln w, (m,)."""
    weights = np.exp(logarithms - logarithms.max())
    return np.asarray(weights / weights.sum())


@operation
def draw_kernel(weights, rule, uniform):  # type: ignore[no-untyped-def]
    """Return the kernel that is drawn in a round, and the probability of its draw."""


@operation
def reduce_weight(weights, rule, k, loss, divisor):  # type: ignore[no-untyped-def]
    """Reduce the logarithm of the weight of kernel k by eta loss / divisor."""


@operation
def margin_loss(rule, margin):  # type: ignore[no-untyped-def]
    """Return the loss at a margin y f(x), by default 1 for a mistake, and minus how far a step of length 1 goes."""
    # A score of exactly 0 is a mistake on both classes, as printed.
    return (1.0, -1.0) if margin <= 0.0 else (0.0, 0.0)


@operation
def play_round(weights, rule, uniform, experts, t, y):  # type: ignore[no-untyped-def]
    """Play round t, and return the score of its example; the line numbers refer to OKS's Algorithm 2."""
    k, p = draw_kernel(weights, rule, uniform)  # line 5
    divisor = p if rule.divides else 1.0
    f = score(experts, k, t)
    loss, slope = margin_loss(rule, y * f)  # line 6
    if slope != 0.0:
        update(experts, k, t, -rule.step * y * slope / divisor)  # line 8
    if loss > 0.0:
        reduce_weight(weights, rule, k, loss, divisor)  # line 7
    return f


class LogWeights:
    """The logarithms of the kernels' weights in a pass, and the weights q, which sum to one, (m,) both.

    The line numbers refer to OKS's Algorithm 2.
    """

    def __init__(self, kernels: int) -> None:
        self.logarithms = np.zeros(kernels)  # line 2
        self.q = normalised_weights(self.logarithms)

    def draw_kernel(self, rule: Any, uniform: float) -> tuple[int, float]:
        """Return the kernel that is drawn in a round, and the probability of its draw."""
        p = (1.0 - rule.delta) * self.q + rule.delta / len(self.q)  # line 9; delta changes between passes
        k = draw(p, uniform)
        return k, float(p[k])

    def reduce_weight(self, rule: Any, k: int, loss: float, divisor: float) -> None:
        """Reduce the weight of a kernel by a loss."""
        self.logarithms[k] -= rule.eta * loss / divisor
        self.q = normalised_weights(self.logarithms)  # line 9


def run(
    parameters: BanditParameters,
    classifiers: OnlineClassifiers,
    rules: Sequence[Any],
    labels: Labels,
    order: Order,
    rng: np.random.Generator,
) -> Fit:
    """Pass over the order once for each rule, and return the Fit of the selected kernel and its classifier.

    The line numbers refer to OKS's Algorithm 2.
    """
    m, rounds = len(classifiers.updates), len(rules) * len(order)
    uniforms, scores = rng.random(rounds), np.empty(rounds)
    support_vectors, weight_rows = np.empty(rounds, dtype=np.int64), np.empty((rounds, m))
    weights, t = LogWeights(m), 0
    for rule in rules:
        for i in order.tolist():  # lines 3 and 4
            scores[t] = play_round(weights, rule, uniforms[t], classifiers, i, int(labels[i]))
            support_vectors[t], weight_rows[t] = classifiers.support_vectors, weights.q
            t += 1
    q = weights.q
    selected = int(np.argmax(q)) if parameters.select == "largest" else draw(q, rng.random())  # line 11
    # Additions are counted in whole rows, rounded up.
    n_rows = -(-classifiers.kernel_values // len(labels))
    return Fit(
        weights=np.eye(m)[selected],
        predictor=classifiers.classifier(selected),
        trace=Trace(
            mistakes=np.tile(labels[order], len(rules)) * scores <= 0.0,
            scores=scores,
            support_vectors=support_vectors,
            weights=weight_rows,
            updates=classifiers.updates,
        ),
        work=Work(kernel_values=classifiers.kernel_values, row_additions=n_rows),
    )
