"""`grambench submit` and `verify`: what is handed in comes out again, and whatever was tampered with is refused."""

import json
import random
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_board
from small_board import BOARD, DATASETS
from test_outside import made

from grambench import cli
from grambench.commands import check, rank
from grambench.commands.project import read_plan
from grambench.common import environment
from grambench.common.files import SUMS
from grambench.experiments import conformance
from grambench.pipeline import client, fingerprint, ranking, trial
from grambench.pipeline.submission import ALGORITHM, TOLERANCE
from grambench.results import archive, collect

FOLDER = Path("mine")
MEANS = '''"""Nearest mean: the class whose training examples are more similar on average, by all kernels alike."""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.fit import Fit


@dataclass(frozen=True)
class Parameters:
    """shift: of all scores; share: of the negative examples in them."""

    shift: float = 0.0
    share: float = 1.0


class Means:
    def __init__(self, labels, shift, share):
        positives, negatives = max((labels > 0).sum(), 1), max((labels < 0).sum(), 1)
        self.coefficients = np.where(labels > 0, 1 / positives, -share / negatives)
        self.shift = shift

    def scores(self, pool):
        return self.shift + sum(np.einsum("ij,j->i", gram, self.coefficients) for gram in pool.grams())


def fit(parameters, pool, labels, *, order, rng):
    m = pool.shape[0]
    return Fit(weights=np.full(m, 1 / m), predictor=Means(labels, parameters.shift, parameters.share))
'''
PARAMETERS = {"shift": 0.001}
TUNE = {"share": [1.0, 0.9]}
UNWRITABLE = "expected a folder that can be made and written; name another one with -o"


@pytest.fixture(scope="module")
def submitted(reference, shared_servers, tmp_path_factory):
    """What `submit` has written of MEANS, with three reference runs; `verify` checks the file."""
    root = tmp_path_factory.mktemp("submitted")
    shutil.copytree(reference.parent / "config", root / "config")
    shutil.copytree(reference, root / archive.ARCHIVE)
    (root / "mine.py").write_text(MEANS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.setenv(client.SERVER, shared_servers[1])
        patch.setattr(ranking, "LONGEST", np.inf)
        patch.setattr(check, "passes", lambda *arguments: True)
        settings = ["-p", json.dumps(PARAMETERS), "--tune", json.dumps(TUNE)]
        assert cli.main(["submit", "mine.py", *settings, "-o", "mine"]) == 0
    return root / "mine"


@pytest.fixture
def board(project, reference, submitted, servers):
    """A project with the archive and the submission."""
    shutil.copytree(reference, archive.ARCHIVE)
    shutil.copytree(submitted, FOLDER)


@pytest.fixture
def quick(board, monkeypatch):
    """Checks of algorithms and reference runs are left out, which take longer than all else."""
    monkeypatch.setattr(check, "passes", lambda *arguments: True)
    monkeypatch.setattr(ranking, "AGAIN", 0)


@pytest.fixture(scope="module")
def runs():
    """All runs of the tests in this file, by their settings and code."""
    return {}


@pytest.fixture
def remembered(quick, runs, monkeypatch):
    """A run with the settings and the code of an earlier one is not made again."""
    make = trial.run

    def run(plan, cells, seconds, expected):
        keys = {cell: plan.specs.of_cell(cell) for cell in cells}
        missing = [cell for cell in cells if keys[cell] not in runs]
        made = make(plan, missing, seconds, expected)
        runs.update({keys[cell]: record for cell, record in zip(missing, made, strict=True)})
        return [runs[keys[cell]] for cell in cells]

    monkeypatch.setattr(trial, "run", run)


def change(name, column, edit):
    """Change a column of a table of the submission, with checksums that fit."""
    path = FOLDER / name
    table = pd.read_parquet(path)
    table[column] = edit(table)
    table.to_parquet(path)
    small_board.sign(FOLDER)
    collect.tables(archive.read_records(FOLDER))[2].to_csv(FOLDER / "cells.csv", index=False)
    small_board.sign(FOLDER)


def add_a_point(table):
    """Return results with one more example in a hundred that is correct, on one data set."""
    chosen = (table["metric"] == "accuracy_percent") & (table["dataset"] == "votes84")
    return table["result"] + chosen


def claim(column, key, value):
    """Return an edit of a column of JSON that claims a value."""
    return lambda table: [json.dumps(json.loads(text) | {key: value}) for text in table[column]]


def refused(call, *options):
    """Return the line with which the submission is refused."""
    code, said, err = call("verify", str(FOLDER), *options)
    lines = [line.removeprefix("FAIL ") for line in said.splitlines() if line.startswith("FAIL ")]
    assert (code, err, len(lines)) == (1, "", 1), said + err
    return lines[0]


def test_a_submission_is_the_file_with_its_runs_and_passes_all_checks(board, call, monkeypatch):
    monkeypatch.setattr(ranking, "LONGEST", np.inf)
    assert (FOLDER / ALGORITHM).read_text() == MEANS
    about = archive.read_about(FOLDER)
    assert (about["study"], about["parameters"], about["tune"]) == (BOARD, PARAMETERS, TUNE)
    assert {path.name for path in FOLDER.iterdir()} == {*archive.NAMES, ALGORITHM, "SHA256SUMS"}
    records = archive.read_records(FOLDER)
    assert [record.dataset for record in records.values()] == list(DATASETS)
    assert all(record.settings["points"] == [PARAMETERS | {"share": 1.0}] for record in records.values())
    tuned = {"parameter": "share", "values": TUNE["share"], "by": "error"}
    assert all(tuned.items() <= record.settings["tune"].items() for record in records.values())
    assert all(record.metrics["accuracy_percent"].shape == (1, 10) for record in records.values())
    code, said, err = call("verify", str(FOLDER))
    assert (code, err) == (0, ""), said
    lines = said.splitlines()
    checks = [f"ok   {what}" for what in ("can be imported", *(each.what for each in conformance.CHECKS))]
    assert lines[:13] == ["ok   files", "ok   data sets", *checks, "ok   settings and splits"]
    assert sorted(line.split()[0] for line in lines[13:15]) == list(DATASETS)
    assert lines[-2:] == [
        "reference runs made again with equal accuracies: 3 of 3",
        "ok   numbers of 2 of 2 runs, made again",
    ]


def test_a_submission_names_no_path_of_its_machine(submitted):
    texts = [(submitted / "about.json").read_text(), (submitted / "cells.csv").read_text()]
    texts += pd.read_parquet(submitted / "records.parquet").to_csv().splitlines()
    assert not [text for text in texts if str(submitted.parent) in text or tempfile.gettempdir() + "/" in text]


def test_a_changed_number_is_refused_by_its_checksum_and_with_a_new_one_by_a_run(remembered, call):
    sums = (FOLDER / SUMS).read_text()
    change("runs.parquet", "result", add_a_point)
    signed = (FOLDER / SUMS).read_text()
    (FOLDER / SUMS).write_text(sums)
    assert refused(call).startswith("files: mine/runs.parquet: damaged, expected sha256 ")
    (FOLDER / SUMS).write_text(signed)
    found = re.fullmatch(
        r"numbers of 2 of 2 runs, made again: votes84: accuracy_percent: expected (.*) in repetition 0, as made again, "
        r"got (.*) in repetition 0",
        refused(call),
    )
    assert found and float(found[2]) - float(found[1]) == pytest.approx(1.0)


def test_a_number_changed_on_a_data_set_that_is_not_drawn_is_found_by_running_all(remembered, call, monkeypatch):
    change("runs.parquet", "result", add_a_point)
    monkeypatch.setattr(random, "sample", lambda names, count: sorted(names)[:count])
    assert call("verify", str(FOLDER), "-n", "1")[0] == 0
    assert "votes84: accuracy_percent: expected" in refused(call, "-n", "45")


def test_numbers_in_another_order_are_refused_though_their_mean_is_the_same(remembered, call):
    change("runs.parquet", "result", lambda table: table["result"].where(table["metric"] != "auc_percent", swap(table)))
    line = refused(call)
    found = re.search("auc_percent: expected (.*) in repetition 0, as made again, got (.*) in repetition 0$", line)
    assert found and found[1] != found[2]


def swap(table):
    """Return results of which those of each metric are in the reverse order on each data set."""
    return table.groupby(["dataset", "metric"])["result"].transform(lambda values: values.to_numpy()[::-1])


def test_numbers_beside_the_accuracy_that_are_missing_or_forged_are_refused(remembered, call):
    table = pd.read_parquet(FOLDER / "runs.parquet")
    few = table[(table["metric"] != "auc_percent") | (table["repetition"] < 3)]
    few.to_parquet(FOLDER / "runs.parquet")
    small_board.sign(FOLDER)
    assert re.search("auc_percent: expected .* in repetition 3, as made again, got none$", refused(call))
    forged = pd.concat([table, table[:1].assign(metric="class_accuracy:good")], ignore_index=True)
    forged.to_parquet(FOLDER / "runs.parquet")
    small_board.sign(FOLDER)
    assert re.search("class_accuracy:good: expected none, as made again, got .* in repetition 0$", refused(call))


OTHERS = "/runs.parquet: expected the rows of the runs in records.parquet alone, got others"
LACKING = ": expected a run with one accuracy_percent a repetition on each data set, got 0 of 2 runs"


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda rows: pd.concat([rows, rows.assign(algorithm="rkl", result=100.0)], ignore_index=True), OTHERS),
        (lambda rows: pd.concat([rows, rows.assign(dataset="sonar")], ignore_index=True), OTHERS),
        (lambda rows: rows.assign(repetition=9 - rows["repetition"]), OTHERS),
        (lambda rows: rows.assign(study="omkc"), OTHERS),
        (lambda rows: rows.assign(result=rows["result"].astype(str)), OTHERS),
        (lambda rows: rows[rows["repetition"] != 3], LACKING),
        (lambda rows: pd.concat([rows, rows]), LACKING),
    ],
)
def test_rows_that_are_not_those_of_the_runs_are_refused(quick, call, edit, line):
    edit(pd.read_parquet(FOLDER / "runs.parquet")).to_parquet(FOLDER / "runs.parquet")
    small_board.sign(FOLDER)
    assert refused(call) == f"files: mine{line}"


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        ("cells.csv", "seeded", "published", "files: mine/"),
        ("about.json", "0.9", "0.8", "settings and splits: ionosphere: expected tune {"),
    ],
)
def test_cells_and_candidates_that_are_not_those_of_the_runs_are_refused(quick, call, name, old, new, line):
    path = FOLDER / name
    path.write_text(path.read_text().replace(old, new))
    small_board.sign(FOLDER)
    assert refused(call).startswith(line)


def test_other_splits_are_refused_by_their_settings_and_with_forged_ones_by_a_run(remembered, call):
    config = Path("config/config.yaml")
    text = config.read_text()
    config.write_text(re.sub("(?m)^seed: .*", "seed: 1", text))
    Path("mine.py").write_text(MEANS)
    assert call("submit", "mine.py", "-p", json.dumps(PARAMETERS), "-o", str(FOLDER))[0] == 0
    config.write_text(text)
    seed = read_plan().project.seed
    line = f"settings and splits: ionosphere: expected seed {seed} of {BOARD}, got 1"
    assert refused(call) == line
    change("records.parquet", "settings", claim("settings", "seed", seed))
    assert refused(call).startswith("numbers of 2 of 2 runs, made again: ")


@pytest.mark.parametrize(
    ("key", "value"),
    [("protocol", {"repetitions": 10}), ("dictionary", {"family": "gaussian"}), ("tune", {"by": "error"})],
)
def test_other_settings_are_refused(quick, call, key, value):
    change("records.parquet", "settings", claim("settings", key, value))
    line = refused(call)
    assert line.startswith(f"settings and splits: ionosphere: expected {key} ") and line.endswith(f"got {value}")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"parameters": [1]}, "files: mine/about.json: parameters: Input should be a valid dictionary (got [1])"),
        ({"parameters": {"shift": np.nan}}, "files: mine/about.json: parameters.shift.float: Input should be a finite"),
        ({"tune": {"share": 1.0}}, "files: mine/about.json: tune.share: Input should be a valid list (got 1.0)"),
        ({"tune": {"nope": [1.0]}}, "settings and splits: unknown parameter of mine/algorithm.py 'nope': known: share"),
        ({"tune": {"shift": [1.0]}}, "settings and splits: --tune: expected other names than --parameters has, got"),
    ],
)
def test_parameters_and_values_that_the_algorithm_does_not_have_are_refused(quick, call, changes, line):
    small_board.change_about(FOLDER, changes)
    assert refused(call).startswith(line)


def test_a_parameter_that_the_checks_refuse_is_refused(board, call):
    small_board.change_about(FOLDER, {"parameters": {"nope": 1}})
    assert refused(call).startswith("parameters: unknown parameter of mine/algorithm.py 'nope': known: share, shift")


def test_a_leak_is_refused(board, call, monkeypatch):
    """Another one, test_outside.py shows to `try`, which makes the same checks."""
    checks = [each for each in conformance.CHECKS if each.test.__name__ in check.LEAKS]
    monkeypatch.setattr(conformance, "CHECKS", checks)
    leaks = made("return Fit(weights=weights, predictor=CallersLabels())").replace("rate:", "shift:")
    (FOLDER / ALGORITHM).write_text(leaks)
    small_board.sign(FOLDER)
    line = "does not use the labels of test examples: scores: expected an accuracy of 0 % once the labels of all "
    assert refused(call) == f"{line}test examples are exchanged, got 100"
    code, said, err = call("submit", str(FOLDER / ALGORITHM), "-o", "another")
    assert (code, err) == (1, "") and said.splitlines()[-1] == "not submitted: a check fails"
    assert not Path("another").exists()


def test_another_algorithm_with_the_same_numbers_is_refused(quick, call, request):
    # code is remembered by its path, at which other tests have another file
    for function in (fingerprint.code, fingerprint._module):
        request.addfinalizer(function.cache_clear)
    (FOLDER / ALGORITHM).write_text(MEANS.replace("self.shift +", "0.5 -"))
    small_board.sign(FOLDER)
    assert refused(call).startswith("numbers of 2 of 2 runs, made again: ")


def test_other_data_are_refused(quick, call):
    data = archive.read_about(FOLDER)["data"]
    small_board.change_about(FOLDER, {"data": data | {"votes84": {"content": "0" * 64}}})
    expected = data["votes84"]["content"]
    line = f"data sets: votes84: expected data with the checksum {expected} of {BOARD}, got {'0' * 64}"
    assert refused(call) == line


def test_a_board_without_reference_results_is_refused(quick, call):
    small_board.change_about(FOLDER, {"study": "nowhere"})
    assert refused(call).startswith("files: mine: unknown study of the reference results 'nowhere': ")


def test_a_data_set_that_was_left_out_is_named(quick, call):
    for name in ("runs.parquet", "records.parquet"):
        table = pd.read_parquet(FOLDER / name)
        table[~table.iloc[:, [0, 1]].apply(lambda row: "votes84" in "/".join(row), axis=1)].to_parquet(FOLDER / name)
    cells = FOLDER / "cells.csv"
    cells.write_text("".join(line for line in cells.open() if "votes84" not in line))
    small_board.sign(FOLDER)
    line = f"data sets: expected a run on each data set of {BOARD} alone, not so: votes84"
    assert refused(call) == line


@pytest.mark.parametrize(("points", "code"), [(0.9 * TOLERANCE, 0), (1.1 * TOLERANCE, 1)])
def test_numbers_of_another_machine_may_differ_by_half_of_what_is_called_a_difference(remembered, call, points, code):
    change("runs.parquet", "result", lambda table: table["result"] + points * (table["metric"] == "accuracy_percent"))
    assert "as made again" in refused(call), "on the same machine not by a bit"
    change("records.parquet", "provenance", claim("provenance", "processor", "another"))
    if environment.instructions():
        assert "as made again, got" in refused(call), "nor on another processor that has AVX2"
    change("records.parquet", "provenance", claim("provenance", "blas", "another"))
    if code:
        assert "as made again on another machine, give or take 0.5, got" in refused(call)
    else:
        assert call("verify", str(FOLDER))[0] == 0


@pytest.mark.parametrize("name", [name for name in archive.NAMES if name != "cells.csv"])
def test_files_that_are_no_tables_are_refused_in_one_line(quick, call, name):
    (FOLDER / name).write_text("[")
    small_board.sign(FOLDER)
    assert refused(call).startswith("files: mine")


def test_a_folder_that_is_no_submission_is_refused(quick, call):
    (FOLDER / SUMS).unlink()
    line = "files: mine: expected a folder that grambench archive or submit has written, got none with SHA256SUMS"
    assert refused(call) == line


def test_a_data_set_without_a_source_is_no_submission(quick, call, monkeypatch):
    monkeypatch.delenv("GRAMBENCH_MIRROR", raising=False)
    config = Path("config/config.yaml")
    config.write_text(config.read_text() + "\nsources: [file]\n")
    code, _, err = call("submit", str(FOLDER / ALGORITHM), "-o", "another")
    assert code == 2 and err.startswith(
        f"grambench: {BOARD}: expected a result on each data set, without one: 2, the first ionosphere: "
    )
    assert not Path("another").exists()
    assert "its run was not made again: " in refused(call)


def test_a_file_that_is_edited_while_it_runs_is_no_submission(quick, call, monkeypatch):
    path, make = Path("another.py"), rank.make
    path.write_text(MEANS)

    def edit(*arguments):
        path.write_text(MEANS + "# later\n")
        return make(*arguments)

    monkeypatch.setattr(rank, "make", edit)
    code, _, err = call("submit", str(path), "-o", "another")
    expected = "expected the same file to the end of its runs, got an edited one; submit it again"
    assert (code, err) == (2, f"grambench: another.py: {expected}\n")
    assert not Path("another").exists()


def test_a_folder_with_other_files_is_left_alone(quick, call):
    folder, before = archive.ARCHIVE / BOARD, archive.version_of(BOARD)
    code, _, err = call("submit", f"{FOLDER}/{ALGORITHM}", "-o", str(folder))
    expected = "expected a new or an empty folder, or one of a submission, got one with other files"
    assert (code, err) == (2, f"grambench: {folder}: {expected}; name another one with -o\n")
    assert archive.version_of(BOARD) == before and not archive.faults(BOARD)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["submit", "rkl"], "rkl: expected the file of an algorithm, such as mine.py"),
        *(
            ([*command, "-o", f"{FOLDER}/about.json/new"], f"{FOLDER}/about.json/new: {UNWRITABLE}")
            for command in (["submit", f"{FOLDER}/{ALGORITHM}"], ["rank", f"{FOLDER}/{ALGORITHM}"], ["report"])
        ),
        (["verify", "nothing"], "nothing: no such folder"),
        (["verify", "mine", "-n", "0"], "--cells: expected at least 1, got 0"),
    ],
)
def test_wrong_calls_get_one_line_before_anything_runs(quick, call, arguments, message):
    code, out, err = call(*arguments)
    assert (code, err) == (2, f"grambench: {message}\n") and "%" not in out
