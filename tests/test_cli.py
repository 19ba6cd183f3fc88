"""The command: what it prints, its exit codes, and what it says to a typing error."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import requests

from grambench import cli
from grambench.common.files import sealed
from grambench.pipeline import doctor, status

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def call(capsys, *arguments):
    code = cli.main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_list_shows_everything(capsys):
    for what, expected in (
        ("datasets", ["wdbc", "569 x 30", "dorothea", "26 classes", "letter_b_d"]),
        ("algorithms", ["omkc_dd", "OMKC(D,D)", '"beta": 0.8', "om2"]),
        ("kernels", ["polynomial_p3", "gaussian_sigma0.015625"]),
        ("studies", ["omkc", "16 data sets, 8 algorithms"]),
    ):
        code, out, _ = call(capsys, "list", what)
        assert code == 0
        for text in expected:
            assert text in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lst"], "unknown command 'lst': did you mean list"),
        (["list", "algoritms"], "unknown what 'algoritms': did you mean algorithms"),
        (["fetch", "inosphere"], "unknown data set 'inosphere': did you mean ionosphere"),
        (["run", "-d", "letter"], "got letter, which has 26 classes; name one of its tasks: letter_26, letter_b_d, "),
        (["run", "omck"], "unknown study 'omck': did you mean omkc"),
        (["run", "-d", "spamase"], "unknown data set 'spamase': did you mean spambase"),
        *(
            (["run", "-c", cores], f"--cores: expected a number of at least 1, or all, got {cores}")
            for cores in ("0", "-1", "many")
        ),
        (["compare", "nowhere", "elsewhere"], "nowhere/*/runs.parquet: no such file"),
        (["compare", "nowhere", "elsewhere", "--study", "omkc"], "nowhere/omkc/runs.parquet: no such file"),
    ],
)
def test_a_wrong_name_gets_one_line_and_exit_code_2(capsys, arguments, message):
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_outside_the_repository_it_says_where_to_go(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = call(capsys, "status")
    assert code == 2
    assert "name a project with -C, or make one with grambench init" in err


def test_help_has_examples_and_every_command():
    answer = subprocess.run(
        [sys.executable, "-m", "grambench.cli", "--help"], capture_output=True, text=True, check=True
    )
    for command in (
        "list",
        "fetch",
        "run",
        "status",
        "failed",
        "compare",
        "merge",
        "doctor",
        "examples:",
        "snakemake --cores 4 -R",
    ):
        assert command in answer.stdout


def test_fetch_of_a_bundled_data_set(capsys, tmp_path, monkeypatch):
    for name in ("config", "data/bundled"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "config").unlink()
    (tmp_path / "config").mkdir()
    for entry in (ROOT / "config").iterdir():
        (tmp_path / "config" / entry.name).symlink_to(entry)
    text = (ROOT / "config/config.yaml").read_text() + "sources: [bundled, package]\n"
    (tmp_path / "config/config.yaml").unlink()
    (tmp_path / "config/config.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAMBENCH_MIRROR", raising=False)
    code, out, _ = call(capsys, "fetch", "letter_b_d", "letter_b_p", "letter")
    assert code == 1
    assert [line.split()[:2] for line in out.splitlines()] == [["letter", "unavailable"]]  # what tasks share, once
    code, out, _ = call(capsys, "fetch", "votes84", "a3a")
    assert code == 1
    assert [line.split()[:2] for line in out.splitlines()] == [["votes84", "ok"], ["a3a", "unavailable"]]
    assert (tmp_path / "data/raw/votes84/vote.arff").is_file()
    code, out, _ = call(capsys, "status")
    assert code == 1
    assert "unavailable  data set a3a" in out
    code, out, _ = call(capsys, "failed")
    assert sorted(out.split()) == ["data/raw/a3a/source.json", "data/raw/letter/source.json"]


def results(folder, shift=0.0, noise=0.0, algorithms=("perceptron", "omkc_dd"), study="omkc"):
    """Write runs of which omkc_dd's are shifted, and disturbed by noise that alternates in sign."""
    rows = [
        (
            study,
            "wdbc",
            algorithm,
            "",
            float("nan"),
            r,
            "seeded",
            metric,
            10.0 + r % 3 + (shift + noise * (-1) ** r) * (algorithm == "omkc_dd"),
        )
        for algorithm in algorithms
        for metric in ("mistake_percent", "seconds")
        for r in range(20)
    ]
    columns = ["study", "dataset", "algorithm", "sweep", "value", "repeat", "orders", "metric", "result"]
    with sealed(folder / study / "runs.parquet") as path:
        pd.DataFrame(rows, columns=columns).to_parquet(path)
    return str(folder)


def test_compare_tells_change_from_noise(capsys, tmp_path):
    base = results(tmp_path / "a")
    assert call(capsys, "compare", base, results(tmp_path / "b"))[:2] == (0, "2 same\n")
    code, out, _ = call(capsys, "compare", base, results(tmp_path / "c", noise=1.0))
    assert code == 0
    assert "1 noise" in out
    code, out, _ = call(capsys, "compare", base, results(tmp_path / "d", shift=0.3))
    assert code == 1
    assert "omkc_dd" in out
    assert "1 changed" in out
    code, out, _ = call(capsys, "compare", base, results(tmp_path / "e", algorithms=("perceptron", "mine")))
    assert code == 1
    assert "only new" in out
    assert "only old" in out
    code, out, _ = call(capsys, "compare", base, results(tmp_path / "f", shift=3.0), "--timings")
    assert "2 changed" in out


def test_compare_takes_every_study_or_the_one_named(capsys, tmp_path):
    for side, shift in (("a", 0.0), ("b", 0.3)):
        results(tmp_path / side)
        results(tmp_path / side, shift, study="rkl")
    sides = str(tmp_path / "a"), str(tmp_path / "b")
    assert call(capsys, "compare", *sides)[1].splitlines()[-1] == "3 same, 1 changed"
    assert call(capsys, "compare", *sides, "--study", "omkc")[1] == "2 same\n"


def write_numbers(folder, study, metric, numbers):
    """Write one metric of many algorithms, a row of numbers each."""
    rows = [
        (study, "heart", f"a{a}", "", float("nan"), r, "seeded", metric, value)
        for a, row in enumerate(numbers)
        for r, value in enumerate(row)
    ]
    columns = ["study", "dataset", "algorithm", "sweep", "value", "repeat", "orders", "metric", "result"]
    with sealed(folder / study / "runs.parquet") as path:
        pd.DataFrame(rows, columns=columns).to_parquet(path)
    return str(folder)


@pytest.mark.parametrize(("study", "repeats"), [("omkc", 20), ("rkl", 5), ("ca_eleven", 10)])
def test_compare_cries_no_wolf_over_hundreds_of_cells(capsys, tmp_path, study, repeats):
    draws = np.random.default_rng(5).normal(size=(2, 600, repeats))
    base = write_numbers(tmp_path / "a", study, "error_percent", draws[0])
    other = write_numbers(tmp_path / "b", study, "error_percent", draws[1])
    assert call(capsys, "compare", base, other)[:2] == (0, "600 noise\n")
    draws[1, 7] = draws[0, 7] + 10.0 + 0.01 * draws[1, 7]
    changed = write_numbers(tmp_path / "c", study, "error_percent", draws[1])
    code, out, _ = call(capsys, "compare", base, changed)
    assert code == 1
    assert [line.split()[:3] for line in out.splitlines()[1:-1]] == [[study, "heart", "a7"]]


def test_compare_knows_numbers_that_a_holdout_study_does_not_have(capsys, tmp_path):
    numbers = np.array([[np.nan] * 10, [np.nan, *range(9)], range(10)], dtype=float)
    base = write_numbers(tmp_path / "a", "ca_eleven", "chosen_c", numbers)
    assert call(capsys, "compare", base, base)[:2] == (0, "3 same\n")
    more = np.hstack([numbers, numbers + 7.0])
    assert call(capsys, "compare", base, write_numbers(tmp_path / "b", "ca_eleven", "chosen_c", more))[1] == "3 same\n"
    numbers[0] = 1.0
    assert (
        "1 changed" in call(capsys, "compare", base, write_numbers(tmp_path / "c", "ca_eleven", "chosen_c", numbers))[1]
    )


def test_run_hands_over_to_snakemake(monkeypatch, capsys):
    seen = {}

    def run(command, check):
        seen["command"] = command
        return subprocess.CompletedProcess(command, 7)

    monkeypatch.setattr(subprocess, "run", run)
    code, _, _ = call(capsys, "run", "omkc", "-d", "wdbc", "sonar", "-c", "3", "--", "--dry-run", "--quiet")
    assert code == 7
    assert seen["command"][1:] == [
        *("-m", "snakemake", "--config", 'studies=["omkc"]', 'datasets=["wdbc", "sonar"]', "--cores", "3"),
        *("--dry-run", "--quiet"),
    ]


@pytest.mark.parametrize(
    ("states", "code"), [(["ok", "missing"], 0), (["ok", *["timeout"] * 12], 1), (["unavailable"], 1)]
)
def test_run_ends_with_what_failed_and_where_the_report_is(monkeypatch, capsys, states, code):
    """Until then a run with failures ended like any other."""
    found = [status.Item(f"{number}.h5", f"run {number}", state, "why") for number, state in enumerate(states)]
    monkeypatch.setattr(subprocess, "run", lambda command, check: subprocess.CompletedProcess(command, 0))
    monkeypatch.setattr(status, "items", lambda plan: found)
    ended, out, _ = call(capsys, "run", "--demo")
    assert ended == code
    assert out.splitlines()[-1].endswith(f"report: {ROOT / 'results/report/index.html'}")
    failed = [state for state in states if state not in ("ok", "missing")]
    assert out.count("why") == min(len(failed), 10)
    assert ("and 2 more: grambench status" in out) is (len(failed) == 12)


def test_run_says_nothing_of_what_it_only_planned(monkeypatch, capsys):
    monkeypatch.setattr(subprocess, "run", lambda command, check: subprocess.CompletedProcess(command, 0))
    monkeypatch.setattr(status, "items", lambda plan: pytest.fail("looked at results"))
    assert call(capsys, "run", "--demo", "--", "-n")[:2] == (0, "")


def test_status_of_a_folder_that_is_not_there(capsys):
    code, _, err = call(capsys, "status", "--results", "nowhere")
    assert (code, err) == (2, "grambench: nowhere: no such folder\n")


def test_doctor_reports_the_machine_and_every_source(capsys, monkeypatch):
    """Without a network: one host and one command do not answer."""
    asked = []

    def head(address, timeout):
        asked.append(address)
        if "archive.ics.uci.edu" in address:
            raise requests.ConnectionError

    def command(arguments, **settings):
        asked.append(arguments[0])
        return subprocess.CompletedProcess(arguments, int(arguments[0] == "npm"), "", "npm: no such package\n")

    monkeypatch.setattr(doctor.requests, "head", head)
    monkeypatch.setattr(doctor, "subprocess", SimpleNamespace(run=command, TimeoutExpired=subprocess.TimeoutExpired))
    code, out, _ = call(capsys, "doctor")
    assert code == 0
    for text in ("numpy", "linear algebra", "cores", "memory", "bundled", "http ", "pypi", "debian", "npm"):
        assert text in out
    assert {"apt-cache", "npm", sys.executable} <= set(asked)
    assert len(asked) > 4 and len(asked) == len(set(asked))  # each host once
    (uci,) = (line for line in out.splitlines() if "archive.ics.uci.edu" in line)
    assert "ConnectionError" in uci
    (npm,) = (line for line in out.splitlines() if "npm" in line)
    assert "npm: no such package" in npm
