"""Runs made again with other draws: repetitions beyond a run's own, how many of them, and the table of their means."""

import json

import numpy as np
import pytest
import yaml
from planted import CONFIG, CONFIGURATION
from programs import load
from specifications import make_run
from test_blocks import dataset, record, run, spec_of

from grambench.common.errors import ConfigError, DataError
from grambench.common.layout import Cell
from grambench.config.load import read
from grambench.config.metrics import MEASURED
from grambench.experiments import online, splits
from grambench.pipeline.job import Job
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import means as step
from grambench.results import records, replications


def test_seeded_orders_go_on_and_published_ones_begin_again():
    seeded = [online.draw_orders(None, 40, 3, 1, "x", numbers).indices for numbers in (range(9), range(6, 9))]
    assert np.array_equal(seeded[0][6:], seeded[1])
    assert len({tuple(order) for order in seeded[0].tolist()}) == 9
    published = np.array([np.random.default_rng(r).permutation(40) for r in range(3)], dtype=np.int32)
    again = online.draw_orders(published, 40, 3, 1, "x", range(6, 9))
    assert np.array_equal(again.indices, published) and again.origin == "published"


@pytest.mark.parametrize("case", ["online", "nested_cv", "random_splits"])
def test_a_replication_is_a_run_with_other_draws(plan, case):
    spec, data = spec_of(plan, case), dataset()
    first, again, later = (run(spec | {"block": block}, data) for block in ([0, 4], [5, 9], [10, 14]))
    both = run(spec | {"block": [5, 14]}, data)
    same = []
    for metric in [name for name in first.metrics if not name.endswith(MEASURED)]:
        same.append(np.array_equal(first.metrics[metric], again.metrics[metric], equal_nan=True))
        expected = np.concatenate([again.metrics[metric], later.metrics[metric]], axis=1)
        assert both.metrics[metric].tobytes() == expected.tobytes(), metric
    assert not all(same)


def test_on_published_orders_only_what_draws_changes(plan):
    spec, data = spec_of(plan, "online"), dataset()
    rng = np.random.default_rng(1)
    orders = np.array([rng.permutation(len(data.labels)) for _ in range(5)], dtype=np.int32)
    known = type(data)(name="made", features=data.features, labels=data.labels, orders=orders, source={})
    for file, changes in (("omkc_dd", False), ("omkc_ss", True)):
        asked = spec | {"file": file, "points": [{"beta": 0.8}]}
        own, again = (run(asked | {"block": block}, known).metrics["mistake_percent"] for block in ([0, 4], [5, 9]))
        assert np.array_equal(own, again) is not changes


def test_a_nested_replication_is_another_partition():
    data = dataset()
    asked = make_run("uniform_svm", "nested_cv", protocol={"select": "C", "values": [1.0]}, block=[0, 14])
    found = [len(split.test) for split, _ in splits.splits(asked, data)]
    assert [sum(found[start : start + 5]) for start in (0, 5, 10)] == [60, 60, 60]


@pytest.mark.parametrize(
    ("study", "name", "entry"),
    [("rkl", "german_numer", "rkl_l2"), ("rkl", "sonar", "unif"), ("oks", "corel5k_sky_grass", "oks_svm")],
)
def test_there_are_as_many_as_the_budget_allows(plan, study, name, entry):
    cell, whole = Cell(study, name, entry), plan.studies[study].protocol.repetitions
    ends = [block.block for block in plan.resources.replications(cell)]
    covered = [repetition for first, last in ends for repetition in range(first, last + 1)]
    assert covered == list(range(whole, whole + len(covered)))
    assert all((last - first + 1) % whole == 0 for first, last in ends)
    seconds = (plan.resources.expected_seconds(cell) - 3) * len(covered) / whole
    assert seconds <= plan.studies[study].replications.seconds
    if name == "sonar":
        assert len(covered) == 19 * whole  # 20 with the study's own
    assert plan.resources.replications(Cell("leaderboard", "sonar", "unif")) == []


def test_only_what_draws_is_run_again_on_published_orders(plan):
    cells = plan.targets.replicated("omkc")
    assert Cell("omkc", "wdbc", "omkc_ss") in cells and Cell("omkc", "dorothea", "om2") in cells
    assert Cell("omkc", "wdbc", "om2") not in cells


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithms": ["nobody"], "seconds": 1}, "replications names algorithm nobody"),
        ({"datasets": {"letter_b_d": ["om2"]}, "seconds": 1}, "replications names data set letter_b_d"),
        ({"count": 2, "seconds": 1}, "count"),
        ({}, "seconds"),
        ({"seconds": 1}, "replications need margins of published numbers, and the study declares none"),
    ],
)
def test_wrong_replications_are_refused(tmp_path, change, message):
    folder = tmp_path / "config"
    (folder / "studies").mkdir(parents=True)
    (folder / "datasets").symlink_to(CONFIG / "datasets")
    study = read(CONFIG / "studies" / "omkc.yaml") | {"replications": change}
    if "margins" in message:
        del study["published"]["margins"]
    (folder / "studies" / "omkc.yaml").write_text(yaml.safe_dump(study))
    with pytest.raises(ConfigError, match=message):
        Plan({"studies": ["omkc"]}, folder)


def made(plan, *blocks, **changes):
    """Return the records of a run and of blocks of its replications."""
    spec = spec_of(plan, "online")
    return [record(each, run(each, dataset()), **changes) for each in (spec, *(spec | {"block": b} for b in blocks))]


def test_the_table_has_a_mean_a_replication_the_own_first(plan):
    own, *further = made(plan, [10, 14], [5, 9])
    found = replications.table([("id", each) for each in (*further, own)], {"mistake_percent", "d"})
    (row,) = found.itertuples()
    assert (row.dataset, row.algorithm, row.metric, row.orders) == ("sonar", "omkc_ss", "mistake_percent", "seeded")
    means = [each.metrics["mistake_percent"].mean() for each in (own, further[1], further[0])]
    assert np.array(row.means.split(), dtype=float) == pytest.approx(means)


def test_replications_by_other_code_are_refused_and_failed_cells_left_out(plan):
    own, again = made(plan, [5, 9])
    with pytest.raises(DataError, match="sonar, omkc_ss: its replications are not all of the same settings and code"):
        replications.table([("one", own), ("other", again)], {"mistake_percent"})
    (_, failed) = made(plan, [5, 9], status="timeout")
    assert replications.table([("id", own), ("id", failed)], {"mistake_percent"}).empty


def test_the_step_keeps_what_was_not_made_anew(plan, tmp_path):
    paths = []
    for number, each in enumerate(made(plan, [5, 9])):
        paths.append(tmp_path / f"{number}.h5")
        records.write(paths[-1], each)
    shipped = tmp_path / "shipped.csv"
    kept = ["wdbc,om2,mistake_percent,published,id,1 2 3", "sonar,omkc_ss,mistake_percent,published,id,4 5 6"]
    shipped.write_text(
        "\n".join([",".join(replications.COLUMNS), *kept, "sonar,omkc_ss,mistake_percent,seeded,id,7 8\n"])
    )
    output = tmp_path / "omkc.csv"
    spec = json.dumps({"metrics": ["mistake_percent"], "shipped": [str(shipped)]})
    step.main(Job(spec, output=[output], input=paths))
    found = replications.read(output)
    assert len(found) == 3
    assert found["wdbc", "om2", "mistake_percent", "published"].means.tolist() == [1.0, 2.0, 3.0]
    anew = found["sonar", "omkc_ss", "mistake_percent", "seeded"]
    assert len(anew.means) == 2 and anew.means[0] != 7.0
    spec = json.loads(json.dumps(spec_of(plan, "online")))
    assert anew.identity.partition(".")[0] == step.identity(record(spec, run(spec, dataset()))).partition(".")[0]


# the shipped tables

SHIPPED = {name: replications.read(CONFIG / "replications" / f"{name}.csv") for name in ("oks", "omkc", "rkl")}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_replications_are_of_the_studies_as_they_stand(name):
    plan, known = Plan(read(CONFIG / "config.yaml") | {"studies": [name]}, CONFIG), SHIPPED[name]
    study = plan.studies[name]
    cells = {(cell.dataset, cell.algorithm) for cell in plan.targets.replicated(name)}
    assert {key[:2] for key in known} == cells
    for (_, _, metric, _), each in known.items():
        assert metric in study.published.margins
        assert 3 <= len(each.means) <= study.replications.count


@pytest.mark.parametrize(("name", "metric"), [("rkl", "accuracy_percent"), ("omkc", "mistake_percent")])
def test_verdicts_on_shipped_replications_have_the_level_and_the_power_that_pages_say(name, metric):
    """One held-out replication in a hundred is called different; different algorithms are not confirmed to be equal."""
    power, study = load("benchmarks/power.py"), CONFIGURATION.study(name)
    own = {key: each.means for key, each in SHIPPED[name].items() if key[2] == metric}
    alike = power.level(study, {key: means for key, means in own.items() if np.ptp(means) > 0})
    assert alike.total() > 500 and 0.002 < alike["different"] / alike.total() < 0.02
    far, _ = power.pairs(study, own)
    assert far.total() > 50 and (far["exact"] + far["confirmed"]) / far.total() < 0.15
