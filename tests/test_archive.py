"""The archive of reference results: what it holds, what it refuses, and that a changed number is found."""

import re
import shutil
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from presentation import ROOT

from grambench.cli import main
from grambench.commands.project import read_plan
from grambench.common import layout, shipped
from grambench.common.errors import DataError
from grambench.common.files import check
from grambench.common.layout import Cell
from grambench.config.project import Configuration
from grambench.datasets import store
from grambench.report import figures
from grambench.results import archive, collect, records
from grambench.results.characteristics import Characteristics
from grambench.results.compare import compare
from grambench.results.study import Results

CELLS = [Cell("omkc", "wdbc", "om2"), Cell("omkc", "wdbc", "omkc_dd"), Cell("omkc", "wdbc", "om2", "eta")]
MACHINE = {"revision": "abc", "processor": "one", "versions": {"numpy": "2"}, "wall_seconds": 2.0, "cpu_seconds": 1.5}
PREPARED = store.PreparedDataset(
    name="wdbc",
    features=np.diag([1.0, 2.0, 0.0]),
    labels=np.array([1, -1, -1], dtype=np.int8),
    orders=None,
    source={"origin": "somewhere", "files": [{"name": "wdbc.data", "sha256": "0" * 64}]},
)


def record(cell, **changes):
    return records.Record(
        study=cell.study,
        dataset=cell.dataset,
        algorithm=cell.algorithm,
        status="ok",
        code="fedcba9876543210.0",
        orders="seeded",
        settings={"sweep": cell.sweep, "values": [1, 2] if cell.sweep else [], "kernels": ["a:1", "b"], "seed": 1},
        inputs={"results/datasets/wdbc.h5": "0123"},
        metrics={"mistake_percent": np.array([[0.1, 1 / 3], [0.2, 0.5]])[: 2 if cell.sweep else 1]},
        curves={"mistake_percent": np.array([[[0.5, 0.1], [0.5, 1 / 3]]])},
        rounds=np.array([10, 20]),
        kernel_values={} if cell.sweep else {"weight": np.array([[[0.1, np.nan], [0.3, 0.7]]])},
        provenance=MACHINE,
        **changes,
    )


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A results folder with three records, their tables and their data set; the working folder is beside it."""
    monkeypatch.chdir(tmp_path)
    made = {cell.path(): record(cell) for cell in CELLS}
    for path, each in made.items():
        records.write(Path(path), each)
    store.write(Path(layout.PREPARED.format(dataset="wdbc")), PREPARED)
    collect.write(made, *(Path(pattern.format(study="omkc")) for pattern in (layout.RUNS, layout.CURVES, layout.CELLS)))
    return layout.RESULTS


def asked(**changes):
    return {cell: record(cell, **changes).asked for cell in CELLS}


def test_the_archive_holds_the_tables_and_what_they_were_made_with(results):
    archive.write("omkc", results, CELLS)
    folder = archive.ARCHIVE / "omkc"
    for name in ("runs.parquet", "curves.parquet"):
        pd.testing.assert_frame_equal(pd.read_parquet(folder / name), pd.read_parquet(results / "omkc" / name))
    assert "omkc" in archive.studies()
    assert archive.faults("omkc") == []
    about = archive.read_about("omkc")
    assert {name: about[name] for name in ("revision", "processor", "cpu_seconds")} == {
        "revision": ["abc"],
        "processor": ["one"],
        "cpu_seconds": 4.5,
    }
    assert archive.read_prepared("omkc") == {"wdbc": Characteristics.of(PREPARED, PREPARED.content)}


def test_records_are_read_from_the_archive_without_curves(results):
    archive.write("omkc", results, CELLS)
    shutil.rmtree(results)
    found = archive.read_records("omkc")
    assert list(found) == [cell.path() for cell in CELLS]
    for cell in CELLS:
        made, again = record(cell), found[cell.path()]
        assert again.identity == made.identity
        assert again.curves == again.class_values == {}
        for name in ("detail", "provenance", *records.TEXTS):
            assert getattr(again, name) == getattr(made, name), name
        for group in ("metrics", "kernel_values"):
            values, expected = getattr(again, group), getattr(made, group)
            assert values.keys() == expected.keys()
            assert all(np.array_equal(values[name], expected[name], equal_nan=True) for name in expected), group


def test_a_data_set_that_was_unavailable_stays_so(results):
    unavailable = store.Unavailable("wdbc", ("no mirror",))
    store.write(Path(layout.PREPARED.format(dataset="wdbc")), unavailable)
    archive.write("omkc", results, CELLS)
    assert archive.read_prepared("omkc") == {"wdbc": unavailable}


def test_the_archive_is_read_as_a_results_folder(results):
    archive.write("omkc", results, CELLS)
    assert set(compare(archive.ARCHIVE, results).change) == {"same"}


@pytest.mark.parametrize("part", ["dataset", "algorithm"])
def test_a_study_that_is_archived_in_parts_has_the_same_files(results, part, monkeypatch, tmp_path):
    monkeypatch.setattr(shipped, "ROOT", tmp_path)
    cells = [cell._replace(dataset=name) for name in ("wdbc", "heart", "sonar") for cell in CELLS]
    for name in ("heart", "sonar"):
        store.write(Path(layout.PREPARED.format(dataset=name)), replace(PREPARED, name=name))
    for cell in cells:
        made_with = MACHINE | {"revision": f"of {cell.dataset}"}
        records.write(Path(cell.path()), replace(record(cell), dataset=cell.dataset, provenance=made_with))
    archive.write("omkc", results, cells)
    folder = archive.ARCHIVE / "omkc"
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)
    for name in sorted({getattr(cell, part) for cell in cells}):
        kept = [cell for cell in cells if getattr(cell, part) != name]
        archive.write("omkc", results, cells, kept=kept)
        for cell in set(cells) - set(kept):
            Path(cell.path()).unlink()
        assert archive.faults("omkc") == []
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == whole


def test_runs_on_other_data_are_not_kept(results):
    archive.write("omkc", results, CELLS)
    changed = replace(PREPARED, features=PREPARED.features + 1.0)
    store.write(Path(layout.PREPARED.format(dataset="wdbc")), changed)
    with pytest.raises(
        DataError, match="omkc: the archived runs on wdbc are on other data; grambench run omkc -d wdbc"
    ):
        archive.write("omkc", results, CELLS, kept=CELLS[1:])


def test_runs_with_another_number_of_repetitions_are_not_kept(results):
    archive.write("omkc", results, CELLS)
    made = record(CELLS[0])
    made.settings["protocol"] = {"repetitions": 1}
    records.write(Path(CELLS[0].path()), made)
    expected = "omkc: the archived runs on wdbc have another protocol; grambench run omkc -d wdbc and grambench"
    with pytest.raises(DataError, match=expected):
        archive.write("omkc", results, CELLS, kept=CELLS[1:])
    assert archive.faults("omkc") == []


def test_a_study_that_was_not_run_whole_is_refused(results):
    lacking = [*CELLS, Cell("omkc", "wdbc", "perceptron")]
    with pytest.raises(DataError, match=r"records of omkc are missing, 1 of 4, .*perceptron.h5; grambench run"):
        archive.write("omkc", results, lacking)
    assert not archive.ARCHIVE.exists()


@pytest.mark.parametrize("name", archive.NAMES)
def test_a_changed_file_is_found_and_no_longer_read(results, name):
    archive.write("omkc", results, CELLS)
    path = archive.ARCHIVE / "omkc" / name
    content = path.read_bytes()
    path.write_bytes(content[:50] + bytes([content[50] ^ 1]) + content[51:])
    assert [fault.partition(",")[0] for fault in archive.faults("omkc")] == [f"{path}: damaged"]
    with pytest.raises(DataError, match=f"damaged, expected sha256 .*; restore it: git checkout {path}"):
        check(path)
    path.unlink()
    assert "cannot be read" in archive.faults("omkc")[0]


def test_columns_of_another_version_are_found(results):
    archive.write("omkc", results, CELLS)
    folder = archive.ARCHIVE / "omkc"
    table = pd.read_parquet(folder / "runs.parquet")
    table.drop(columns="orders").to_parquet(folder / "runs.parquet")
    sums = "".join(f"{archive.sha256(folder / name)}  {name}\n" for name in archive.NAMES)
    (folder / "SHA256SUMS").write_text(sums)
    (fault,) = archive.faults("omkc")
    assert "runs.parquet: expected columns study, dataset" in fault


def test_runs_whose_settings_or_code_have_changed_are_behind(results):
    archive.write("omkc", results, CELLS)
    assert archive.behind("omkc", asked()) == ([], [])
    new = Cell("omkc", "wdbc", "perceptron")
    changed = dict(asked()) | {CELLS[1]: "another", new: "any"}
    assert archive.behind("omkc", changed) == ([new], [CELLS[1]])
    # versions of packages follow the point in a hash of code, and do not count
    same = {cell: replace(record(cell), code="fedcba9876543210.1").asked for cell in CELLS}
    assert archive.behind("omkc", same) == ([], [])


def test_the_command_checks_the_archive(project, call, results, monkeypatch):
    shutil.rmtree(results)
    monkeypatch.setattr(shipped, "ROOT", project)
    assert call("archive", "--check") == (
        0,
        "reference: no study yet; grambench archive STUDY adds one that was run\n",
        "",
    )
    code, out, err = call("archive", "omkc")
    assert (code, out) == (2, "")
    assert "grambench run omkc makes them" in err
    line = "reference/omkc: expected a folder that grambench archive or submit has written, got none with SHA256SUMS\n"
    assert call("archive", "--check", "omkc") == (1, line, "")


def test_the_command_archives_some_data_sets_and_names_those_that_are_lacking(project, call, results, monkeypatch):
    monkeypatch.setattr(shipped, "ROOT", project)
    assert call("archive", "omkc", "-d", "wdcb")[0] == 2
    few = call("archive", "leaderboard", "-d", "sonar", "-a", "d1_features")  # it has too many features for this pool
    assert few[0] == 2 and "these configurations have none on these data sets" in few[2]
    plan = read_plan({"studies": ["omkc"], "datasets": None, "algorithms": {}})
    cells = plan.targets.cells("omkc")
    of = [cell for cell in cells if cell.dataset == "wdbc"]
    for cell in of:
        records.write(Path(cell.path()), record(cell, reason=""))
    code, out, err = call("archive", "omkc", "-d", "wdbc")
    first, *lines = out.splitlines()
    assert (code, err) == (0, "")
    assert first.startswith(f"omkc: {len(of)} of {len(cells)} runs, of revision abc, ")
    others = [name for name in plan.targets.datasets("omkc") if name != "wdbc"]
    assert {line.split(": runs that it lacks: ")[0].strip() for line in lines if "lacks" in line} == set(others)
    assert archive.read_about("omkc")["data"].keys() == {"wdbc"}


def test_the_archive_of_the_repository_is_sound():
    assert {"oks", "rkl_width"} <= {*archive.studies()}
    for study in archive.studies():
        assert archive.faults(study) == []
        assert archive.read_about(study)["study"] == study


def test_a_study_of_the_project_is_read_in_place_of_the_one_that_comes_with_the_package(project):
    shipped_, own = archive.folder_of("oks"), archive.ARCHIVE / "oks"
    assert shipped_ == shipped.ROOT / own
    shutil.copytree(shipped_, own)
    assert archive.folder_of("oks") == own and archive.studies().count("oks") == 1


def test_the_version_of_all_studies_changes_with_one(results, capsys):
    before = archive.version()
    archive.write("omkc", results, CELLS)
    assert archive.version() != before and re.fullmatch(r"[\da-f]{8}", before)
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"{version('grambench')}, reference results {archive.version()}\n"


@pytest.mark.parametrize("study", ["oks", "omkc"])
def test_weights_that_no_figure_shows_are_left_out_of_the_archive(study):
    settings = Configuration(ROOT / "config").study(study)
    results = Results.read(settings, *(archive.path_of(study, name) for name in (layout.RUNS, layout.CELLS)))
    curves = pd.read_parquet(archive.path_of(study, layout.CURVES))
    weights = curves[curves["metric"].str.startswith("weight:")]
    if study == "omkc":
        best = {name: f"weight:{results.best_kernels(name)[0]}" for name in weights["dataset"].unique()}
        assert len(weights) and (weights["metric"] == weights["dataset"].map(best)).all()
        hidden = weights.assign(metric="weight:other")
    else:
        assert set(weights["algorithm"]) == {"oks_svm_12", "som_svm_12"}
        hidden = weights.assign(algorithm="om1")
    left = figures.without_hidden_weights(results, pd.concat([curves, hidden]))
    pd.testing.assert_frame_equal(left, curves)


def test_a_record_is_made_again_only_where_there_is_a_run(project, call):
    said = "no run has a record here, expected omkc/ionosphere/om2; grambench run omkc makes those of a study"
    assert call("rerun", "omkc/ionosphere/om2") == (2, "", f"grambench: results: {said}\n")


def test_a_record_of_the_archive_is_shown(project, call):
    code, out, _ = call("show", "oks/corel5k_sky_grass/oks_svm")
    about, first, *_ = out.splitlines()
    assert code == 0 and about == f"reference results {archive.version_of('oks')}"
    assert first == "oks: oks_svm on corel5k_sky_grass: ok" and "Repetitions (5)" in out
    numbers = " ".join(out.partition("Published numbers\n")[2].split())
    assert re.search(r"Accuracy \(%\) Table 2 89\.2 .* -?[\d.]+ to -?[\d.]+, margin 1", numbers)
    code, _, err = call("show", "oks/corel5k_sky_grass/oks_swm")
    assert code == 2 and "unknown record of " in err and "did you mean oks/corel5k_sky_grass/oks_svm" in err
