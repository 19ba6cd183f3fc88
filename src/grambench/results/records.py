"""The record of a run: one HDF5 file, whether the run succeeded or not."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.files import check, digest, sealed
from grambench.common.provenance import made_from, spec
from grambench.experiments.outcome import GROUPS

STATUSES = ("ok", "error", "timeout", "killed", "memory", "unavailable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One (data set, algorithm) with all its parameter points and repetitions.

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
        Where the orders or parts come from: "published", "seeded", or "stored" for the order of the data; empty where
        nothing was run.
    random : str
        Whether a fit has drawn random numbers, "yes" or "no"; empty if that was not checked.
    code : str
        The hash of the code that made the record; see grambench.pipeline.fingerprint.
    inputs : dict of str
        The identity of each file that the run read: the prepared data set, Gram matrices or features.
    metrics, curves, rounds, kernel_values, class_values
        The numbers of the run, see grambench.experiments.outcome.Outcome.
    settings : dict
        The run, see grambench.experiments.run.Run.
    provenance : dict
        Machine, versions and data source, see grambench.common.provenance; wall seconds and peak memory of the run.
    """

    study: str
    dataset: str
    algorithm: str
    status: str
    reason: str = ""
    detail: str = ""
    orders: str = ""
    random: str = ""
    code: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    metrics: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    curves: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    rounds: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    kernel_values: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    class_values: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def made_from(self) -> str:
        """Settings, code and inputs, as the seal holds them; see grambench.common.provenance."""
        return made_from(spec(self.settings), self.code, self.inputs)

    @property
    def identity(self) -> str:
        """The identity of settings, code and inputs."""
        return digest(self.made_from)


class Part(NamedTuple):
    """One part of a record's file: its name, how it is stored, its shape and its meaning."""

    name: str
    stored: str
    shape: str
    meaning: str


FLOATS = "group of float64"
P_R = "(P, R)"  # points of a sweep and repetitions
SCHEMA = (
    Part("study", "text", "", "name of the study"),
    Part("dataset", "text", "", "name of the data set"),
    Part("algorithm", "text", "", "name of the configuration in the study"),
    Part("status", "text", "", f"one of {', '.join(STATUSES)}"),
    Part("reason", "text", "", "why there are no numbers, in one line; empty when ok"),
    Part("detail", "text", "", "end of the traceback or of the output; empty when ok"),
    Part(
        "orders",
        "text",
        "",
        "origin of the permutations or splits: published, seeded, or stored for the order of the data",
    ),
    Part("random", "text", "", "whether a fit has drawn random numbers, yes or no; empty if that was not checked"),
    Part("code", "text", "", "hash of the code that made the record"),
    Part("settings", "JSON", "", "the run, see grambench.experiments.run.Run"),
    Part("provenance", "JSON", "", "machine, versions, revision, data source, wall seconds and peak memory"),
    Part("inputs", "JSON", "", "identity of each file that was read"),
    Part("metrics", FLOATS, P_R, "a number a repetition, by metric"),
    Part("curves", FLOATS, "(P, R, S) or (P, R, S, m)", "values at S rounds, by metric; weights of m kernels"),
    Part("kernel_values", FLOATS, "(P, R, m)", "a number a kernel: weight, parameter, updates"),
    Part("class_values", FLOATS, "(P, R, C, C)", "confusion: test examples by true (rows) and predicted class"),
    Part("rounds", "int64", "(S,)", "the rounds of the curves"),
)
TEXTS = tuple(part.name for part in SCHEMA if part.stored == "text")  # attributes of the file
OBJECTS = tuple(part.name for part in SCHEMA if part.stored == "JSON")  # attributes of the file


def write(path: Path, record: Record) -> None:
    """Write a record, whole or not at all."""
    with sealed(path, record.made_from) as temporary, h5py.File(temporary, "w") as file:
        for name in TEXTS:
            file.attrs[name] = getattr(record, name)
        for name in OBJECTS:
            file.attrs[name] = json.dumps(getattr(record, name))
        for group in GROUPS:
            for name, values in getattr(record, group).items():
                file[f"{group}/{name}"] = values
        file["rounds"] = record.rounds


def read(path: Path) -> Record:
    """Read a record; raise DataError where the file is missing or damaged."""
    check(path)
    with h5py.File(path, "r") as file:
        texts: dict[str, Any] = {name: str(file.attrs.get(name, "")) for name in TEXTS}
        objects: dict[str, Any] = {name: json.loads(str(file.attrs[name])) for name in OBJECTS}
        # earlier versions kept no names
        inputs = objects["inputs"]
        objects["inputs"] = inputs if isinstance(inputs, dict) else {str(i): each for i, each in enumerate(inputs)}
        arrays: Any = {name: {key: file[name][key][:] for key in file.get(name, ())} for name in GROUPS}
        return Record(**texts, **objects, **arrays, rounds=file["rounds"][:])
