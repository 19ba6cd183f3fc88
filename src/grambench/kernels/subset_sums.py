"""Sums over Gaussian kernels on subsets of the features, in tiles of pairs of examples that fit the first cache.

The widths of a subset are in steps of sqrt 2, so that the next kernel is the last one squared and a pair needs one
exponential for all of them. Sums are over e = 1 - k, whose square is e (2 - e), for three reasons.

- Where sum v = 0, v'Kv = -sum_ij v_i v_j e_ij. For wide kernels, the sum of v_i v_j k_ij would cancel in 32 bits.
- A squaring never amplifies the relative error of e.
- Narrow kernels reach e = 1. Values of k would become denormal numbers, which take five times as long.

A circle of n examples has each pair once: row r has examples j and j + r + 1 (mod n). All rows have the length n, which
vectors of the processor fill better than the rows of a triangle.

Distances are sums over the features of a subset. For 3 of 60 features, a product of the subsets' indicators with all
squared differences takes twice as long as these sums and the exponentials together. It would be faster from about a
quarter of all features on (`benchmarks/many_kernels.py`), where the widths still take most of the time.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats

Floats32 = NDArray[np.float32]

TILE = 1024  # pairs computed together
LANES = 64  # a tile is a multiple of it, so that its quarters fill vectors
PENDING = 16  # subsets whose kernels are summed in 32 bits before 64 bits


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


def forms(columns: Floats32, v: Floats, gaussians: Gaussians, n_widths: int) -> Floats:
    """Return sum_ij v_i v_j e_ij of every kernel, (S, W), for features (d, n) and coefficients (n,)."""
    sums = np.empty((len(gaussians.rates), n_widths))
    _write_forms(columns, _around(columns), _pair_weights(v), gaussians, sums)
    return sums


def mixture(columns: Floats32, others: Floats32 | None, weights: Floats32, gaussians: Gaussians) -> Floats:
    """Return sum_k weights_k e between examples (d, n) and others (d, t).

    Parameters
    ----------
    columns : ndarray of float32 (d, n)
        Features of the examples.
    others : ndarray of float32 (d, t) or None
        Features of the others; None for the examples themselves.
    weights : ndarray of float32 (S, W)
        Weights of the kernels.
    gaussians : Gaussians
        The kernels.

    Returns
    -------
    ndarray of float64
        (t, n), or for examples among themselves (n // 2, n): row r has examples j and j + r + 1 (mod n).
    """
    n, is_symmetric = columns.shape[1], others is None
    others = _around(columns) if others is None else others
    n_rows = n // 2 if is_symmetric else others.shape[1]
    tiles = _mix(columns, others, is_symmetric, n_rows, weights, gaussians)
    return np.asarray(tiles[:, : n * _rows_of_tile(n)].reshape(-1, n)[:n_rows])


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
            if pending == PENDING or s == weights.shape[0] - 1:
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
