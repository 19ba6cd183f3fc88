"""What a workflow asks of SLURM before it starts, and what it asks for each run; a real SLURM is in tests/slurm."""

import os
from functools import partial
from pathlib import Path

import pytest
import yaml

from grambench.commands import run
from grambench.common.errors import GrambenchError
from grambench.common.layout import Cell
from grambench.pipeline import cluster
from grambench.pipeline.plan import Plan
from grambench.pipeline.resources import JOB_MB, LAST, PREPARE_MINUTES, START, TABLE_MB

ROOT = Path(__file__).parent.parent


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put a program of a name, with a body in sh, first on PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def write(name, body):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)

    return write


@pytest.fixture
def squeue(program):
    """Return a function that lets squeue print a text and exit with a code."""
    return lambda text, code=0: program("squeue", f"printf '{text}'\nexit {code}")


def test_a_job_that_slurm_does_not_take_is_said_before_anything_is_planned(
    program, squeue, tmp_path, monkeypatch, call
):
    squeue("")
    program("scancel", f"echo $* > {tmp_path}/cancelled")
    program("sbatch", f"echo $* > {tmp_path}/submitted; echo '17;here'")
    cluster.probe()
    assert (tmp_path / "cancelled").read_text() == "17\n" and "--hold" in (tmp_path / "submitted").read_text()
    program("sbatch", "echo 'sbatch: error: invalid partition' >&2; echo 'sbatch: error: failed' >&2; exit 1")
    monkeypatch.setattr(run, "_make_plan", lambda settings: pytest.fail("planned"))
    profile = str(ROOT / "profiles/slurm")
    code, out, err = call("run", "omkc", "-d", "sonar", "--", "--profile", profile)
    said = (
        "sbatch: error: invalid partition; sbatch: error: failed; try: export SBATCH_PARTITION=... SBATCH_ACCOUNT=..."
    )
    assert (code, out, err) == (2, "", f"grambench: SLURM does not take a job: {said}\n")


def test_why_a_job_was_killed_is_said_with_its_log(squeue, tmp_path):
    squeue("OUT_OF_MEMORY")
    log = tmp_path / "15.log"
    log.write_text("rule run:\nslurmstepd-n1: error: StepId=15.batch exceeded memory limit (9 > 6), being killed\n")
    why = "StepId=15.batch exceeded memory limit (9 > 6), being killed"
    assert cluster.how_it_ended([str(log)]) == f"SLURM job 15 ended, its state OUT_OF_MEMORY ({why}), see {log}"


def test_a_machine_without_slurm_is_said_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GrambenchError, match=r"^SLURM: expected sbatch, squeue, scancel on PATH, .* got none$"):
        cluster.probe()


def test_only_jobs_of_an_earlier_call_in_this_folder_count(squeue, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    squeue(rf"7|grambench_ab|{tmp_path}\n8|grambench_ab|{tmp_path}/link\n9|mine|{tmp_path}\n10|grambench_ab|/\n")
    with pytest.raises(GrambenchError, match=r"^SLURM jobs of an earlier .* \(2\); .* scancel 7 8$"):
        cluster.refuse_leftovers(tmp_path)


def test_a_slurm_that_does_not_answer_stops_nobody(squeue, tmp_path):
    squeue("slurm_load_jobs error", 1)
    cluster.refuse_leftovers(tmp_path)


def test_memory_is_asked_for_what_a_protocol_holds(plan):
    """Online runs map all Gram matrices, nested ones hold copies of them, holdout ones make those of a small draw."""
    online, nested, holdout = (
        plan.resources.run_mb(*run, 1) for run in (("omkc", "w5a"), ("rkl", "musk1"), ("leaderboard", "w5a"))
    )
    assert online > 16 * plan.resources.gram_mb("w5a")
    assert nested > JOB_MB + 20 * plan.resources.gram_mb("musk1") * plan.studies["rkl"].protocol.copies - 1 > JOB_MB
    assert holdout < online / 4
    pixels = Plan({"studies": ["obscure_mnist"]}, ROOT / "config")
    assert pixels.resources.run_mb("obscure_mnist", "mnist_60000", 1) < 2000, "values that are made one by one are held"


@pytest.mark.parametrize("limit", [500, 1024, 4096, 20_000])
def test_later_attempts_get_more_and_the_last_one_lets_the_limits_of_a_run_end_it(limit):
    plan = Plan({"studies": ["omkc", "rkl", "ca_letter"], "limits": {"memory_mb": limit}}, ROOT / "config")
    resources, attempts = plan.resources, range(1, LAST + 1)
    kinds = (("omkc", "sonar"), ("omkc", "w5a"), ("rkl", "wdbc"), ("rkl", "musk1"), ("ca_letter", "letter_b_d"))
    for study, dataset in kinds:
        for memory in (partial(resources.run_mb, study, dataset), partial(resources.matrix_mb, dataset)):
            asked = list(map(memory, attempts))
            assert JOB_MB + 300 <= asked[0] < asked[1] < asked[2] and asked[-1] >= JOB_MB + limit
    cells = Cell("omkc", "w5a", "om2"), Cell("rkl", "wdbc", "rkl_l1"), Cell("ca_letter", "letter_b_d", "cr")
    for cell in cells:
        asked = [resources.run_minutes(cell, attempt) for attempt in attempts]
        assert asked[0] < asked[1] and 60 * asked[-1] >= plan.project.limits.seconds + 60
    for dataset, most in (("sonar", 16 * 10), ("w5a", 16 * 20)):
        asked = [resources.matrix_minutes(dataset, attempt) for attempt in attempts]
        assert asked[0] < asked[1] < asked[2] and 16 * asked[-1] < most, "those of all kernels add up in a job"
    memory = [resources.matrix_mb("w5a", attempt) for attempt in attempts]
    assert memory[-1] >= limit + 2 * resources.gram_mb("w5a") + 500


def test_the_profile_allows_as_many_attempts_and_names_its_jobs():
    profile = yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text())
    assert profile["retries"] + 1 == LAST
    assert profile["default-resources"]["mem_mb"] == f"attempt * {TABLE_MB}"
    assert profile["default-resources"]["runtime"] == f"{PREPARE_MINUTES} * attempt"
    assert profile["slurm-jobname-prefix"] == cluster.PREFIX


@pytest.mark.parametrize(
    ("study", "dataset", "task", "seconds"),  # measured on one core
    [
        ("omkc", "w5a", "om2", 10),
        ("omkc", "a3a", "omkc_dd/beta", 29),
        ("omkc", "sonar", "perceptron", 0.9),
        ("omkc", "spambase", "om2", 9),
        ("rkl", "german_numer", "rkl_none", 22),
        ("rkl", "heart", "mkl_l1/scale_all", 16),
        ("rkl", "sonar", "unif", 1),
        ("ca_eleven", "sonar", "du", 2),
    ],
)
def test_expected_seconds_are_near_the_measured(plan, study, dataset, task, seconds):
    expected = plan.resources.expected_seconds(Cell.of(study, dataset, task))
    assert seconds / 4 < expected < 4 * max(seconds, START + 1)  # of the shortest, mostly the start


def test_a_run_that_tunes_is_expected_to_take_as_many_fits():
    plan = Plan({"studies": ["obscure_caltech", "obscure_caltech_chosen"]}, ROOT / "config")
    plan.configuration.costs.clear()  # as if nothing had been measured
    fits, whole = 7 * 4, plan.resources.expected_seconds(Cell("obscure_caltech", "caltech_102", "obscure")) - START
    chosen = plan.resources.expected_seconds(Cell("obscure_caltech_chosen", "caltech_102", "obscure"))
    assert chosen - START == pytest.approx(fits * whole)
