"""Gram matrices on disk: written in blocks of rows from one shared pass over inner products, read by memory map.

The matrix <x, x'> of a data set is computed once; each kernel's Gram matrix is then an element-wise function of it
(`grambench.kernels`). Files hold one contiguous, uncompressed float64 array, so that any number of jobs that map the
same file share it in the page cache.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.errors import DataError
from grambench.files import atomic
from grambench.kernels import FAMILIES, Kernel

Floats = NDArray[np.float64]

BLOCK_BYTES = 2**18  # three blocks (products, distances, entries) stay in a core's second-level cache


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


def fill(inner: Floats, kernels: Sequence[Kernel], write: Callable[[int, int, Floats], None]) -> None:
    """Compute the Gram matrices of `kernels` in blocks of rows, in one pass over the inner products.

    Parameters
    ----------
    inner : ndarray of float64 (n, n)
        Inner products; may be a memory map.
    kernels : sequence of Kernel
        The kernels; their squared distances are computed once.
    write : callable
        Receives a kernel's index, the index of a block's first row and the block (rows, n), overwritten afterwards.
    """
    n = len(inner)
    squared_norms = np.diagonal(inner).copy()
    uses_distance = any(FAMILIES[kernel.family].uses_distance for kernel in kernels)
    rows = max(1, BLOCK_BYTES // (8 * n))
    distances, entries = np.empty((rows, n)), np.empty((rows, n))
    for start in range(0, n, rows):
        block = inner[start : start + rows]
        distance, entry = distances[: len(block)], entries[: len(block)]
        if uses_distance:
            squared_distances(block, squared_norms[start : start + rows], squared_norms, distance)
        for index, kernel in enumerate(kernels):
            kernel.fill(block, distance, entry)
            write(index, start, entry)


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

    def write(index: int, start: int, block: Floats) -> None:
        grams[index, start : start + len(block)] = block

    fill(inner, kernels, write)
    return grams


def write_gram(path: Path, inner: Floats, kernel: Kernel) -> None:
    """Write the Gram matrix of one kernel, block by block."""
    with atomic(path) as temporary, h5py.File(temporary, "w", libver="latest") as file:
        matrix = _matrix(file, len(inner), {"kernel": kernel.name})
        fill(inner, [kernel], lambda _, start, block: matrix.write_direct(block, dest_sel=np.s_[start : start + len(block)]))


def write_inner(path: Path, inner: Floats, attributes: dict[str, str]) -> None:
    """Write a matrix of inner products with what it was made from."""
    with atomic(path) as temporary, h5py.File(temporary, "w", libver="latest") as file:
        _matrix(file, len(inner), attributes).write_direct(inner)


def _matrix(file: h5py.File, n: int, attributes: dict[str, str]) -> h5py.Dataset:
    file.attrs.update(status="ok", **attributes)
    return file.create_dataset("matrix", (n, n), dtype="<f8", fillvalue=None)


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
