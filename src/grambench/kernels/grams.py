"""Gram matrices from shared inner products.

The matrix <x, x'> of a data set is computed once. The Gram matrix of each kernel is an element-wise function of it
(`grambench.kernels.functions`).
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from grambench.common.types import Floats
from grambench.kernels.functions import Kernel

GRAM_TILE = 160  # three tiles (products, distances, entries) of 200 KiB stay in a core's second-level cache


def inner_products(features: Any) -> Floats:
    """Return the matrix of inner products <x_i, x_j>.

    Parameters
    ----------
    features : ndarray of float64 (n, d) or sparse array (n, d)
        One row an example.

    Returns
    -------
    ndarray of float64 (n, n)
        The symmetric matrix of inner products.
    """
    product = features @ features.T
    return np.ascontiguousarray(product if isinstance(product, np.ndarray) else product.toarray())


def fill(
    inner: Floats,
    kernels: Sequence[Kernel],
    grams: Sequence[Floats],
    *,
    threads: int = 1,
    units: Sequence[float | None] | None = None,
) -> None:
    """Compute the Gram matrices of `kernels` tile by tile, in one pass over the upper half of the inner products.

    Parameters
    ----------
    inner : ndarray of float64 (n, n)
        Inner products, symmetric; may be a memory map.
    kernels : sequence of Kernel
        m kernels; their squared distances are computed once.
    grams : sequence of m ndarrays of float64 (n, n)
        Outputs; may be memory maps.
    threads : int
        Number of strips of tiles computed in parallel.
    units : sequence of m floats, optional
        The units of kernels whose parameter has one.

    Raises
    ------
    ValueError
        If a matrix would not be finite; nothing is written then.
    """
    n = len(inner)
    squared_norms = np.diagonal(inner).copy()
    outputs = list(zip(kernels, grams, units or [None] * len(kernels), strict=True))
    for kernel, _, unit in outputs:
        kernel.refuse_infinite(squared_norms.max(initial=0.0), unit)
    uses_distance = any(kernel.reads == "squared" for kernel in kernels)
    tiles = [slice(start, min(start + GRAM_TILE, n)) for start in range(0, n, GRAM_TILE)]

    def fill_strip(first: int) -> None:
        rows = tiles[first]
        for columns in tiles[first:]:
            products = inner[rows, columns]
            distance, entries = np.empty(products.shape), np.empty(products.shape)
            if uses_distance:
                squared_distances(products, squared_norms[rows], squared_norms[columns], distance)
            for kernel, gram, unit in outputs:
                kernel.fill(distance if kernel.reads == "squared" else products, entries, unit)
                gram[rows, columns] = entries
                if columns is not rows:
                    gram[columns, rows] = entries.T

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill_strip, range(len(tiles))))


def squared_distances(inner: Floats, row_norms: Floats, column_norms: Floats, out: Floats) -> None:
    """Write ||x_i - x_j||^2 = <x_i, x_i> + <x_j, x_j> - 2 <x_i, x_j>, not below 0, into `out`."""
    np.add(row_norms[:, None], column_norms[None, :], out=out)
    np.subtract(out, 2.0 * inner, out=out)
    np.maximum(out, 0.0, out=out)


def compute(inner: Floats, kernels: Sequence[Kernel]) -> Floats:
    """Return the Gram matrices of m kernels in memory, (m, n, n), from inner products (n, n)."""
    grams = np.empty((len(kernels), *inner.shape))
    fill(inner, kernels, list(grams))
    return grams
