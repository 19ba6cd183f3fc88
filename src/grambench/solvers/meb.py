"""The minimum enclosing ball of the examples in feature space (RKL, Gai et al. 2010, eq. 8).

    r^2 = max_beta  sum_i beta_i K_ii - beta'K beta    subject to  sum_i beta_i = 1,  beta_i >= 0

Its centre is sum_i beta_i phi(x_i). The Gram matrix may have any diagonal.
"""

from dataclasses import dataclass

import numpy as np

from grambench.common.errors import SolverError
from grambench.common.types import Floats
from grambench.solvers import smo
from grambench.solvers.combination import Combination

TOLERANCE = 1e-4
MAX_STEPS = 10_000_000
ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True)
class MEB:
    """A minimum enclosing ball.

    Attributes
    ----------
    dual : ndarray of float64 (n,)
        beta, the centre's coefficients; not negative, summing to 1.
    squared_radius : float
        r^2, the value of the dual, a lower bound.
    steps : int
        Number of steps of the solver.
    """

    dual: Floats
    squared_radius: float
    steps: int


def enclose(
    combination: Combination,
    *,
    ridge: float = 0.0,
    start: Floats | None = None,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
) -> MEB:
    """Return the minimum enclosing ball.

    Parameters
    ----------
    combination : Combination
        Gram matrix K of the n examples.
    ridge : float
        Added to the diagonal of K.
    start : ndarray of float64 (n,), optional
        A feasible beta.
    tolerance : float
        Relative duality gap of r^2.
    max_steps : int
        Largest number of steps.

    Raises
    ------
    SolverError
        If it is not solved after `max_steps` steps, or overflows.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]])
    >>> ball = enclose(Combination.single(points @ points.T))
    >>> round(ball.squared_radius, 3), ball.dual.round(3)
    (1.0, array([0.5, 0.5, 0. ]))
    """
    diagonal = combination.rows.diagonal + ridge
    n = diagonal.size
    dual = np.full(n, 1.0 / n) if start is None else start.copy()
    image = combination.product(dual)
    variance = dual @ diagonal - dual @ image - ridge * dual @ dual  # a lower bound of r^2
    absolute_tolerance = max(0.5 * tolerance * variance, ROUNDING * np.abs(diagonal).max())
    unbounded = np.full(n, np.inf)
    gradient, steps = smo.maximise(
        combination.rows, image, 0.5 * diagonal, ridge, np.zeros(n), unbounded, dual, absolute_tolerance, max_steps
    )
    if steps == max_steps:
        raise SolverError(f"minimum enclosing ball: no relative gap of {tolerance} after {steps} steps")
    if steps < 0 or not np.isfinite(gradient).all():
        raise SolverError("minimum enclosing ball: the Gram matrix overflows")
    squared_radius = dual @ (gradient + 0.5 * diagonal)  # beta'(K + ridge I)beta = beta'(diagonal/2 - gradient)
    return MEB(dual=dual, squared_radius=max(float(squared_radius), 0.0), steps=steps)
