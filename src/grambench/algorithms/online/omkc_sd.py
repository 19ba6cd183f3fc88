"""OMKC(S,D): stochastic updating, deterministic combination (Hoi et al. 2013, Algorithm 3).

Deviations from the printed algorithm: sign(0) = +1 for each kernel and for the vote, as in `omkc_dd`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.sampling import rescale, selection_probability
from grambench.algorithms.trace import OnlineTrace, check_input


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of OMKC(S,D).

    Attributes
    ----------
    beta : float
        Discount of a kernel's weight at each of its mistakes in a round that drew it, in (0, 1].
    delta : float
        Smoothing of the sampling probabilities, in (0, 1).
    """

    beta: float = 0.8
    delta: float = 0.01

    def __post_init__(self) -> None:
        if not 0.0 < self.beta <= 1.0:
            raise ValueError(f"beta must lie in (0, 1], got {self.beta}")
        if not 0.0 < self.delta < 1.0:
            raise ValueError(f"delta must lie in (0, 1), got {self.delta}")


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
        The discount beta and the smoothing delta.
    grams : sequence of m ndarrays of float64 (n, n)
        Gram matrices of the pool.
    labels : ndarray of int8 (n,)
        -1 or +1.
    order : ndarray of int32 (T,)
        The examples in the order of presentation.
    rng : Generator
        Draws the kernels of each round.

    Raises
    ------
    ValueError
        If an array is malformed.
    """
    pool = check_input(grams, labels, order)
    uniforms = rng.random((len(order), len(pool)))
    mistakes, support_vectors, weights, updates = _run(
        pool, labels, order, parameters.beta, parameters.delta, uniforms
    )
    return OnlineTrace(mistakes=mistakes, support_vectors=support_vectors, weights=weights, updates=updates)


@njit(cache=True)
def _run(grams, labels, order, beta, delta, uniforms):  # type: ignore[no-untyped-def]
    m = len(grams)
    rounds = order.size
    mistakes = np.zeros(rounds, dtype=np.bool_)
    support_vectors = np.zeros(rounds, dtype=np.int64)
    weights = np.zeros((rounds, m))
    updates = np.zeros(m, dtype=np.int64)
    scores = np.zeros((m, labels.size))  # f_k(x_j), kernel by kernel
    w = np.ones(m)
    for t in range(rounds):
        i = order[t]
        y = labels[i]
        q, p = selection_probability(w, delta)  # lines 3 and 7
        vote = 0.0
        for k in range(m):  # line 5
            vote += q[k] if scores[k, i] >= 0.0 else -q[k]
        mistakes[t] = (vote >= 0.0) != (y > 0)
        for k in range(m):  # lines 8 to 13
            if uniforms[t, k] < p[k] and (scores[k, i] >= 0.0) != (y > 0):
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
