"""Perceptron(*): the kernel Perceptron with the best kernel of an online validation (OMKC, Section 5.1).

Each kernel's Perceptron runs over the first tenth of the examples; the one with the fewest mistakes then starts anew
over the whole order, whose every round is counted.

What the paper leaves out, as the published numbers need it: a tenth is 0.1 n rounded half up; the first kernel wins
ties; sign(0) = +1 and the order of summation as in `perceptron`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.scores import expert_pass
from grambench.algorithms.trace import OnlineTrace, check_input


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of Perceptron(*).

    Attributes
    ----------
    validation : float
        Share of the examples, from the start of the order, on which the kernel is chosen; in (0, 1].
    """

    validation: float = 0.1

    def __post_init__(self) -> None:
        if not 0.0 < self.validation <= 1.0:
            raise ValueError(f"validation must lie in (0, 1], got {self.validation}")


def fit(
    parameters: Parameters,
    grams: Sequence[NDArray[np.float64]],
    labels: NDArray[np.int8],
    *,
    order: NDArray[np.int32],
    rng: np.random.Generator,
) -> OnlineTrace:
    """Choose the kernel, then run one pass with it.

    Parameters
    ----------
    parameters : Parameters
        Share of the validation examples.
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
    head = order[: max(1, int(np.floor(parameters.validation * len(order) + 0.5)))]
    trials = [(expert_pass(gram, labels, head) != (labels[head] > 0)).sum() for gram in pool]
    best = int(np.argmin(trials))
    mistakes = expert_pass(pool[best], labels, order) != (labels[order] > 0)
    weights = np.zeros((len(order), len(pool)))
    weights[:, best] = 1.0
    updates = np.zeros(len(pool), dtype=np.int64)
    updates[best] = mistakes.sum()
    return OnlineTrace(mistakes=mistakes, support_vectors=np.cumsum(mistakes), weights=weights, updates=updates)
