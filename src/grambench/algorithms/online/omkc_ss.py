"""OMKC(S,S): stochastic updating, stochastic combination (Hoi et al. 2013, Algorithm 4).

Deviations from the printed algorithm: sign(0) = +1 for each kernel and for the vote, so that a round that draws no
kernel predicts +1, and the order of summation of `grambench.algorithms.scores`, as in `omkc_dd`. The support vectors
after a round are those of the kernels drawn in that round.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.hedge import discount, normalise, selection
from grambench.algorithms.scores import LANES, add_row, score, vote
from grambench.algorithms.trace import OnlineTrace, check_input


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of OMKC(S,S).

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
    """Run one pass.

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
    mistakes, support_vectors, weights, updates = _run(pool, labels, order, parameters.beta, parameters.delta, uniforms)
    return OnlineTrace(mistakes=mistakes, support_vectors=support_vectors, weights=weights, updates=updates)


@njit(cache=True)
def _run(grams, labels, order, beta, delta, uniforms):  # type: ignore[no-untyped-def]
    m = len(grams)
    rounds = order.size
    mistakes = np.zeros(rounds, dtype=np.bool_)
    support_vectors = np.zeros(rounds, dtype=np.int64)
    weights = np.zeros((rounds, m))
    updates = np.zeros(m, dtype=np.int64)
    lanes = np.zeros((m, LANES, labels.size))  # partial scores of every example, kernel by kernel
    positive = np.empty(m, dtype=np.bool_)
    w = np.ones(m)
    for t in range(rounds):
        i = order[t]
        q, p = selection(w, delta)  # lines 3 and 4
        drawn = uniforms[t] < p  # lines 5 to 7
        for k in range(m):
            positive[k] = score(lanes[k], i) >= 0.0
        mistakes[t] = (vote(q * drawn, positive) >= 0.0) != (labels[i] > 0)  # line 9
        wrong = drawn & (positive != (labels[i] > 0))
        discount(w, wrong, beta)  # lines 12 to 14
        for k in range(m):
            if wrong[k]:
                add_row(lanes[k], updates[k], labels[i], grams[k][i])
                updates[k] += 1
        normalise(w, weights[t])
        support_vectors[t] = (updates * drawn).sum()
    return mistakes, support_vectors, weights, updates
