"""Euclidean projections onto the sets that kernel weights live in."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from grambench.common.types import Floats

Norm = Literal["l1", "l2", "none"]


def simplex(vector: Floats) -> Floats:
    """Return the nearest point of {theta >= 0, sum theta = 1} (Duchi et al. 2008, ICML, Figure 1).

    Parameters
    ----------
    vector : ndarray of float64 (m,)
        Finite.
    """
    # A shift changes no projection onto the simplex, and keeps the sums below from cancelling.
    shifted = vector - vector.max()
    descending = np.sort(shifted)[::-1]
    excess = (np.cumsum(descending) - 1.0) / np.arange(1, len(vector) + 1)
    largest_index = np.flatnonzero(descending > excess)[-1]
    return np.asarray(np.maximum(shifted - excess[largest_index], 0.0))


def sphere(vector: Floats) -> Floats:
    """Return the nearest point of {theta >= 0, ||theta||_2 = 1} (RKL, Gai et al. 2010, Section 5).

    If no entry is positive, the paper's recipe would divide by 0; the nearest point is then the axis of the largest.
    """
    largest = vector.max()
    if largest <= 0.0:
        axis: Floats = np.eye(len(vector))[int(np.argmax(vector))]
        return axis
    # Relative to the largest, squares neither overflow nor vanish.
    positive: Floats = np.maximum(vector, 0.0) / largest
    positive /= np.linalg.norm(positive)
    return positive


def orthant(vector: Floats) -> Floats:
    """Return the nearest point of {theta >= 0}."""
    return np.maximum(vector, 0.0)


PROJECTIONS: dict[Norm, Callable[[Floats], Floats]] = {"l1": simplex, "l2": sphere, "none": orthant}
