"""The simulation of benchmarks/scaling.py, on jobs whose schedule is known."""

import importlib.util
from pathlib import Path

import pytest

from grambench.common import layout
from grambench.common.layout import Cell
from grambench.config.load import read

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def scaling():
    spec = importlib.util.spec_from_file_location("scaling", ROOT / "benchmarks/scaling.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def settings():
    return read(ROOT / "config/config.yaml")


@pytest.fixture(scope="module")
def costs(scaling, settings):
    """Every run took a second to start; om2 5 s a repetition beside it."""
    plan = scaling.plan_of(settings)
    shapes = {"omkc": (1, 20), "rkl": (1, 5)}
    runs = plan.targets.cells()
    records = {run: (101.0 if run.task == "om2" else 1.0, *shapes.get(run.study, (1, 10)), 1) for run in runs}
    return scaling.Costs(plan, {}, records)


def test_list_scheduling(scaling):
    needs = {"a": [], "b": ["a"], **{f"x{i}": [] for i in range(4)}, "end": ["b", "x0", "x1", "x2", "x3"]}
    seconds = {"a": 3.0, "b": 3.0, "end": 1.0} | {f"x{i}": 2.0 for i in range(4)}
    rank, following, after = scaling.ranks(needs, seconds)
    assert (rank["a"], following["a"], following["end"]) == (7.0, "b", None)
    times = [scaling.makespan(needs, seconds, rank, after, cores) for cores in (1, 2, 3, 100)]
    assert times == [15.0, 9.0, 7.0, 7.0]


OM2 = "results/runs/omkc/wdbc/om2.h5"
LONG = Cell("ca_dirichlet", "dirichlet", "d1", "resolution")
NAME = "results/runs/ca_dirichlet/dirichlet/d1/resolution.h5"


def test_runs_scale_with_repeats_and_nested_ones_do_not(scaling, settings, costs):
    for repetitions in (20, 200):
        plan = scaling.plan_of(settings, repetitions, scaling.WHOLE)
        jobs = scaling.workflow(plan)
        assert costs.of(OM2, jobs[OM2], plan) == pytest.approx(1.0 + 5.0 * repetitions)
        assert jobs["results/runs/rkl/sonar/unif.h5"].repetitions == 5


def test_blocks_are_those_of_the_workflow_and_wait_for_the_same(scaling, settings, costs):
    plan = scaling.plan_of(settings, 20)
    whole, jobs = scaling.workflow(scaling.plan_of(settings, 20, scaling.WHOLE)), scaling.workflow(plan)
    blocks = [block.path(layout.BLOCK) for block in plan.resources.blocks(LONG)]
    assert len(blocks) > 1
    assert jobs[NAME] == scaling.Job("join", blocks)
    assert all(jobs[block].needs == whole[NAME].needs and jobs[block].run == LONG for block in blocks)
    assert sum(jobs[block].repetitions for block in blocks) == whole[NAME].repetitions == 20
    assert NAME in jobs["results/ca_dirichlet/runs.parquet"].needs
    seconds, path, times = scaling.simulate(costs, plan)
    assert times[1] == pytest.approx(sum(seconds.values()))
    assert times[1024] == pytest.approx(sum(cost for _, cost in path))
    assert path[-1][0] == "results/report/index.html"


def test_a_record_of_blocks_costs_a_start_each(scaling, settings):
    """A hundred seconds for ten repetitions in four blocks, each of which starts."""
    plan = scaling.plan_of(settings)
    records = {Cell("ca_dirichlet", "dirichlet", "sqrt2"): (2.0, 1, 10, 1), LONG: (100.0, 5, 10, 4)}
    costs = scaling.Costs(plan, {}, records)
    job = scaling.Job("run", [], LONG, 3)
    assert costs.of("block", job, plan) == pytest.approx(2.0 + 3.0 * (100.0 - 4 * 2.0) / 10.0)
