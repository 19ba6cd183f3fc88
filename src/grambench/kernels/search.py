"""Search for the parameter of a kernel that maximises an objective: a line by scan and refinement, a space by descent.

The papers use a local optimiser from several starts. On a line, a scan as fine as the family asks for finds the lobes,
and the best of them are refined, which leaves nothing to the choice of starts.
"""

from typing import NamedTuple

import numpy as np

from grambench.common.types import Floats
from grambench.kernels.continuous import Objective

LOBES = 2  # of a scan that are refined
STEPS = 20  # of a refinement at most
HALVED = 4  # every so many of its steps go to the middle, so that it does not creep along where polynomials do not fit


class Evaluation(NamedTuple):
    """A parameter, and value and slope of an objective there; NaN for a slope that is not known."""

    x: float
    value: float
    slope: float


def line(objective: Objective, points: Floats, precision: float, values: Floats | None = None) -> tuple[float, float]:
    """Maximise over one parameter between the first and the last of some points.

    Parameters
    ----------
    objective : callable
        Returns value and gradient at a parameter (1,).
    points : ndarray of float64 (p,)
        Ascending; a lobe between two of them is not seen.
    precision : float
        Of the parameter, relative.
    values : ndarray of float64 (p,), optional
        The objective's, where they are known.

    Returns
    -------
    parameter, value : float
    """
    if values is None:
        values = np.array([objective(np.array([point]))[0] for point in points])
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    highest = peaks[np.argsort(-values[peaks], kind="stable")][:LOBES]
    scanned = [Evaluation(*known, np.nan) for known in zip(points.tolist(), values.tolist(), strict=True)]
    found = [_top(objective, scanned[max(peak - 1, 0) : peak + 2], scanned[peak], precision) for peak in highest]
    best = max(found, key=lambda place: place.value)
    return best.x, best.value


def _top(objective: Objective, around: list[Evaluation], peak: Evaluation, precision: float) -> Evaluation:
    """Return the maximum between the neighbours of a point that is not below them.

    It lies between the best place so far and another one that is not above it, in the direction in which the objective
    rises at the best; each step goes to the maximum of the polynomial that has the values and slopes at both, until
    that is no further away than the precision or promises no more than its square.
    """

    def at(x: float) -> Evaluation:
        value, gradient = objective(np.array([x]))
        return Evaluation(x, float(value), float(gradient[0]))

    best = at(peak.x)
    other = around[-1] if best.slope > 0.0 else around[0]
    for step in range(1, STEPS + 1):
        if best.slope * (other.x - best.x) <= 0.0:  # at a maximum, or at an end of the range
            break
        x = _vertex(best, other)
        near = abs(x - best.x) <= precision * abs(x)
        if near or best.slope * (x - best.x) <= precision**2 * abs(best.value):
            break
        new = at(x if step % HALVED else 0.5 * (best.x + other.x))
        if new.value <= best.value:
            other = new
        else:
            other = other if new.slope * (other.x - new.x) > 0.0 else best
            best = new
    return best


def _vertex(best: Evaluation, other: Evaluation) -> float:
    """Return the maximum of the polynomial through two places: cubic, or quadratic where one slope is not known."""
    width, rise = other.x - best.x, other.value - best.value
    if np.isnan(other.slope):
        return best.x + 0.5 * best.slope * width**2 / (best.slope * width - rise)
    middle = 3.0 * rise / width - best.slope - other.slope
    root = np.copysign(np.sqrt(max(middle**2 - best.slope * other.slope, 0.0)), width)
    return float(other.x - width * (root - other.slope - middle) / (best.slope - other.slope + 2.0 * root))


def space(
    objective: Objective, start: Floats, low: float, high: float, *, iterations: int = 200
) -> tuple[Floats, float]:
    """Find a local maximum over several positive parameters, by L-BFGS-B on their logarithms.

    Parameters
    ----------
    objective : callable
        Returns value and gradient at a parameter (d,).
    start : ndarray of float64 (d,)
        Where to start.
    low, high : float
        Bounds of every component.
    iterations : int
        Iterations at most.

    Returns
    -------
    parameter : ndarray of float64 (d,)
    value : float
    """
    from scipy.optimize import minimize  # takes a third of a second to load, in every run, and few search

    bounds = (np.log(low), np.log(high))
    logs = np.clip(np.log(start), *bounds)

    def in_logs(logs: Floats) -> tuple[float, Floats]:
        value, gradient = objective(np.exp(logs))
        return value, gradient * np.exp(logs)

    value, gradient = in_logs(logs)
    unit = max(abs(value), float(np.abs(gradient).max())) or 1.0  # the optimiser stops at absolute changes

    def descend(tried: Floats) -> tuple[float, Floats]:
        reached, slope = (value, gradient) if np.array_equal(tried, logs) else in_logs(tried)
        return -reached / unit, -slope / unit

    found = minimize(
        descend, logs, jac=True, method="L-BFGS-B", bounds=[bounds] * len(start), options={"maxiter": iterations}
    )
    return np.exp(found.x), -float(found.fun) * unit
