"""`grambench table`: names, formats and errors, on the small study of presentation.py in a project of its own."""

import csv
import os
import shutil
from pathlib import Path

import presentation
import pytest

from grambench.common import layout
from grambench.common.files import sealed, write_text


@pytest.fixture
def table(project, call, monkeypatch):
    """What calls `grambench table` in a project with collected results of study omkc."""
    monkeypatch.setenv("COLUMNS", "100")
    with sealed(Path(layout.RUNS.format(study="omkc"))) as path:
        presentation.runs().to_parquet(path)
    with sealed(Path(layout.CELLS.format(study="omkc"))) as path:
        presentation.cells().to_csv(path, index=False)
    return lambda *arguments: call("table", *arguments)


def test_it_prints_algorithms_by_data_sets_with_the_best_and_the_mean_rank(table):
    code, out, _ = table("omkc", "-d", "wdbc", "sonar")
    lines = out.splitlines()
    assert code == 0 and lines[0] == "Mistakes (%): mean ± standard deviation over published permutations"
    assert lines[2].split() == ["Algorithm", "wdbc", "sonar", "Mean", "rank"]
    assert lines[3].split() == ["Perceptron", "10.00", "±", "1.29", "timeout", "3.00"]
    assert lines[4].split() == ["OMKC(D,D)", "5.00", "±", "1.29*", "timeout", "1.00"]
    assert (
        "Star: the lowest mean, and all that Student's t-test at the 5 % level does not distinguish from it." in lines
    )
    assert "OMKC(D,D) on sonar: timeout: stopped after 5 s <limit>." in lines
    assert "Mean rank over 1 of 2 data sets, where every ranked algorithm has a result: 1 is the best" in out


def test_numbers_from_before_an_edit_are_said_to_be(table):
    write_text(Path(layout.LAST_RUN), "{}")
    os.utime("config/studies/omkc.yaml", (2**32, 2**32))
    edited = "edited after the last run: config/studies/omkc.yaml; the numbers are from before it: grambench run omkc\n"
    assert table("omkc")[2] == edited
    os.utime("config/studies/omkc.yaml", (0, 0))
    assert table("omkc")[2] == ""


def test_rows_of_a_board_are_what_it_ranks(call, monkeypatch):
    monkeypatch.chdir(presentation.ROOT)
    out = call("table", "leaderboard", "--results", "reference", "--csv")[1]
    rows = {row["algorithm"] for row in csv.DictReader(out.splitlines())}
    assert len(rows) == 47 and not {"simple_mkl", "d1_features"} & rows


def test_a_run_that_lacks_the_number_has_a_dash_and_is_not_the_best(call, monkeypatch):
    monkeypatch.chdir(presentation.ROOT)
    names = ("-d", "wdbc", "-a", "logistic_regression", "d1")
    out = call("table", "leaderboard", "--results", "reference", "--metric", "converged", *names)[1]
    rows = [line.split() for line in out.splitlines()[3:5]]
    assert rows == [["Logistic", "regression", "—", "—"], ["lp-MKL", "p", "=", "1", "1.00", "±", "0.00*", "1.00"]]


def test_where_neither_low_nor_high_values_are_best_none_is_bold_or_ranked(call, monkeypatch):
    monkeypatch.chdir(presentation.ROOT)
    names = ("-d", "wdbc", "-a", "uniform_svm", "d1")
    out = call("table", "leaderboard", "--results", "reference", "--metric", "selected_C", *names)[1]
    assert out.splitlines()[2].split() == ["Algorithm", "wdbc"]
    assert "*" not in out and "Star:" not in out and "rank" not in out


def test_data_sets_that_the_study_does_not_list_are_ranked_too(table):
    for pattern, frame in ((layout.RUNS, presentation.runs()), (layout.CELLS, presentation.cells())):
        with sealed(Path(pattern.format(study="omkc"))) as path:
            frame = frame[frame["dataset"] == "wdbc"].replace({"dataset": {"wdbc": "mine"}})
            frame.to_parquet(path) if pattern == layout.RUNS else frame.to_csv(path, index=False)
    code, out, _ = table("omkc", "-d", "mine")
    assert code == 0 and [line.split()[-1] for line in out.splitlines()[3:5]] == ["3.00", "1.00"]


def test_rows_columns_metric_caption_and_label_are_those_of_the_call(table):
    call = ("omkc", "-a", "omkc_ss", "omkc_dd", "-d", "wdbc", "--metric", "seconds", "--latex")
    code, out, _ = table(*call, "--caption", "Time & more", "--label", "tab:time")
    assert code == 0 and r"\caption{Time \& more. Time (s): mean" in out and r"\label{tab:time}" in out
    rows = [line.split(" &")[0] for line in out.splitlines() if line.endswith(r"\\")]
    assert rows == ["Algorithm", "OMKC(S,S)", "OMKC(D,D)"]
    assert r"\textbf{0.010 $\pm$ 0.000}" in out or r"\textbf{0.0100 $\pm$ 0.0000}" in out


@pytest.mark.parametrize(
    ("name", "start"), [("t.tex", r"% \use"), ("t.TEX", r"% \use"), ("t.md", "# Mistakes"), ("t.csv", "dataset,")]
)
def test_the_suffix_of_a_file_is_its_format(project, table, name, start):
    assert table("omkc", "-d", "wdbc", "-o", f"out/{name}")[:2] == (0, "")
    text = (project / "out" / name).read_text(encoding="utf-8")
    assert text.startswith(start)
    if name == "t.csv":
        rows = {row["algorithm"]: row for row in csv.DictReader(text.splitlines())}
        assert float(rows["omkc_dd"]["ours_mean"]) == 5.0 and rows["omkc_dd"]["best"] == "True"


def test_a_folder_in_the_place_of_the_file_is_named(project, table):
    (project / "t.tex").mkdir()
    assert table("omkc", "-o", "t.tex")[::2] == (1, "grambench: t.tex: Is a directory\n")


def test_an_option_of_several_names_that_is_given_again_adds_to_them(table):
    assert table("omkc", "-d", "wdbc", "-d", "sonar") == table("omkc", "-d", "wdbc", "sonar")


def test_a_metric_that_is_newer_than_the_results_says_what_to_do(table):
    code, _, err = table("omkc", "--metric", "log_loss")
    assert code == 2 and err.startswith("grambench: the results of omkc have no log_loss: known ")
    assert err.endswith("; grambench run omkc makes results again that are older than the metric\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["okmc"], "unknown study 'okmc': did you mean omkc?"),
        (["rkl"], "results/rkl/runs.parquet: no such file; grambench run rkl makes it"),
        (["omkc", "-a", "omkc_sd"], "unknown algorithm of the results 'omkc_sd': did you mean omkc_ss or omkc_dd?"),
        (["omkc", "-d", "heart"], "unknown data set of the results 'heart': known: sonar, splice, wdbc"),
        (["omkc", "--metric", "sekonds"], "unknown metric of the results of omkc 'sekonds': did you mean seconds?"),
        (["omkc", "--label", "tab:x"], "--label: expected with --latex, which alone has labels"),
    ],
)
def test_a_wrong_name_is_one_line(table, arguments, message):
    assert table(*arguments) == (2, "", f"grambench: {message}\n")


def test_a_study_with_an_algorithm_of_ones_own_is_read_from_any_folder_of_the_project(project, table, monkeypatch):
    """The path of the algorithm is relative to the study's file, and the results are those of the project."""
    study = project / "config/studies/omkc.yaml"
    entry = "  mine: {path: ../../mine.py}\n  perceptron: {}\n"
    study.write_text(study.read_text(encoding="utf-8").replace("  perceptron: {}\n", entry, 1), encoding="utf-8")
    shutil.copy(presentation.ROOT / "src/grambench/algorithms/batch/uniform_svm.py", project / "mine.py")
    (project / "notes").mkdir()
    monkeypatch.chdir(project / "notes")
    code, out, err = table("omkc", "-d", "wdbc")
    assert (code, err) == (0, "")
    assert "OMKC(D,D)" in out
