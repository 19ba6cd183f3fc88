"""Gaussian kernels: one bandwidth, or one a feature (CA, Section 3.1; Afkanpour et al. 2013).

    k_sigma(x, x') = exp(-sum_c (x_c - x'_c)^2 / sigma_c^2), without the 2 of `grambench.kernels.functions.gaussian`.

A single bandwidth reuses the distances; one a feature costs two more matrix products. Matrices (n, n) are processed
block by block, so that each block stays in a core's cache; symmetric ones by their upper half. For a single bandwidth,
only pairs of different examples are computed (`grambench.kernels.pair_sums`).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from typing import ClassVar

import numpy as np

from grambench.common.types import Floats
from grambench.kernels import pair_sums
from grambench.kernels.continuous import Objective, RateFunction
from grambench.kernels.grams import squared_distances

BLOCK_ENTRIES = 1 << 15  # entries of a block, which stay in a core's cache
# Half of the work on the diagonal of a symmetric matrix is lost, so its blocks have at least so many rows if they fit.
DIAGONAL_ROWS = 64
SQUARINGS = 8  # successive squarings of an exponential; each doubles its rounding error
SMALLEST = -600.0  # exponent from which on a kernel value counts as 0, as it is 1e-261


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
    def pair_distances(self) -> Floats:
        """Squared distances of the n(n - 1)/2 pairs of examples."""
        pairs = _squareform(self.distances)
        del self.distances  # of the same examples, single bandwidths need nothing else
        return pairs

    def gram(self, parameter: Floats) -> Floats:
        """Return K_sigma, (n, t), for one bandwidth (1,) or one a feature (d,)."""
        return self.mixture(np.ones(1), [parameter])

    def mixture(self, weights: Floats, parameters: Sequence[Floats]) -> Floats:
        """Return sum_i weights_i K_sigma_i, (n, t), for bandwidths (1,) or (d,)."""
        if self.right is self.left and all(len(parameter) == 1 for parameter in parameters):
            return self._mixture_of_pairs(weights, np.concatenate(parameters))
        mixture = np.empty((len(self.left), len(self.right)))
        exponents = [self._exponents(parameter) for parameter in parameters]
        for rows, columns in self._blocks():
            total = np.zeros(mixture[rows, columns].shape)
            for weight, exponent in zip(weights, exponents, strict=True):
                entries = exponent(rows, columns)
                _exponentiate(entries)
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

    def _mixture_of_pairs(self, weights: Floats, sigmas: Floats) -> Floats:
        """Return sum_i weights_i K_sigma_i, (n, n), for single bandwidths (r,)."""
        pairs, rates = np.zeros(len(self.pair_distances)), -1.0 / np.square(sigmas)
        for part, entries in _parts(self.pair_distances):
            for weight, rate in zip(weights, rates, strict=True):
                np.multiply(self.pair_distances[part], rate, out=entries)
                _exponentiate(entries)
                entries *= weight
                pairs[part] += entries
        mixture = _squareform(pairs)
        np.fill_diagonal(mixture, sum(weights.tolist()))  # in the order of the other entries
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
        by_feature = _Exponents(self.left, self.right)
        by_feature.scale(parameter)
        return by_feature.block

    def objective(self, weights: Floats) -> Objective:
        """Return the function sigma -> (<W, K_sigma>_F, its gradient), for sigma of (1,) or (d,)."""
        trace = _trace(weights)
        pairs = cache(lambda: _pair_weights(weights))
        sums = cache(lambda: _WeightedSums(self.left, list(self._blocks()), weights))

        def evaluate(sigma: Floats) -> tuple[float, Floats]:
            if len(sigma) == 1:
                value, moment = _moments(self.pair_distances, pairs(), -1.0 / sigma[0] ** 2, 1)
                return trace + value, 2.0 * moment / sigma**3
            value, moments = sums()(sigma)
            return trace + value, 2.0 * moments / sigma**3

        return evaluate

    def values(self, weights: Floats, points: Floats) -> Floats:
        """Return <W, K_sigma>_F at sigmas (p,), which are ascending.

        If sigma^2 is half of the next one, the kernel is computed as the square of the next kernel.
        """
        distances, pairs, rates = self.pair_distances, _pair_weights(weights), -1.0 / np.square(points)
        squared = np.append(np.isclose(rates[:-1], 2.0 * rates[1:], rtol=1e-13, atol=0.0), False)
        squared[:: -SQUARINGS - 1] = False
        # From each point whose kernel is an exponential down to the last point whose kernel is a square of it.
        firsts = np.flatnonzero(~squared)
        sums = [np.zeros((count, pair_sums.LANES)) for count in np.diff(firsts, prepend=-1)]
        for part, entries in _parts(distances):
            for first, powers in zip(firsts, sums, strict=True):
                np.multiply(distances[part], rates[first], out=entries)
                _exponentiate(entries)
                pair_sums.add_squarings(entries, pairs[part], powers)
        return _trace(weights) + np.concatenate([powers.sum(axis=1)[::-1] for powers in sums])

    def scan(self, low: float, high: float) -> Floats:
        """Return bandwidths from which to the next sigma^2 doubles; the Gram matrices of neighbours differ little."""
        steps = int(np.ceil(2.0 * np.log2(high / low)))
        return np.asarray(np.maximum(high * np.sqrt(0.5) ** np.arange(steps, -1, -1), low))

    def by_rate(self, coefficients: Floats) -> tuple[RateFunction, RateFunction]:
        """Return two functions of s = 1/sigma^2 whose difference is c'K_sigma c; see Continuous.by_rate."""
        pairs, distances = _pair_weights(coefficients), self.pair_distances
        positive, negative = pairs > 0.0, pairs < 0.0
        rising, falling = (pairs[positive], distances[positive]), (-pairs[negative], distances[negative])
        return partial(_by_rate, *rising, _trace(coefficients)), partial(_by_rate, *falling, 0.0)


class _Exponents:
    """-sum_c (x_c - x'_c)^2 / sigma_c^2 of examples x and x', in arrays that all bandwidths share.

    The exponent is one product: two more features of either side hold squared norms and ones.

    Parameters
    ----------
    left, right : ndarray of float64 (n, d) and (t, d)
        The examples; the same array if the matrix is symmetric.
    """

    def __init__(self, left: Floats, right: Floats) -> None:
        self.left, self.right = left, right
        self.rows = np.full((len(left), left.shape[1] + 2), -1.0)
        self.columns = np.ones((len(right), right.shape[1] + 2))

    def scale(self, sigma: Floats) -> None:
        """Take new bandwidths, (d,)."""
        scaled = self.left / sigma
        norms = np.einsum("ic,ic->i", scaled, scaled)
        np.multiply(scaled, 2.0, out=self.rows[:, :-2])
        np.negative(norms, out=self.rows[:, -2])
        if self.right is not self.left:
            scaled = self.right / sigma
            norms = np.einsum("ic,ic->i", scaled, scaled)
        self.columns[:, :-2], self.columns[:, -1] = scaled, norms

    def block(self, rows: slice, columns: slice, out: Floats | None = None) -> Floats:
        """Return a block, which starts at the diagonal if the matrix is symmetric."""
        entries: Floats = np.matmul(self.rows[rows], self.columns[columns].T, out=out)
        if self.right is self.left:
            np.fill_diagonal(entries, 0.0)
        # Those of equal examples may round above 0. Looking for one is faster than comparing and writing all entries.
        if entries.max() > 0.0:
            np.minimum(entries, 0.0, out=entries)
        return entries


class _WeightedSums:
    """Weighted sums of the kernel values of n examples for one bandwidth a feature, in arrays that all calls share.

    Parameters
    ----------
    examples : ndarray of float64 (n, d)
        The examples.
    blocks : list of pairs of slices
        Rows and columns of the blocks on and above the diagonal.
    weights : ndarray of float64 (n, n) or (n,)
        W, or c of cc'.
    """

    def __init__(self, examples: Floats, blocks: Sequence[tuple[slice, slice]], weights: Floats) -> None:
        n, d = examples.shape
        self.examples, self.squares, self.ones = examples, np.square(examples), np.ones(n)
        # A product with a feature that is 1 gives the sums of rows too.
        self.with_ones = np.column_stack([examples, self.ones])
        self.exponents = _Exponents(examples, examples)
        self.blocks, self.above = blocks, [_doubled_above(weights, *block) for block in blocks]
        self.entries = np.empty(max(above.size for above in self.above))
        self.products = np.empty((n, d + 1))

    def __call__(self, sigma: Floats) -> tuple[float, Floats]:
        """Return sum_ij A_ij and sum_ij A_ij (x_ic - x_jc)^2, (d,), for A = 2 W * K above the diagonal.

        The second sum is computed as sum_i x_ic^2 (sum_j A_ij + sum_j A_ji) - 2 sum_i x_ic sum_j A_ij x_jc.
        """
        self.exponents.scale(sigma)
        column_sums = np.zeros(len(self.examples))
        for (rows, columns), above in zip(self.blocks, self.above, strict=True):
            entries = self.exponents.block(rows, columns, self.entries[: above.size].reshape(above.shape))
            _exponentiate(entries)
            entries *= above
            column_sums[columns] += self.ones[rows] @ entries
            np.matmul(entries, self.with_ones[columns], out=self.products[rows])
        sums = self.products[:, -1] + column_sums
        moments = sums @ self.squares - 2.0 * np.einsum("ic,ic->c", self.examples, self.products[:, :-1])
        return float(column_sums.sum()), moments


def _doubled_above(weights: Floats, rows: slice, columns: slice) -> Floats:
    """Return a block of 2 W, of W or of cc', without the entries on and below the diagonal, where it starts."""
    block = weights[rows, columns] if weights.ndim == 2 else np.outer(weights[rows], weights[columns])
    return np.asarray(2.0 * np.triu(block, 1))


def _by_rate(pairs: Floats, distances: Floats, constant: float, rate: float) -> tuple[float, float, float]:
    value, moment, second = _moments(distances, pairs, -rate, 2)
    return constant + value, -moment, second


def _exponentiate(exponents: Floats) -> None:
    """Replace exponents, which are not positive, by their exponentials."""
    if exponents.min() >= SMALLEST:
        np.exp(exponents, out=exponents)
        return
    # NumPy's exponential takes 8 to 60 times as long where it underflows.
    np.maximum(exponents, SMALLEST, out=exponents)
    np.exp(exponents, out=exponents)
    exponents -= np.exp(SMALLEST)  # those become exactly 0


def _pair_weights(weights: Floats) -> Floats:
    """Return 2 W_ij of the pairs i < j, for W or c of cc'."""
    return 2.0 * _squareform(weights) if weights.ndim == 2 else np.asarray(pair_sums.products(weights))


def _squareform(values: Floats) -> Floats:
    """Return the entries above the diagonal of a symmetric matrix, or the matrix of these with a diagonal of 0."""
    # imported late: it takes longer to import than a whole study to check
    from scipy.spatial.distance import squareform

    return np.asarray(squareform(values, checks=False))


def _trace(weights: Floats) -> float:
    """Return the trace of W, or of cc'."""
    return float(np.trace(weights)) if weights.ndim == 2 else float(weights @ weights)


def _parts(pairs: Floats) -> Iterator[tuple[slice, Floats]]:
    """Yield parts of an array of pairs, each with a buffer of its length that is used again."""
    buffer = np.empty(min(BLOCK_ENTRIES, len(pairs)))
    for start in range(0, len(pairs), BLOCK_ENTRIES):
        stop = min(start + BLOCK_ENTRIES, len(pairs))
        yield slice(start, stop), buffer[: stop - start]


def _moments(distances: Floats, pairs: Floats, rate: float, highest: int) -> Floats:
    """Return sum_p w_p d_p^k exp(rate d_p) for k = 0, 1, ..., highest, block by block."""
    sums = np.zeros((highest + 1, pair_sums.LANES))
    for part, entries in _parts(distances):
        np.multiply(distances[part], rate, out=entries)
        _exponentiate(entries)
        pair_sums.add_moments(entries, pairs[part], distances[part], sums)
    return np.asarray(sums.sum(axis=1))
