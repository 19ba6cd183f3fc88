"""Search for the parameter of a kernel that maximises an objective: a line by scan and refinement, a space by descent.

The papers use a local optimiser from several starts. On a line, a scan as fine as the family asks for finds the lobes,
and the best of them are refined, which leaves nothing to the choice of starts.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar

from grambench.kernels.continuous import Objective

Floats = NDArray[np.float64]

LOBES = 2  # of a scan that are refined


def line(objective: Objective, points: Floats, precision: float) -> tuple[float, float]:
    """Maximise over one parameter between the first and the last of some points.

    Parameters
    ----------
    objective : callable
        Returns value and gradient at a parameter (1,).
    points : ndarray of float64 (p,)
        Ascending; a lobe between two of them is not seen.
    precision : float
        Of the parameter, relative.

    Returns
    -------
    parameter, value : float
    """

    def value(parameter: float) -> float:
        return objective(np.array([parameter]))[0]

    values = np.array([value(point) for point in points])
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    highest = peaks[np.argsort(-values[peaks], kind="stable")][:LOBES]
    found = (float(points[highest[0]]), float(values[highest[0]]))
    for peak in highest:
        low, high = float(points[max(peak - 1, 0)]), float(points[min(peak + 1, len(points) - 1)])
        refined = minimize_scalar(
            lambda x: -value(x), bounds=(low, high), method="bounded", options={"xatol": precision * high}
        )
        if -refined.fun > found[1]:
            found = (float(refined.x), -float(refined.fun))
    return found


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
    bounds = (np.log(low), np.log(high))
    logs = np.clip(np.log(start), *bounds)

    def in_logs(logs: Floats) -> tuple[float, Floats]:
        value, gradient = objective(np.exp(logs))
        return value, gradient * np.exp(logs)

    value, gradient = in_logs(logs)
    unit = max(abs(value), float(np.abs(gradient).max())) or 1.0  # the optimiser stops at absolute changes

    def descend(logs: Floats) -> tuple[float, Floats]:
        value, gradient = in_logs(logs)
        return -value / unit, -gradient / unit

    found = minimize(
        descend, logs, jac=True, method="L-BFGS-B", bounds=[bounds] * len(start), options={"maxiter": iterations}
    )
    return np.exp(found.x), -float(found.fun) * unit
