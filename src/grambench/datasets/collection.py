"""The HDF5 file of the images of a base that its tasks use, from which a job can read a part of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.datasets.store import Unavailable, read_or_note


@dataclass(frozen=True, slots=True)
class Collection:
    """The list of N images of a base.

    Attributes
    ----------
    name : str
        The name of the base.
    paths : list of N str
        The paths of the images in the archives.
    test : ndarray of bool (N,)
        Whether each image is in the test part of the split.
    files : sequence of N bytes
        The files, compressed as they came; `read` leaves them in place, see `files`.
    """

    name: str
    paths: list[str]
    test: NDArray[np.bool_]
    files: Sequence[bytes] = ()

    def save(self, file: h5py.File) -> None:
        """Write the images to a file."""
        file.attrs["name"] = self.name
        file["paths"], file["test"] = self.paths, self.test
        file["ends"] = np.cumsum([len(data) for data in self.files])
        file["files"] = np.frombuffer(b"".join(self.files), dtype=np.uint8)


def read(path: Path) -> Collection | Unavailable:
    """Read the list of images; raise DataError if the file is missing or damaged."""
    return read_or_note(path, _load)


def _load(file: h5py.File) -> Collection:
    return Collection(str(file.attrs["name"]), list(map(str, file["paths"].asstr()[:])), file["test"][:])


def files(path: Path, rows: Sequence[int]) -> list[bytes]:
    """Read the files of some images of a collection that `read` has checked."""
    with h5py.File(path, "r") as file:
        bounds = np.concatenate([[0], file["ends"][:]])
        return [file["files"][bounds[row] : bounds[row + 1]].tobytes() for row in rows]
