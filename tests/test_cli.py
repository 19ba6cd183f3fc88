"""The command: what it prints, its exit codes, and what it says to a typing error."""

import errno
import getpass
import json
import logging
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import webbrowser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import requests
import yaml
from copies import ROOT, flip_bit
from snakemake.cli import get_argument_parser, parse_config
from snakemake_interface_logger_plugins.common import LogEvent

from grambench import cli
from grambench.commands import doctor, run
from grambench.common import layout
from grambench.common.errors import ConfigError, error_lines
from grambench.common.files import sealed, write_text
from grambench.common.layout import Cell
from grambench.common.provenance import asked, spec
from grambench.config.project import Configuration, Project
from grambench.pipeline import last_run, status
from grambench.pipeline.job import Job
from grambench.pipeline.plan import Plan, use_this_interpreter
from grambench.pipeline.steps import collect
from grambench.results import records
from snakemake_logger_plugin_grambench import LogHandler


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_list_shows_everything(call):
    for what, expected in (
        ("datasets", ["wdbc", "569 x 30", "dorothea", "26 classes", "letter_b_d", "pypi; 6 sources"]),
        ("algorithms", ["omkc_dd", "OMKC(D,D)", '"beta": 0.8', "om2"]),
        ("kernels", ["polynomial_p3", "gaussian_sigma0.015625"]),
        ("algorithms rkl", ["RKL: radius-based kernel", "\ngap = 0.01: Relative gap to stop at.\n", 'norm = "l1"']),
        ("metrics", ["mistake_percent", "auc_percent              area under the ROC curve"]),
        ("datasets rkl_width", ["ionosphere"]),
        ("studies", ["omkc", "16 data sets, 8 algorithms"]),
    ):
        code, out, _ = call("list", *what.split())
        assert code == 0
        for text in expected:
            assert text in out
        assert "mushrooms" not in out or what == "datasets"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lst"], "unknown command 'lst': did you mean list"),
        (["list", "algorithms", "rlk"], "unknown algorithm 'rlk': did you mean rkl"),
        (["list", "kernels", "rkl"], "list kernels: expected no name, got rkl; docs/library.md has the formulas"),
        (["list", "algoritms"], "unknown what 'algoritms': did you mean algorithms"),
        (["fetch", "inosphere"], "unknown data set 'inosphere': did you mean ionosphere"),
        (["run", "-d", "letter"], "got letter, which has 26 classes; name one of its tasks: letter_26, letter_b_d, "),
        (["run", "-d", "spamase"], "unknown data set 'spamase': did you mean spambase"),
        *(
            (["run", "-c", cores], f"--cores: expected a number of at least 1, or all, got {cores}")
            for cores in ("0", "-1", "many")
        ),
        (["diff", "nowhere", "elsewhere"], "nowhere/*/runs.parquet: no such file"),
        (["diff", "nowhere", "elsewhere", "--study", "omkc"], "nowhere/omkc/runs.parquet: no such file"),
        (["status", "--results", "nowhere"], "grambench: nowhere: no such folder"),
        (["init", "a\0b"], "expected arguments without NUL"),
    ],
)
def test_a_wrong_name_gets_one_line_and_exit_code_2(call, arguments, message):
    code, _, err = call(*arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("optimised", ["", "2"])
def test_help_has_examples_and_every_command_even_without_docstrings_in_memory(optimised):
    command, environment = [sys.executable, "-m", "grambench.cli", "--help"], os.environ | {"PYTHONOPTIMIZE": optimised}
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    for text in (*cli.COMMANDS, "examples:", "grambench run omkc -- -R", "find and remove damaged results"):
        assert text in answer.stdout


def test_fetch_of_a_bundled_data_set(project, call, monkeypatch):
    (project / "data").mkdir()
    (project / "data/bundled").symlink_to(ROOT / "data/bundled")
    with (project / "config/config.yaml").open("a") as settings:
        settings.write("sources: [bundled, package]\n")
    monkeypatch.delenv("GRAMBENCH_MIRROR", raising=False)
    code, out, _ = call("fetch", "letter_b_d", "letter_b_p", "letter")
    assert code == 1
    assert [line.split()[:2] for line in out.splitlines()] == [["letter", "unavailable"]]  # what tasks share, once
    code, out, _ = call("fetch", "votes84", "a3a")
    assert code == 1
    assert [line.split()[:2] for line in out.splitlines()] == [["votes84", "ok"], ["a3a", "unavailable"]]
    assert (project / "data/raw/votes84/vote.arff").is_file()
    code, out, _ = call("status")
    assert code == 1
    assert "unavailable  data set a3a" in out
    code, out, _ = call("failed")
    assert sorted(out.split()) == ["data/raw/a3a/source.json", "data/raw/letter/source.json"]


def write_numbers(folder, numbers, *metrics, study="omkc"):
    """Write metrics of a study, each with a row of numbers for each algorithm; return the folder."""
    columns = ["study", "dataset", "algorithm", "sweep", "value", "repetition", "orders", "metric", "result"]
    rows = [
        (study, "heart", algorithm, "", float("nan"), r, "seeded", metric, value)
        for algorithm, row in numbers.items()
        for metric in metrics
        for r, value in enumerate(row)
    ]
    with sealed(folder / study / "runs.parquet") as path:
        pd.DataFrame(rows, columns=columns).to_parquet(path)
    return str(folder)


def test_diff_tells_change_from_noise(call, tmp_path):
    numbers = 10.0 + np.arange(20) % 3
    two = {"perceptron": numbers, "omkc_dd": numbers}
    base = write_numbers(tmp_path / "a", two, "mistake_percent", "seconds")
    for side, changed, options, code, expected in (
        ("b", two, (), 0, ["2 same"]),
        ("c", two | {"omkc_dd": numbers + (-1.0) ** np.arange(20)}, (), 0, ["1 noise"]),
        ("d", two | {"omkc_dd": numbers + 0.3}, (), 1, ["omkc_dd", "1 changed"]),
        ("e", {"perceptron": numbers, "mine": numbers}, (), 0, ["1 only new", "1 only old"]),
        ("e", {"perceptron": numbers, "mine": numbers}, ("--all",), 1, ["mine", "omkc_dd"]),
        ("f", two | {"omkc_dd": numbers + 3.0}, ("--timings",), 1, ["2 changed"]),
    ):
        other = write_numbers(tmp_path / side, changed, "mistake_percent", "seconds")
        ended, out, _ = call("diff", base, other, *options)
        assert ended == code and all(text in out for text in expected), out


def test_diff_takes_every_study_or_the_one_named(call, tmp_path):
    numbers = 10.0 + np.arange(20) % 3
    for side, shift in (("a", 0.0), ("b", 0.3)):
        write_numbers(tmp_path / side, {"om1": numbers, "om2": numbers}, "mistake_percent")
        write_numbers(tmp_path / side, {"unif": numbers + shift}, "mistake_percent", study="rkl")
    sides = str(tmp_path / "a"), str(tmp_path / "b")
    assert call("diff", *sides)[1].splitlines()[-1] == "2 same, 1 changed"
    assert call("diff", *sides, "--study", "omkc")[1] == "2 same\n"


@pytest.mark.parametrize(("study", "repetitions"), [("omkc", 20), ("rkl", 5), ("ca_eleven", 10)])
def test_diff_cries_no_wolf_over_hundreds_of_cells(call, tmp_path, study, repetitions):
    draws = np.random.default_rng(5).normal(size=(2, 600, repetitions))
    names = [f"a{a}" for a in range(600)]
    base, other = (
        write_numbers(tmp_path / side, dict(zip(names, numbers, strict=True)), "error_percent", study=study)
        for side, numbers in zip("ab", draws, strict=True)
    )
    assert call("diff", base, other)[:2] == (0, "600 noise\n")
    draws[1, 7] = draws[0, 7] + 10.0 + 0.01 * draws[1, 7]
    write_numbers(tmp_path / "b", dict(zip(names, draws[1], strict=True)), "error_percent", study=study)
    code, out, _ = call("diff", base, other)
    assert code == 1
    assert [line.split()[:3] for line in out.splitlines()[1:-1]] == [[study, "heart", "a7"]]


def test_diff_knows_numbers_that_a_holdout_study_does_not_have(call, tmp_path):
    numbers = {"a": np.full(10, np.nan), "b": np.array([np.nan, *range(9)]), "c": np.arange(10.0)}
    more = {name: np.append(row, row + 7.0) for name, row in numbers.items()}
    for side, rows in (("a", numbers), ("b", more), ("c", numbers | {"a": np.ones(10)})):
        write_numbers(tmp_path / side, rows, "selected_C", study="ca_eleven")
    for side, expected in (("a", "3 same\n"), ("b", "3 same\n"), ("c", "1 changed")):
        assert expected in call("diff", str(tmp_path / "a"), str(tmp_path / side))[1]


def test_other_commands_pass_nothing_to_snakemake(call):
    said = "compare takes nothing behind --; grambench run passes it to Snakemake"
    assert call("compare", "my.csv", "--label", "y", "--", "--config", "seed=5") == (2, "", f"grambench: {said}\n")


def hand_over(monkeypatch, code=0):
    """Let `run` call a snakemake that does nothing; return where its command line will be."""
    seen = []
    monkeypatch.setattr(run, "_call_snakemake", lambda command: seen.append(command) or code)
    monkeypatch.setattr(last_run, "write", lambda plan: seen.append(plan))
    return seen


def test_run_hands_over_to_snakemake(monkeypatch, call):
    seen = hand_over(monkeypatch, 7)
    choice = ("-d", "wdbc", "sonar", "-a", "om2", "omkc_dd")
    assert call("run", "omkc", *choice, "-c", "3", "--", "--dry-run", "--quiet")[0] == 7
    (command,) = seen
    assert command[1:] == [
        *("-m", "snakemake", "--cores", "3", "--dry-run", "--quiet"),
        *("--config", 'studies=["omkc"]', 'datasets=["wdbc", "sonar"]', 'algorithms=["om2", "omkc_dd"]'),
    ]
    demo = ["--configfile", "config/demo.yaml"]
    for arguments, bar in (((), True), (("-v",), False)):
        seen = hand_over(monkeypatch)
        monkeypatch.setattr(run, "file_statuses", list)
        call("run", "--demo", *arguments, "--", "-k")
        command, plan = seen  # which is noted once snakemake has ended
        assert plan.project.datasets and ("--logger" in command) is bar and command[-3:] == ["-k", *demo]


def handed_over(monkeypatch, call, *arguments):
    """Return the settings that snakemake gets from a call of `run`, and the plan that the command makes of it."""
    seen = hand_over(monkeypatch)
    monkeypatch.setattr(run, "file_statuses", list)
    code, _, err = call("run", *arguments)
    assert code == 0, err
    (command,) = (each for each in seen if isinstance(each, list))
    (plan,) = (each for each in seen if isinstance(each, Plan))
    given = get_argument_parser().parse_args(command[3 : command.index("--") if "--" in command else None])
    return parse_config(given.config), plan, given, command


def test_run_merges_what_snakemake_is_told(monkeypatch, call):
    """A second --config dropped the first: all studies were planned."""
    more = ("--", "results/x.csv", "--config", "algorithms={rkl: [rkl_l1]}", "seed=7", "-k", "--", "results/y.csv")
    config, plan, given, command = handed_over(monkeypatch, call, "rkl", "-d", "ionosphere", *more)
    chosen = {"studies": ["rkl"], "datasets": ["ionosphere"], "algorithms": {"rkl": ["rkl_l1"]}}
    assert config == chosen | {"seed": 7}
    assert plan.targets.cells() == [Cell("rkl", "ionosphere", "rkl_l1")] and plan.project.seed == 7
    assert given.targets == ["results/x.csv"] and given.keep_going and command[-2:] == ["--", "results/y.csv"]


def test_run_reads_what_snakemake_reads(monkeypatch, call, tmp_path):
    """The plan that is noted is the one that is run: config.yaml, the demo and files behind -- in their order."""
    path = tmp_path / "more.yaml"
    path.write_text("algorithms: {omkc: [om2]}\nlimits: {seconds: 99}\n")
    config, plan, given, _ = handed_over(monkeypatch, call, "--demo", "-d", "sonar", "--", "--configfile", str(path))
    assert config == {"datasets": ["sonar"]}
    assert given.configfile == [Path("config/demo.yaml"), path]
    assert list(plan.studies) == ["omkc", "leaderboard", "leaderboard_views"]
    assert plan.targets.cells("omkc")[0].algorithm == "om2"
    assert len(plan.targets.algorithms("omkc")) == 1 and len(plan.targets.algorithms("leaderboard")) == 6  # the demo's
    assert (plan.project.limits.seconds, plan.project.limits.memory_mb) == (99, 4096)
    path.write_text("- omkc\n")
    code, _, err = call("run", "--", "--configfile", str(path))
    assert (code, err) == (2, f"grambench: {path}: expected keys and values, such as `name: mine`, got ['omkc']\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["omkc", "-a", "om3"], "command line: algorithms: unknown algorithm of omkc 'om3': did you mean om"),
        (["omkc", "oks", "-a", "rkl_l1"], "unknown algorithm of omkc, oks 'rkl_l1': "),
        (["omck", "-a", "om2"], "unknown study 'omck': did you mean omkc"),
        (["omkc", "--", "--config", "studies=[rkl]"], "studies: set by an argument and by --config"),
        (["--", "--config", "datasets"], "--config: Invalid config definition"),
        (["--", "--config", "algorithms={omkc: [om3]}"], "unknown algorithm of omkc 'om3': did you mean om"),
        (["--", "--config", "datasets={omck: [wdbc]}"], "command line: datasets: unknown study 'omck': did you mean"),
    ],
)
def test_run_refuses_what_does_not_exist_or_stands_twice(monkeypatch, call, arguments, message):
    seen = hand_over(monkeypatch)
    code, _, err = call("run", *arguments)
    assert (code, err.count("\n"), seen) == (2, 1, [])
    assert message in err


@pytest.mark.parametrize(
    ("states", "code"), [(["ok", "missing"], 0), (["ok", *["timeout"] * 12], 1), (["unavailable"], 1)]
)
def test_run_ends_with_what_failed_and_where_the_report_is(monkeypatch, call, states, code):
    """Until then a run with failures ended like any other."""
    reasons = {"ok": "", "missing": "not run yet"}
    found = [
        status.FileStatus(f"{number}.h5", f"run {number}", state, reasons.get(state, "why"))
        for number, state in enumerate(states)
    ]
    hand_over(monkeypatch)
    monkeypatch.setattr(run, "file_statuses", lambda: found)
    ended, out, _ = call("run", "omkc", "-d", "sonar")
    assert ended == code
    assert out.splitlines()[-1].endswith(f"report: {ROOT / 'results/report/index.html'}")
    assert "tables and pages have the runs of this call, omkc with 1 of 16 data sets; records of earlier calls " in out
    failed = [state for state in states if state not in ("ok", "missing")]
    assert out.count("why") == min(len(failed), 10)
    assert ("and 2 more: grambench status" in out) is (len(failed) == 12)


def test_run_in_a_locked_folder_says_how_to_unlock(project, capfd):
    """As a run leaves it that was killed; snakemake itself names an option that `grambench run` does not have."""
    shutil.copy(ROOT / "Snakefile", project)
    shutil.copytree(ROOT / "workflow", project / "workflow")
    lock = project / ".snakemake/locks/0.output.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("results/report/index.html\n")
    leave("omkc", "sonar", "om2", "error", "ValueError: planted")
    note({"omkc": {"om2": "", "om1": ""}}, ["omkc"])  # by the run that holds the lock
    before = Path(layout.LAST_RUN).read_bytes()
    code, err = cli.main(["run", "omkc", "-d", "sonar", "-c", "1"]), capfd.readouterr().err
    assert code == 1 and "LockException" in err
    assert err.splitlines()[-1].startswith(f"{project} is locked: ")
    assert Path(layout.LAST_RUN).read_bytes() == before


PREPARED = layout.PREPARED.format(dataset="sonar")


def leave(study, dataset, algorithm, state="ok", reason="", detail=""):
    """Leave the record of a run; return what it was made with."""
    settings = {"study": study, "dataset": dataset, "algorithm": algorithm, "sweep": "", "values": []}
    settings |= {"kernels": ["gaussian_sigma1"]}
    made = {"study": study, "dataset": dataset, "algorithm": algorithm, "settings": settings, "code": "12.3"}
    metrics = {"error_percent": np.array([[10.0, 20.0]])} if state == "ok" else {}
    record = records.Record(**made, status=state, reason=reason, detail=detail, metrics=metrics)
    records.write(Path(layout.RECORD.format(study=study, dataset=dataset, task=algorithm)), record)
    return asked(spec(settings), record.code)


def note(requests, studies):
    """Note a last run of some studies; what was asked is what each task is to be made with, by study."""
    values = {
        study: {"sonar": {"raw": "data/raw/sonar/source.json", "inputs": {PREPARED: "12"}, "runs": runs}}
        for study, runs in requests.items()
    }
    write_text(Path(layout.LAST_RUN), json.dumps({"studies": studies, "asked": values}))


def test_status_counts_what_was_run_last(project, call):
    assert call("status")[:2] == (0, "no run yet: grambench run\n")
    requests = {
        "omkc": {"om2": leave("omkc", "sonar", "om2"), "om1": "", "omkc_dd": leave("omkc", "sonar", "omkc_dd")[:-1]},
        "rkl": {"rkl": leave("rkl", "sonar", "rkl", "error", "ValueError: planted")},
    }
    note(requests, ["omkc"])
    write_text(project / "data/raw/sonar/source.json", '{"status": "ok"}')
    code, out, _ = call("status")
    assert (code, out.splitlines()[1]) == (
        1,
        "1 run ok, 1 run missing, 1 run stale, 1 data set ok",
    ) and "omkc_dd on sonar: made with" in out
    assert call("failed")[1] == "results/runs/omkc/sonar/omkc_dd.h5\n" and "edited" not in out
    os.utime(project / "config/studies/omkc.yaml", (2**32, 2**32))
    assert "edited after the last run: config/studies/omkc.yaml; grambench run -n" in call("status")[1]
    study = yaml.safe_load((project / "config/studies/omkc.yaml").read_text())
    study["algorithms"]["mine"] = {"path": "../../mine.py"}
    write_text(project / "config/studies/omkc.yaml", yaml.safe_dump(study, sort_keys=False))
    write_text(project / "mine.py", '"""Mine: edited."""\n')
    os.utime(project / "mine.py", (2**32, 2**32))
    assert "edited after the last run: config/studies/omkc.yaml, mine.py; grambench" in call("status")[1]
    code, out, _ = call("status", "rkl")
    assert (code, out.splitlines()[:2]) == (
        1,
        ["error        rkl: rkl on sonar: ValueError: planted", "1 run error, 1 data set ok"],
    )
    code, out, _ = call("status", "oks")  # which was never run
    assert (code, "missing" in out) == (0, True)
    assert "unknown study 'okss': did you mean oks" in call("status", "okss")[2]


def test_status_takes_collected_states_unless_records_are_newer(project, call):
    made = leave("omkc", "sonar", "om2")
    note({"omkc": {"om2": made}}, ["omkc"])
    path = layout.RECORD.format(study="omkc", dataset="sonar", task="om2")
    outputs = [Path(pattern.format(study="omkc")) for pattern in (layout.RUNS, layout.CURVES, layout.CELLS)]
    collect.main(Job(json.dumps([made]), output=outputs, input=[Path(path)]))
    flip_bit(Path(path))
    os.utime(path, (0, 0))
    assert "1 run ok" in call("status")[1]
    os.utime(path)
    assert "1 run damaged" in call("status")[1] and call("failed")[1] == f"{path}\n"
    Path(layout.CELLS.format(study="omkc")).write_text("edited")
    os.utime(path, (0, 0))
    said = call("status")[1]
    assert "1 run damaged" in said and "1 file damaged" in said  # the record, and the table that was edited


def test_a_plan_is_noted_beside_those_of_other_studies(project):
    for study in ("omkc", "rkl"):
        last_run.write(Plan({"studies": [study], "datasets": ["sonar"]}, Path("config")))
    plan = Plan({"studies": ["omkc"], "datasets": ["sonar"]}, Path("config"))
    assert list(last_run.read(layout.RESULTS)) == ["rkl"]
    assert last_run.read(layout.RESULTS, "omkc") == last_run.requests_of(plan)
    found = status.file_statuses(last_run.requests_of(plan))
    assert [item.path for item in found] == [plan.targets.raw("sonar"), *plan.targets.records("omkc")]


def test_validate_says_all_that_is_wrong_at_once(project, call):
    assert call("validate", "rkl")[:2] == (0, "rkl: 11 data sets, 162 runs\n")
    path = project / "config/studies/omkc.yaml"
    study = yaml.safe_load(path.read_text())
    study["datasets"] += ["sonr", "letter"]
    study["algorithms"] |= {"omm2": {}, "omkc_dd": {"parameters": {"beta": 7}}, "omkc_sd": {"parameters": {"bta": 1}}}
    study["published"]["results"] += ["nothing.csv"]
    path.write_text(yaml.safe_dump(study))
    code, out, err = call("validate", "omkc")
    assert (code, out) == (2, "")
    assert set(err.splitlines()) == {
        f"grambench: config/studies/omkc.yaml: {fault}"
        for fault in (
            "datasets: unknown data set 'sonr': did you mean sonar?",
            "datasets: expected a task, got letter, which has 26 classes; name one of its tasks: "
            + ", ".join(Configuration(Path("config")).tasks("letter")),
            "published: the file config/published/nothing.csv is missing",
        )
    }
    study["datasets"] = study["datasets"][:-2]
    study["published"]["results"].pop()
    path.write_text(yaml.safe_dump(study))
    assert [line.split(": ")[2] for line in call("validate", "omkc")[2].splitlines()] == [
        f"algorithms.{name}" for name in ("omkc_dd", "omkc_sd", "omm2")
    ]
    study |= {"colour": "red", "algorithmss": [], "title": 1}
    path.write_text(yaml.safe_dump(study))
    said = call("validate", "omkc")[2]
    assert "algorithmss: unknown key 'algorithmss': did you mean algorithms" in said and said.count("\n") == 3


def test_weights_are_shown_in_percent_of_their_sum(project, call):
    settings = {"kernels": ["polynomial_p1", "gaussian_sigma1"], "sweep": "", "values": []}
    made = {"study": "omkc", "dataset": "sonar", "algorithm": "om2", "status": "ok", "settings": settings}
    weights = {"weight": np.array([[[3.0, 12.0], [5.0, 20.0]]])}
    path = Path(layout.RECORD.format(study="omkc", dataset="sonar", task="om2"))
    records.write(path, records.Record(**made, metrics={}, kernel_values=weights))
    _, out, _ = call("show", "omkc/sonar/om2")
    assert "  Kernel           Weight  Weight in % of all\n  Gaussian, σ = 1      16                  80\n" in out
    assert "  linear                4                  20\n" in out


def test_show_prints_a_record(project, call):
    leave("omkc", "sonar", "om2")
    leave("omkc", "sonar", "omkc_dd", "error", "ValueError: first", "Traceback\nValueError: first\nsecond")
    code, out, _ = call("show", "omkc/sonar/om2")
    source, shown, *_ = out.splitlines()
    assert source == "record of results; --reference shows that of the reference results"
    assert (code, shown) == (0, "omkc: om2 on sonar: ok")
    assert call("show", "omkc/sonar/om2", "--reference")[1].startswith("reference results ")
    code, _, err = call("show", "first/sonar/om2", "--reference")
    assert code == 2 and "unknown study of the reference results 'first'" in err
    assert "  Mean                       15\n  Standard deviation    7.07107\n" in out
    assert "\nRepetitions (2)\n" in out and "  kernels  Gaussian, σ = 1" in out
    _, out, _ = call("show", "omkc/sonar/om2", "--repetitions")
    assert re.search(r"  0 +10\n  1 +20\n  Mean +15\n", out)
    code, out, _ = call("show", "omkc/sonar/omkc_dd")
    assert out.splitlines()[2:6] == ["  ValueError: first", "  | Traceback", "  | ValueError: first", "  | second"]
    code, _, err = call("show", "omkc/sonar/om1")
    assert (code, "did you mean omkc/sonar/om2" in err) == (2, True)


def test_repetitions_of_many_metrics_are_tables_below_each_other(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    _, out, _ = call("show", "omkc/sonar/omkc_dd", "--repetitions")
    lines = out[: out.index("Kernels")].splitlines()
    heads = [line.split("  ") for line in lines if line.startswith("  Repetition ")]
    assert len(heads) == 3 and max(map(len, out.splitlines())) <= 100  # kernels too, which go on below
    assert [line.split()[0] for line in lines if line.startswith("  19 ")] == ["19"] * 3


def test_open_shows_the_report(project, call, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert call("open")[0] == 2
    path = project / layout.REPORT
    path.parent.mkdir(parents=True)
    path.touch()
    assert call("open")[:2] == (0, f"{path}\n") and opened == [path.as_uri()]
    later = project / layout.REFERENCE_REPORT
    later.parent.mkdir(parents=True)
    later.touch()
    os.utime(path, (1, 1))
    assert call("open")[1] == f"{later}\n"


NEEDED = ("data/raw/sonar/source.json", "results/report/index.html", "results/logs/run/gone.log", layout.LAST_RUN)
UNNEEDED = (
    *("results/gone/tables/table1.md", "results/gone/figures/a_b.svg", "results/gone/figures/a_b.column.pdf"),
    *("results/gone/figures/a_b.column.svg", "results/runs/gone/sonar/om2.h5", "results/runs/gone/sonar/om2/beta.h5"),
    *("results/datasets/gone.h5", "results/grams/sonar/gaussian_sigma1e-05.h5", "results/images/gone.h5"),
    *("results/blocks/omkc/sonar/om2/beta/0-1.h5", "results/replications/gone/sonar/om2/2-5.h5"),
    *("results/replications/gone.csv", "results/features/gone/lab.h5", "results/features/gone/lab/0.h5"),
    "results/features/gone/lab.codebook.h5",
)
FOREIGN = (
    *("results/notes.txt", "results/thesis/chapter.tex", "results/omkc/notes.csv", "results/omkc/tables/thesis.docx"),
    *("results/omkc/tables/old/table3.csv", "results/omkc/figures/my drawing.svg", "results/gone/readme.md"),
    *("results/runs/gone/sonar/notes.txt", "results/runs/gone/sonar/Copy of om2.h5", "results/runs/loose.h5"),
    *("results/runs/gone/sonar/om2/b/c.h5", "results/grams/sonar/photo.png", "results/grams/sonar/mine.h5"),
    *("results/datasets/table.parquet", "results/.backup/runs/gone/sonar/om2.h5", "results/gone/.cells.csv.mine"),
    *("results/runs/.backup/sonar/om2.h5", "data/raw/.backup/source.json", "data/mine/notes.txt"),
    *("results/mine/cells.csv", "results/mine/runs.parquet", "results/mine/SHA256SUMS"),  # a submission
)


def touched(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def files_below(*folders):
    return {str(path) for folder in folders for path in Path(folder).rglob("*") if path.is_file()}


def test_clean_asks_and_removes_what_no_study_needs_and_nothing_that_is_not_ours(project, call, monkeypatch):
    leave("omkc", "sonar", "om2")
    kept = {layout.RECORD.format(study="omkc", dataset="sonar", task="om2"), *NEEDED, *FOREIGN}
    touched(project, *NEEDED, *FOREIGN, *UNNEEDED)
    for name in ("data/raw/mine/source.json", "results/grams/sonar/gaussian_sigma3.h5"):
        touched(project, name)
        (project / name).write_bytes(bytes(2**21))
    with sealed(project / "results/gone/cells.csv") as path:
        path.touch()
    before = files_below("data", "results")
    monkeypatch.setattr("builtins.input", lambda question: "n")
    code, out, _ = call("clean")
    said = f"       4.0 MiB that no study needs, files and folders: {len(UNNEEDED) + 3}"
    assert (code, out.splitlines()[-2:]) == (0, [said, "nothing was removed"])
    assert files_below("data", "results") == before
    monkeypatch.setattr("builtins.input", lambda question: pytest.fail("asked"))
    assert call("clean", "--yes")[0] == 0
    assert files_below("data", "results") == kept and not Path("results/features").exists()
    assert "0.0 MiB that no study needs, files and folders: 0" in call("clean")[1]


def test_clean_keeps_runs_on_data_sets_that_a_study_does_not_list_without_a_note_of_the_last_run(project, call):
    """As in a folder of `grambench merge` in the place of the results."""
    leave("leaderboard", "penguins_3", "majority")
    assert call("clean", "-y")[0] == 0
    assert Path(layout.RECORD.format(study="leaderboard", dataset="penguins_3", task="majority")).is_file()


def test_a_damaged_note_of_the_last_run_is_removed_and_needs_no_rule(project, call):
    path = Path(layout.LAST_RUN)
    write_text(path, "{}")
    path.write_text("damaged")
    fault = f"{path}: damaged, expected 2 bytes of content, got 7"
    remedy = "remove it, the next grambench run writes it"
    for command in ("status", "failed"):
        assert call(command) == (2, "", f"grambench: {fault}; {remedy}\n")
    removed = "files removed: 1; make them again: grambench run, called as before"
    assert call("repair", "-y") == (1, f"{fault}\n{removed}\n", "")
    assert not path.exists()


@pytest.mark.parametrize("link", ["results", "data", "data/raw"])
@pytest.mark.parametrize("arguments", [(), ("-y",)])
def test_clean_follows_no_link_out_of_the_project(project, call, link, arguments):
    other = project / "other"
    touched(other, "runs/gone/sonar/om2.h5", "raw/gone/source.json", "gone/source.json")
    before = files_below(other)
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(other)
    code, _, err = call("clean", *arguments)
    assert (code, err) == (
        2,
        f"grambench: {link}: expected a folder, got a link to {other}; nothing is removed there: "
        f"call clean in the project that owns it, or put a folder in its place\n",
    )
    assert files_below(other) == before


def test_clean_removes_a_link_and_not_what_it_leads_to(project, call):
    touched(project, "other/source.json", "other/data.csv")
    (project / "data/raw").mkdir(parents=True)
    (project / "data/raw/gone").symlink_to(project / "other")
    assert call("clean", "-y")[0] == 0
    assert not (project / "data/raw/gone").is_symlink() and len(list((project / "other").iterdir())) == 2


def test_what_cannot_be_removed_is_one_line(project, call, monkeypatch):
    """As in a folder that is mounted read-only."""

    def refuse(self, missing_ok=False):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))

    touched(project, "results/gone/cells.csv", "results/omkc/cells.csv")
    monkeypatch.setattr(Path, "unlink", refuse)
    for name, study in (("clean", "gone"), ("repair", "omkc")):
        code, _, err = call(name, "-y")
        assert (code, err) == (1, f"grambench: results/{study}/cells.csv: Read-only file system\n"), name


@pytest.mark.parametrize(
    "command", [["run", "--demo"], ["status"], ["failed"], ["clean"], ["repair"], ["show", "a/b/c"]]
)
def test_results_that_are_a_file_are_one_line(project, call, monkeypatch, command):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("snakemake was called"))
    (project / "results").write_text("mine")
    code, _, err = call(*command)
    assert (code, err.count("\n")) == (2, 1)
    if command[0] not in ("repair", "show"):  # which take any folder
        assert err == "grambench: results: expected a folder, got a file or a link to nothing; move it away\n"
    assert (project / "results").read_text() == "mine"


@pytest.mark.parametrize("place", ["results/omkc/runs.parquet", "results/runs/omkc/sonar/om2.h5", PREPARED])
def test_a_pipe_among_results_is_damage(project, call, place):
    note({"omkc": {"om2": leave("omkc", "sonar", "om2")}}, ["omkc"])
    write_text(Path("data/raw/sonar/source.json"), '{"status": "ok"}')
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    Path(place).unlink(missing_ok=True)
    os.mkfifo(place)
    fault = f"cannot be read (no regular file: {place})"
    assert "damaged" in (out := call("status")[1]) and "cannot be read (no regular file" in out
    assert call("failed")[0] == 0
    assert call("repair", "-y")[1].startswith(f"{place}: {fault}\n")
    assert not Path(place).exists()


@pytest.mark.parametrize("folder", ["file", "/proc/self"])
def test_a_folder_of_snakemake_that_cannot_be_written_is_one_line(project, call, folder):
    (project / "file").touch()
    (project / ".snakemake").symlink_to(folder)
    code, _, err = call("run", "omkc", "-d", "wdbc", "--", "--dry-run")
    assert code == 2 and re.fullmatch(r"grambench: \.snakemake: cannot be written \(.*\), where .* notes\n", err)


def test_a_user_without_name_and_home_runs_snakemake(project, monkeypatch):
    """As in a container that is started under a number of the host."""
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    for variable in ("HOME", "USER", "LOGNAME", "LNAME", "USERNAME", "PATH", "PYTHONPATH"):
        # what the call sets is undone after the test
        monkeypatch.setenv(variable, os.environ.get(variable, ""))
        if "PATH" not in variable:
            monkeypatch.delenv(variable)
    assert Project(studies=["omkc"], mirrors=["~/data"]).mirror_folders[-1] == Path("~/data")
    use_this_interpreter()
    assert getpass.getuser() == str(os.getuid()) and Path.home().is_relative_to(project)


def test_control_characters_of_a_path_are_shown_and_not_sent(tmp_path, call, monkeypatch):
    """An escape sequence could clear the terminal or hide what is printed."""
    monkeypatch.chdir(tmp_path)
    name = "a\x1b[2Jb\r\udcff"
    (tmp_path / name).mkdir()
    code, _, err = call("merge", name, f"{name}2", "-o", "c")
    assert (code, err.partition(": no records")[0]) == (2, "grambench: a\\x1b[2Jb\\r\\udcff/runs")
    assert error_lines(ConfigError("\x1b[2J")) == "grambench: \\x1b[2J"
    code, out, _ = call("init", f"{name}/new")
    assert code == 0 and "a\\x1b[2Jb\\r\\udcff/new/config/config.yaml\n" in out and "\x1b" not in out


@pytest.mark.parametrize("buffered", [True, False])
def test_an_output_on_a_full_disk_is_one_line(buffered):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    environment |= {} if buffered else {"PYTHONUNBUFFERED": "1"}
    with Path("/dev/full").open("w") as full:
        answer = subprocess.run(
            [sys.executable, "-m", "grambench.cli", "list", "datasets"],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (answer.returncode, answer.stderr) == (1, "grambench: system: No space left on device\n")


def test_init_in_a_folder_whose_name_is_no_utf_8(tmp_path):
    program = [sys.executable, "-m", "grambench.cli", "init", b"mine\xff"]
    answer = subprocess.run(program, cwd=tmp_path, capture_output=True)
    assert answer.returncode in (0, 2) and b"Traceback" not in answer.stderr


def test_a_shell_completes_names(project):
    leave("omkc", "sonar", "om2")
    for line, expected in (
        ("grambench sho", ["show "]),
        ("grambench run ca_l", ["ca_letter "]),
        ("grambench run -d iono", ["ionosphere "]),
        ("grambench show omkc/", ["omkc/sonar/om2 "]),
        ("grambench try mine.py -b leaderboard -a al", ["all", "alignf"]),
        ("grambench run rkl -a rkl_", ["rkl_l1", "rkl_l2", "rkl_none"]),
        ("grambench run -a obs", ["obscure", "obscure_100", "obscure_five", "obscure_online"]),
        ("grambench table rkl -a rkl_", ["rkl_l1", "rkl_l2", "rkl_none"]),
        ("grambench table rkl --metric bal", ["balanced_accuracy_percent "]),
    ):
        asked = {
            "_ARGCOMPLETE": "1",
            "COMP_LINE": line,
            "COMP_POINT": str(len(line)),
            "_ARGCOMPLETE_STDOUT_FILENAME": "out",
        }
        subprocess.run([sys.executable, "-m", "grambench.cli"], env=os.environ | asked, check=False, timeout=600)
        assert (project / "out").read_text().split("\v") == expected


def log(event=None, level=logging.INFO, message="", **values):
    record = logging.LogRecord("snakemake", level, "", 0, message, None, None)
    record.__dict__.update(values, event=event)
    return record


def test_a_bar_shows_what_is_done_and_failed_and_errors_above(project, capsys, monkeypatch):
    reason = "sbatch: error: the time is beyond the partition's"
    for name, lines in (("squeue", "echo CANCELLED"), ("sbatch", f'echo "{reason}" >&2; exit 1')):
        (project / name).write_text(f"#!/bin/sh\n{lines}\n")
        (project / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{project}{os.pathsep}{os.environ['PATH']}")
    leave("omkc", "sonar", "om2", "timeout", "ran for 1 s, the limit")
    handler = LogHandler(SimpleNamespace(), None)
    assert signal.getsignal(signal.SIGINT) == handler._interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(SystemExit, match="130"):  # while jobs are planned
        handler._interrupt(signal.SIGINT, None)
    handler._interrupt(signal.SIGINT, None)  # of the terminal and of the command
    handler.interrupted = False
    handler.emit(log(LogEvent.RUN_INFO, stats={"total": 2}))
    for number, output in enumerate(["results/runs/omkc/sonar/om2.h5", "results/omkc/cells.csv"]):
        handler.emit(log(LogEvent.JOB_INFO, jobid=number, output=[output]))
        handler.emit(log(LogEvent.JOB_FINISHED, job_id=number))
        handler.emit(log(LogEvent.PROGRESS, done=number + 1, total=2))
    handler.emit(log(message="Select jobs to execute..."))
    handler.emit(log(level=logging.WARNING, message="No SLURM account given, trying to guess."))
    steps = [{"rule_name": "collect", "jobid": k, "output": [f"results/rkl/{k}.csv"]} for k in range(2)]
    for step in steps:
        handler.emit(log(LogEvent.JOB_INFO, resources={"runtime": 2, "mem_mb": 1500}, **step))
    group = {"groupid": "data", "job_error_info": steps, "aux_logs": []}
    handler.emit(log(LogEvent.GROUP_ERROR, logging.ERROR, "Error in group data", **group))
    handler.emit(log(message="Trying to restart job 0."))
    group |= {"job_error_info": steps[:1], "aux_logs": ["results/logs/slurm/15.log"]}
    handler.emit(log(LogEvent.GROUP_ERROR, logging.ERROR, "Error in group data", **group))
    handler.emit(log(LogEvent.JOB_ERROR, logging.ERROR, "a member of the group", indent=True))
    handler.emit(log(LogEvent.ERROR, logging.ERROR, "the directory a\x1b[2J cannot be locked"))
    with pytest.raises(KeyboardInterrupt):
        handler._interrupt(signal.SIGINT, None)
    handler.emit(log(LogEvent.JOB_ERROR, logging.ERROR, "a job that was told to end"))
    handler.close()
    shown = capsys.readouterr().err
    assert "the directory a\\x1b[2J cannot be locked\n" in shown and "2 of 2 steps, 1 failed, " in shown
    refused = f"sbatch did not take it ({reason}); it asks for 4 min and 1500 MB, which a partition has to allow: "
    assert f"Error in a job of collect results/rkl/0.csv, with 1 more in it: {refused}" in shown
    assert "It is tried again.\n" in shown
    ended = "SLURM job 15 ended, its state CANCELLED, without a log"
    assert f"Error in a job of collect results/rkl/0.csv: {ended}\n" in shown
    assert handler.failed == 2  # the run and the second job; the first one is tried again
    assert not any(text in shown for text in ("Select", "told to end", "account", "member"))


def test_after_an_error_it_says_that_it_waits_for_steps_that_run(project, capsys):
    """As after the message of a clock that was set back: nothing else would happen until a long run has ended."""
    handler = LogHandler(SimpleNamespace(), None)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    handler.emit(log(LogEvent.JOB_INFO, jobid=0, output=["results/omkc/cells.csv"]))
    handler.emit(log(LogEvent.ERROR, logging.ERROR, "first"))
    handler.emit(log(LogEvent.JOB_INFO, jobid=1, output=["results/rkl/cells.csv"]))
    for error in ("second", "third"):
        handler.emit(log(LogEvent.ERROR, logging.ERROR, error))
    handler.close()
    waits = "other steps are still running: waiting for them; Ctrl-C ends them"
    assert capsys.readouterr().err.splitlines() == ["first", "second", waits, "third"]


def test_doctor_reports_the_machine_and_every_source(call, monkeypatch, tmp_path):
    """Without a network: one host and one command do not answer."""
    (tmp_path / "SHA256SUMS").write_bytes(b"\xff\n")
    monkeypatch.setenv("GRAMBENCH_MIRROR", str(tmp_path))
    asked = []

    def head(address, timeout):
        asked.append(address)
        if "archive.ics.uci.edu" in address:
            raise requests.ConnectionError

    def command(arguments, **settings):
        asked.append(arguments[0])
        return subprocess.CompletedProcess(arguments, int(arguments[0] == "npm"), "", "npm: no such package\n")

    monkeypatch.setattr(requests, "head", head)
    monkeypatch.setattr(doctor, "subprocess", SimpleNamespace(run=command, TimeoutExpired=subprocess.TimeoutExpired))
    code, out, _ = call("doctor")
    assert code == 0
    for text in (
        "numpy",
        "linear algebra",
        "cores",
        "memory",
        "bundled",
        f"mirror {tmp_path}",
        "http ",
        "pypi",
        "debian",
        "npm",
    ):
        assert text in out
    assert {"apt-cache", "npm", sys.executable} <= set(asked)
    assert len(asked) > 4 and len(asked) == len(set(asked))  # each host once
    (uci,) = (line for line in out.splitlines() if "archive.ics.uci.edu" in line)
    assert "ConnectionError" in uci
    (npm,) = (line for line in out.splitlines() if "npm" in line)
    assert "npm: no such package" in npm
