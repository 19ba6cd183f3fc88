"""What a run leaves behind: one HDF5 record, whether it succeeded or not."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.errors import DataError
from grambench.files import atomic

STATUSES = ("ok", "error", "timeout", "killed", "memory", "unavailable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One (data set, algorithm) with all its parameter points and repeats.

    Attributes
    ----------
    study, dataset, algorithm : str
        What was run.
    status : str
        One of STATUSES.
    reason : str
        Why there are no numbers, in one line; empty when ok.
    detail : str
        The end of the traceback or of the output; empty when ok.
    orders : str
        "published" or "seeded"; empty where nothing was run.
    kernels : list of str
        Names of the m kernels.
    points : list of dict
        The P settings of the algorithm that were run; one for a plain run, several for a sweep.
    metrics : dict of ndarray (P, R)
        mistake_percent, support_vectors, seconds, for each of R repeats.
    curves : dict of ndarray (P, R, C)
        mistake_percent and support_vectors at C points of the pass; `weights` is (P, R, C, m).
    rounds : ndarray of int64 (C,)
        Number of rounds done at each point of the curves.
    updates : ndarray of int64 (P, R, m)
        Updates of each kernel in the pass.
    settings : dict
        The run's specification.
    provenance : dict
        See grambench.provenance; with wall seconds and peak memory of the run.
    """

    study: str
    dataset: str
    algorithm: str
    status: str
    reason: str = ""
    detail: str = ""
    orders: str = ""
    kernels: list[str] = field(default_factory=list)
    points: list[dict[str, Any]] = field(default_factory=list)
    metrics: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    curves: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    rounds: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    updates: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0, 0), dtype=np.int64))
    settings: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)


TEXTS = ("study", "dataset", "algorithm", "status", "reason", "detail", "orders")
OBJECTS = ("kernels", "points", "settings", "provenance")


def write(path: Path, record: Record) -> None:
    """Write a record, whole or not at all."""
    with atomic(path) as temporary, h5py.File(temporary, "w") as file:
        for name in TEXTS:
            file.attrs[name] = getattr(record, name)
        for name in OBJECTS:
            file.attrs[name] = json.dumps(getattr(record, name))
        for group in ("metrics", "curves"):
            for name, values in getattr(record, group).items():
                file[f"{group}/{name}"] = values
        file["rounds"] = record.rounds
        file["updates"] = record.updates


def read(path: Path) -> Record:
    """Read a record; raise DataError where the file is missing or damaged."""
    try:
        with h5py.File(path, "r") as file:
            arrays: dict[str, Any] = {
                group: {name: values[:] for name, values in file[group].items()} if group in file else {}
                for group in ("metrics", "curves")
            }
            texts: dict[str, Any] = {name: str(file.attrs[name]) for name in TEXTS}
            objects: dict[str, Any] = {name: json.loads(str(file.attrs[name])) for name in OBJECTS}
            return Record(**texts, **objects, **arrays, rounds=file["rounds"][:], updates=file["updates"][:])
    except (OSError, KeyError, ValueError) as error:
        raise DataError(f"{path}: not a run record ({error}); delete it and run its rule again") from None
