"""Long runs in blocks of repetitions: the same numbers as in one piece, and failures that name their repetitions."""

import json
from pathlib import Path

import numpy as np
import pytest
from problems import labelled, prepared
from specifications import record_of

from grambench import experiments
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.config.load import check, read
from grambench.config.metrics import MEASURED
from grambench.config.project import Project
from grambench.experiments.outcome import GROUPS
from grambench.experiments.run import Run
from grambench.kernels.functions import Kernel
from grambench.kernels.grams import compute, inner_products
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps.join import join

CONFIG = Path(__file__).parent.parent / "config"
SIZES = {"sizes": {"default": [30, 20, 10]}}


def dataset(n=60, d=4):
    return prepared(*labelled(3, n, d, lambda x, noise: x[0] + 0.5 * noise > 0))


def run(spec, data):
    grams = compute(inner_products(data.features), [*map(Kernel.parse, spec["kernels"])])
    return experiments.load(spec["experiment"])(Run.from_dict(spec), data, grams)


CASES = {
    "online": ("omkc/sonar/omkc_ss", {"repetitions": 5, "checkpoints": 4}),
    "online sweep": ("omkc/spambase/omkc_ds/beta", {"repetitions": 5}),
    "nested_cv": ("rkl/sonar/unif", {"inner_folds": 2, "values": [1.0, 10.0]}),
    "scaling": ("rkl/heart/mkl_l1/scale_all", {"inner_folds": 2, "values": [1.0]}),
    "random_splits": ("ca_eleven/sonar/ca_1d", {"repetitions": 5, "sizes": {"default": [30, 20, 10]}}),
    "profile": ("ca_letter/letter_b_d/ca_1d/profile", {"repetitions": 5, "sizes": {"default": [30, 20, 10]}}),
}


def spec_of(plan, case):
    asked, protocol = CASES[case]
    spec = json.loads(plan.specs.of_cell(Cell.parse(asked)).spec)
    spec["protocol"] |= protocol
    spec["values"], spec["points"] = spec["values"][:2], spec["points"][:2]
    spec["kernels"] = spec["kernels"][::5]
    return spec


def record(spec, outcome, **changes):
    named = {name: spec[name] for name in ("study", "dataset", "algorithm")}
    provenance = {"processor": "one", "wall_seconds": 2.0, "cpu_seconds": 1.0, "peak_resident_mb": 100.0}
    return record_of(outcome, spec, **named | {"provenance": provenance} | changes)


@pytest.mark.parametrize("case", CASES)
def test_blocks_have_the_numbers_of_the_whole(plan, case):
    spec, data = spec_of(plan, case), dataset()
    whole = record(spec, run(spec, data))
    blocks = [spec | {"block": block} for block in ((0, 0), (1, 3), (4, 4))]
    parts = [record(block, run(block, data)) for block in blocks]
    assert [next(iter(part.metrics.values())).shape[1] for part in parts] == [1, 3, 1]
    found = join(parts)
    assert (found.settings, found.orders, found.status) == (whole.settings, whole.orders, "ok")
    assert np.array_equal(found.rounds, whole.rounds)
    for group in GROUPS:
        values, expected = getattr(found, group), getattr(whole, group)
        assert values.keys() == expected.keys()
        for name in expected:
            assert values[name].shape == expected[name].shape
            assert name.endswith(MEASURED) or values[name].tobytes() == expected[name].tobytes(), name


def pieces(plan, *changes):
    spec = spec_of(plan, "online")
    blocks = [spec | {"block": block} for block in [[0, 1], [2, 3], [4, 4]][: len(changes)]]
    return [record(block, run(block, dataset()), **change) for block, change in zip(blocks, changes, strict=True)]


def test_a_joined_record_counts_all_blocks_and_tells_machines_apart(plan):
    other = {"processor": "two", "wall_seconds": 5.0, "cpu_seconds": 3.0, "peak_resident_mb": 50.0}
    found = join(pieces(plan, {}, {"provenance": other}, {"provenance": other})).provenance
    assert (found["wall_seconds"], found["cpu_seconds"], found["peak_resident_mb"]) == (12.0, 7.0, 100.0)
    assert (found["processor"], found["blocks"], found["others"]) == ("one", 3, [{"processor": "two"}])
    assert "others" not in join(pieces(plan, {}, {})).provenance


def test_a_joined_record_has_drawn_where_one_block_has(plan):
    for blocks, expected in ((("no", "yes", "no"), "yes"), (("no", "no", "no"), "no"), (("", "", ""), "")):
        assert join(pieces(plan, *({"random": random} for random in blocks))).random == expected


def test_a_failed_block_fails_the_run_and_is_named(plan):
    failed = {"status": "timeout", "reason": "ran for 6 s, the limit", "detail": "slow", "metrics": {}}
    found = join(pieces(plan, {}, failed, {}))
    assert (found.status, found.reason, found.detail) == (
        "timeout",
        "repetitions 2 to 3: ran for 6 s, the limit",
        "slow",
    )
    assert not found.metrics and "block" not in found.settings
    missing = {"status": "unavailable", "reason": "no source has it", "metrics": {}}
    assert join(pieces(plan, missing, missing)).reason == "no source has it"


def test_blocks_cover_every_repeat_once(plan):
    assert plan.resources.split()
    for cell in plan.resources.split():
        blocks = plan.resources.blocks(cell)
        assert {block._replace(block=None) for block in blocks} == {cell}
        ends = [list(block.block) for block in blocks]
        covered = [repetition for first, last in ends for repetition in range(first, last + 1)]
        assert covered == list(range(plan.studies[cell.study].protocol.repetitions))
        paths = [f"results/blocks/{cell}/{first}-{last}.h5" for first, last in ends]
        assert [block.path(layout.BLOCK) for block in blocks] == paths
        whole = json.loads(plan.specs.of_cell(cell).spec)
        assert json.loads(plan.specs.of_cell(blocks[1]).spec) == whole | {"block": ends[1]}


def test_blocks_are_as_long_as_allowed(plan):
    for cell in plan.resources.split():
        blocks = plan.resources.blocks(cell)
        seconds = list(map(plan.resources.expected_seconds, blocks))
        assert max(seconds) <= 60 or len(blocks) == plan.studies[cell.study].protocol.repetitions
        assert plan.resources.expected_seconds(cell) > 60
        assert min(seconds) > 20


def test_blocks_share_a_studys_budget(plan):
    study = plan.studies["leaderboard"]
    assert plan.resources.run_seconds(Cell("leaderboard", "sonar", "unif")) == study.seconds
    block = Cell.of("leaderboard", "sonar", "unif", "3-5")
    assert plan.resources.run_seconds(block) == study.seconds * 3 / study.protocol.repetitions
    assert plan.resources.run_seconds(Cell.of("omkc", "sonar", "om2", "3-5")) == plan.project.limits.seconds


def test_shorter_blocks_are_more_and_none_is_split_where_they_are_long(plan):
    settings = read(CONFIG / "config.yaml")

    def split(seconds):
        return Plan(settings | {"limits": {"block_seconds": seconds}}, CONFIG).resources.split()

    assert set(split(20)) > set(plan.resources.split()) > set(split(10_000)) == set()
    assert check(Project, settings, "config.yaml").limits.block_seconds == 60


def test_on_a_cluster_a_run_in_blocks_is_in_no_group(plan):
    assert not any(map(plan.resources.group, plan.resources.split()))
