"""The simulation of benchmarks/scaling.py, on jobs whose schedule is known."""

import importlib.util
import math
from pathlib import Path

import pytest

from grambench.config.load import read
from grambench.plan import Plan

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def scaling():
    spec = importlib.util.spec_from_file_location("scaling", ROOT / "benchmarks/scaling.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def costs(scaling):
    plan = Plan(read(ROOT / "config/config.yaml"), ROOT / "config")
    jobs = scaling.workflow(plan)
    shapes = {"omkc": (1, 20), "rkl": (1, 5)}
    records = {
        name: (1.0 + (name.endswith("/unif.h5") or name.endswith("/om2.h5")) * 100.0, *shapes.get(job.like[0], (1, 10)))
        for name, job in jobs.items()
        if job.rule == "run"
    }
    return scaling.Costs(plan, jobs, {}, records)


def test_list_scheduling(scaling):
    needs = {"a": [], "b": ["a"], **{f"x{i}": [] for i in range(4)}, "end": ["b", "x0", "x1", "x2", "x3"]}
    seconds = {"a": 3.0, "b": 3.0, "end": 1.0} | {f"x{i}": 2.0 for i in range(4)}
    rank, following, after = scaling.ranks(needs, seconds)
    assert (rank["a"], following["a"], following["end"]) == (7.0, "b", None)
    times = [scaling.makespan(needs, seconds, rank, after, cores) for cores in (1, 2, 3, 100)]
    assert times == [15.0, 9.0, 7.0, 7.0]


def test_runs_scale_with_repeats_and_nested_ones_do_not(costs):
    assert costs.of("results/runs/omkc/wdbc/om2.h5", 20) == pytest.approx(101.0)
    assert costs.of("results/runs/omkc/wdbc/om2.h5", 200) == pytest.approx(1001.0)
    assert costs.repeats("rkl", 200) == 5
    assert costs.of("results/runs/omkc/wdbc/perceptron.h5", 200) == pytest.approx(1.0)


def test_blocks_share_the_repeats_and_all_wait_for_the_same(scaling, costs):
    whole, _ = scaling.split(costs, 20, math.inf)
    needs, seconds = scaling.split(costs, 20, 30.0)
    name = "results/runs/omkc/wdbc/om2.h5"
    parts = [part for part in needs if part.startswith(f"{name}#")]
    assert len(parts) == 4
    assert name not in needs
    assert all(needs[part] == whole[name] for part in parts)
    assert sum(seconds[part] for part in parts) == pytest.approx(101.0 + 3 * 1.0)
    assert set(parts) < set(needs["results/omkc/runs.parquet"])
    assert max(seconds.values()) < 31.0
    times, path, seconds = scaling.simulate(costs, 20, 30.0)
    assert times[1] == pytest.approx(sum(seconds.values()))
    assert times[1024] == pytest.approx(sum(cost for _, cost in path))
    assert path[-1][0] == "results/report/index.html"
