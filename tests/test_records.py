"""The file of a record: what it holds is what its schema says, part by part."""

import math

import h5py
import numpy as np

from grambench.experiments.outcome import GROUPS
from grambench.results.records import SCHEMA, Record, read, write

SHAPE = 2, 3


def numbers(shape):
    return np.arange(math.prod(shape), dtype=np.float64).reshape(shape)


def record():
    return Record(
        study="s",
        dataset="d",
        algorithm="a",
        status="ok",
        orders="seeded",
        random="no",
        code="c",
        inputs={"i.h5": "i"},
        metrics={"error_percent": numbers(SHAPE)},
        curves={"weights": numbers((*SHAPE, 4, 5))},
        rounds=np.arange(4),
        kernel_values={"weight": numbers((*SHAPE, 5))},
        class_values={"confusion": numbers((*SHAPE, 3, 3))},
        settings={"sweep": ""},
        provenance={"wall_seconds": 1.0},
    )


def test_a_file_holds_the_parts_of_the_schema_and_no_others(tmp_path):
    write(tmp_path / "a.h5", record())
    with h5py.File(tmp_path / "a.h5") as file:
        assert {*file.attrs, *file} == {*SCHEMA}
        for name, (stored, shape, _) in SCHEMA.items():
            if stored in ("text", "JSON"):
                assert isinstance(file.attrs[name], str)
            elif name in GROUPS:
                assert all(values.dtype == np.float64 for values in file[name].values())
                assert all(values.ndim >= shape.split(" or ")[0].count(",") + 1 for values in file[name].values())
            else:
                assert file[name].dtype == np.int64


def test_a_record_comes_back(tmp_path):
    write(tmp_path / "a.h5", record())
    found = read(tmp_path / "a.h5")
    assert {*SCHEMA} == set(Record.__dataclass_fields__)
    for part in SCHEMA:
        before, after = getattr(record(), part), getattr(found, part)
        if part in GROUPS:
            assert before.keys() == after.keys()
            assert all(np.array_equal(before[name], after[name]) for name in before)
        else:
            assert np.array_equal(before, after) if part == "rounds" else before == after
