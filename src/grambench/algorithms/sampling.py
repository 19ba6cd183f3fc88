"""Probabilities and Hedge weights shared by the OMKC algorithms (Hoi et al. 2013, Sections 3.2 and 4)."""

import numpy as np
from numba import njit

TINY = 2.0**-500


@njit(cache=True)
def rescale(weights):  # type: ignore[no-untyped-def]
    """Scale Hedge weights up before the largest underflows.

    A power of two changes no quotient of two weights by a single bit, so that predictions stay what they were.

    Parameters
    ----------
    weights : ndarray of float64 (m,)
        Positive; changed in place.
    """
    if weights.max() < TINY:
        for index in range(weights.size):
            weights[index] /= TINY


@njit(cache=True)
def selection_probability(weights, smoothing):  # type: ignore[no-untyped-def]
    """Return q of eq. (6) and p of Section 4.2: q_i = w_i / max_j w_j, p_i = (1 - delta) q_i + delta / m."""
    q = weights / weights.max()
    return q, (1.0 - smoothing) * q + smoothing / np.float64(weights.size)
