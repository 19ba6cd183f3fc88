"""OMKC(D,D): deterministic updating, deterministic combination (Hoi et al. 2013, Algorithm 1).

Deviations from the printed algorithm: it counts y f_i(x) <= 0 as a mistake of kernel i (line 8); the published numbers
need sign(0) = +1, for each kernel and for the weighted vote. It divides by W_t = sum_i w_i^t of the old weights
(line 12); the normalised weights here sum to one. It allows beta in (0, 1); Figure 4 goes up to 1, and so does this.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.sampling import rescale
from grambench.algorithms.trace import OnlineTrace, check_input


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of OMKC(D,D).

    Attributes
    ----------
    beta : float
        Discount of a kernel's weight at each of its mistakes, in (0, 1].
    """

    beta: float = 0.8

    def __post_init__(self) -> None:
        if not 0.0 < self.beta <= 1.0:
            raise ValueError(f"beta must lie in (0, 1], got {self.beta}")


def fit(
    parameters: Parameters,
    grams: Sequence[NDArray[np.float64]],
    labels: NDArray[np.int8],
    *,
    order: NDArray[np.int32],
    rng: np.random.Generator,
) -> OnlineTrace:
    """Run one pass; support vectors are counted over all kernels.

    Parameters
    ----------
    parameters : Parameters
        The discount beta.
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
    mistakes, support_vectors, weights, updates = _run(pool, labels, order, parameters.beta)
    return OnlineTrace(mistakes=mistakes, support_vectors=support_vectors, weights=weights, updates=updates)


@njit(cache=True)
def _run(grams, labels, order, beta):  # type: ignore[no-untyped-def]
    m = len(grams)
    rounds = order.size
    mistakes = np.zeros(rounds, dtype=np.bool_)
    support_vectors = np.zeros(rounds, dtype=np.int64)
    weights = np.zeros((rounds, m))
    updates = np.zeros(m, dtype=np.int64)
    scores = np.zeros((m, labels.size))  # f_k(x_j), kernel by kernel
    w = np.full(m, 1.0 / m)
    for t in range(rounds):
        i = order[t]
        y = labels[i]
        vote = 0.0
        total = w.sum()
        for k in range(m):  # line 5
            theta = w[k] / total
            vote += theta if scores[k, i] >= 0.0 else -theta
        mistakes[t] = (vote >= 0.0) != (y > 0)
        for k in range(m):  # lines 7 to 11
            if (scores[k, i] >= 0.0) != (y > 0):
                w[k] *= beta
                updates[k] += 1
                row = grams[k][i]
                score = scores[k]
                for j in range(score.size):
                    score[j] += y * row[j]
        rescale(w)
        weights[t] = w / w.sum()
        support_vectors[t] = updates.sum()
    return mistakes, support_vectors, weights, updates
