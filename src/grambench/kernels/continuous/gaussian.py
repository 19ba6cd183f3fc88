"""Gaussian kernels: one bandwidth, or one a feature (CA, Section 3.1; Afkanpour et al. 2013).

    k_sigma(x, x') = exp(-sum_c (x_c - x'_c)^2 / sigma_c^2), without the 2 of `grambench.kernels.functions.gaussian`.

A single bandwidth reuses the distances; one a feature costs two matrix products more, and a few (n, n) arrays however
many features there are.
"""

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import squareform

from grambench.kernels.continuous import Objective
from grambench.kernels.grams import squared_distances

Floats = NDArray[np.float64]

POINTS_PER_DECADE = 5
BLOCK = 1 << 15  # entries that stay in a core's cache


class Family:
    """Gaussian kernels of some examples."""

    spacing: ClassVar[str] = "log"
    precision: ClassVar[float] = 1e-3  # changes an objective at its maximum by a millionth

    def __init__(self, left: Floats, right: Floats | None = None) -> None:
        centre = left.mean(axis=0)  # distances are differences of products, the smaller the better
        self.left = left - centre
        self.right = self.left if right is None else right - centre

    @cached_property
    def distances(self) -> Floats:
        """Squared distances, (n, t)."""
        return _distances(self.left, None if self.right is self.left else self.right)

    def gram(self, parameter: Floats) -> Floats:
        """Return K_sigma, (n, t), for one bandwidth (1,) or one a feature (d,)."""
        gram: Floats
        if len(parameter) == 1:
            gram = self.distances * (-1.0 / parameter[0] ** 2)
        else:
            right = None if self.right is self.left else self.right / parameter
            gram = _distances(self.left / parameter, right)
            np.negative(gram, out=gram)
        np.exp(gram, out=gram)
        return gram

    def objective(self, weights: Floats) -> Objective:
        """Return sigma -> (<W, K_sigma>_F, its gradient), for sigma of (1,) or (d,)."""
        pairs, trace = 2.0 * squareform(weights, checks=False), float(np.trace(weights))

        def evaluate(sigma: Floats) -> tuple[float, Floats]:
            if len(sigma) == 1:
                value, moment = _moments(self.pair_distances, pairs, -1.0 / sigma[0] ** 2)
                return trace + value, 2.0 * moment / sigma**3
            return self._by_feature(weights, sigma)

        return evaluate

    @cached_property
    def pair_distances(self) -> Floats:
        """Squared distances of the n(n - 1)/2 pairs of examples."""
        pairs: Floats = squareform(self.distances, checks=False)
        return pairs

    def _by_feature(self, weights: Floats, sigma: Floats) -> tuple[float, Floats]:
        """Use that sum_ij A_ij (x_ic - x_jc)^2 = 2 sum_i x_ic (x_ic sum_j A_ij - sum_j A_ij x_jc) for A = W * K."""
        weighted = self.gram(sigma)
        weighted *= weights
        sums = weighted.sum(axis=1)
        moments = 2.0 * (self.left * (self.left * sums[:, None] - weighted @ self.left)).sum(axis=0)
        return float(sums.sum()), 2.0 * moments / sigma**3

    def scan(self, low: float, high: float) -> Floats:
        """Return bandwidths in geometric sequence; the Gram matrices of neighbours differ by little."""
        return np.geomspace(low, high, 1 + int(np.ceil(POINTS_PER_DECADE * np.log10(high / low))))

    def by_rate(self, weights: Floats) -> Callable[[float], tuple[float, float]]:
        """Return the function s -> (<W, K_sigma>_F, its derivative) for s = 1/sigma^2, convex in s where W >= 0."""
        pairs, trace = 2.0 * squareform(weights, checks=False), float(np.trace(weights))

        def evaluate(rate: float) -> tuple[float, float]:
            value, moment = _moments(self.pair_distances, pairs, -rate)
            return trace + value, -moment

        return evaluate


def _distances(left: Floats, right: Floats | None) -> Floats:
    """Return squared distances, those of the examples with themselves where there are no others."""
    others = left if right is None else right
    distances = np.empty((len(left), len(others)))
    squared_distances(left @ others.T, np.square(left).sum(axis=1), np.square(others).sum(axis=1), distances)
    if right is None:
        np.fill_diagonal(distances, 0.0)
    return distances


def _moments(distances: Floats, pairs: Floats, rate: float) -> tuple[float, float]:
    """Return sum_p w_p exp(rate d_p) and sum_p w_p d_p exp(rate d_p), block by block."""
    value, moment = 0.0, 0.0
    block = np.empty(min(BLOCK, len(distances)))
    for start in range(0, len(distances), BLOCK):
        part = slice(start, min(start + BLOCK, len(distances)))
        entries = block[: part.stop - start]
        np.multiply(distances[part], rate, out=entries)
        np.exp(entries, out=entries)
        entries *= pairs[part]
        value += float(entries.sum())
        moment += float(entries @ distances[part])
    return value, moment
