"""Sweeps with the settings of the plain run among their points: these numbers come from its record."""

import json
from dataclasses import replace

import numpy as np
import pytest
from specifications import make_run
from test_classes import dataset
from test_plan import MANY, NESTED, plan

from grambench.common.layout import Cell
from grambench.config.metrics import MEASURED
from grambench.datasets import store
from grambench.experiments.outcome import Outcome, with_plain_run
from grambench.experiments.run import Run
from grambench.pipeline.steps import fit as step
from grambench.results import records

SWEEP = {"label": "-", "algorithms": ["obscure"], "datasets": ["digits_10"]}
PER_CLASS = {"repetitions": 3, "sizes": {"default": [10, 5, 8]}, "values": [0.1, 1.0]}
KERNELS = ["polynomial_p1", "meangaussian_s0.5", "meangaussian_s2"]
SWEEPS = {
    "parameter": {"points": [{"p": 1.1}, {"p": 1.5}, {"p": 2.0}], "values": [1.1, 1.5, 2.0], "plain_point": 1},
    "kernels": {"points": [{"p": 1.5}] * 3, "values": [1, 3, 2], "size": "kernels", "plain_point": 1},
    "examples": {"points": [{"p": 1.5}] * 2, "values": [4, 10], "size": "examples", "plain_point": 1},
}


@pytest.mark.parametrize(
    ("sweep", "expected"),
    [
        ({"parameter": "p", "values": [1.01, 1.1, 1.5]}, 1),
        ({"parameter": "p", "values": [1.01, 1.5]}, None),
        ({"parameter": "p", "values": [1.1]}, None),  # a sweep runs at least one point itself
        ({"parameter": "p", "values": [1.01, 1.1], "parameters": {"online": 7}}, None),
        ({"kind": "size", "of": "kernels", "values": [1, 2]}, 1),
        ({"kind": "size", "of": "kernels", "values": [1]}, None),
        ({"kind": "size", "of": "kernels", "values": [1, 2], "parameters": {"p": 1.2}}, None),
        ({"kind": "size", "of": "examples", "values": [10, 5]}, 0),
        ({"kind": "size", "of": "examples", "values": [5, 8]}, None),
    ],
)
def test_the_point_that_repeats_the_plain_run(tmp_path, sweep, expected):
    entries = {"obscure": {"parameters": {"p": 1.1}}}
    made = plan(tmp_path, protocol=MANY, datasets=["digits_10"], algorithms=entries, sweeps={"some": SWEEP | sweep})
    cell = Cell.of("small", "digits_10", "obscure/some")
    record = cell.plain().path()
    settings = json.loads(made.specs.run_spec(cell))
    assert settings.get("plain_point") == expected
    assert made.specs.run_inputs(cell)[1:] == ([] if expected is None else [record])
    assert made.specs.run_inputs(cell.plain()) == made.specs.run_inputs(cell)[:1]


@pytest.mark.parametrize(
    ("protocol", "sweep"),
    [
        # a number of examples that depends on the data
        (MANY | {"sizes": {"default": [0, 5, 5]}}, {"kind": "size", "of": "examples", "values": [5, 10]}),
        # sweeps that are timed in another way
        ({"kind": "online"}, {"parameter": "p", "values": [1.05, 1.1]}),
        (NESTED["protocol"], {"parameter": "p", "values": [1.05, 1.1]}),
    ],
)
def test_sweeps_that_run_all_points(tmp_path, protocol, sweep):
    entries = {"obscure": {"parameters": {"p": 1.1}}}
    made = plan(tmp_path, protocol=protocol, datasets=["digits_10"], algorithms=entries, sweeps={"some": SWEEP | sweep})
    assert "plain_point" not in json.loads(made.specs.run_spec(Cell.of("small", "digits_10", "obscure/some")))


@pytest.fixture
def fitted(tmp_path):
    """A function that carries out a run of OBSCURE with all files that it reads, and returns its record."""
    prepared, plain = tmp_path / "toy.h5", tmp_path / "runs/s/toy/obscure.h5"
    store.write(prepared, dataset())
    plain.parent.mkdir(parents=True)

    def fit(path, **settings):
        asked = make_run("obscure", "per_class_splits", protocol=PER_CLASS, kernels=KERNELS, dataset="toy", **settings)
        inputs = [prepared, *([plain] if asked.plain_point is not None else [])]
        step.main([json.dumps(asked.to_dict()), "code", str(path), *map(str, inputs)])
        return records.read(path)

    return fit, fit(plain, points=[{"p": 1.5}]), plain


def assert_same(record, other):
    for group in ("metrics", "curves", "kernel_values", "class_values"):
        values, expected = getattr(record, group), getattr(other, group)
        assert values.keys() == expected.keys()
        for name in expected:
            assert values[name].shape == expected[name].shape
            assert name.endswith(MEASURED) or values[name].tobytes() == expected[name].tobytes(), name
    assert np.array_equal(record.rounds, other.rounds)


@pytest.mark.parametrize("name", SWEEPS)
@pytest.mark.parametrize("block", [None, [1, 2]])
def test_a_sweep_has_the_same_numbers_with_the_plain_runs_record_as_without(fitted, name, block, tmp_path):
    fit, plain, path = fitted
    settings = SWEEPS[name] | {"sweep": name, "block": block}
    sweep, alone = (
        fit(tmp_path / f"{point}.h5", **settings | {"plain_point": point}) for point in (settings["plain_point"], None)
    )
    assert_same(sweep, alone)
    assert sweep.settings["plain_point"] == settings["plain_point"] and len(sweep.inputs) == 2
    # the point is read, not run: a changed record changes it and no other
    repetitions = slice(1, 3) if block else slice(None)
    records.write(path, replace(plain, metrics=plain.metrics | {"accuracy_percent": plain.metrics["auc_percent"] - 1}))
    changed = fit(tmp_path / "changed.h5", **settings).metrics["accuracy_percent"]
    point = settings["plain_point"]
    assert np.array_equal(changed[point], plain.metrics["auc_percent"][0, repetitions] - 1)
    kept = [p for p in range(len(settings["points"])) if p != point]
    assert np.array_equal(changed[kept], alone.metrics["accuracy_percent"][kept])


def test_a_sweep_runs_all_its_points_if_the_plain_run_failed(fitted, tmp_path):
    fit, plain, path = fitted
    records.write(path, replace(plain, status="timeout", reason="ran for 1 s, the limit", metrics={}, curves={}))
    settings = SWEEPS["parameter"] | {"sweep": "p"}
    alone = fit(tmp_path / "alone.h5", **settings | {"plain_point": None})
    assert_same(fit(tmp_path / "sweep.h5", **settings), alone)


def test_of_equally_long_curves_the_first_point_has_the_rounds():
    first, second = (
        Outcome(
            metrics={"accuracy_percent": np.full((1, 2), value)},
            curves={"accuracy_percent": np.full((1, 2, 2), value)},
            rounds=np.array([1, value]),
        )
        for value in (4, 5)
    )
    assert with_plain_run(first, 1, second, range(2)).rounds.tolist() == [1, 4]
    assert with_plain_run(first, 0, second, range(2)).rounds.tolist() == [1, 5]
    assert with_plain_run(first, 0, second, range(2)).metrics["accuracy_percent"].tolist() == [[5, 5], [4, 4]]


def test_a_sweep_without_the_plain_point_has_all_others():
    run = make_run("obscure", "per_class_splits", protocol=PER_CLASS, **SWEEPS["kernels"])
    rest = run.without_plain_point()
    assert (rest.values, len(rest.points), rest.plain_point) == ([1, 2], 2, None)
    assert Run.from_dict(run.to_dict()) == run
