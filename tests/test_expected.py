"""What `grambench run` says of the jobs and the time before it runs anything, and in a dry run."""

from pathlib import Path

import h5py
import pytest
import yaml
from copies import ROOT
from programs import load

from grambench.commands import run
from grambench.commands.project import read_plan
from grambench.common.files import sealed
from grambench.common.layout import Cell
from grambench.common.provenance import made_from
from grambench.config.project import Configuration
from grambench.pipeline import last_run, resources
from grambench.pipeline.expected import expected_lines
from grambench.pipeline.resources import CALIBRATION


def planned(study, datasets, algorithms):
    return read_plan({"studies": [study], "datasets": datasets, "algorithms": algorithms})


def leave_record(plan, cell, status="ok"):
    """Write the record of a run as the plan asks for it, so that it is not made again."""
    made = made_from(*plan.specs.of_cell(cell), {})
    with sealed(Path(cell.path()), made) as temporary, h5py.File(temporary, "w") as file:
        file.attrs.update(status=status, reason="")


COSTS = {("leaderboard", "sonar", "rkl"): 100.0, ("leaderboard", "sonar", "uniform_svm"): 1.0, CALIBRATION: 0.5}


@pytest.fixture
def costs(monkeypatch):
    """Costs that a test fills, on a machine as fast as theirs."""
    costs = dict(COSTS)
    monkeypatch.setattr(Configuration, "costs", costs)
    monkeypatch.setattr(resources, "calibrate", lambda: costs[CALIBRATION])
    return costs


def test_the_expected_time_is_that_of_the_measured_costs(project, costs):
    plan = planned("leaderboard", ["sonar"], ["uniform_svm", "rkl"])
    first, second = expected_lines(plan, 2, slurm=False)
    assert first == "jobs: 1 data set, 2 runs (long ones in 10 blocks), tables of 1 study, report"
    # ten blocks of 100 s, and ten repetitions of 1 s
    assert second.startswith("time of the runs: about 8 min on 2 cores, from the measured costs in config/costs.csv")
    assert "about 2 min on 100 cores" in expected_lines(plan, 100, slurm=False)[1]  # as long as a block
    first, second = expected_lines(plan, 2, slurm=True)
    # ten blocks, the short run and the tables: a minute for each of four files, a run that is joined and what is shown
    minutes = 5 + len(plan.studies["leaderboard"].tables) + len(plan.studies["leaderboard"].figures)
    assert minutes > 8, "a block asks for four times 103 s, and a minute"
    assert f"report; about 12 SLURM jobs, up to {minutes} minutes and " in first and first.endswith(" MB each at first")
    assert second.startswith("time of the runs: about 0.28 core hours, the longest run about 2 min, from")
    omkc = planned("omkc", ["mushrooms", "sonar"], ["om2"])
    swept = planned("omkc", ["wdbc"], ["omkc_dd"])
    assert ", 2 runs (1 of sweep beta), tables" in expected_lines(swept, 2, slurm=False)[0]
    assert expected_lines(omkc, 2, slurm=False)[-1] == "disk: about 8 GB for Gram matrices, which later runs use"


def test_short_runs_share_a_slurm_job_where_gram_matrices_are_missing(project):
    plan = planned("omkc", ["sonar"], ["om2", "perceptron"])
    # preparation 5 minutes, inner products and 16 Gram matrices one each, two short runs
    minutes = 5 + 1 + 16 + sum(plan.resources.run_minutes(cell, 1) for cell in plan.targets.cells())
    assert f"; about 2 SLURM jobs, up to {minutes} minutes" in expected_lines(plan, 2, slurm=True)[0]
    for path in map(Path, plan.targets.upstream("omkc", "sonar")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert "; about 3 SLURM jobs" in expected_lines(plan, 2, slurm=True)[0]


def test_a_data_set_that_no_study_of_a_call_has_is_named(project):
    lines = expected_lines(planned("rkl", ["heart", "breast"], ["unif"]), 2, slurm=False)
    assert lines[0] == "left out: breast, which no study of this call has among its data sets"


def test_a_slower_machine_is_expected_to_take_as_many_times_as_long(project, costs, monkeypatch):
    plan = planned("leaderboard", ["sonar"], ["uniform_svm", "rkl"])
    monkeypatch.setattr(resources, "calibrate", lambda: 3 * costs[CALIBRATION])
    assert "about 25 min on 2 cores" in expected_lines(plan, 2, slurm=False)[1]
    assert plan.resources.slowness() == 3.0
    del costs[CALIBRATION]
    assert plan.resources.slowness() == 1.0


def test_a_run_that_was_never_measured_costs_what_data_sets_near_it_in_size_do(project, costs):
    """In proportion to its examples and kernels, on whichever board they are; classes count as their root."""

    def plan(study="leaderboard"):  # a plan computes each cost once
        return planned(study, None, {})

    def cost(dataset, entry):
        return plan().resources.cost(Cell("leaderboard", dataset, entry))

    sizes = {name: plan().targets.dataset(name).n for name in ("sonar", "heart", "wine_3")}
    assert cost("sonar", "rkl") == pytest.approx(100.0)
    assert cost("heart", "rkl") == pytest.approx(100.0 * sizes["heart"] / sizes["sonar"])
    assert cost("wine_3", "rkl") == pytest.approx(100.0 * sizes["wine_3"] / sizes["sonar"] * 3**0.5)
    assert cost("spambase", "rkl") == pytest.approx(100.0 * 1000 / sizes["sonar"])  # the study draws 1000 of them
    costs.update({("leaderboard", name, "uniform_svm"): 5.0 for name in ("votes84", "ionosphere")})
    near = cost("heart", "uniform_svm")
    costs["leaderboard", "spambase", "uniform_svm"] = 1e9  # far from it in size: three others are nearer
    assert cost("heart", "uniform_svm") == near
    costs["leaderboard_views", "heart", "klc"] = 9.0
    counts = [len(plan(study).targets.kernels(study, "heart")) for study in ("leaderboard", "leaderboard_views")]
    assert cost("heart", "klc") == pytest.approx(9.0 * counts[0] / counts[1])
    # runs of another kind of protocol say nothing of it
    costs["omkc", "sonar", "logistic_regression"] = 7.0
    assert cost("sonar", "logistic_regression") is None


def test_runs_that_are_done_or_failed_are_not_expected(project):
    plan = planned("leaderboard", ["sonar"], ["uniform_svm", "rkl", "silp"])
    first, second, third = plan.targets.cells()
    leave_record(plan, first)
    leave_record(plan, second, "error")
    assert expected_lines(plan, 2, slurm=False)[0].startswith("jobs: 1 data set, 1 run,")
    leave_record(plan, third)
    assert expected_lines(plan, 2, slurm=False) == ["jobs: tables of 1 study, report"]


def test_the_time_of_an_algorithm_that_was_never_measured_is_a_guess(project):
    path = project / "config/studies/leaderboard.yaml"
    study = yaml.safe_load(path.read_text())
    (project / "config/studies/mine.py").write_text(
        (ROOT / "src/grambench/algorithms/batch/uniform_svm.py").read_text()
    )
    study["algorithms"]["mine"] = {"path": "mine.py", "title": "Mine"}
    path.write_text(yaml.safe_dump(study))
    plan = planned("leaderboard", ["sonar"], ["mine", "rkl"])
    assert plan.resources.cost(Cell("leaderboard", "sonar", "mine")) is None
    lines = expected_lines(plan, 2, slurm=False)
    assert lines[1].endswith("; a guess for 1 of 2 runs, whose algorithm was never measured")


JOBS = "jobs: 1 data set, 1 run, tables of 1 study, report\n"
TIME = "time of the runs: less than a minute on 2 cores, from the measured costs in config/costs.csv "
TIME += "and the speed of this machine\n"
PART = "tables and pages have the runs of this call, leaderboard with 1 of 45 data sets and 1 of 58 configurations; "
PART += "records of earlier calls stay, and a call that names theirs too shows them\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], f"{JOBS}{TIME}snakemake\nnoted\n{PART}results\n"),
        (["-n"], f"{JOBS}{TIME}"),
        (["--", "--dry-run"], f"snakemake\n{JOBS}{TIME}"),
        (["--", "--unlock"], "snakemake\n"),
        (["--", "--lint"], "snakemake\n"),
        (["--", "--forceall"], f"snakemake\nnoted\n{PART}results\n"),
        (["--", "-R", "prepare"], f"snakemake\nnoted\n{PART}results\n"),
        (["--", "-k", "--", "results/x.csv"], f"snakemake\nnoted\n{PART}results\n"),
    ],
    ids=str,
)
def test_run_says_what_is_expected_and_notes_what_was_run(project, monkeypatch, call, arguments, said):
    monkeypatch.setattr(run, "_call_snakemake", lambda command: print("snakemake") or 0)
    monkeypatch.setattr(last_run, "write", lambda plan: print("noted"))
    monkeypatch.setattr(run, "_show_results", lambda brief: print("results") or 0)
    assert call("run", "leaderboard", "-d", "sonar", "-a", "rkl", "-c", "2", *arguments) == (0, said, "")


def test_a_profile_of_slurm_counts_its_jobs_and_sets_the_cores(project, monkeypatch, call):
    assert call("init", "mine")[0] == 0
    monkeypatch.chdir("mine")
    profile = Path("profiles/slurm/profile.yaml").read_text()
    assert profile == (ROOT / "profiles/slurm/profile.yaml").read_text() and "SBATCH_PARTITION" in profile
    commands = []
    monkeypatch.setattr(run, "_call_snakemake", lambda command: commands.append(command) or 0)
    slurm = ("run", "leaderboard", "-d", "sonar", "-n", "--", "--profile", "profiles/slurm")
    code, out, _ = call(*slurm)
    assert code == 0 and not commands, "what Snakemake would print is not waited for"
    jobs, time = out.splitlines()
    assert "report; about 2 SLURM jobs, up to " in jobs and "core hours, the longest run" in time
    assert call(*slurm, "--forceall")[0] == 0 and "--cores" not in commands[0]
    code, _, err = call(*slurm[:-1], "nowhere")
    assert (code, err) == (2, "grambench: --profile: expected a folder with profile.yaml or config.yaml, got nowhere\n")
    monkeypatch.setattr(run, "find_spec", lambda name: None)
    code, _, err = call("run", "-n", "--", "--executor", "slurm")
    assert (code, err) == (2, 'grambench: jobs on SLURM need the slurm extra: pip install ".[slurm]" in a clone\n')


def test_the_costs_are_those_of_the_reference_results(monkeypatch):
    monkeypatch.chdir(ROOT)
    configuration = Configuration(Path("config"))
    archived = load("benchmarks/costs.py").archived(configuration)
    reference = {run: float(f"{seconds:.2g}") for run, seconds in archived.items()}
    stale = {run: seconds for run, seconds in reference.items() if configuration.costs.get(run) != seconds}
    assert not stale, "stale: python benchmarks/costs.py"
