"""Norms and margins of multi-class classifiers that share coefficients among kernels (Orabona et al. 2010)."""

import numpy as np

from grambench.common.lazy_numba import largest, njit
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
    top, total = largest(squares), 0.0
    if not top > 0.0:
        return 0.0
    for square in squares:
        total += (np.sqrt(square if square > 0.0 else 0.0) / np.sqrt(top)) ** q
    return np.sqrt(top) * total ** (1.0 / q)


@njit(cache=True)
def shares(squares, q):  # type: ignore[no-untyped-def]
    """Return (||theta^k|| / ||theta||_{2,q})^(q-2), (m,); ones where theta is 0."""
    top, total, norms = largest(squares), 0.0, np.empty(squares.size)
    for k in range(squares.size):
        # Before the first step there is no direction; equal weights let all kernels take part in it.
        norms[k] = 1.0 if top <= 0.0 else np.sqrt(squares[k] if squares[k] > 0.0 else 0.0) / np.sqrt(top)
        total += norms[k] ** q
    for k in range(squares.size):
        norms[k] = 1.0 if top <= 0.0 else (norms[k] / total ** (1.0 / q)) ** (q - 2.0)
    return norms
