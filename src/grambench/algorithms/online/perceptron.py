"""Perceptron: the kernel Perceptron with one fixed kernel (Rosenblatt 1958; the baseline of OMKC, Section 5.1).

The published numbers need the linear kernel, which is the first of the pool.

Deviation from the pseudo-code of OMKC's Algorithm 1, line 8, which counts y f(x) <= 0 as a mistake: the published
numbers need sign(0) = +1, so that a score of exactly 0 is a mistake on a negative example only. They also need the
order of summation in `grambench.algorithms.scores`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.scores import expert_pass
from grambench.algorithms.trace import OnlineTrace, check_input


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of the Perceptron.

    Attributes
    ----------
    kernel : int
        Index of its kernel in the pool; 0 is the linear kernel of OMKC's pool.
    """

    kernel: int = 0

    def __post_init__(self) -> None:
        if self.kernel < 0:
            raise ValueError(f"kernel must be an index of at least 0, got {self.kernel}")


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
        The kernel's index.
    grams : sequence of m ndarrays of float64 (n, n)
        Gram matrices of the pool; only one is read.
    labels : ndarray of int8 (n,)
        -1 or +1.
    order : ndarray of int32 (T,)
        The examples in the order of presentation.
    rng : Generator
        Not used.

    Raises
    ------
    ValueError
        If the pool has no kernel of that index, or an array is malformed.
    """
    pool = check_input(grams, labels, order)
    if parameters.kernel >= len(pool):
        raise ValueError(f"kernel must be below the number of kernels {len(pool)}, got {parameters.kernel}")
    mistakes = expert_pass(pool[parameters.kernel], labels, order) != (labels[order] > 0)
    weights = np.zeros((len(order), len(pool)))
    weights[:, parameters.kernel] = 1.0
    updates = np.zeros(len(pool), dtype=np.int64)
    updates[parameters.kernel] = mistakes.sum()
    return OnlineTrace(mistakes=mistakes, support_vectors=np.cumsum(mistakes), weights=weights, updates=updates)
