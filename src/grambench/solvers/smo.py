"""Sequential minimal optimisation of a quadratic program with one equality constraint and box constraints.

    maximise  p'v - 1/2 v' (K + ridge I) v    subject to  sum_i v_i constant,  lower_i <= v_i <= upper_i

Both duals of this package have this form: the support vector machine's in signed coefficients v_i = y_i alpha_i, and
the minimum enclosing ball's. Each step changes two variables: the one with the largest gradient that can grow, and the
one that promises the largest gain of those that can shrink (second-order working set, Fan, Chen and Lin 2005, JMLR 6).
"""

import numpy as np
from numba import njit

from grambench.solvers.combination import product, row

CURVATURE_FLOOR = 1e-12  # of a pair's diagonal entries: a flatter pair, or a concave one, is stepped as if this curved
UNBOUNDED = 1e-10  # a pair without bounds that curves the wrong way by more than rounding errors do has no maximum


@njit(cache=True)
def maximise(rows, linear, ridge, lower, upper, values, tolerance, max_steps):  # type: ignore[no-untyped-def]
    """Improve `values` in place until the gradients of growing and shrinking variables differ by less than tolerance.

    Parameters
    ----------
    rows : Rows
        The Gram matrix K, (n, n).
    linear : ndarray of float64 (n,)
        p.
    ridge : float
        Added to the diagonal.
    lower, upper : ndarray of float64 (n,)
        Bounds; may be infinite.
    values : ndarray of float64 (n,)
        A feasible v.
    tolerance : float
        In the units of p.
    max_steps : int
        Steps at most.

    Returns
    -------
    gradient : ndarray of float64 (n,)
        p - (K + ridge I) v.
    steps : int
        Steps made; negative if the problem is unbounded, `max_steps` if it was not solved.
    """
    gradient = linear - product(rows, values) - ridge * values
    diagonal = rows.diagonal
    n = values.size
    for step in range(max_steps):
        i, best = -1, -np.inf
        worst = np.inf
        for k in range(n):
            g = gradient[k]
            if g > best and values[k] < upper[k]:
                i, best = k, g
            if g < worst and values[k] > lower[k]:
                worst = g
        if i < 0 or not best - worst > tolerance:
            return gradient, step
        row_i = row(rows, i)
        j, gain = -1, -1.0
        for k in range(n):
            difference = best - gradient[k]
            if difference > 0.0 and values[k] > lower[k]:
                size = diagonal[i] + diagonal[k] + 2.0 * ridge
                curvature = max(size - 2.0 * row_i[k], CURVATURE_FLOOR * abs(size))
                promise = difference * difference / curvature if curvature > 0.0 else np.inf
                if promise > gain:
                    j, gain = k, promise
        size = diagonal[i] + diagonal[j] + 2.0 * ridge
        curvature = size - 2.0 * row_i[j]
        room = min(upper[i] - values[i], values[j] - lower[j])
        if np.isinf(room) and curvature < -UNBOUNDED * abs(size):
            return gradient, -1 - step
        curvature = max(curvature, CURVATURE_FLOOR * abs(size))
        change = min((best - gradient[j]) / curvature, room) if curvature > 0.0 else room
        if change == upper[i] - values[i]:
            values[i] = upper[i]
        else:
            values[i] += change
        if change == values[j] - lower[j]:
            values[j] = lower[j]
        else:
            values[j] -= change
        row_j = row(rows, j)
        for k in range(n):
            gradient[k] -= change * (row_i[k] - row_j[k])
        gradient[i] -= change * ridge
        gradient[j] += change * ridge
    return gradient, max_steps
