"""A number for every pair of rows, added over the features in one fixed order; here their inner products.

What a QUAD of features gives is added up, and the sums of quads one after the other. So the number of a pair of rows
has the same bits in a symmetric matrix, between other examples or for a few pairs alone; BLAS adds in an order that
depends on shapes and threads. The innermost loop runs over the pairs of one row with many, and vectorises as it is.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.common.types import Floats

Places = NDArray[np.intp]

QUAD = 4  # features
TILE = 128  # rows of either side of a tile
DEPTH = 8  # quads: so many features of a tile of columns, 32 KiB, stay in a core's first-level cache
READ = tuple(map(np.dtype, ("uint8", "uint16", "float32", "float64")))  # what compiled code is made for


class Examples(NamedTuple):
    """Examples that are scaled when they are read, so that features are kept once, as they were counted.

    Attributes
    ----------
    features : ndarray of uint8, uint16, float32 or float64 (n, d)
        Read-only.
    scales : ndarray of float64 (n,)
        What each row is multiplied by.
    """

    features: NDArray[Any]
    scales: Floats

    def of(self, chosen: Places) -> "Examples":
        """Return some of them, (b, d)."""
        return Examples(self.features[chosen], self.scales[chosen])

    def take(self, chosen: Places) -> Floats:
        """Return some rows, scaled, with features of 0 that fill the last quad, (b, D)."""
        taken: Floats = _take(self.features, self.scales[chosen], chosen)
        return taken

    def across(self, chosen: Places) -> Floats:
        """Return the same as columns, (D, b)."""
        taken: Floats = _across(self.features, self.scales[chosen], chosen)
        return taken


class Base(NamedTuple):
    """A number for pairs of rows, compiled for many and for few, with the same bits.

    Attributes
    ----------
    tile : callable
        Rows (a, D) and columns (D, b) -> (a, b) numbers, both with features of 0 that fill the last quad.
    row : callable
        A row (D,) like that, features (n, d), scales (n,) and the places of others (b,) -> (b,) numbers: a few columns
        are read as quickly as they are packed.
    """

    tile: Callable[[Floats, Floats], Floats]
    row: Callable[[Floats, NDArray[Any], Floats, Places], Floats]


def readable(features: Any) -> NDArray[Any]:
    """Return features (n, d), dense or sparse, as compiled code reads them: as they are wherever that can be."""
    dense = features if isinstance(features, np.ndarray) else features.toarray()
    dense = np.ascontiguousarray(dense, dtype=dense.dtype if dense.dtype in READ else np.float64).view()
    dense.flags.writeable = False
    return dense


def scaled(features: NDArray[Any], power: int) -> Examples:
    """Return examples whose rows have the sum 1, or Euclid's norm 1; a row of zeros stays one.

    Parameters
    ----------
    features : ndarray (n, d)
        None of them negative where their sum is scaled.
    power : int
        1 or 2.

    Raises
    ------
    ValueError
        If a feature is not finite.
    """
    features = readable(features)
    if features.dtype.kind == "u":
        sums = _sums_of_counts(features, power)
    else:
        sums = features.sum(axis=1, dtype=np.float64) if power == 1 else squares(features, np.ones(len(features)))
    norms = sums if power == 1 else np.sqrt(sums)
    if not np.isfinite(norms).all():
        raise ValueError(f"expected finite features, got others in row {np.flatnonzero(~np.isfinite(norms))[0]}")
    return Examples(features, np.divide(1.0, norms, out=np.zeros(len(norms)), where=norms > 0.0))


def matrix(base: Base, rows: Examples, columns: Examples | None = None) -> Floats:
    """Return the numbers of all pairs of rows and columns, (a, b); of rows with themselves where there are no columns.

    Of a symmetric matrix the upper half is computed, and copied.
    """
    other = rows if columns is None else columns
    values = np.empty((len(rows.scales), len(other.scales)))
    for right in _tiles(values.shape[1]):
        packed = other.across(np.arange(right.start, right.stop))
        for left in _tiles(right.stop if columns is None else len(values)):
            values[left, right] = numbers = base.tile(rows.take(np.arange(left.start, left.stop)), packed)
            if columns is None:
                values[right, left] = numbers.T
    return values


def some(base: Base, rows: Examples, columns: Examples, chosen: Places, others: Places) -> Floats:
    """Return the numbers of b chosen rows and c other columns, (b, c)."""
    if len(chosen) == 1 and len(others) <= TILE:
        return base.row(rows.take(chosen)[0], *columns, others)[None]
    if max(len(chosen), len(others)) <= TILE:
        return base.tile(rows.take(chosen), columns.across(others))
    return matrix(base, rows.of(chosen), columns.of(others))


def _tiles(n: int) -> Iterator[slice]:
    return (slice(start, min(start + TILE, n)) for start in range(0, n, TILE))


@njit(cache=True)
def _take(features: NDArray[Any], scales: Floats, chosen: Places) -> Floats:
    """Return chosen rows (b,), each multiplied by its scale (b,), (b, D)."""
    d = features.shape[1]
    rows = np.zeros((len(chosen), -(-d // QUAD) * QUAD))
    for k in range(len(chosen)):
        row, scale = features[chosen[k]], scales[k]
        for j in range(d):
            rows[k, j] = row[j] * scale
    return rows


@njit(cache=True)
def _across(features: NDArray[Any], scales: Floats, chosen: Places) -> Floats:
    d = features.shape[1]
    columns = np.zeros((-(-d // QUAD) * QUAD, len(chosen)))
    # A few features at a time, or the same lines of cache would be written to b times.
    for first in range(0, d, DEPTH * QUAD):
        for k in range(len(chosen)):
            row, scale = features[chosen[k]], scales[k]
            for j in range(first, min(first + DEPTH * QUAD, d)):
                columns[j, k] = row[j] * scale
    return columns


@njit(cache=True)
def _products(rows: Floats, columns: Floats) -> Floats:
    """Return the inner products of rows (a, D) and columns (D, b), (a, b)."""
    d, b = columns.shape
    values = np.zeros((len(rows), b))
    for first in range(0, d, DEPTH * QUAD):
        for i in range(len(rows)):
            out = values[i]
            for j in range(first, min(first + DEPTH * QUAD, d), QUAD):
                x0, x1, x2, x3 = rows[i, j], rows[i, j + 1], rows[i, j + 2], rows[i, j + 3]
                # Histograms are mostly zeros. Leaving out a sum of zeros changes no bit.
                if x0 == 0.0 and x1 == 0.0 and x2 == 0.0 and x3 == 0.0:
                    continue
                y0, y1, y2, y3 = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
                for k in range(b):
                    out[k] += (x0 * y0[k] + x1 * y1[k]) + (x2 * y2[k] + x3 * y3[k])
    return values


@njit(cache=True)
def _total(terms: Floats, quads: Floats) -> float:
    """Return the sum of terms (D,), quad by quad; quads (D / QUAD,) is overwritten.

    Terms, quads and their sum are loops of their own, so that all but the last, which has to go one by one, vectorise.
    A quad of zeros, left out of tiles, changes nothing.
    """
    for q in range(len(quads)):
        j = QUAD * q
        quads[q] = (terms[j] + terms[j + 1]) + (terms[j + 2] + terms[j + 3])
    total = 0.0
    for quad in quads:
        total += quad
    return total


@njit(cache=True)
def _row_products(row: Floats, features: NDArray[Any], scales: Floats, others: Places) -> Floats:
    d = features.shape[1]
    values, terms = np.zeros(len(others)), np.zeros(len(row))
    quads = np.zeros(len(row) // QUAD)
    for k in range(len(others)):
        other, scale = features[others[k]], scales[others[k]]
        # Features are scaled first, as `_across` scales them, so that a value has the bits of the matrix.
        for j in range(d):
            terms[j] = row[j] * (other[j] * scale)
        values[k] = _total(terms, quads)
    return values


PRODUCTS = Base(_products, _row_products)


@njit(cache=True)
def squares(features: NDArray[Any], scales: Floats) -> Floats:
    """Return the inner products of scaled rows (n, d) with themselves, (n,), so that equal rows are at a distance 0."""
    n, d = features.shape
    values, quads = np.zeros(n), np.zeros(-(-d // QUAD))
    terms = np.zeros(len(quads) * QUAD)
    for i in range(n):
        row, scale = features[i], scales[i]
        for j in range(d):
            x = row[j] * scale
            terms[j] = x * x
        values[i] = _total(terms, quads)
    return values


@njit(cache=True)
def _sums_of_counts(counts: NDArray[Any], power: int) -> Floats:
    """Return the sums of rows of counts (n, d) to the power 1 or 2, (n,), which are exact in whatever order."""
    n, d = counts.shape
    sums = np.zeros(n)
    for i in range(n):
        row, total = counts[i], np.uint64(0)
        for j in range(d):
            count = np.uint64(row[j])
            total += count if power == 1 else count * count
        sums[i] = total
    return sums


@njit(cache=True)
def total(features: NDArray[Any], scales: Floats) -> Floats:
    """Return the sum of scaled rows (n, d), (d,)."""
    values = np.zeros(features.shape[1])
    for i in range(len(features)):
        row, scale = features[i], scales[i]
        for j in range(len(values)):
            values[j] += row[j] * scale
    return values
