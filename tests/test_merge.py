"""Results folders joined in one: what is kept, what is refused, and that nothing is left of a refusal."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from problems import prepared

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.config.load import read
from grambench.datasets import store
from grambench.pipeline import last_run, status
from grambench.pipeline.plan import Plan
from grambench.results import collect, records
from grambench.results.merge import merge

ROOT = Path(__file__).parent.parent
SMALL = {
    "omkc": ("online", "wdbc", ["perceptron", "omkc_dd"], "mistake_percent"),
    "rkl": ("nested_cv", "sonar", ["unif"], "accuracy_percent"),
    "ca_eleven": ("random_splits", "heart", ["ca_1d", "du"], "error_percent"),
}
TABLES = (layout.RUNS, layout.CURVES, layout.CELLS)


def record(study, dataset, algorithm, repetitions=5, shift=0.0, status="ok", **changes):
    """A record of which repetition r is the same in every number of repetitions, as in all protocols."""
    kind, _, _, metric = SMALL[study]
    numbers = shift + np.arange(100, dtype=np.float64)[None, :repetitions]
    numbers[:, 1] = np.nan  # as where nothing was chosen
    settings = {"sweep": "", "values": [], "kernels": ["polynomial_p1"], "seed": 1, "study": study}
    settings["protocol"] = {"kind": kind, "outer_folds" if kind == "nested_cv" else "repetitions": repetitions}
    parts = {
        "metrics": {metric: numbers, "seconds": np.random.default_rng().random((1, repetitions))},
        "curves": {"objective": numbers[..., None] + [0.0, 1.0]},
        "rounds": np.array([5, 10]),
        "kernel_values": {"weight": numbers[..., None]},
        "orders": "seeded",
    }
    given = (parts if status == "ok" else {"reason": f"{status} of 6 s"}) | {"settings": settings} | changes
    provenance = {"wall_seconds": float(np.random.default_rng().random()), "processor": "one"}
    names = {"study": study, "dataset": dataset, "algorithm": algorithm, "status": status}
    return records.Record(**names, **({"provenance": provenance} | given))


def add(folder, *given):
    """Write records as `run` leaves them, without tables."""
    for each in given:
        name = layout.RECORD.format(study=each.study, dataset=each.dataset, task=each.algorithm)
        records.write(layout.located(folder, name), each)
    return folder


def tabulate(folder, study):
    """Write the tables of a study as `collect` does."""
    paths = sorted((folder / "runs" / study).rglob("*.h5"))
    names = {str(Path("results") / path.relative_to(folder)): records.read(path) for path in paths}
    collect.write(names, *(layout.located(folder, name.format(study=study)) for name in TABLES))


def prepare(folder, name, factor=1.0, reasons=()):
    dataset = prepared(factor * np.eye(4), [-1, 1, 1, -1], name=name)
    path = layout.located(folder, layout.PREPARED.format(dataset=name))
    store.write(path, store.Unavailable(name, reasons) if reasons else dataset)


@pytest.fixture
def sides(tmp_path):
    """Two folders: one with all cells but one and its tables, one with the other cell, on another machine."""
    first, second = tmp_path / "a", tmp_path / "b"
    for study, (_, dataset, algorithms, _) in SMALL.items():
        add(first, *(record(study, dataset, algorithm) for algorithm in algorithms))
        tabulate(first, study)
        prepare(first, dataset)
    (first / "runs/omkc/wdbc/omkc_dd.h5").unlink()
    tabulate(first, "omkc")
    add(second, record("omkc", "wdbc", "omkc_dd", provenance={"processor": "another"}))
    return first, second


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if not path.is_dir()}


def refused(folders, message, **options):
    """Expect one line, the folders as they were, and nothing beside them."""
    parent = folders[0].parent
    before = content(parent)
    with pytest.raises(DataError, match=message) as caught:
        merge(folders, parent / "c", **options)
    assert "\n" not in str(caught.value)
    assert content(parent) == before
    assert sorted(path.name for path in parent.iterdir()) == sorted({path.parts[len(parent.parts)] for path in folders})


def test_cells_of_both_with_their_provenance(sides, tmp_path):
    merge(sides, tmp_path / "c")
    runs = {study: pd.read_parquet(tmp_path / "c" / study / "runs.parquet") for study in SMALL}
    assert {study: sorted(set(table.algorithm)) for study, table in runs.items()} == {
        "omkc": ["omkc_dd", "perceptron"],
        "rkl": ["unif"],
        "ca_eleven": ["ca_1d", "du"],
    }
    for study in ("rkl", "ca_eleven"):
        for name in (pattern.format(study=study) for pattern in TABLES):
            assert layout.located(tmp_path / "c", name).read_bytes() == layout.located(sides[0], name).read_bytes()
    for side in sides:
        for path in (side / "runs").rglob("*.h5"):
            assert (tmp_path / "c" / path.relative_to(side)).read_bytes() == path.read_bytes()
    table = pd.read_csv(tmp_path / "c" / "merged.csv", keep_default_na=False).set_index("algorithm")
    assert table.folder["omkc_dd"] == str(sides[1])
    assert json.loads(table.provenance["omkc_dd"]) == {"processor": "another"}
    assert table.kept.all()
    assert not list(tmp_path.glob(".*"))
    inputs = [path.stat().st_mtime for path in (tmp_path / "c").rglob("*.h5")]
    assert max(inputs) <= min(path.stat().st_mtime for path in (tmp_path / "c").rglob("*.parquet"))


def test_equal_cells_are_kept_once_whatever_their_seconds(sides, tmp_path):
    add(sides[1], record("omkc", "wdbc", "perceptron"), record("ca_eleven", "heart", "du"))
    table = merge(sides, tmp_path / "c")
    assert (tmp_path / "c/runs/omkc/wdbc/perceptron.h5").read_bytes() == (
        sides[0] / "runs/omkc/wdbc/perceptron.h5"
    ).read_bytes()
    both = table[table.algorithm.isin(["perceptron", "du"])]
    assert both.why.tolist() == ["equal"] * 4
    assert both.groupby("folder").kept.sum().to_dict() == {str(sides[0]): 2, str(sides[1]): 0}
    assert both.provenance.nunique() == 4
    again = merge([tmp_path / "c", sides[1]], tmp_path / "d")
    listed = pd.read_csv(tmp_path / "d" / "merged.csv", keep_default_na=False)
    assert len(listed) == len(again) + len(table)  # nothing of the first merge is forgotten


@pytest.mark.parametrize("study", SMALL)
def test_two_values_are_refused_unless_told_which_wins(sides, tmp_path, study):
    _, dataset, (algorithm, *_), metric = SMALL[study]
    add(sides[1], record(study, dataset, algorithm, shift=1e-12))
    refused(sides, f"two values of 1 of 5 cells, the first runs/{study}/{dataset}/{algorithm}.h5: {metric}, ")
    refused(sides, "or --prefer ")
    refused(sides, "expected one of the folders", prefer=tmp_path / "elsewhere")
    for side in sides:
        merge(sides, tmp_path / "c", side)
        kept = records.read(tmp_path / "c" / "runs" / study / dataset / f"{algorithm}.h5")
        assert kept.metrics[metric][0, 0] == (0.0 if side == sides[0] else 1e-12)
        shutil.rmtree(tmp_path / "c")


def test_other_settings_or_orders_are_two_values(sides):
    add(sides[1], record("omkc", "wdbc", "perceptron", orders="published"))
    refused(sides, r"orders \(seeded, published\) differ between")
    settings = record("omkc", "wdbc", "perceptron").settings | {"seed": 2}
    add(sides[1], record("omkc", "wdbc", "perceptron", settings=settings))
    refused(sides, "settings seed differ between")
    points = [{"beta": 0.8}], [{"beta": 0.9}]
    for side, point in zip(sides, points, strict=True):
        add(side, record("omkc", "wdbc", "perceptron", settings=settings | {"points": point}))
    refused(sides, "settings beta differ between")
    add(sides[0], record("omkc", "wdbc", "perceptron"))
    add(sides[1], record("omkc", "wdbc", "perceptron"), record("rkl", "sonar", "unif", repetitions=4))
    refused(sides, "runs/rkl/sonar/unif.h5: settings outer_folds differ")  # other parts are other splits


def test_more_repeats_win_where_they_begin_alike(sides, tmp_path):
    more = [record("omkc", "wdbc", name, repetitions=8) for name in ("perceptron", "omkc_dd")]
    add(sides[1], *more)
    table = merge(sides, tmp_path / "c").query("algorithm == 'perceptron'")
    assert table[["kept", "why"]].to_numpy().tolist() == [[False, "more repetitions"], [True, "more repetitions"]]
    assert table.repetitions.tolist() == [5, 8]
    add(sides[1], record("omkc", "wdbc", "perceptron", repetitions=8, shift=1.0))
    shutil.rmtree(tmp_path / "c")
    refused(sides, "two values")


def test_algorithms_that_would_not_be_comparable_are_refused(sides):
    add(sides[1], record("omkc", "wdbc", "omkc_dd", repetitions=8))
    refused(sides, r"run with different protocol \(8 and 5 repetitions\)")
    add(sides[1], record("omkc", "wdbc", "omkc_dd", orders="published"))
    refused(sides, "run with different orders")
    add(sides[1], record("omkc", "wdbc", "omkc_dd"))
    prepare(sides[1], "wdbc", factor=2.0)
    refused(sides, "wdbc.h5: the data differ")


def test_a_configuration_may_centre_kernels_or_have_a_pool_of_its_own(sides, tmp_path):
    centred = record("ca_eleven", "heart", "d1_centred")
    centred.settings["protocol"]["center"] = True
    pooled = record("ca_eleven", "heart", "du_features")
    pooled.settings["kernels"] = ["gaussian_sigma1"]
    add(sides[1], centred, pooled)
    assert merge(sides, tmp_path / "c")["kept"].sum() == 7
    shutil.rmtree(tmp_path / "c")
    centred.settings["kernels"] = ["gaussian_sigma2"]
    add(sides[1], centred)
    refused(sides, "a and .*b: expected a configuration of ca_eleven with the same kernels on heart in both, got none")


def test_numbers_win_against_failures(sides, tmp_path):
    add(sides[0], record("omkc", "wdbc", "omkc_dd", status="timeout"))
    add(sides[1], record("rkl", "sonar", "unif", status="unavailable"))
    prepare(sides[1], "sonar", reasons=["no source answered"])
    table = merge(sides[::-1], tmp_path / "c")
    assert set(table[table.kept].status) == {"ok"}
    assert isinstance(store.read(tmp_path / "c/datasets/sonar.h5"), store.PreparedDataset)
    assert sorted(table[table.why == "others failed"].algorithm) == ["omkc_dd", "omkc_dd", "unif", "unif"]
    preferred = merge(sides, tmp_path / "d", sides[0])
    assert set(preferred[preferred.kept].status) == {"ok"}  # it has no number to prefer there


def test_what_is_missing_or_damaged_is_refused(sides, tmp_path):
    (sides[0] / "runs/rkl/sonar/unif.h5").write_bytes(b"half")
    refused(sides, r"unif\.h5: truncated, or not written by this version")
    (sides[0] / "runs/rkl/sonar/unif.h5").unlink()
    refused(sides, r"unif.h5: no such file, though .*cells.csv lists it \(1 of 1 missing\)")
    refused([sides[0], tmp_path / "b" / "nowhere"], "no such file|no records")
    (tmp_path / "a" / "runs").rename(tmp_path / "b" / "elsewhere")
    refused(sides, "no records; expected the results folder")


def test_a_damaged_table_is_named(sides):
    (sides[0] / "rkl/cells.csv").write_text("study\n")
    refused(sides, r"rkl/cells.csv: damaged, expected \d+ bytes of content, got 6; make it again")


@pytest.mark.parametrize("place", ["runs/omkc/wdbc/perceptron.h5", "omkc/cells.csv", "datasets/wdbc.h5", "merged.csv"])
def test_a_pipe_in_the_place_of_a_file_is_refused(sides, place):
    path = sides[0] / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(DataError, match=rf"{path}: cannot be read \(no regular file"):
        merge(sides, sides[0].parent / "c")


def test_an_existing_folder_is_left_alone(sides, tmp_path):
    with pytest.raises(DataError, match="exists already"):
        merge(sides, sides[0])
    with pytest.raises(DataError, match="expected two results folders or more"):
        merge([sides[0], sides[0]], tmp_path / "c")


def test_nothing_is_left_where_the_disk_is_full(sides, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(collect, "write", full)
    refused(sides, "could not be written .No space left on device.; no folder was made")


def test_a_record_under_another_name_is_no_second_cell(sides, tmp_path):
    source = next((sides[0] / "runs").rglob("*.h5"))
    shutil.copyfile(source, source.with_name("copy_of_it.h5"))
    refused(sides, r"copy_of_it.h5: expected the record of that cell, got .*; it was copied or renamed")


@pytest.mark.parametrize("names", [{"study": "../../PWN"}, {"dataset": "../../../PWN"}, {"algorithm": "/PWN"}])
def test_nothing_is_written_where_a_record_wants_it(sides, tmp_path, names):
    path = next((sides[0] / "runs").rglob("*.h5"))
    records.write(path, replace(records.read(path), **names))
    before = sorted(tmp_path.rglob("*"))
    refused(sides, "expected the record of that cell, got .*PWN")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_named_twice_counts_once(sides, tmp_path):
    table = merge([*sides, sides[0]], tmp_path / "c")
    assert set(table["why"]) == {"only one"} and table["kept"].all()


def test_the_command_and_what_reads_its_folder(sides, tmp_path, call, monkeypatch):
    monkeypatch.chdir(ROOT)
    target = str(tmp_path / "c")
    code, out, _ = call("merge", *map(str, sides), "-o", target)
    assert code == 0 and f"{sides[0]}: records kept: 4 of 4 (4 only one)" in out
    assert f"{target}: cells: 5;" in out
    assert call("diff", target, target)[:2] == (0, "5 same\n")
    plan = Plan(read(ROOT / "config/config.yaml") | {"studies": [*SMALL]}, ROOT / "config")
    # of the studies that the folder has, and of no others
    assert f"{len(plan.targets.cells()) - 5} runs missing, " in call("status", "--results", target)[1]
    found = status.file_statuses(last_run.requests_of(plan), Path(target))
    assert sum(item.status == "stale" and item.path.startswith("results/runs") for item in found) == 5  # by no code
    code, _, err = call("merge", *map(str, sides), "-o", target)
    assert (code, err.count("\n")) == (2, 1)
