"""Weighted sums over pairs of examples, compiled: one pass over a block of pairs gives several sums.

A sum is kept in LANES parts, entry p of a block in part p mod LANES: the compiler may not reorder floating-point
additions, so it would not vectorise a single sum.
"""

import numpy as np

from grambench.common.lazy_numba import njit

LANES = 256  # with two or three arrays of this length, the innermost loops stay in a core's first-level cache


@njit(cache=True)
def products(coefficients):  # type: ignore[no-untyped-def]
    """Return 2 c_i c_j of the n(n - 1)/2 pairs i < j, for coefficients (n,)."""
    n = coefficients.size
    values, done = np.empty(n * (n - 1) // 2), 0
    for i in range(n):
        doubled, others = 2.0 * coefficients[i], coefficients[i + 1 :]
        row = values[done : done + others.size]
        for j in range(others.size):
            row[j] = doubled * others[j]
        done += others.size
    return values


@njit(cache=True)
def add_squarings(entries, weights, sums):  # type: ignore[no-untyped-def]
    """Add sum_p w_p e_p^(2^k) to each sum k, (r, LANES), for entries and weights (b,); overwrites the entries."""
    length = sums.shape[1]
    for first in range(0, entries.size, length):
        e, w = entries[first : first + length], weights[first : first + length]
        for k in range(sums.shape[0]):
            lanes = sums[k]
            for j in range(e.size):
                lanes[j] += e[j] * w[j]
                e[j] = e[j] * e[j]


@njit(cache=True)
def add_moments(entries, weights, distances, sums):  # type: ignore[no-untyped-def]
    """Add sum_p w_p e_p d_p^k to each sum k, (r, LANES), for three arrays (b,); overwrites the entries."""
    length = sums.shape[1]
    for first in range(0, entries.size, length):
        e, w, d = entries[first : first + length], weights[first : first + length], distances[first : first + length]
        for j in range(e.size):
            e[j] *= w[j]
        for k in range(sums.shape[0]):
            lanes = sums[k]
            for j in range(e.size):
                lanes[j] += e[j]
                e[j] *= d[j]
