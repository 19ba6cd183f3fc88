"""Runs that end after the first of an algorithm's two stages: their numbers come from the record of both."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import yaml
from copies import STUDY, Copy
from specifications import make_run
from test_classes import KERNELS, dataset
from test_plain_point import assert_same
from test_plan import MANY, NESTED, plan

from grambench import algorithms
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments import conformance
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import fit as step
from grambench.pipeline.steps.join import join
from grambench.results import records

FIRST_STAGE = next(check for check in conformance.CHECKS if check.test is conformance.returns_its_first_stage)
ENTRIES = {
    "obscure": {"parameters": {"p": 1.1, "online": 4}},
    "first": {"algorithm": "obscure", "parameters": {"p": 1.1, "online": 4, "batch": 0}},
}
PER_CLASS = MANY | {"sizes": {"default": [10, 0, 5]}}
SWEEP = {"label": "-", "algorithms": ["obscure", "first"], "datasets": ["digits_10"]}
P = {"some": SWEEP | {"parameter": "p", "values": [1.1, 1.5]}}
SIZES = {"some": SWEEP | {"kind": "size", "of": "kernels", "values": [1, 2]}}
FIRST = ENTRIES["first"]


def planned(folder, **changes):
    settings = {"protocol": PER_CLASS, "datasets": ["digits_10"], "algorithms": ENTRIES, "sweeps": {}}
    return plan(folder, **settings | changes)


def both_of(made, task="first", block=""):
    cell = Cell.of("small", "digits_10", task, block)
    both = made.targets.both_stages(cell)
    assert json.loads(made.specs.run_spec(cell)).get("both_stages") == (both and both.algorithm)
    return both and both.task


@pytest.mark.parametrize(
    ("changes", "task", "expected"),
    [
        ({}, "first", "obscure"),
        ({}, "obscure", None),
        ({"sweeps": P}, "first/some", "obscure/some"),
        ({"sweeps": SIZES}, "first/some", "obscure/some"),
        ({"algorithms": ENTRIES | {"first": FIRST | {"title": "First", "variant_of": "obscure"}}}, "first", "obscure"),
        ({"algorithms": {"first": FIRST}}, "first", None),
        # other settings
        ({"algorithms": ENTRIES | {"obscure": {"parameters": {"p": 1.2, "online": 4}}}}, "first", None),
        ({"algorithms": ENTRIES | {"obscure": {"parameters": {"p": 1.1}}}}, "first", None),
        ({"algorithms": ENTRIES | {"obscure": FIRST}}, "first", None),
        ({"algorithms": ENTRIES | {"obscure": ENTRIES["obscure"] | {"center": True}}}, "first", None),
        ({"algorithms": ENTRIES | {"first": FIRST | {"center": True}}}, "first", None),
        ({"algorithms": ENTRIES | {"obscure": {"algorithm": "ufo_mkl"}}}, "first", None),
        ({"algorithms": ENTRIES | {"first": FIRST | {"tune": {"parameter": "C", "values": [1.0]}}}}, "first", None),
        # other data
        ({"algorithms": ENTRIES | {"obscure": ENTRIES["obscure"] | {"datasets": ["sonar"]}}}, "first", None),
        (
            {"algorithms": ENTRIES | {"obscure": ENTRIES["obscure"] | {"datasets": ["sonar"]}}, "sweeps": P},
            "first/some",
            None,
        ),
        ({"sweeps": {"some": P["some"] | {"algorithms": ["first"]}}}, "first/some", None),
        # the second stage is what differs in a sweep
        ({"sweeps": {"some": SWEEP | {"parameter": "batch", "values": [0, 1]}}}, "first/some", None),
        ({"sweeps": {"some": P["some"] | {"parameters": {"batch": 3}}}}, "first/some", None),
        # a selection, or another protocol
        ({"protocol": MANY}, "first", None),
        ({"protocol": NESTED["protocol"]}, "first", None),
        ({"protocol": {"kind": "online"}}, "first", None),
    ],
)
def test_the_run_that_has_the_numbers(tmp_path, changes, task, expected):
    if "datasets" in changes.get("algorithms", {}).get("obscure", {}):
        changes = changes | {"datasets": ["digits_10", "sonar"]}
    assert both_of(planned(tmp_path, **changes), task) == expected


def test_a_run_waits_for_the_record_and_takes_next_to_no_time(tmp_path):
    made = planned(tmp_path, sweeps=P)
    first, both = (Cell.of("small", "digits_10", f"{name}/some") for name in ("first", "obscure"))
    assert made.specs.run_inputs(first)[-1] == both.path()
    assert made.targets.waits_for(first) == [both, both.plain()]
    # its own record would have the point of the plain run: there is one source
    assert "plain_point" not in json.loads(made.specs.run_spec(first))
    assert json.loads(made.specs.run_spec(both))["plain_point"] == 0
    assert made.resources.expected_seconds(first) < made.resources.expected_seconds(both)
    assert made.resources.join_group(both) is None and made.resources.join_group(first) == "after"


def test_only_the_runs_of_the_study_itself_are_taken_from_others(tmp_path):
    made = planned(tmp_path)
    repetitions = made.studies["small"].protocol.repetitions
    assert both_of(made, block=f"0-{repetitions - 1}") == "obscure"
    assert both_of(made, block=f"{repetitions}-{2 * repetitions - 1}") is None


def test_a_sweep_of_the_first_stage_alone_waits_for_the_plain_runs_of_both(tmp_path):
    made = planned(tmp_path, sweeps={"some": P["some"] | {"algorithms": ["first"]}})
    first, both = (Cell.of("small", "digits_10", name) for name in ("first", "obscure"))
    assert made.targets.waits_for(first._replace(sweep="some")) == [first, both]


def test_a_run_of_the_first_stage_brings_that_of_both_along(tmp_path):
    made = planned(tmp_path, sweeps=P)
    identity = made.specs.identity(Cell.of("small", "digits_10", "first"))

    def tasks(name):
        asked = Plan({"studies": ["small"], "algorithms": {"small": [name]}, "seed": 7}, tmp_path / "config")
        assert asked.specs.identity(Cell.of("small", "digits_10", "first")) == identity
        return [cell.task for cell in asked.targets.cells()]

    assert tasks("first") == ["obscure", "first", "obscure/some", "first/some"]
    assert tasks("obscure") == ["obscure", "obscure/some"]


def test_replications_of_the_first_stage_are_as_many_as_their_time_allows(tmp_path):
    published = {"runs": 3, "margins": {"accuracy_percent": 1.0}}
    replications = {"count": 4, "algorithms": ["first"], "seconds": 1e6}
    made = planned(tmp_path, published=published, replications=replications)
    blocks = made.resources.replications(Cell.of("small", "digits_10", "first"))
    repetitions = made.studies["small"].protocol.repetitions
    assert (blocks[0].block[0], blocks[-1].block[1]) == (repetitions, 4 * repetitions - 1)
    assert not any(map(made.targets.both_stages, blocks))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("replace(classifier.fit(), first_stage=first)", "classifier.fit()"), "expected the fit with .*, got None"),
        (('{"batch": 0}', '{"batch": 1}'), "expected the certificate of the fit with {'batch': 1}, got another one"),
        (
            ("FirstStage(classifier.fit()", "FirstStage(replace(classifier.fit(), converged=True)"),
            "expected the converged",
        ),
        (("", ""), ""),
    ],
)
def test_an_algorithm_from_outside_is_told_what_its_first_stage_lacks(tmp_path, change, message):
    source, path = algorithms.source("obscure").read_text(), tmp_path / "mine.py"
    path.write_text(source.replace(*change) + "\nMANY_CLASSES = True\n")
    ((_, fault),) = list(conformance.faults(str(path), checks=[FIRST_STAGE]))[1:]
    assert re.search(f"^first_stage: {message}", fault) if message else fault == ""


SETTINGS = {"protocol": {"repetitions": 3, "sizes": {"default": [10, 0, 8]}, "values": [0.1, 1.0]}, "kernels": KERNELS}
RUNS = {
    "plain": {"points": [{"p": 1.5}]},
    "parameter": {"points": [{"p": 1.1}, {"p": 1.5}, {"p": 2.0}], "values": [1.1, 1.5, 2.0], "plain_point": 1},
    "kernels": {"points": [{"p": 1.5}] * 3, "values": [1, 3, 2], "size": "kernels", "plain_point": 1},
    "examples": {"points": [{"p": 1.5}] * 2, "values": [4, 10], "size": "examples", "plain_point": 1},
}


def two_classes():
    three = dataset()
    kept = three.labels < 2
    labels = np.where(three.labels[kept] > 0, 1, -1).astype(np.int8)
    return replace(three, features=three.features[kept], labels=labels, classes=())


@pytest.fixture(params=["three", "two", "on demand"])
def fitted(request, tmp_path):
    """A function that carries out a run of OBSCURE on one of three data sets, and returns its record."""
    prepared, folder = tmp_path / "toy.h5", tmp_path / "runs/s/toy"
    folder.mkdir(parents=True)
    made = {"three": dataset, "two": two_classes, "on demand": lambda: dataset(blocks=True)}[request.param]()
    store.write(prepared, made)
    settings = dict(SETTINGS)
    if request.param == "on demand":
        settings["kernels"] = ["block_1/polynomial_p1", "block_2/polynomial_p1", "block_2/meangaussian_s1"]

    def fit(name, first=False, others=(), **changes):
        stage = {"online": 3, "batch": 0 if first else 2}
        points = [point | stage for point in changes.pop("points")]
        classes = list(made.classes) or None
        run = make_run(
            "obscure", "per_class_splits", dataset="toy", classes=classes, points=points, **settings, **changes
        )
        paths = [prepared, *(folder / f"{other}.h5" for other in others)]
        output = folder / f"{name}.h5"
        step.main([json.dumps(run.to_dict()), "code", str(output), *map(str, paths)])
        return records.read(output)

    return fit, folder


@pytest.mark.parametrize("name", RUNS)
def test_a_run_has_the_same_numbers_from_the_other_record_as_by_itself(fitted, name):
    fit, _ = fitted
    fit("obscure", **RUNS["plain"])
    settings = RUNS[name] | ({"sweep": name} if name != "plain" else {})
    others = ["obscure"] if "plain_point" in settings else []
    both = fit("both", others=others, **settings)
    settings = {key: value for key, value in settings.items() if key != "plain_point"}
    alone = fit("alone", first=True, **settings)
    taken = fit("taken", first=True, others=["both"], both_stages="both", **settings)
    assert_same(taken, alone)
    assert not np.array_equal(taken.metrics["epochs"], both.metrics["epochs"])
    assert (taken.metrics["fit_seconds"] <= both.metrics["fit_seconds"]).all()
    assert (taken.metrics["wall_seconds"] <= both.metrics["wall_seconds"]).all()
    assert taken.first_stage is None and len(taken.inputs) == 2
    block = fit("block", first=True, others=["both"], both_stages="both", block=[1, 2], **settings)
    assert np.array_equal(block.metrics["seconds"], taken.metrics["seconds"][:, 1:])


def test_the_numbers_are_read_and_not_computed(fitted):
    fit, folder = fitted
    both = fit("both", **RUNS["plain"])
    changed = replace(both.first_stage, metrics={"accuracy_percent": np.full((1, 3), 7.0)})
    records.write(folder / "both.h5", replace(both, first_stage=changed))
    taken = fit("taken", first=True, others=["both"], both_stages="both", **RUNS["plain"])
    assert taken.metrics["accuracy_percent"].tolist() == [[7.0, 7.0, 7.0]]


def test_a_run_is_carried_out_if_the_other_failed(fitted):
    fit, folder = fitted
    both, alone = fit("both", **RUNS["plain"]), fit("alone", first=True, **RUNS["plain"])
    failed = replace(both, status="timeout", reason="ran for 1 s, the limit", metrics={}, curves={}, first_stage=None)
    records.write(folder / "both.h5", failed)
    assert_same(fit("taken", first=True, others=["both"], both_stages="both", **RUNS["plain"]), alone)


def test_blocks_of_both_stages_have_the_numbers_too(fitted):
    fit, folder = fitted
    alone = fit("alone", first=True, **RUNS["plain"])
    blocks = [fit(f"block_{block}", block=block, **RUNS["plain"]) for block in ([0, 0], [1, 2])]
    both = join(blocks)
    records.write(folder / "both.h5", both)
    taken = fit("taken", first=True, others=["both"], both_stages="both", **RUNS["plain"])
    assert_same(taken, alone)
    assert np.array_equal(taken.metrics["seconds"], both.first_stage.metrics["seconds"])


@pytest.mark.workflow
def test_the_workflow_runs_first_what_other_runs_take_numbers_from(tmp_path):
    copy = Copy(tmp_path / "copy")
    study = {"name": "small", "title": "Small", "paper": "-", "kernels": STUDY["kernels"], "datasets": ["sonar"]}
    study |= {
        "protocol": {"kind": "per_class_splits", "repetitions": 2, "sizes": {"default": [20, 0, 20]}, "values": [1]}
    }
    # the longer entry comes last: the order of the study does not matter
    study |= {"algorithms": {name: ENTRIES[name] for name in ("first", "obscure")}}
    study |= {"sweeps": {"p": SWEEP | {"parameter": "p", "values": [1.1, 1.5], "datasets": ["sonar"]}}}
    (copy.folder / "config/studies/small.yaml").write_text(yaml.safe_dump(study))
    copy.edit("config/config.yaml", "studies: [omkc]", "studies: [small]")
    copy.snakemake(layout.CELLS.format(study="small"))  # for which the records' identities are checked
    records_of = {
        task: records.read(copy.folder / f"results/runs/small/sonar/{task}.h5")
        for task in ("first", "obscure", "first/p", "obscure/p")
    }
    # measured, and so the same in no two runs
    seconds = {task: record.metrics["seconds"] for task, record in records_of.items()}
    assert np.array_equal(seconds["obscure/p"][0], seconds["obscure"][0])
    assert not np.array_equal(seconds["obscure/p"][1], seconds["obscure"][0])
    for sweep in ("", "/p"):
        both = records_of[f"obscure{sweep}"].first_stage.metrics["seconds"]
        assert np.array_equal(seconds[f"first{sweep}"], both)
    # which reads no other record
    assert "small/sonar/first/p: equal: " in copy.call("grambench.cli", "rerun", "small/sonar/first/p")
