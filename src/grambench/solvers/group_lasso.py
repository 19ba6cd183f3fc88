"""Logistic regression with a group lasso penalty, as a smooth problem in more variables.

    minimise  1/n sum_i log(1 + exp(-y_i (z_i'w + b))) + lambda sum_g ||w_g||

over w of groups of equal size and a bias b without a penalty. Since ||w_g|| is the smallest (s^2 + ||v||^2) / 2 with
s v = w_g, the solver minimises

    1/n sum_i log(1 + exp(-y_i (sum_g s_g z_ig'v_g + b))) + lambda/2 sum_g (s_g^2 + ||v_g||^2)

over s, v and b by L-BFGS. No local minimum of it is worse than the optimum (Hoff 2017, Comput. Stat. Data Anal. 115;
Poon and Peyre 2021, NeurIPS 34). A group may get stuck at s_g = 0 and v_g = 0, which is a saddle point if the group
belongs to the solution; it is then started again. The duality gap of the original problem says when to stop.

Accelerated proximal gradient descent takes 2 to 33 times as long on random Fourier features, by
`benchmarks/group_lasso.py`.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize as descend
from scipy.special import expit

from grambench.common.types import Floats, Labels
from grambench.solvers import certificates

CHECK_EVERY = 10  # steps between two evaluations of the duality gap
PAIRS = 20  # changes of point and gradient that the Hessian is estimated from
RESTART = 0.1  # of the largest |s_g|: where a group that got stuck starts again
NEGLIGIBLE = 1e-3  # norm of a group relative to the largest one: it is set to 0 if the gap allows


class Solution(NamedTuple):
    """Coefficients (G, p) of G groups, the bias, the relative duality gap, and the number of steps."""

    coefficients: Floats
    bias: float
    gap: float
    steps: int


def largest_penalty(features: Floats, labels: Labels, groups: int) -> float:
    """Return the smallest lambda at which all coefficients are 0, for features (n, G p)."""
    residual = np.where(labels > 0, np.mean(labels < 0), -np.mean(labels > 0))
    return float(np.linalg.norm((features.T @ residual).reshape(groups, -1), axis=1).max() / len(labels))


def minimise(features: Floats, labels: Labels, groups: int, penalty: float, *, gap: float, max_steps: int) -> Solution:
    """Return a solution within a relative duality gap, or the last one if rounding or `max_steps` ended the descent.

    Parameters
    ----------
    features : ndarray of float64 (n, G p)
        Features, group by group.
    labels : ndarray of int8 (n,)
        -1 or +1; both occur.
    groups : int
        G.
    penalty : float
        lambda.
    gap : float
        Relative duality gap to stop at.
    max_steps : int
        Largest number of steps.
    """
    descent = _Descent(features, labels, groups, penalty, gap)
    point = np.zeros(groups + features.shape[1] + 1)
    point[-1] = np.log(np.mean(labels > 0) / np.mean(labels < 0))
    solution, length = descent.certify(point), 1.0
    while solution.gap > gap and descent.steps < max_steps:
        start, before = descent.entered(point, length), descent.steps
        if start is None:
            break
        # The gap ends the descent, and so does a decrease that rounding hides.
        end = descend(
            descent.objective,
            start,
            jac=True,
            method="L-BFGS-B",
            callback=descent.check,
            options={"maxiter": max_steps - before, "maxfun": 20 * max_steps, "maxcor": PAIRS, "ftol": 0, "gtol": 0},
        )
        point = end.x
        solution = descent.reached or descent.certify(point)
        if descent.steps == before:
            break
        length = RESTART * float(np.abs(point[:groups]).max())
    return solution


class _Descent:
    """The smooth problem, at points that have all s_g, then all v_g, and the bias for centred features.

    With centred features, the bias hardly depends on the coefficients.

    Attributes
    ----------
    steps : int
        Number of steps so far.
    reached : Solution or None
        The first solution within the gap.
    """

    def __init__(self, features: Floats, labels: Labels, groups: int, penalty: float, gap: float) -> None:
        self._features, self._labels, self._groups, self._penalty, self._gap = features, labels, groups, penalty, gap
        self._centre = features.mean(axis=0)
        self._centred = features - self._centre
        self.steps = 0
        self.reached: Solution | None = None

    def _parts(self, point: Floats) -> tuple[Floats, Floats]:
        """Return s, (G, 1), and v, (G, p)."""
        return point[: self._groups, None], point[self._groups : -1].reshape(self._groups, -1)

    def _loss(self, point: Floats) -> tuple[float, Floats, float]:
        """Return the loss, its gradient by w, (G, p), and its derivative by the bias."""
        y, (factors, vectors) = self._labels.astype(np.float64), self._parts(point)
        margins = y * (self._centred @ (factors * vectors).ravel() + point[-1])
        residual = -y * expit(-margins) / y.size
        gradient = (residual @ self._centred).reshape(vectors.shape)
        return float(np.logaddexp(0.0, -margins).mean()), gradient, float(residual.sum())

    def objective(self, point: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient at a point."""
        (factors, vectors), (loss, gradient, by_bias) = self._parts(point), self._loss(point)
        slopes = np.concatenate([(gradient * vectors).sum(axis=1), (gradient * factors).ravel(), [by_bias]])
        slopes[:-1] += self._penalty * point[:-1]
        return loss + 0.5 * self._penalty * float(point[:-1] @ point[:-1]), slopes

    def entered(self, point: Floats, length: float) -> Floats | None:
        """Return a point at which groups with negligible coefficients have some, if that decreases the objective.

        Where s_g and v_g are 0 the gradient by both vanishes, whether or not the group belongs to the solution. It does
        if the gradient of the loss by w_g is longer than lambda. None if no such group is left.
        """
        (factors, vectors), (_, gradient, _) = self._parts(point), self._loss(point)
        norms, pull = np.linalg.norm(factors * vectors, axis=1), np.linalg.norm(gradient, axis=1)
        enters = (norms <= NEGLIGIBLE * norms.max()) & (pull > self._penalty)
        if not enters.any():
            return None
        # These vectors point downhill, and |s_g| = ||v_g|| as at the optimum.
        lengths = length * np.sqrt(pull[enters] / pull[enters].max())
        started, s, v = point.copy(), *map(np.copy, (factors, vectors))
        s[enters, 0] = lengths
        v[enters] = -gradient[enters] * (lengths / pull[enters])[:, None]
        started[:-1] = np.concatenate([s.ravel(), v.ravel()])
        return started

    def check(self, xk: Floats) -> None:
        """Count a step to point `xk`, SciPy's name, and end the descent if the gap is reached."""
        self.steps += 1
        if self.steps % CHECK_EVERY == 0:
            solution = self.certify(xk)
            if solution.gap <= self._gap:
                self.reached = solution
                raise StopIteration

    def certify(self, point: Floats) -> Solution:
        """Return the solution at a point, without groups of negligible norm if the gap is reached without them."""
        factors, vectors = self._parts(point)
        coefficients = factors * vectors
        norms = np.linalg.norm(coefficients, axis=1, keepdims=True)
        few = np.where(norms > NEGLIGIBLE * norms.max(), coefficients, 0.0)
        solution = self._solution(few, point)
        if solution.gap <= self._gap or np.array_equal(few, coefficients):
            return solution
        return self._solution(coefficients, point)

    def _solution(self, coefficients: Floats, point: Floats) -> Solution:
        bias = float(point[-1] - self._centre @ coefficients.ravel())
        certificate = certificates.group_lasso(self._features, self._labels, self._penalty, coefficients, bias)
        return Solution(coefficients, bias, certificate.gap, self.steps)
