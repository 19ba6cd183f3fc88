"""Norms and margins of multi-class classifiers that share coefficients among kernels (Orabona et al. 2010)."""

import numpy as np

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels


def margins(scores: Floats, labels: Labels) -> Floats:
    """Return the score of the correct class minus that of the best other class, (n,), from scores (n, C)."""
    examples = np.arange(len(labels))
    rivals = scores.copy()
    rivals[examples, labels] = -np.inf
    return np.asarray(scores[examples, labels] - rivals.max(axis=1))


@njit(cache=True)
def norm(squares, q):  # type: ignore[no-untyped-def]
    """Return ||theta||_{2,q} of the squared norms ||theta^k||^2, (m,)."""
    # Relative to the largest norm, since powers of an order such as q = 101 overflow.
    norms = np.sqrt(np.maximum(squares, 0.0))
    largest = norms.max()
    return largest * ((norms / largest) ** q).sum() ** (1.0 / q) if largest > 0.0 else 0.0


@njit(cache=True)
def shares(squares, q):  # type: ignore[no-untyped-def]
    """Return (||theta^k|| / ||theta||_{2,q})^(q-2), (m,); ones where theta is 0."""
    norms = np.sqrt(np.maximum(squares, 0.0))
    largest = norms.max()
    # Before the first step there is no direction; equal weights let all kernels take part in it.
    if largest == 0.0:
        return np.ones(norms.size)
    norms /= largest
    return (norms / (norms**q).sum() ** (1.0 / q)) ** (q - 2.0)
