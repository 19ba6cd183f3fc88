"""Gram matrices on disk: computed in tiles from shared inner products, read by memory map.

The matrix <x, x'> of a data set is computed once; each kernel's Gram matrix is then an element-wise function of it
(`grambench.kernels`). Files hold one contiguous, uncompressed float64 array, so that any number of jobs that map the
same file share it in the page cache.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.errors import DataError
from grambench.files import atomic
from grambench.kernels import FAMILIES, Kernel

Floats = NDArray[np.float64]

TILE = 160  # three tiles (products, distances, entries) of 200 KiB stay in a core's second-level cache


def inner_products(features: Any) -> Floats:
    """Return the matrix of inner products <x_i, x_j>.

    Parameters
    ----------
    features : ndarray of float64 (n, d) or sparse array (n, d)
        One row an example.

    Returns
    -------
    ndarray of float64 (n, n)
        Symmetric.
    """
    product = features @ features.T
    return np.ascontiguousarray(product if isinstance(product, np.ndarray) else product.toarray())


def fill(inner: Floats, kernels: Sequence[Kernel], grams: Sequence[Floats]) -> None:
    """Compute the Gram matrices of `kernels` tile by tile, in one pass over the upper half of the inner products.

    Parameters
    ----------
    inner : ndarray of float64 (n, n)
        Inner products, symmetric; may be a memory map.
    kernels : sequence of Kernel
        m kernels; their squared distances are computed once.
    grams : sequence of m ndarrays of float64 (n, n)
        Where to write; may be memory maps.
    """
    n = len(inner)
    squared_norms = np.diagonal(inner).copy()
    uses_distance = any(FAMILIES[kernel.family].uses_distance for kernel in kernels)
    tiles = [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]
    distance, entries = np.empty((TILE, TILE)), np.empty((TILE, TILE))
    for first, rows in enumerate(tiles):
        for columns in tiles[first:]:
            products = inner[rows, columns]
            d, e = (array[: products.shape[0], : products.shape[1]] for array in (distance, entries))
            if uses_distance:
                squared_distances(products, squared_norms[rows], squared_norms[columns], d)
            for kernel, gram in zip(kernels, grams, strict=True):
                kernel.fill(products, d, e)
                gram[rows, columns] = e
                if columns is not rows:
                    gram[columns, rows] = e.T


def squared_distances(inner: Floats, row_norms: Floats, column_norms: Floats, out: Floats) -> None:
    """Write ||x_i - x_j||^2 = <x_i, x_i> + <x_j, x_j> - 2 <x_i, x_j>, not below 0, into `out`."""
    np.add(row_norms[:, None], column_norms[None, :], out=out)
    np.subtract(out, 2.0 * inner, out=out)
    np.maximum(out, 0.0, out=out)


def compute(inner: Floats, kernels: Sequence[Kernel], out: Floats | None = None) -> Floats:
    """Return the Gram matrices of several kernels in memory.

    Parameters
    ----------
    inner : ndarray of float64 (n, n)
        Inner products.
    kernels : sequence of Kernel
        m kernels.
    out : ndarray of float64 (m, n, n), optional
        Where to write them.

    Returns
    -------
    ndarray of float64 (m, n, n)
    """
    grams = np.empty((len(kernels), *inner.shape)) if out is None else out
    fill(inner, kernels, list(grams))
    return grams


def write_gram(path: Path, inner: Floats, kernel: Kernel) -> None:
    """Write the Gram matrix of one kernel."""
    with _matrix_file(path, len(inner), {"kernel": kernel.name}) as gram:
        fill(inner, [kernel], [gram])


def write_inner(path: Path, inner: Floats, attributes: dict[str, str]) -> None:
    """Write a matrix of inner products with what it was made from."""
    with _matrix_file(path, len(inner), attributes) as matrix:
        np.copyto(matrix, inner)


@contextmanager
def _matrix_file(path: Path, n: int, attributes: dict[str, str]) -> Iterator[Floats]:
    """Yield the memory map of a new n x n matrix file, which appears under its name when it is complete."""
    with atomic(path) as temporary:
        with h5py.File(temporary, "w", libver="latest") as file:
            file.attrs.update(status="ok", **attributes)
            layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            layout.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            space = h5py.h5s.create_simple((n, n))
            matrix = h5py.h5d.create(file.id, b"matrix", h5py.h5t.IEEE_F64LE, space, layout)
            offset = matrix.get_offset()
        if hasattr(os, "posix_fallocate"):  # a full disk is an error here, and a killed process in a memory map
            with temporary.open("r+b") as stream:
                os.posix_fallocate(stream.fileno(), 0, offset + 8 * n * n)
        yield np.memmap(temporary, dtype="<f8", mode="r+", offset=offset, shape=(n, n)).view(np.ndarray)


def write_unavailable(path: Path, reason: str) -> None:
    """Write the note that a matrix could not be computed because its data set is unavailable."""
    with atomic(path) as temporary, h5py.File(temporary, "w") as file:
        file.attrs.update(status="unavailable", reason=reason)


def unavailable(path: Path) -> str | None:
    """Return why the file holds no matrix, or None where it holds one."""
    with _open(path) as file:
        return None if file.attrs["status"] == "ok" else str(file.attrs["reason"])


def open_matrix(path: Path) -> Floats:
    """Map the matrix of a file into memory, read-only.

    Returns
    -------
    ndarray of float64 (n, n)
        A memory map: pages are read when used and shared with all other readers.

    Raises
    ------
    DataError
        If the file is missing, truncated or holds no matrix.
    """
    with _open(path) as file:
        if "matrix" not in file:
            raise DataError(f"{path}: holds no matrix ({file.attrs.get('reason', 'damaged file')})")
        shape, offset = file["matrix"].shape, file["matrix"].id.get_offset()
    if offset is None or path.stat().st_size < offset + 8 * shape[0] * shape[1]:
        raise DataError(f"{path}: truncated, expected a {shape[0]} x {shape[1]} matrix; delete it and run its rule again")
    return np.memmap(path, dtype="<f8", mode="r", offset=offset, shape=shape).view(np.ndarray)


def _open(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise DataError(f"{path}: not a Gram matrix file ({error}); delete it and run its rule again") from None
