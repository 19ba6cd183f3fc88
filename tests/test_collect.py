"""`collect` makes tidy tables of records."""

import json
import math
import shutil
from dataclasses import replace

import h5py
import numpy as np
import pandas as pd
import pytest
from specifications import record_of

from grambench.common import provenance
from grambench.common.errors import DataError
from grambench.common.files import sealed
from grambench.experiments.outcome import Outcome
from grambench.pipeline.job import Job
from grambench.pipeline.steps import collect
from grambench.results import collect as tables
from grambench.results import records

KERNELS = ["polynomial_p1", "gaussian_sigma0.5"]


def record(outcome, algorithm="mine", sweep="", values=(), **changes):
    settings = {"sweep": sweep, "values": list(values), "kernels": KERNELS}
    return record_of(outcome, settings, **{"algorithm": algorithm} | changes)


def numbers(*shape):
    return np.arange(math.prod(shape), dtype=np.float64).reshape(shape)


PLAIN = Outcome(
    metrics={"accuracy_percent": numbers(1, 3)},
    curves={"objective": numbers(1, 3, 2), "weights": numbers(1, 3, 2, 2)},
    rounds=np.array([5, 10]),
    kernel_values={"weight": numbers(1, 3, 2)},
)
SWEPT = Outcome(metrics={"decision_change": numbers(2, 3)}, kernel_values={"weight": numbers(2, 3, 2)})


def test_a_record_of_an_older_version_does_not_tell_of_random_numbers(tmp_path):
    records.write(tmp_path / "a.h5", record(PLAIN, random="yes"))
    with sealed(tmp_path / "b.h5") as old:
        shutil.copy(tmp_path / "a.h5", old)
        with h5py.File(old, "a") as file:
            del file.attrs["random"]
    assert records.read(tmp_path / "b.h5").random == ""
    found = {name: records.read(tmp_path / name) for name in ("a.h5", "b.h5")}
    outputs = [tmp_path / name for name in ("runs.parquet", "curves.parquet", "cells.csv")]
    tables.write(found, *outputs)
    assert tables.CELLS.read(outputs[2])["random"].tolist() == ["yes", ""]


def asked(each):
    return provenance.asked(provenance.spec(each.settings), each.code)


@pytest.fixture
def collected(tmp_path):
    failed = record(Outcome(metrics={}), "other", status="timeout", reason="ran for 6 s, the limit", orders="")
    given = [record(PLAIN), record(SWEPT, sweep="scales", values=[0.1, 10.0]), failed]
    paths = [tmp_path / f"{number}.h5" for number in range(len(given))]
    for path, each in zip(paths, given, strict=True):
        records.write(path, each)
    outputs = [tmp_path / "runs.parquet", tmp_path / "curves.parquet", tmp_path / "cells.csv"]
    collect.main(Job(json.dumps(list(map(asked, given))), output=outputs, input=paths))
    return pd.read_parquet(outputs[0]), pd.read_parquet(outputs[1]), pd.read_csv(outputs[2], keep_default_na=False)


@pytest.mark.parametrize("what", ["settings", "code"])
def test_a_record_of_something_else_is_refused(tmp_path, what):
    """As after an edit of a study or an algorithm, where Snakemake has lost its notes or the record was copied."""
    right = record(PLAIN, code="a.1")
    changes = {"settings": right.settings | {"seed": 2}} if what == "settings" else {"code": "b.1"}
    path, outputs = tmp_path / "record.h5", [tmp_path / name for name in ("r.parquet", "c.parquet", "cells.csv")]
    records.write(path, replace(right, **changes))
    job = Job(json.dumps([asked(right)]), output=outputs, input=[path])
    with pytest.raises(DataError, match=r"record\.h5: made with other settings, code or inputs .* \(1 of 1 records"):
        collect.main(job)
    assert not any(output.exists() for output in outputs)
    records.write(path, replace(right, code="a.2"))  # other versions of packages, on another machine
    collect.main(job)
    assert all(output.exists() for output in outputs)


def test_numbers_of_kernels_are_metrics_of_plain_runs(collected):
    runs, _, _ = collected
    plain = runs[runs["sweep"] == ""].set_index(["metric", "repetition"])["result"]
    assert plain["accuracy_percent"].tolist() == [0, 1, 2]
    assert plain["weight:polynomial_p1"].tolist() == [0, 2, 4]
    assert plain["weight:gaussian_sigma0.5"].tolist() == [1, 3, 5]
    assert len(plain) == 9


def test_points_of_a_sweep_carry_its_values(collected):
    runs, _, _ = collected
    swept = runs[runs["sweep"] == "scales"]
    assert set(swept["metric"]) == {"decision_change"}
    assert swept.pivot(index="value", columns="repetition", values="result").to_dict("split") == {
        "index": [0.1, 10.0],
        "columns": [0, 1, 2],
        "data": [[0, 1, 2], [3, 4, 5]],
    }


def test_curves_and_cells(collected):
    _, curves, cells = collected
    late = curves[(curves["repetition"] == 1) & (curves["round"] == 10)].set_index("metric")["result"]
    assert late.to_dict() == {"objective": 3, "weight:polynomial_p1": 6, "weight:gaussian_sigma0.5": 7}
    assert cells[["algorithm", "sweep", "status"]].to_numpy().tolist() == [
        ["mine", "", "ok"],
        ["mine", "scales", "ok"],
        ["other", "", "timeout"],
    ]
