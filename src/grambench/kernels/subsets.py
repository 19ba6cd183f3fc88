"""Gaussian kernels on subsets of the features, so many that their Gram matrices are never stored.

    k_sw(x, x') = exp(-||x - x'||_s^2 / (2 sigma_w^2 u_s)),   sigma_{w+1} = sigma_w / sqrt 2

The distance of subset s is over its features, and the unit u_s is its mean over all pairs of training examples. In a
grid of steps of sqrt 2 the next kernel is the last one squared. A pair of examples therefore needs one exponential for
all widths of a subset. `SubsetPool` computes two sums over all kernels, v'K_m v of each and sum_m theta_m K_m, in tiles
of pairs that fit the processor's first cache.

Compiled code works with e = 1 - k, since 1 - k^2 = e (2 - e). This has three reasons.

- Where sum v = 0, v'Kv = -sum_ij v_i v_j e_ij. For wide kernels, v_i v_j k_ij would cancel in 32 bits.
- A squaring never amplifies the relative error of e.
- Narrow kernels reach e = 1. Values of k would become denormal numbers, which take five times as long.

A circle of n examples gives each pair once: row r of the pairs has examples j and j + r + 1 (mod n). All rows have the
length n, which vectors of the processor fill better than the rows of a triangle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Annotated, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.common.parameters import POSITIVE, Checked, whole
from grambench.common.types import Floats, Indices
from grambench.kernels.pool import GramRows, LazyGrams, Pool, locked

Floats32 = NDArray[np.float32]

TILE = 1024  # pairs computed together
LANES = 64  # a tile is a multiple of it, so that its quarters have no remainder in a vector
FLUSHED = 16  # subsets whose kernels are summed in 32 bits before 64 bits
NEGLIGIBLE_WEIGHT = 1e-18  # a weight this small beside the largest is 0 in a mixture
CONSTANT = 1e-30  # mean squared distance, relative to the largest feature squared, of a subset that is constant
LARGEST_STACK = 4 * 2**30  # bytes of Gram matrices that an algorithm may ask for


@dataclass(frozen=True)
class FeatureSubsets(Checked):
    """Gaussian kernels on given subsets of the features; each subset has the same grid of widths.

    Parameters
    ----------
    subsets : sequence of sequences of int
        Column numbers of each subset, from 0.
    n_widths : int
        Number of widths, each the last one divided by sqrt 2.
    widest : float, optional
        First width, in units of the root mean squared distance of a subset. By default the grid is symmetric about 1.

    Raises
    ------
    ValueError
        If a parameter is not allowed, or a subset is empty or names a column that does not exist.

    Examples
    --------
    >>> FeatureSubsets([[0], [0, 2]], n_widths=3).widths()
    array([1.41421356, 1.        , 0.70710678])
    """

    subsets: Sequence[Sequence[int]]
    n_widths: Annotated[int, whole(1)] = 20
    widest: Annotated[float | None, POSITIVE] = None

    def widths(self) -> Floats:
        """Return the widths, (n_widths,), widest first."""
        widest = 2.0 ** ((self.n_widths - 1) / 4) if self.widest is None else self.widest
        return np.asarray(widest * 2.0 ** (-0.5 * np.arange(self.n_widths)))

    def select(self, n_features: int) -> list[Indices]:
        """Return the columns of each subset."""
        subsets = [np.asarray(subset) for subset in self.subsets]
        if not subsets:
            raise ValueError("subsets: expected at least one subset of features, got none")
        for subset in subsets:
            is_list = subset.ndim == 1 and subset.size > 0 and subset.dtype.kind in "iu"
            if not is_list or subset.min() < 0 or subset.max() >= n_features:
                raise ValueError(
                    f"subsets: expected lists of column numbers from 0 to {n_features - 1}, got {subset.tolist()}"
                )
            if len(np.unique(subset)) < len(subset):
                raise ValueError(f"subsets: expected distinct column numbers, got {subset.tolist()}")
        return subsets


@dataclass(frozen=True)
class RandomSubsets(Checked):
    """Gaussian kernels on random subsets of the features, all different; each has the same grid of widths.

    Parameters
    ----------
    n_subsets : int
        Number of subsets; with `n_widths` it gives the number of kernels.
    n_widths, widest
        See FeatureSubsets.
    size : int
        Number of features of each subset.
    seed : int
        Seed of the draw.

    Examples
    --------
    >>> RandomSubsets(n_subsets=3, size=2).select(3)
    [array([0, 1]), array([0, 2]), array([1, 2])]
    """

    n_subsets: Annotated[int, whole(1)] = 500
    n_widths: Annotated[int, whole(1)] = 20
    size: Annotated[int, whole(1)] = 3
    widest: Annotated[float | None, POSITIVE] = None
    seed: Annotated[int, whole(0)] = 0

    def widths(self) -> Floats:
        """Return the widths, (n_widths,), widest first."""
        return FeatureSubsets([], self.n_widths, self.widest).widths()

    def select(self, n_features: int) -> list[Indices]:
        """Return the columns of each subset, in ascending order."""
        if self.size > n_features:
            raise ValueError(f"size: expected at most {n_features}, the number of features, got {self.size}")
        available = comb(n_features, self.size)
        if self.n_subsets > available:
            raise ValueError(
                f"n_subsets: expected at most {available}, the subsets of {self.size} of {n_features} features, "
                f"got {self.n_subsets}"
            )
        rng = np.random.default_rng(self.seed)
        subsets = np.empty((0, self.size), dtype=np.int64)
        # Equal subsets are dropped and drawn again.
        while len(subsets) < self.n_subsets:
            keys = rng.random((self.n_subsets, n_features))
            drawn = np.sort(np.argpartition(keys, self.size - 1, axis=1)[:, : self.size], axis=1)
            subsets = np.unique(np.concatenate([subsets, drawn]), axis=0)
        return list(subsets[np.sort(rng.permutation(len(subsets))[: self.n_subsets])])


class Gaussians(NamedTuple):
    """The kernels for compiled code.

    Attributes
    ----------
    starts : ndarray of int64 (S + 1,)
        Subset s has the features from starts[s] to starts[s + 1].
    features : ndarray of int64
        Columns of all subsets, one after the other.
    rates : ndarray of float64 (S,)
        1 / (2 sigma^2 u) of each subset's widest kernel, in the pool's unit of length.
    """

    starts: NDArray[np.int64]
    features: NDArray[np.int64]
    rates: Floats


class SubsetPool(Pool):
    """A pool of Gaussian kernels on subsets of features, computed again for each sum over them.

    Kernel s W + w has subset s and width w. Sums have 32 bits and are off by about 1e-6 of the largest value. Single
    Gram matrices have 64 bits.

    Parameters
    ----------
    kernels : FeatureSubsets or RandomSubsets
        The kernels.
    train : ndarray of float64 (n, d)
        The training examples.
    test : ndarray of float64 (t, d), optional
        The t examples; by default the training examples.
    basis : SubsetPool, optional
        The pool of the training examples whose units and subsets this pool has; by default its own.

    Examples
    --------
    >>> import numpy as np
    >>> pool = SubsetPool(FeatureSubsets([[0], [0, 1]], n_widths=2), np.eye(3))
    >>> pool.shape
    (4, 3, 3)
    >>> pool.mixture(np.full(4, 0.25)).shape
    (3, 3)
    """

    stores_grams = False

    def __init__(
        self,
        kernels: FeatureSubsets | RandomSubsets,
        train: Floats,
        test: Floats | None = None,
        *,
        basis: "SubsetPool | None" = None,
    ) -> None:
        self.kernels, self.train, self.test = kernels, train, test
        if basis is None:
            self._bind()
        else:
            self.gaussians, self._centre, self._length = basis.gaussians, basis._centre, basis._length
        self.features = locked({"": train if test is None else test})

    def _bind(self) -> None:
        """Select the subsets and compute their units."""
        if not np.isfinite(self.train).all():
            raise ValueError("subsets of features: expected finite features, got NaN or infinite ones")
        subsets = self.kernels.select(self.train.shape[1])
        self._centre = self.train.mean(axis=0)
        # In units of the largest deviation, squared distances neither overflow nor vanish in 32 bits.
        deviations = self.train - self._centre
        self._length = float(np.abs(deviations).max(initial=0.0)) or 1.0
        n = len(self.train)
        spreads = 2.0 * np.square(deviations / self._length).sum(axis=0) / max(n - 1, 1)
        units = np.array([spreads[subset].sum() for subset in subsets])
        units[units <= CONSTANT] = 1.0
        self.gaussians = Gaussians(
            np.cumsum([0, *map(len, subsets)]).astype(np.int64),
            np.concatenate(subsets).astype(np.int64),
            0.5 / (self.kernels.widths()[0] ** 2 * units),
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        m = len(self.gaussians.rates) * self.kernels.n_widths
        return m, len(self.features[""]), len(self.train)

    @property
    def names(self) -> list[str]:
        """Names of the kernels: the columns of the subset, and the width in the subset's unit."""
        starts, features = self.gaussians.starts, self.gaussians.features.astype(str)
        subsets = ["+".join(features[first:stop]) for first, stop in zip(starts[:-1], starts[1:], strict=True)]
        return [f"gaussian_{subset}_width{width:.4g}" for subset in subsets for width in self.kernels.widths()]

    def quadratic_forms(self, vector: Floats) -> Floats:
        """Return v'K_m v of every kernel, (m,), reading only examples where v is not 0; for t = n only."""
        if self.test is not None:
            raise ValueError("quadratic forms: expected kernels among training examples, got kernels of test examples")
        support, size = np.flatnonzero(vector), float(np.abs(vector).max(initial=0.0))
        if not size > 0.0:
            return np.zeros(self.shape[0])
        v, columns = vector[support] / size, self._columns(self.train[support])
        forms = np.empty((len(self.gaussians.rates), self.kernels.n_widths))
        _write_forms(columns, _around(columns), _pair_weights(v), self.gaussians, forms)
        self.computed += forms.size * len(v) * (len(v) - 1) // 2
        # Forms are negative by rounding only.
        return np.asarray(size**2 * np.maximum(v.sum() ** 2 - forms.ravel(), 0.0))

    def mixture(self, weights: Floats) -> Floats:
        """Return sum_k weights_k K_k, (t, n), for weights that are not negative."""
        largest = float(weights.max(initial=0.0))
        if not largest > 0.0:
            return np.zeros(self.shape[1:])
        scaled = (weights / largest).reshape(len(self.gaussians.rates), -1)
        scaled[scaled < NEGLIGIBLE_WEIGHT] = 0.0
        columns, n = self._columns(self.train), len(self.train)
        others = _around(columns) if self.test is None else self._columns(self.test)
        rows = n // 2 if self.test is None else len(self.test)
        losses = _mix(columns, others, self.test is None, rows, scaled.astype(np.float32), self.gaussians)
        used = int(np.count_nonzero(scaled))
        self.computed += used * rows * n
        values = largest * (scaled.sum() - losses[:, : n * _rows_of_tile(n)].reshape(-1, n)[:rows])
        return values if self.test is not None else _symmetric(values, largest * float(scaled.sum()))

    def _columns(self, examples: Floats) -> Floats32:
        """Return the features of examples, (d, n), from the centre and in the unit of the training examples."""
        return np.ascontiguousarray(((examples - self._centre) / self._length).T, dtype=np.float32)

    def grams(self) -> LazyGrams:
        """Return m arrays (t, n), each computed when it is accessed and not kept."""
        return _Grams(self)

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training examples, (b, c)."""
        s, w = divmod(kernel, self.kernels.n_widths)
        starts, features, rates = self.gaussians
        subset = features[starts[s] : starts[s + 1]]
        left, right = ((array - self._centre) / self._length for array in (self.features[""][rows], self.train[columns]))
        distances = np.zeros((len(left), len(right)))
        for feature in subset:
            distances += np.square(left[:, feature, None] - right[None, :, feature])
        self.computed += distances.size
        return np.asarray(np.exp(-(rates[s] * 2.0**w) * distances))

    def diagonal(self) -> Floats:
        """Return the kernel values of the examples with themselves, (m, n), which are 1."""
        return np.ones(self.shape[:2])

    def along(self, order: Indices) -> GramRows:
        """Return the rows of the training examples for a pass, from Gram matrices."""
        self.refuse_stack()
        return super().along(order)

    def part(self, rows: Indices, columns: Indices) -> "SubsetPool":
        """Return the pool between some of the t examples and some of the training examples."""
        is_same = self.test is None and np.array_equal(rows, columns)
        test = None if is_same else self.features[""][rows]
        return SubsetPool(self.kernels, self.train[columns], test, basis=self)

    def refuse_stack(self) -> None:
        """Raise ValueError if all Gram matrices together are too large to be stored."""
        m, t, n = self.shape
        if 8 * m * t * n > LARGEST_STACK:
            raise ValueError(
                f"subsets of features: expected Gram matrices of at most {LARGEST_STACK / 2**30:g} GiB, got {m} of "
                f"{t} x {n}, {8 * m * t * n / 2**30:.3g} GiB; take lp_mkl, which stores none, or fewer kernels"
            )


class _Grams(LazyGrams):
    """Gram matrices of a pool that keeps none; all of them as one array only if they are not too large."""

    def __init__(self, pool: SubsetPool) -> None:
        m, t, n = pool.shape
        super().__init__(m, lambda k: pool.values(k, np.arange(t), np.arange(n)))
        self._pool = pool

    def stacked(self) -> Floats:
        """Return the matrices as one read-only array (m, t, n)."""
        self._pool.refuse_stack()
        return super().stacked()


def _rows_of_tile(n: int) -> int:
    """Return the rows of n pairs in a tile."""
    return max(1, TILE // n)


def _around(columns: Floats32) -> Floats32:
    """Return features (d, n) and again the first half of them, so that a row of pairs is one slice."""
    return np.ascontiguousarray(np.hstack([columns, columns[:, : columns.shape[1] // 2 + 1]]))


def _pair_weights(v: Floats) -> Floats32:
    """Return v_i v_j + v_j v_i of all pairs, tile by tile; 0 where a tile has no pair."""
    n = len(v)
    rows, per_tile = n // 2, _rows_of_tile(n)
    shifted = np.concatenate([v, v])
    pairs = np.zeros((-(-rows // per_tile) * per_tile, n))
    for row in range(rows):
        pairs[row] = 2.0 * v * shifted[row + 1 : row + 1 + n]
    # Opposite examples of an even circle meet twice.
    if n % 2 == 0:
        pairs[rows - 1] *= 0.5
    tiles = np.zeros((len(pairs) // per_tile, _length_of_tile(n)), dtype=np.float32)
    tiles[:, : per_tile * n] = pairs.reshape(len(tiles), per_tile * n)
    return tiles


def _length_of_tile(n: int) -> int:
    return -(-_rows_of_tile(n) * n // LANES) * LANES


def _symmetric(values: Floats, diagonal: float) -> Floats:
    """Return the matrix (n, n) of values of the rows of pairs and one value of the diagonal."""
    rows, n = values.shape
    first, matrix = np.arange(n), np.full((n, n), diagonal)
    for row in range(rows):
        second = (first + row + 1) % n
        matrix[first, second] = values[row]
        matrix[second, first] = values[row]
    return matrix


@njit(cache=True)
def _write_forms(columns, around, pair_weights, gaussians, forms):  # type: ignore[no-untyped-def]
    """Write the sums of v_i v_j e_ij over all i and j, (S, W)."""
    n, n_rows = columns.shape[1], columns.shape[1] // 2
    per_tile = max(1, TILE // n)
    tile = np.empty(pair_weights.shape[1], dtype=np.float32)
    sums = np.empty((forms.shape[1], tile.size // 4), dtype=np.float32)
    # Subsets are the outer loop, so that the lanes of a sum are added up once for each kernel.
    for s in range(forms.shape[0]):
        sums[:] = np.float32(0.0)
        for t in range(pair_weights.shape[0]):
            stop = min((t + 1) * per_tile, n_rows)
            _write_tile(columns, around, True, t * per_tile, stop, s, gaussians, tile)
            _add_forms(tile, pair_weights[t], sums)
        for w in range(forms.shape[1]):
            forms[s, w] = _total(sums[w])


@njit(cache=True)
def _mix(columns, others, is_symmetric, n_rows, weights, gaussians):  # type: ignore[no-untyped-def]
    """Return sum_k weights_k e of all pairs, tile by tile."""
    n = columns.shape[1]
    per_tile = max(1, TILE // n)
    n_tiles = (n_rows + per_tile - 1) // per_tile
    tile = np.empty((per_tile * n + LANES - 1) // LANES * LANES, dtype=np.float32)
    part, sums = np.zeros(tile.size, dtype=np.float32), np.zeros((n_tiles, tile.size))
    # Tiles are the outer loop, so that the sum stays in the processor's cache.
    for t in range(n_tiles):
        pending = 0
        for s in range(weights.shape[0]):
            if weights[s].any():
                stop = min((t + 1) * per_tile, n_rows)
                _write_tile(columns, others, is_symmetric, t * per_tile, stop, s, gaussians, tile)
                _add_mixture(tile, weights[s], part)
                pending += 1
            # A sum of 1e5 terms in 32 bits would be off by 1e-4.
            if pending == FLUSHED or s == weights.shape[0] - 1:
                sums[t] += part
                part[:] = np.float32(0.0)
                pending = 0
    return sums


@njit(cache=True)
def _write_tile(columns, others, is_symmetric, first, stop, s, gaussians, tile):  # type: ignore[no-untyped-def]
    """Write e of the widest kernel of subset s for some rows of pairs, 0 behind the last one."""
    n = columns.shape[1]
    tile[:] = np.float32(0.0)
    for row in range(first, stop):
        # Slices, since a sum as an index keeps the compiler from using vectors.
        distances = tile[(row - first) * n : (row - first + 1) * n]
        for f in gaussians.features[gaussians.starts[s] : gaussians.starts[s + 1]]:
            left = columns[f]
            if is_symmetric:
                right = others[f, row + 1 : row + 1 + n]
                for j in range(n):
                    distances[j] += (left[j] - right[j]) * (left[j] - right[j])
            else:
                value = others[f, row]
                for j in range(n):
                    distances[j] += (left[j] - value) * (left[j] - value)
    _exponentiate(tile, np.float32(gaussians.rates[s] / 64.0))


@njit(cache=True)
def _exponentiate(tile, rate):  # type: ignore[no-untyped-def]
    """Replace squared distances d by 1 - exp(-64 rate d), with a relative error of a few units in the last place."""
    one, two = np.float32(1.0), np.float32(2.0)
    for j in range(tile.size):
        # From 64 z = 24 on, the result is 1 in 32 bits. The C library's exponential would not be vectorised.
        z = min(tile[j] * rate, np.float32(0.375))
        e = np.float32(1 / 720) - z * np.float32(1 / 5040)
        e = np.float32(1 / 24) - z * (np.float32(1 / 120) - z * e)
        e = np.float32(1 / 2) - z * (np.float32(1 / 6) - z * e)
        e = z * (one - z * e)
        # Six squarings of exp(-z) give exp(-64 z).
        e = e * (two - e)
        e = e * (two - e)
        e = e * (two - e)
        e = e * (two - e)
        e = e * (two - e)
        tile[j] = e * (two - e)


@njit(cache=True)
def _add_forms(tile, pair_weights, sums):  # type: ignore[no-untyped-def]
    """Add pair_weights e of every width to its sums, (W, a quarter of a tile); the tile ends at the last width."""
    two, length = np.float32(2.0), tile.size // 4
    # One sum over all pairs would not be vectorised, as additions have an order. Four quarters share each access to
    # the sums.
    e0, e1, e2, e3 = tile[:length], tile[length : 2 * length], tile[2 * length : 3 * length], tile[3 * length :]
    v0, v1 = pair_weights[:length], pair_weights[length : 2 * length]
    v2, v3 = pair_weights[2 * length : 3 * length], pair_weights[3 * length :]
    for w in range(sums.shape[0]):
        lanes = sums[w]
        for j in range(length):
            a, b, c, d = e0[j], e1[j], e2[j], e3[j]
            lanes[j] += (v0[j] * a + v1[j] * b) + (v2[j] * c + v3[j] * d)
            e0[j], e1[j] = a * (two - a), b * (two - b)
            e2[j], e3[j] = c * (two - c), d * (two - d)


@njit(cache=True)
def _total(lanes):  # type: ignore[no-untyped-def]
    """Return the sum of an array, which is folded in halves in place."""
    length = lanes.size
    while length > 16:
        half = (length + 1) // 2
        low, high = lanes[: length - half], lanes[half:length]
        for j in range(low.size):
            low[j] += high[j]
        length = half
    total = 0.0
    for j in range(length):
        total += lanes[j]
    return total


@njit(cache=True)
def _add_mixture(tile, weights, sums):  # type: ignore[no-untyped-def]
    """Add weights_w e of every width to the sums, (a tile,); the tile ends at the last width."""
    two, in_fours = np.float32(2.0), weights.size - weights.size % 4
    # Four widths at a time, so that the tile and the sums are read and written less often.
    for w in range(0, in_fours, 4):
        w0, w1, w2, w3 = weights[w], weights[w + 1], weights[w + 2], weights[w + 3]
        for j in range(tile.size):
            a = tile[j]
            b = a * (two - a)
            c = b * (two - b)
            d = c * (two - c)
            sums[j] += (w0 * a + w1 * b) + (w2 * c + w3 * d)
            tile[j] = d * (two - d)
    for w in range(in_fours, weights.size):
        weight = weights[w]
        for j in range(tile.size):
            sums[j] += weight * tile[j]
            tile[j] = tile[j] * (two - tile[j])
