"""Functions of pairs of rows, added over the features in one fixed order, and inner products in this order.

The terms of each QUAD of features are added, then the sums of the quads one after the other. The value of a pair of
rows therefore has the same bits in a symmetric matrix, between other examples or for a few pairs alone. BLAS adds in an
order that depends on shapes and threads. The innermost loop pairs one row with many, so that it vectorises.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats

Places = NDArray[np.intp]

QUAD = 4  # features whose terms are added first
PAIR_TILE = 128  # rows and columns of a tile
DEPTH = 8  # quads: so many features of a tile of columns, 32 KiB, stay in a core's first-level cache
ABREAST = 4  # pairs whose sums are added at a time; `totals` is written for four
SPARSE = 5  # a row is multiplied by its filled quads alone if these are fewer than one in SPARSE
READ = tuple(map(np.dtype, ("uint8", "uint16", "float32", "float64")))  # types that compiled code reads


class ScaledRows(NamedTuple):
    """Examples that are scaled when they are read, so that only the unscaled features are stored.

    Attributes
    ----------
    features : ndarray of uint8, uint16, float32 or float64 (n, d)
        Unscaled features, read-only.
    scales : ndarray of float64 (n,)
        The factor of each row.
    """

    features: NDArray[Any]
    scales: Floats

    def of(self, chosen: Places) -> "ScaledRows":
        """Return some of the examples, (b, d)."""
        return ScaledRows(self.features[chosen], self.scales[chosen])

    def take(self, chosen: Places) -> Floats:
        """Return some scaled rows, (b, D), padded with features of 0 to complete the last quad."""
        return np.asarray(_take(self.features, self.scales[chosen], chosen))

    def across(self, chosen: Places) -> Floats:
        """Return some scaled rows as columns, (D, b), padded with features of 0 to complete the last quad."""
        return np.ascontiguousarray(self.take(chosen).T)


class PairFunction(NamedTuple):
    """A function of pairs of rows, compiled for many rows and for one with the same bits.

    Attributes
    ----------
    tile : callable
        Padded rows (a, D) and padded columns (D, b) -> values (a, b).
    row : callable
        Features (n, d) and scales (n,) of the left examples, the index of one of them, features and scales of the right
        examples, and indices (b,) of some of these -> values (b,). For one row this is faster than packing the columns.
    """

    tile: Callable[[Floats, Floats], Floats]
    row: Callable[[NDArray[Any], Floats, int, NDArray[Any], Floats, Places], Floats]


def readable(features: Any) -> NDArray[Any]:
    """Return features (n, d), dense or sparse, in a form that compiled code reads, without a copy if possible."""
    dense = features if isinstance(features, np.ndarray) else features.toarray()
    dense = np.ascontiguousarray(dense, dtype=dense.dtype if dense.dtype in READ else np.float64).view()
    dense.flags.writeable = False
    return dense


def scaled(features: NDArray[Any], power: int) -> ScaledRows:
    """Return examples whose rows have sum 1 or Euclidean norm 1; a row of zeros stays zero.

    Parameters
    ----------
    features : ndarray (n, d)
        Features, not negative if power is 1.
    power : int
        1 for a sum of 1, 2 for a norm of 1.

    Raises
    ------
    ValueError
        If a feature is not finite.
    """
    features = readable(features)
    # Sums of whole numbers are exact below 2^53, in any order.
    sums = features.sum(axis=1, dtype=np.float64) if power == 1 else squares(features, np.ones(len(features)))
    norms = sums if power == 1 else np.sqrt(sums)
    if not np.isfinite(norms).all():
        raise ValueError(f"expected finite features, got others in row {np.flatnonzero(~np.isfinite(norms))[0]}")
    return ScaledRows(features, np.divide(1.0, norms, out=np.zeros(len(norms)), where=norms > 0.0))


def matrix(base: PairFunction, rows: ScaledRows, columns: ScaledRows | None = None) -> Floats:
    """Return the values of all pairs of rows and columns, (a, b); columns are the rows by default.

    Only the upper half of a symmetric matrix is computed.
    """
    other = rows if columns is None else columns
    values = np.empty((len(rows.scales), len(other.scales)))
    for right in _tiles(values.shape[1]):
        packed = other.across(np.arange(right.start, right.stop))
        for left in _tiles(right.stop if columns is None else len(values)):
            values[left, right] = tile = base.tile(rows.take(np.arange(left.start, left.stop)), packed)
            if columns is None:
                values[right, left] = tile.T
    return values


def some(base: PairFunction, left: ScaledRows, right: ScaledRows, rows: Places, columns: Places) -> Floats:
    """Return the values between b rows of the left and c rows of the right examples, (b, c)."""
    if len(rows) == 1:
        return base.row(*left, rows[0], *right, columns)[None]
    if max(len(rows), len(columns)) <= PAIR_TILE:
        return base.tile(left.take(rows), right.across(columns))
    return matrix(base, left.of(rows), right.of(columns))


def _tiles(n: int) -> Iterator[slice]:
    return (slice(start, min(start + PAIR_TILE, n)) for start in range(0, n, PAIR_TILE))


@njit(cache=True)
def _take(features: NDArray[Any], scales: Floats, chosen: Places) -> Floats:
    """Return some rows, each multiplied by its scale, (b, D)."""
    rows = np.empty((len(chosen), -(-features.shape[1] // QUAD) * QUAD))
    for k in range(len(chosen)):
        _write_padded(features[chosen[k]], scales[k], rows[k])
    return rows


@njit(cache=True)
def padded(features, scales, i):  # type: ignore[no-untyped-def]
    """Return scaled row i of features (n, d), (D,), padded with features of 0 to complete the last quad."""
    row = np.empty(-(-features.shape[1] // QUAD) * QUAD)
    _write_padded(features[i], scales[i], row)
    return row


@njit(cache=True)
def _write_padded(row, scale, out):  # type: ignore[no-untyped-def]
    for j in range(len(row)):
        out[j] = row[j] * scale
    out[len(row) :] = 0.0


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
def totals(quads: Floats, values: Floats) -> None:
    """Write the sums of the rows of quads (ABREAST, Q), each in its order, into values of at most ABREAST.

    An addition waits for the last one of its sum. Four sums at a time take a quarter of the time.
    """
    a = b = c = d = 0.0
    for q in range(quads.shape[1]):
        a += quads[0, q]
        b += quads[1, q]
        c += quads[2, q]
        d += quads[3, q]
    sums = (a, b, c, d)
    for k in range(len(values)):
        values[k] = sums[k]


@njit(cache=True)
def _filled(row: Floats) -> Places:
    """Return where the quads of a padded row begin that are not zero."""
    filled, count = np.empty(len(row) // QUAD, dtype=np.intp), 0
    for j in range(0, len(row), QUAD):
        if row[j] != 0.0 or row[j + 1] != 0.0 or row[j + 2] != 0.0 or row[j + 3] != 0.0:
            filled[count] = j
            count += 1
    return filled[:count]


@njit(cache=True)
def _row_products(left, left_scales, i, features, scales, columns):  # type: ignore[no-untyped-def]
    row = padded(left, left_scales, i)
    d, filled = features.shape[1], _filled(row)
    values, terms = np.zeros(len(columns)), np.zeros(len(row))
    # The features of others are not padded: a last quad of fewer features would be read past their end.
    if SPARSE * len(filled) < len(row) // QUAD and d % QUAD == 0:
        _products_of_few(row, features, scales, columns, filled, values)
        return values
    quads = np.zeros((ABREAST, len(row) // QUAD))
    for first in range(0, len(columns), ABREAST):
        part = columns[first : first + ABREAST]
        for k in range(len(part)):
            other, scale, out = features[part[k]], scales[part[k]], quads[k]
            # Features are scaled first, as `_take` scales them, so that a value has the bits of the matrix.
            for j in range(d):
                terms[j] = row[j] * (other[j] * scale)
            for q in range(len(out)):
                j = QUAD * q
                out[q] = (terms[j] + terms[j + 1]) + (terms[j + 2] + terms[j + 3])
        totals(quads, values[first : first + ABREAST])
    return values


@njit(cache=True)
def _products_of_few(row, features, scales, columns, filled, values):  # type: ignore[no-untyped-def]
    """Write what `_row_products` returns, from the quads of the row that are not zero and begin at `filled`."""
    quads = np.zeros((ABREAST, len(filled)))
    for first in range(0, len(columns), ABREAST):
        part = columns[first : first + ABREAST]
        for k in range(len(part)):
            other, scale, out = features[part[k]], scales[part[k]], quads[k]
            for q in range(len(filled)):
                j = filled[q]
                left = row[j] * (other[j] * scale) + row[j + 1] * (other[j + 1] * scale)
                out[q] = left + (row[j + 2] * (other[j + 2] * scale) + row[j + 3] * (other[j + 3] * scale))
        totals(quads, values[first : first + ABREAST])


PRODUCTS = PairFunction(_products, _row_products)


@njit(cache=True)
def squares(features: NDArray[Any], scales: Floats) -> Floats:
    """Return the squared norms of scaled rows, (n,), with the bits of `_products`, so that distances can be 0."""
    n, d = features.shape
    values, quads = np.zeros(n), np.zeros(-(-d // QUAD))
    terms = np.zeros(len(quads) * QUAD)
    for i in range(n):
        row, scale = features[i], scales[i]
        for j in range(d):
            x = row[j] * scale
            terms[j] = x * x
        # The sums of quads are a loop of their own, which vectorises; the sum over quads has a fixed order and does
        # not. A quad of zeros, which `_products` skips, changes no bit.
        for q in range(len(quads)):
            j = QUAD * q
            quads[q] = (terms[j] + terms[j + 1]) + (terms[j + 2] + terms[j + 3])
        for quad in quads:
            values[i] += quad
    return values


@njit(cache=True)
def total(features: NDArray[Any], scales: Floats) -> Floats:
    """Return the sum of scaled rows (n, d), (d,)."""
    values = np.zeros(features.shape[1])
    for i in range(len(features)):
        row, scale = features[i], scales[i]
        for j in range(len(values)):
            values[j] += row[j] * scale
    return values
