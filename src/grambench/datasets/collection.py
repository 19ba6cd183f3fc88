"""The images of a base that its tasks use: one HDF5 file with their files, so that a job reads some of them only."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.files import check, sealed
from grambench.datasets.store import Unavailable, unavailable, write_unavailable


@dataclass(frozen=True, slots=True)
class Collection:
    """Which images there are.

    Attributes
    ----------
    name : str
        The base's.
    paths : list of N str
        Theirs in the archives.
    test : ndarray of bool (N,)
        Which are in the test part of the split.
    """

    name: str
    paths: list[str]
    test: NDArray[np.bool_]


def write(path: Path, collection: Collection | Unavailable, files: Sequence[bytes] = (), identity: str = "") -> None:
    """Write a collection and its N files, compressed as they came, or the note that there is none; see `sealed`."""
    with sealed(path, identity) as temporary, h5py.File(temporary, "w") as file:
        if isinstance(collection, Unavailable):
            write_unavailable(file, collection)
            return
        file.attrs["name"] = collection.name
        file["paths"], file["test"] = collection.paths, collection.test
        file["ends"] = np.cumsum([len(data) for data in files])
        file["files"] = np.frombuffer(b"".join(files), dtype=np.uint8)


def read(path: Path) -> Collection | Unavailable:
    """Read which images there are; DataError where the file is missing or damaged."""
    check(path)
    with h5py.File(path, "r") as file:
        if absent := unavailable(file):
            return absent
        return Collection(str(file.attrs["name"]), list(map(str, file["paths"].asstr()[:])), file["test"][:])


def files(path: Path, chosen: Sequence[int]) -> list[bytes]:
    """Read the files of some images of a collection that `read` has checked."""
    with h5py.File(path, "r") as file:
        ends = np.concatenate([[0], file["ends"][:]])
        return [file["files"][ends[i] : ends[i + 1]].tobytes() for i in chosen]
