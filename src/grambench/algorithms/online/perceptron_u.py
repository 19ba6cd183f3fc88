"""Perceptron(u): the kernel Perceptron on the mean of all kernels (the baseline of OMKC, Section 5.1).

As in `perceptron`, the published numbers need sign(0) = +1 and the order of summation in `grambench.algorithms.scores`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.scores import LANES, add_row, score
from grambench.algorithms.trace import OnlineTrace, check_input


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Perceptron(u) has no parameters."""


def fit(
    parameters: Parameters,
    grams: Sequence[NDArray[np.float64]],
    labels: NDArray[np.int8],
    *,
    order: NDArray[np.int32],
    rng: np.random.Generator,
) -> OnlineTrace:
    """Run one pass.

    Parameters
    ----------
    parameters : Parameters
        None.
    grams : sequence of m ndarrays of float64 (n, n)
        Gram matrices of the pool.
    labels : ndarray of int8 (n,)
        -1 or +1.
    order : ndarray of int32 (T,)
        The examples in the order of presentation.
    rng : Generator
        Not used.

    Raises
    ------
    ValueError
        If an array is malformed.
    """
    pool = check_input(grams, labels, order)
    mistakes = _run(pool, labels, order)
    return OnlineTrace(
        mistakes=mistakes,
        support_vectors=np.cumsum(mistakes),
        weights=np.full((len(order), len(pool)), 1.0 / len(pool)),
        updates=np.full(len(pool), mistakes.sum(), dtype=np.int64),
    )


@njit(cache=True)
def _run(grams, labels, order):  # type: ignore[no-untyped-def]
    m = len(grams)
    mistakes = np.zeros(order.size, dtype=np.bool_)
    lanes = np.zeros((LANES, labels.size))
    mean_row = np.empty(labels.size)
    count = 0
    for t in range(order.size):
        i = order[t]
        if (score(lanes, i) >= 0.0) != (labels[i] > 0):
            mistakes[t] = True
            mean_row[:] = 0.0
            for k in range(m):
                row = grams[k][i]
                for j in range(row.size):
                    mean_row[j] += row[j]
            for j in range(mean_row.size):
                mean_row[j] /= m
            add_row(lanes, count, labels[i], mean_row)
            count += 1
    return mistakes
