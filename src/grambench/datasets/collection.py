"""The images of a base that its tasks use: one HDF5 file with their files, so that a job reads some of them only."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.files import check, sealed
from grambench.datasets.store import Unavailable


@dataclass(frozen=True, slots=True)
class Collection:
    """Images in memory, compressed as they came.

    Attributes
    ----------
    name : str
        The base's.
    paths : list of N str
        Theirs in the archives.
    test : ndarray of bool (N,)
        Which are in the test part of the split.
    files : list of N bytes
        Their files.
    """

    name: str
    paths: list[str]
    test: NDArray[np.bool_]
    files: list[bytes]


def write(path: Path, collection: Collection | Unavailable) -> None:
    """Write a collection, or the note that there is none."""
    with sealed(path) as temporary, h5py.File(temporary, "w") as file:
        file.attrs["name"] = collection.name
        if isinstance(collection, Unavailable):
            file.attrs["reasons"] = json.dumps(collection.reasons)
            return
        file["paths"], file["test"] = collection.paths, collection.test
        file["ends"] = np.cumsum([len(data) for data in collection.files])
        file["files"] = np.frombuffer(b"".join(collection.files), dtype=np.uint8)


def read(path: Path, chosen: Sequence[int] | None = None) -> Collection | Unavailable:
    """Read all images of a collection, or those of ascending numbers; DataError where the file is damaged."""
    check(path)
    with h5py.File(path, "r") as file:
        name = str(file.attrs["name"])
        if "reasons" in file.attrs:
            return Unavailable(name, tuple(json.loads(str(file.attrs["reasons"]))))
        ends = file["ends"][:]
        begins = np.concatenate([[0], ends[:-1]])
        numbers = range(len(ends)) if chosen is None else chosen
        paths, test = file["paths"].asstr()[:], file["test"][:]
        files = [file["files"][begins[i] : ends[i]].tobytes() for i in numbers]
    return Collection(name, [str(paths[i]) for i in numbers], test[list(numbers)], files)


def used(path: Path) -> Collection | Unavailable:
    """Read which images there are, without their files."""
    check(path)
    with h5py.File(path, "r") as file:
        name = str(file.attrs["name"])
        if "reasons" in file.attrs:
            return Unavailable(name, tuple(json.loads(str(file.attrs["reasons"]))))
        return Collection(name, [str(each) for each in file["paths"].asstr()[:]], file["test"][:], [])
