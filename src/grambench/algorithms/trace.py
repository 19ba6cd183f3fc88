"""What every online algorithm returns, and the input that every one of them accepts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineTrace:
    """One pass over T examples with m kernels, round by round.

    Attributes
    ----------
    mistakes : ndarray of bool (T,)
        Whether the prediction of the round was wrong.
    support_vectors : ndarray of int64 (T,)
        Support vectors of the combined classifier after the round, as the algorithm's paper counts them.
    weights : ndarray of float64 (T, m)
        Weight of each kernel after the round, summing to one.
    updates : ndarray of int64 (m,)
        Updates of each kernel's classifier in the whole pass.
    """

    mistakes: NDArray[np.bool_]
    support_vectors: NDArray[np.int64]
    weights: NDArray[np.float64]
    updates: NDArray[np.int64]


def check_input(
    grams: Sequence[NDArray[np.float64]], labels: NDArray[np.int8], order: NDArray[np.int32]
) -> tuple[NDArray[np.float64], ...]:
    """Check the arrays that a compiled loop is about to index, and return the Gram matrices as read-only views.

    Parameters
    ----------
    grams : sequence of m ndarrays of float64 (n, n)
        C-contiguous Gram matrices.
    labels : ndarray of int8 (n,)
        -1 or +1.
    order : ndarray of int32 (T,)
        Distinct indices below n, in the order of presentation.

    Returns
    -------
    tuple of m ndarrays of float64 (n, n)
        Read-only, so that every caller gets the same compiled code.

    Raises
    ------
    ValueError
        If a shape, a type or a value is wrong.
    """
    n = len(labels)
    if len(grams) == 0:
        raise ValueError("at least one Gram matrix is needed, got none")
    for index, gram in enumerate(grams):
        if gram.shape != (n, n) or gram.dtype != np.float64 or not gram.flags.c_contiguous:
            raise ValueError(
                f"Gram matrix {index}: expected contiguous float64 {(n, n)}, got {gram.dtype} {gram.shape}"
            )
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError(f"labels must be -1 or +1, got {np.unique(labels)[:5]}")
    if order.ndim != 1 or len(order) == 0 or order.min() < 0 or order.max() >= n or len(np.unique(order)) != len(order):
        raise ValueError(f"order must hold distinct indices of 0..{n - 1}, got {order}")
    views = tuple(gram.view() for gram in grams)
    for view in views:
        view.flags.writeable = False
    return views
