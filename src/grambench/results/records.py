"""The record of a run: one HDF5 file, whether the run succeeded or not."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.docstrings import attributes
from grambench.common.files import check, digest, sealed
from grambench.common.provenance import asked, made_from, spec
from grambench.config.metrics import MEASURED
from grambench.experiments.outcome import GROUPS

STATUSES = ("ok", "error", "timeout", "killed", "memory", "unavailable")
OF_SVM = "C of its SVM"  # of the SVM on a kernel that an algorithm has learned


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One (data set, algorithm) with all its parameter points and repetitions.

    Attributes
    ----------
    study : str
        name of the study
    dataset : str
        name of the data set
    algorithm : str
        name of the configuration in the study
    status : str
        one of ok, error, timeout, killed, memory, unavailable
    reason : str
        why there are no numbers, in one line; empty when ok
    detail : str
        end of the traceback or of the output; empty when ok
    orders : str
        origin of the permutations or splits: published, seeded, or stored for the order of the data
    random : str
        whether a fit has drawn random numbers, yes or no; empty if that was not checked
    code : str
        hash of the code that made the record
    settings : dict
        the run, see grambench.experiments.run.Run
    provenance : dict
        machine, versions, revision, data source, wall seconds and peak memory
    inputs : dict of str
        identity of each file that was read
    metrics : dict of float64
        a number a repetition, by metric
    curves : dict of float64
        values at S rounds, by metric; weights of m kernels
    kernel_values : dict of float64
        a number a kernel: weight, parameter, updates
    class_values : dict of float64
        confusion: test examples by true (rows) and predicted class
    rounds : int64
        the rounds of the curves
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
    def asked(self) -> str:
        """The hash of settings and code; see grambench.common.provenance.asked."""
        return asked(spec(self.settings), self.code)

    @property
    def identity(self) -> str:
        """The identity of settings, code and inputs."""
        return digest(self.made_from)

    @property
    def numbers(self) -> dict[str, NDArray[Any]]:
        """The rounds, and all numbers by "group/name" but those that are measured, such as seconds."""
        found = {f"{group}/{name}": values for group in GROUPS for name, values in getattr(self, group).items()}
        return {"rounds": self.rounds} | {name: found[name] for name in found if not name.endswith(MEASURED)}

    @property
    def candidates(self) -> dict[str, list[float]]:
        """The values, two or more, that validation examples select from; of C of an SVM on a learned kernel too."""
        tune = self.settings.get("tune")
        values = {tune["parameter"]: tune["values"]} | tune.get("also", {}) if tune else {}
        if "C" not in values and np.isfinite(self.metrics.get("selected_C", np.nan)).any():
            values[OF_SVM] = self.settings["protocol"]["values"]
        return {name: listed for name, listed in values.items() if len(listed) > 1}


ARRAYS = {  # shapes of P points of a sweep, R repetitions, S rounds, m kernels and C classes
    "metrics": "(P, R)",
    "curves": "(P, R, S) or (P, R, S, m)",
    "kernel_values": "(P, R, m)",
    "class_values": "(P, R, C, C)",
    "rounds": "(S,)",
}
OBJECTS = ("settings", "provenance", "inputs")  # attributes of the file in JSON
TEXTS = tuple(field.name for field in fields(Record) if field.name not in (*OBJECTS, *ARRAYS))  # attributes too
STORED = dict.fromkeys(ARRAYS, "group of float64") | {"rounds": "int64"} | dict.fromkeys(OBJECTS, "JSON")
SCHEMA = {  # of each part of the file: how it is stored, its shape and its meaning
    name: (STORED.get(name, "text"), ARRAYS.get(name, ""), meaning) for name, meaning in attributes(Record).items()
}


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
        arrays: Any = {name: {key: file[name][key][:] for key in file.get(name, ())} for name in GROUPS}
        return Record(**texts, **objects, **arrays, rounds=file["rounds"][:])
