"""Gaussian kernels: one bandwidth, or one a feature (CA, Section 3.1; Afkanpour et al. 2013).

    k_sigma(x, x') = exp(-sum_c (x_c - x'_c)^2 / sigma_c^2), without the 2 of `grambench.kernels.functions.gaussian`.

A single bandwidth reuses the distances; one a feature costs two more matrix products. Matrices (n, n) are processed
block by block, so that each block stays in a core's cache; symmetric ones by their upper half.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from grambench.common.types import Floats
from grambench.kernels.continuous import Objective
from grambench.kernels.grams import squared_distances

BLOCK_ENTRIES = 1 << 15  # entries of a block, which stay in a core's cache
# Half of the work on the diagonal of a symmetric matrix is lost, so its blocks have at least so many rows if they fit.
DIAGONAL_ROWS = 64
SQUARINGS = 8  # successive squarings of an exponential; each doubles its rounding error


class Family:
    """Gaussian kernels of some examples."""

    spacing: ClassVar[str] = "log"
    precision: ClassVar[float] = 1e-3  # an error of this size changes the maximum of an objective by a millionth

    def __init__(self, left: Floats, right: Floats | None = None) -> None:
        # Distances are differences of products, whose rounding errors are smallest for centred examples.
        centre = left.mean(axis=0)
        self.left = left - centre
        self.right = self.left if right is None else right - centre

    @cached_property
    def distances(self) -> Floats:
        """Squared distances, (n, t)."""
        norms = np.square(self.left).sum(axis=1)
        right_norms = norms if self.right is self.left else np.square(self.right).sum(axis=1)
        distances = np.empty((len(norms), len(right_norms)))
        squared_distances(self.left @ self.right.T, norms, right_norms, distances)
        if self.right is self.left:
            np.fill_diagonal(distances, 0.0)
        return distances

    @cached_property
    def squares(self) -> Floats:
        """Squares of the examples, (n, d)."""
        return np.asarray(np.square(self.left))

    @cached_property
    def pair_distances(self) -> Floats:
        """Squared distances of the n(n - 1)/2 pairs of examples."""
        return _off_diagonal(self.distances)

    def gram(self, parameter: Floats) -> Floats:
        """Return K_sigma, (n, t), for one bandwidth (1,) or one a feature (d,)."""
        return self.mixture(np.ones(1), [parameter])

    def mixture(self, weights: Floats, parameters: Sequence[Floats]) -> Floats:
        """Return sum_i weights_i K_sigma_i, (n, t), for bandwidths (1,) or (d,)."""
        mixture = np.empty((len(self.left), len(self.right)))
        exponents = [self._exponents(parameter) for parameter in parameters]
        for rows, columns in self._blocks():
            total = np.zeros(mixture[rows, columns].shape)
            for weight, exponent in zip(weights, exponents, strict=True):
                entries = exponent(rows, columns)
                if self.right is self.left:
                    np.fill_diagonal(entries, 0.0)
                np.exp(entries, out=entries)
                entries *= weight
                total += entries
            mixture[rows, columns] = total
            if self.right is self.left:
                corner = total[:, : len(total)]
                # Copying the upper half makes the matrix symmetric to the last bit.
                mixture[rows, rows] = np.triu(corner) + np.triu(corner, 1).T
                below = slice(rows.stop, None)
                mixture[below, rows] = mixture[rows, below].T
        return mixture

    def _blocks(self) -> Iterator[tuple[slice, slice]]:
        """Yield the rows and columns of each block, from the diagonal on if the matrix is symmetric."""
        n, symmetric = len(self.left), self.right is self.left
        size = max(1, BLOCK_ENTRIES // len(self.right))
        if symmetric:
            size = min(size, max(DIAGONAL_ROWS, n // 4))
        for start in range(0, n, size):
            yield slice(start, min(start + size, n)), slice(start if symmetric else 0, None)

    def _exponents(self, parameter: Floats) -> Callable[[slice, slice], Floats]:
        """Return the function (rows, columns) -> new block of -sum_c (x_c - x'_c)^2 / sigma_c^2."""
        if len(parameter) == 1:
            distances, rate = self.distances, -1.0 / parameter[0] ** 2
            return lambda rows, columns: np.multiply(distances[rows, columns], rate)
        left = self.left / parameter
        right = left if self.right is self.left else self.right / parameter
        row_norms = np.einsum("ic,ic->i", left, left)[:, None]
        column_norms = row_norms[:, 0] if right is left else np.einsum("ic,ic->i", right, right)
        doubled = 2.0 * left

        def block(rows: slice, columns: slice) -> Floats:
            entries: Floats = doubled[rows] @ right[columns].T
            entries -= row_norms[rows]
            entries -= column_norms[columns]
            return np.minimum(entries, 0.0, out=entries)

        return block

    def objective(self, weights: Floats) -> Objective:
        """Return the function sigma -> (<W, K_sigma>_F, its gradient), for sigma of (1,) or (d,)."""
        trace = _trace(weights)
        pairs = cache(lambda: _pairs(weights))
        above = cache(lambda: 2.0 * np.triu(weights if weights.ndim == 2 else np.outer(weights, weights), 1))

        def evaluate(sigma: Floats) -> tuple[float, Floats]:
            if len(sigma) == 1:
                value, moment = _moments(self.pair_distances, pairs(), -1.0 / sigma[0] ** 2, 1)
                return trace + value, 2.0 * moment / sigma**3
            value, moments = self._by_feature(above(), sigma)
            return trace + value, 2.0 * moments / sigma**3

        return evaluate

    def _by_feature(self, above: Floats, sigma: Floats) -> tuple[float, Floats]:
        """Return sum_ij A_ij and sum_ij A_ij (x_ic - x_jc)^2, (d,), for A = W * K above the diagonal.

        The second sum is computed as sum_i x_ic^2 (sum_j A_ij + sum_j A_ji) - 2 sum_i x_ic sum_j A_ij x_jc.
        """
        exponent, left = self._exponents(sigma), self.left
        sums, products = np.zeros(len(left)), np.empty(left.shape)
        for rows, columns in self._blocks():
            entries = exponent(rows, columns)
            np.exp(entries, out=entries)
            entries *= above[rows, columns]
            sums[rows] += entries.sum(axis=1)
            sums[columns] += entries.sum(axis=0)
            np.matmul(entries, left[columns], out=products[rows])
        return 0.5 * float(sums.sum()), sums @ self.squares - 2.0 * np.einsum("ic,ic->c", left, products)

    def values(self, weights: Floats, points: Floats) -> Floats:
        """Return <W, K_sigma>_F at sigmas (p,), which are ascending.

        If sigma^2 is half of the next one, the kernel is computed as the square of the next kernel.
        """
        distances, pairs, rates = self.pair_distances, _pairs(weights), -1.0 / np.square(points)
        values = np.full(len(points), _trace(weights))
        squared = np.append(np.isclose(rates[:-1], 2.0 * rates[1:], rtol=1e-13, atol=0.0), False)
        squared[:: -SQUARINGS - 1] = False
        block = np.empty(min(BLOCK_ENTRIES, len(distances)))
        for start in range(0, len(distances), BLOCK_ENTRIES):
            part = slice(start, min(start + BLOCK_ENTRIES, len(distances)))
            entries = block[: part.stop - start]
            for point in reversed(range(len(points))):
                if squared[point]:
                    np.square(entries, out=entries)
                else:
                    np.multiply(distances[part], rates[point], out=entries)
                    np.exp(entries, out=entries)
                values[point] += entries @ pairs[part]
        return values

    def scan(self, low: float, high: float) -> Floats:
        """Return bandwidths from which to the next sigma^2 doubles; the Gram matrices of neighbours differ little."""
        steps = int(np.ceil(2.0 * np.log2(high / low)))
        return np.asarray(np.maximum(high * np.sqrt(0.5) ** np.arange(steps, -1, -1), low))

    def by_rate(self, weights: Floats) -> Callable[[float], tuple[float, float, float]]:
        """Return the function s -> (<W, K_sigma>_F, its first two derivatives) of s = 1/sigma^2, convex if W >= 0."""
        pairs, distances, trace = _pairs(weights), self.pair_distances, _trace(weights)
        used = np.flatnonzero(pairs)
        if len(used) < len(pairs):
            pairs, distances = pairs[used], distances[used]

        def evaluate(rate: float) -> tuple[float, float, float]:
            value, moment, second = _moments(distances, pairs, -rate, 2)
            return trace + value, -moment, second

        return evaluate


def _pairs(weights: Floats) -> Floats:
    """Return 2 W_ij of the pairs i < j, for W or c of cc'."""
    matrix = weights if weights.ndim == 2 else np.outer(weights, weights)
    return 2.0 * _off_diagonal(matrix)


def _off_diagonal(matrix: Floats) -> Floats:
    """Return the entries above the diagonal, (n(n - 1)/2,)."""
    # imported late: it takes longer to import than a whole study to check
    from scipy.spatial.distance import squareform

    return np.asarray(squareform(matrix, checks=False))


def _trace(weights: Floats) -> float:
    """Return the trace of W, or of cc'."""
    return float(np.trace(weights)) if weights.ndim == 2 else float(weights @ weights)


def _moments(distances: Floats, pairs: Floats, rate: float, highest: int) -> Floats:
    """Return sum_p w_p d_p^k exp(rate d_p) for k = 0, 1, ..., highest, block by block."""
    moments = np.zeros(highest + 1)
    block = np.empty(min(BLOCK_ENTRIES, len(distances)))
    for start in range(0, len(distances), BLOCK_ENTRIES):
        part = slice(start, min(start + BLOCK_ENTRIES, len(distances)))
        entries = block[: part.stop - start]
        np.multiply(distances[part], rate, out=entries)
        np.exp(entries, out=entries)
        entries *= pairs[part]
        moments[0] += entries.sum()
        for k in range(1, highest):
            entries *= distances[part]
            moments[k] += entries.sum()
        moments[highest] += entries @ distances[part]
    return moments
