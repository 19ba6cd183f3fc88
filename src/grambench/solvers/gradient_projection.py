"""Gradient projection with the Armijo rule along the projection arc (Bertsekas 1999, Nonlinear Programming, 2.3).

The first trial step of an iteration is the spectral one, s's / s'y of the last move s and the change y of the gradient
(Barzilai and Borwein 1988), so that no step length has to be chosen for the scale of the kernels; a trial that does not
satisfy the rule is shortened to the minimum of the parabola through the known values, within a tenth and a half.
As spectral steps need it, the rule asks for a decrease below the highest of the last ten objectives and not below the
last one (Birgin, Martinez and Raydan 2000, SIAM J. Optim. 10); with a memory of one, RKL needs up to three times the
evaluations to a gap of 1e-4.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from grambench.common.types import Floats

MEMORY = 10  # objectives that a decrease is measured from
ARMIJO = 1e-4  # share of the promised decrease that a step must keep
SHORTEST_STEP = 1e-12  # of the first trial step: no decrease above the accuracy of the objective is left


class Slope(NamedTuple):
    """The gradient, (m,), and a bound on the distance of the objective from the optimum, relative to the objective."""

    gradient: Floats
    gap: float


class Value(NamedTuple):
    """The objective at a point, and the function that computes its slope there, called before the next evaluation."""

    objective: float
    slope: Callable[[], Slope]


class Minimum(NamedTuple):
    """A point, (m,), and whether it reaches the relative gap at which the descent stops."""

    point: Floats
    converged: bool


def minimise(
    evaluate: Callable[[Floats], Value],
    project: Callable[[Floats], Floats],
    start: Floats,
    *,
    gap: float,
    iterations: int,
    record: Callable[[float], None],
) -> Minimum:
    """Return a point with a relative gap of at most `gap`, or the best point if none has been reached.

    Parameters
    ----------
    evaluate : callable
        Returns the objective at a point (m,) of the set.
    project : callable
        Returns the nearest point of the set.
    start : ndarray of float64 (m,)
        Point that is projected first.
    gap : float
        Relative gap at which the descent stops.
    iterations : int
        Largest number of iterations.
    record : callable
        Called with the objective after each iteration, and at the start.
    """
    point = project(start)
    objective, slope = evaluate(point)
    gradient, distance = slope()
    record(objective)
    recent = [objective]
    lowest, best = objective, point
    steepness = float(np.linalg.norm(gradient))
    step = float(np.linalg.norm(point)) / steepness if steepness > 0 else 1.0
    for _ in range(iterations):
        if distance <= gap:
            break
        share = 1.0
        while True:
            trial = project(point - share * step * gradient)
            if np.array_equal(trial, point):
                return Minimum(best, False)  # a stationary point, whatever its gap
            promised = float(gradient @ (trial - point))
            value = evaluate(trial)
            if value.objective <= max(recent) + ARMIJO * promised:
                break
            curvature = value.objective - objective - promised
            share *= min(max(-0.5 * promised / curvature, 0.1), 0.5)
            if not share >= SHORTEST_STEP:  # nor where the objective is not a number
                return Minimum(best, False)
        new_gradient, distance = value.slope()
        moved, change = trial - point, new_gradient - gradient
        bend = float(moved @ change)
        step = float(moved @ moved) / bend if bend > 0 else 4.0 * step
        point, objective, gradient = trial, value.objective, new_gradient
        record(objective)
        recent = [*recent[1 - MEMORY :], objective]
        if objective < lowest:
            lowest, best = objective, point
    return Minimum(point, True) if distance <= gap else Minimum(best, False)
