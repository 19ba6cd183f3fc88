"""What `grambench run` says of the jobs and the time before it runs anything, and in a dry run."""

import shutil
from pathlib import Path

import h5py
import pytest
import yaml
from copies import ROOT

from grambench.cli import main
from grambench.commands import run
from grambench.commands.project import read_plan
from grambench.common.files import sealed
from grambench.common.layout import Cell
from grambench.common.provenance import made_from
from grambench.pipeline import last_run
from grambench.pipeline.expected import expected_lines


def planned(study, datasets, algorithms):
    return read_plan({"studies": [study], "datasets": datasets, "algorithms": algorithms})


def leave_record(plan, cell, status="ok"):
    """Write the record of a run as the plan asks for it, so that it is not made again."""
    made = made_from(*plan.specs.of_cell(cell), {})
    with sealed(Path(cell.path()), made) as temporary, h5py.File(temporary, "w") as file:
        file.attrs.update(status=status, reason="")


def test_the_expected_time_is_that_of_the_measured_costs(project):
    plan = planned("leaderboard", ["sonar", "heart"], ["uniform_svm", "rkl"])
    jobs, time = expected_lines(plan, 1, slurm=False)
    assert jobs == "jobs: 2 data sets, 4 runs, tables of 1 study, report"
    seconds = sum(map(plan.resources.measured_seconds, plan.targets.cells()))
    assert ("less than a minute" if seconds < 60 else f"about {seconds / 60:.0f} min") in time
    assert time.endswith("on 1 core, from the measured costs in config/costs.csv")
    plan.configuration.__dict__["costs"] = {("leaderboard", "sonar", "rkl"): 100.0}
    first, second = expected_lines(plan, 2, slurm=False)
    assert first == "jobs: 2 data sets, 4 runs (long ones in 10 blocks), tables of 1 study, report"
    # ten blocks of 103 s, and three runs that are not listed took ten seconds at most
    assert second == "time of the runs: about 9 min on 2 cores, from the measured costs in config/costs.csv"
    assert "about 2 min on 100 cores" in expected_lines(plan, 100, slurm=False)[1]  # as long as a block
    first, second = expected_lines(plan, 2, slurm=True)
    assert first.endswith("report; about 13 SLURM jobs")  # ten blocks, the short runs of two data sets, the tables
    assert second.startswith("time of the runs: about 0.3 core hours, from")


def test_runs_that_are_done_or_failed_are_not_expected(project):
    plan = planned("leaderboard", ["sonar"], ["uniform_svm", "rkl", "silp"])
    first, second, third = plan.targets.cells()
    leave_record(plan, first)
    leave_record(plan, second, "error")
    assert expected_lines(plan, 2, slurm=False)[0].startswith("jobs: 1 data set, 1 run,")
    leave_record(plan, third)
    assert expected_lines(plan, 2, slurm=False) == ["jobs: tables of 1 study, report"]


def test_no_time_is_expected_of_runs_without_a_cost(project):
    path = project / "config/studies/leaderboard.yaml"
    study = yaml.safe_load(path.read_text())
    (project / "config/studies/mine.py").write_text(
        (ROOT / "src/grambench/algorithms/batch/uniform_svm.py").read_text()
    )
    study["algorithms"]["mine"] = {"path": "mine.py"}
    path.write_text(yaml.safe_dump(study))
    plan = planned("leaderboard", ["sonar"], ["mine", "rkl"])
    assert plan.resources.measured_seconds(Cell("leaderboard", "sonar", "mine")) is None
    lines = expected_lines(plan, 2, slurm=False)
    assert lines[1].endswith("config/costs.csv; 1 of 2 runs without a measured cost")
    lines = expected_lines(planned("leaderboard", ["sonar"], ["mine"]), 2, slurm=False)
    assert lines[1] == "time of the runs: not known, 1 of 1 run without a measured cost"


JOBS = "jobs: 1 data set, 1 run, tables of 1 study, report\n"
TIME = "time of the runs: less than a minute on 2 cores, from the measured costs in config/costs.csv\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], f"{JOBS}{TIME}snakemake\nnoted\nresults\n"),
        (["-n"], f"{JOBS}{TIME}"),
        (["--", "--dry-run"], f"snakemake\n{JOBS}{TIME}"),
        (["--", "--unlock"], "snakemake\n"),
        (["--", "--lint"], "snakemake\n"),
        (["--", "--forceall"], "snakemake\nnoted\nresults\n"),
        (["--", "-R", "prepare"], "snakemake\nnoted\nresults\n"),
        (["--", "-k", "--", "results/x.csv"], "snakemake\nnoted\nresults\n"),
    ],
    ids=str,
)
def test_run_says_what_is_expected_and_notes_what_was_run(project, monkeypatch, call, arguments, said):
    monkeypatch.setattr(run, "_call_snakemake", lambda command, hidden: print("snakemake") or 0)
    monkeypatch.setattr(last_run, "write", lambda plan: print("noted"))
    monkeypatch.setattr(run, "_show_results", lambda: print("results") or 0)
    assert call("run", "leaderboard", "-d", "sonar", "-a", "rkl", "-c", "2", *arguments) == (0, said, "")


def test_a_profile_of_slurm_counts_its_jobs_and_sets_the_cores(project, monkeypatch, call):
    assert call("init", "mine")[0] == 0
    monkeypatch.chdir("mine")
    profile = Path("profiles/slurm/profile.yaml").read_text()
    assert profile == (ROOT / "profiles/slurm/profile.yaml").read_text() and "SBATCH_PARTITION" in profile
    commands = []
    monkeypatch.setattr(run, "_call_snakemake", lambda command, hidden: commands.append(command) or 0)
    code, out, _ = call("run", "leaderboard", "-d", "sonar", "-n", "--", "--profile", "profiles/slurm")
    assert code == 0 and "SLURM jobs\n" in out and "core hours, from" in out and "--cores" not in commands[0]
    monkeypatch.setattr(run, "find_spec", lambda name: None)
    code, _, err = call("run", "-n", "--", "--executor", "slurm")
    assert (code, err) == (2, 'grambench: jobs on SLURM need the slurm extra: pip install "grambench[slurm]"\n')


@pytest.mark.workflow
def test_a_dry_run_on_slurm_is_two_lines(project, capfd):
    shutil.copytree(ROOT / "profiles", "profiles")
    assert main(["run", "leaderboard", "-d", "sonar", "-n", "--", "--profile", "profiles/slurm"]) == 0
    assert [line.partition(":")[0] for line in capfd.readouterr().out.splitlines()] == ["jobs", "time of the runs"]
    assert main(["run", "leaderboard", "-d", "sonar", "-n", "--", "--profile", "nowhere"]) != 0
    assert "nowhere" in capfd.readouterr().err
