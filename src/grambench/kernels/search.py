"""Search for the kernel parameter that maximises an objective, over one parameter or over several.

The papers use a local optimiser from several starts. Over one parameter, a scan as fine as the family requires finds
all lobes and the best of them are refined, so that the result does not depend on starts.
"""

from typing import NamedTuple

import numpy as np

from grambench.common.types import Floats
from grambench.kernels.continuous import Objective

LOBES = 2  # lobes of a scan that are refined
STEPS = 20  # largest number of steps of a refinement
ITERATIONS = 200  # largest number of iterations of L-BFGS-B
HALVED = 4  # every fourth step bisects, which bounds the number of steps if polynomials fit badly


class LinePoint(NamedTuple):
    """A parameter with the value and the slope of an objective; the slope is NaN if it is unknown."""

    x: float
    value: float
    slope: float


def line(objective: Objective, points: Floats, precision: float, values: Floats | None = None) -> tuple[float, float]:
    """Return the maximum over one parameter between the first and the last point of a scan.

    Parameters
    ----------
    objective : callable
        Returns value and gradient at a parameter (1,).
    points : ndarray of float64 (p,)
        Points of the scan, ascending. A lobe between two neighbours is missed.
    precision : float
        Relative precision of the parameter.
    values : ndarray of float64 (p,), optional
        Values of the objective at the points, if they are known.

    Returns
    -------
    parameter, value : float
    """
    if values is None:
        values = np.array([objective(np.array([point]))[0] for point in points])
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    highest = peaks[np.argsort(-values[peaks], kind="stable")][:LOBES]
    scan = [LinePoint(x, value, np.nan) for x, value in zip(points.tolist(), values.tolist(), strict=True)]
    maxima = [_refine(objective, scan[max(peak - 1, 0) : peak + 2], scan[peak].x, precision) for peak in highest]
    best = max(maxima, key=lambda point: point.value)
    return best.x, best.value


def _refine(objective: Objective, neighbours: list[LinePoint], start: float, precision: float) -> LinePoint:
    """Return the maximum between the neighbours of a peak of the scan.

    The maximum lies between the best point so far and another point that is not above it, on the side where the
    objective rises from the best point. Each step goes to the maximum of the polynomial through both points. The
    search ends when this step is within the precision, or promises a gain below its square.
    """

    def evaluate(x: float) -> LinePoint:
        value, gradient = objective(np.array([x]))
        return LinePoint(x, float(value), float(gradient[0]))

    best = evaluate(start)
    other = neighbours[-1] if best.slope > 0.0 else neighbours[0]
    for step in range(1, STEPS + 1):
        # At a maximum, or at an end of the range.
        if best.slope * (other.x - best.x) <= 0.0:
            break
        x = _vertex(best, other)
        converged = abs(x - best.x) <= precision * abs(x)
        if converged or best.slope * (x - best.x) <= precision**2 * abs(best.value):
            break
        new = evaluate(x if step % HALVED else 0.5 * (best.x + other.x))
        if new.value <= best.value:
            other = new
        else:
            other = other if new.slope * (other.x - new.x) > 0.0 else best
            best = new
    return best


def _vertex(best: LinePoint, other: LinePoint) -> float:
    """Return the maximum of the polynomial through two points: cubic, or quadratic if one slope is unknown."""
    width, rise = other.x - best.x, other.value - best.value
    if np.isnan(other.slope):
        return best.x + 0.5 * best.slope * width**2 / (best.slope * width - rise)
    middle = 3.0 * rise / width - best.slope - other.slope
    root = np.copysign(np.sqrt(max(middle**2 - best.slope * other.slope, 0.0)), width)
    return float(other.x - width * (root - other.slope - middle) / (best.slope - other.slope + 2.0 * root))


def space(objective: Objective, start: Floats, low: float, high: float) -> tuple[Floats, float]:
    """Return a local maximum over several positive parameters, found by L-BFGS-B on their logarithms.

    Parameters
    ----------
    objective : callable
        Returns value and gradient at a parameter (d,).
    start : ndarray of float64 (d,)
        The first parameter.
    low, high : float
        Bounds of every component.

    Returns
    -------
    parameter : ndarray of float64 (d,)
    value : float
    """
    # The import takes a third of a second, and few runs search.
    from scipy.optimize import minimize

    bounds = (np.log(low), np.log(high))
    logs = np.clip(np.log(start), *bounds)

    def in_logs(logs: Floats) -> tuple[float, Floats]:
        value, gradient = objective(np.exp(logs))
        return value, gradient * np.exp(logs)

    value, gradient = in_logs(logs)
    # The optimiser stops at absolute changes, so the objective is scaled.
    unit = max(abs(value), float(np.abs(gradient).max())) or 1.0

    def negative(candidate: Floats) -> tuple[float, Floats]:
        # The values at the start are known already.
        new_value, slope = (value, gradient) if np.array_equal(candidate, logs) else in_logs(candidate)
        return -new_value / unit, -slope / unit

    result = minimize(
        negative, logs, jac=True, method="L-BFGS-B", bounds=[bounds] * len(start), options={"maxiter": ITERATIONS}
    )
    return np.exp(result.x), -float(result.fun) * unit
