"""OKS (loss): online kernel selection under a convex loss (Yang et al. 2012, Algorithm 1).

In each round one kernel is drawn by the weights, and its classifier takes a gradient step on the loss. The loss reduces
the kernel's weight exponentially, and after the last round the kernel with the largest weight is selected.

Formula
-------
    p = (1 − δ) w / Σ_j w_j + δ/m,   k ~ Multi(p),   l = loss of y f_k(x)
    w_k ← w_k exp(−η l / p_k),   f_k ← f_k − λ y / p_k l' K_k(x, ·),   ‖f_k‖ ≤ radius

Notes
-----
The default step sizes minimise the right side of Theorem 1, whose terms in them are

    ‖f‖² / (2 λ) + λ m T G² / (2 δ)   and   η m T L² / (2 (1 − δ)) + ln m / η.

The default λ is that for the f of the ball for which the bound is largest, ‖f‖ = radius. The paper takes λ proportional
to T^(−1/2) where ‖f‖ is bounded, and names no factor. In its experiments λ is tuned, as study oks does. The step is
divided by p, which is about 1/m. With m kernels and a step of 1, the first example takes a classifier out of the unit
ball. After the projection, little but the last example is left of it.

Complexity
----------
A round costs O(s + m): s kernel evaluations between the example and the s support vectors of the drawn kernel, the
example's diagonal value, and a draw.

Deviations
----------
l' is the derivative of the loss by the margin y f(x). As in Algorithm 2, lines 8 and 10 print weights from before the
update of the round; here a round draws with all updates before it, and the selected kernel has the largest weight after
the last one.

Theorem 1 needs l ≤ L and |l'| ≤ G in every round, for which the printed algorithm does not provide. Here each
classifier is shrunk to ‖f‖ ≤ radius after its step. This projection brings it no further from any f in that ball, so
the proof stands for the best f of the ball.

With k(x, x) ≤ 1, which the proof takes for granted (G bounds the norm of l' k(x, ·)), |f(x)| ≤ radius, and L and G
follow: `loss_bound` and `slope_bound`. Kernels with larger diagonals run as well, without the bound.

References
----------
Yang, Mahdavi, Jin, Yi and Hoi (2012). Online kernel selection: algorithms and evaluations. AAAI Conference on
Artificial Intelligence.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from grambench.algorithms.bandit import ExponentialWeights, OnlineClassifiers, run
from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.fit import Fit
from grambench.common.parameters import POSITIVE
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

ZERO_IS_MISTAKE = True


class MarginLoss(NamedTuple):
    """A loss of the margin z = y f(x), and its derivative: on |z| <= b both are largest in size at z = -b."""

    value: Callable[[float], float]
    slope: Callable[[float], float]


class LossRule(NamedTuple):
    """What a round changes under a loss, and how kernels are drawn; see `grambench.algorithms.bandit.DrawRule`."""

    delta: float
    eta: float
    step: float
    loss: MarginLoss
    divides: bool = True

    def margin_loss(self, margin: float) -> tuple[float, float]:
        """Return the loss at a margin, and its derivative."""
        return self.loss.value(margin), self.loss.slope(margin)


LOSSES = {
    "hinge": MarginLoss(lambda z: max(0.0, 1.0 - z), lambda z: -1.0 if z < 1.0 else 0.0),
    "logistic": MarginLoss(lambda z: float(np.logaddexp(0.0, -z)), lambda z: -float(np.exp(-np.logaddexp(0.0, z)))),
    "squared": MarginLoss(lambda z: (1.0 - z) ** 2, lambda z: -2.0 * (1.0 - z)),  # (f(x) - y)^2, since y^2 = 1
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(ExponentialWeights):
    """Parameters of OKS (loss); see `ExponentialWeights` and `BanditParameters` in `grambench.algorithms.bandit`.

    Attributes
    ----------
    loss : str
        "hinge", max(0, 1 - z), "logistic", ln(1 + exp(-z)), or "squared", (1 - z)^2, of the margin z = y f(x).
    radius : float
        Norm to which a classifier is shrunk, above 0.
    eta : float or None
        Step size of the weights; None takes sqrt(2 (1 - delta) ln m / (m T)) / L.
    step : float or None
        Step size lambda of the classifiers in all passes; None takes (radius / G) sqrt(delta / (m T)) in each.
    """

    loss: Literal["hinge", "logistic", "squared"] = "hinge"
    radius: Annotated[float, POSITIVE] = 1.0
    step: Annotated[float | None, POSITIVE] = None

    @property
    def loss_bound(self) -> float:
        """L of Theorem 1: the loss at a margin of -radius."""
        return LOSSES[self.loss].value(-self.radius)

    @property
    def slope_bound(self) -> float:
        """G of Theorem 1: the derivative there, without its sign."""
        return -LOSSES[self.loss].slope(-self.radius)

    def steps(self, kernels: int, examples: int) -> list[float]:
        """Return lambda of each pass, from its number of examples: (radius / G) sqrt(delta / (m T)) if step is None."""
        if self.step is not None:
            return [self.step] * len(self.delta)
        scale = self.radius / self.slope_bound
        return [float(scale * np.sqrt(delta / (kernels * self.rounds(examples)))) for delta in self.delta]


class BoundedClassifiers(OnlineClassifiers):
    """OnlineClassifiers that are shrunk to ||f_k|| <= radius after a step out of the ball."""

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._radius, self._squared_norms = parameters.radius, np.zeros(pool.shape[0])

    def update(self, kernel: int, example: int, coefficient: float) -> None:
        """Add coefficient k(x, .) to f_k, for the example that was scored last, and shrink the sum."""
        score = self.last_score
        if self.is_full(kernel, example):
            score = self._score_without_oldest(kernel, example, score)
        super().update(kernel, example, coefficient)
        index = np.array([example])
        diagonal = float(self._pool.values(kernel, index, index)[0, 0])
        self.kernel_values += 1
        squared = self._squared_norms[kernel] + coefficient * (2.0 * score + coefficient * diagonal)
        if squared > self._radius**2:
            self.classifier(kernel).dual[:] *= self._radius / np.sqrt(squared)
            squared = self._radius**2
        self._squared_norms[kernel] = squared

    def _score_without_oldest(self, kernel: int, example: int, score: float) -> float:
        """Subtract the oldest support vector from ||f_k||^2, and return f_k(x) without it."""
        f = self.classifier(kernel)
        values = self._pool.values(kernel, f.support[:1], np.append(f.support, example))[0]
        self.kernel_values += len(values)
        removed = f.dual[0]
        self._squared_norms[kernel] += removed * (removed * values[0] - 2.0 * (f.dual * values[:-1]).sum())
        return score - float(removed * values[-1])


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select a kernel; support vectors are counted over all kernels."""
    check_two_classes(pool, labels, order)
    m, n = pool.shape[0], len(order)
    sizes = parameters.delta, parameters.etas(m, n, parameters.loss_bound), parameters.steps(m, n)
    rules = [LossRule(*each, LOSSES[parameters.loss]) for each in zip(*sizes, strict=True)]
    return run(parameters, BoundedClassifiers(pool, parameters), rules, labels, order, rng)
