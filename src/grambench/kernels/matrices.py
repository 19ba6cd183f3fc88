"""Square matrices on disk: one contiguous, uncompressed float64 array a file, read by memory map.

Any number of jobs that map the same file share it in the page cache.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from grambench.common.errors import DataError
from grambench.common.files import check_once, sealed
from grambench.common.types import Floats
from grambench.kernels import grams
from grambench.kernels.functions import Kernel


@contextmanager
def create(path: Path, n: int, attributes: dict[str, str], identity: str = "") -> Iterator[Floats]:
    """Yield the memory map of a new n x n matrix file, which appears under its name when it is complete.

    Parameters
    ----------
    path : Path
        The HDF5 file to create.
    n : int
        Number of rows and of columns.
    attributes : dict
        Attributes of the file.
    identity : str
        The identity of the inputs of the matrix; see `grambench.common.files.sealed`.

    Raises
    ------
    OSError
        If the disk is full.
    """
    with sealed(path, identity) as temporary:
        with h5py.File(temporary, "w", libver="latest") as file:
            file.attrs.update(status="ok", **attributes)
            layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            matrix = file.create_dataset("matrix", (n, n), "<f8", dcpl=layout, fill_time="never")
            offset = matrix.id.get_offset()
        # A full disk is an error here. Later, writing to the memory map would kill the process.
        if hasattr(os, "posix_fallocate"):
            with temporary.open("r+b") as stream:
                os.posix_fallocate(stream.fileno(), 0, offset + 8 * n * n)
        yield np.memmap(temporary, dtype="<f8", mode="r+", offset=offset, shape=(n, n)).view(np.ndarray)


def write_gram(path: Path, inner: Floats, kernel: Kernel, *, threads: int = 1, identity: str = "") -> None:
    """Write the Gram matrix of one kernel with the identity of its inputs (`grambench.common.files.sealed`)."""
    with create(path, len(inner), {"kernel": kernel.name}, identity) as gram:
        grams.fill(inner, [kernel], [gram], threads=threads)


def write_inner(path: Path, inner: Floats, attributes: dict[str, str], identity: str = "") -> None:
    """Write a matrix of inner products with the identity of its inputs."""
    with create(path, len(inner), attributes, identity) as matrix:
        np.copyto(matrix, inner)


def write_pairs(path: Path, pairs: Iterable[tuple[str, str, Floats]], identity: str = "") -> None:
    """Write matrices of all pairs of examples, each with its view and its base, with the identity of their inputs."""
    with sealed(path, identity) as temporary, h5py.File(temporary, "w", libver="latest") as file:
        file.attrs.update(status="ok")
        for view, base, matrix in pairs:
            file.create_dataset(f"{view}/{base}", data=matrix)


def write_unavailable(path: Path, reason: str, identity: str = "") -> None:
    """Write a file which records that a matrix could not be computed because its data set is unavailable."""
    with sealed(path, identity) as temporary, h5py.File(temporary, "w") as file:
        file.attrs.update(status="unavailable", reason=reason)


def unavailable(path: Path) -> str | None:
    """Return why the file holds no matrix, or None if it holds one."""
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
        If the file is missing or damaged (see grambench.common.files.check), or holds no matrix.
    """
    with _open(path) as file:
        if "matrix" not in file:
            raise DataError(f"{path}: holds no matrix ({file.attrs.get('reason', 'damaged file')})")
        return _mapped(path, file["matrix"])


def open_pairs(path: Path) -> dict[tuple[str, str], Floats]:
    """Map the matrices of a file of `write_pairs` into memory, read-only, by view and base; see `open_matrix`."""
    with _open(path) as file:
        if "reason" in file.attrs:
            raise DataError(f"{path}: holds no matrices ({file.attrs['reason']})")
        return {(view, base): _mapped(path, file[view][base]) for view in file for base in file[view]}


def _mapped(path: Path, matrix: h5py.Dataset) -> Floats:
    return np.memmap(path, dtype="<f8", mode="r", offset=matrix.id.get_offset(), shape=matrix.shape).view(np.ndarray)


def _open(path: Path) -> h5py.File:
    return h5py.File(check_once(path), "r")
