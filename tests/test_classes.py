"""The protocol of more than two classes: draws, choices, one-vs-rest, LP-beta, and what records and figures show."""

import numpy as np
import pandas as pd
import pytest
from fitting import UNSEEDED, unsteady
from scipy.optimize import linprog

from grambench.algorithms import load, is_multiclass
from grambench.algorithms.checks import learn
from grambench.algorithms.multiclass import lp_beta
from grambench.algorithms.one_vs_rest import OneVsRest, one_vs_rest_labels
from grambench.common.errors import ConfigError, ContractError, DataError
from grambench.config.dataset import Blocks
from grambench.config.study import Study
from grambench.datasets.store import PreparedDataset, read, write
from grambench.experiments import classes
from grambench.experiments.specification import Specification
from grambench.kernels.functions import Kernel
from grambench.kernels.pixels import ByPixels
from grambench.kernels.pool import Stored
from grambench.pipeline.steps.join import joined
from grambench.report import figures, tables
from grambench.results import collect, records
from grambench.results.study import Results

NAMES = ("ant", "bee", "cat")
KERNELS = ["polynomial_p1", "meangaussian_s0.5", "meangaussian_s2"]


def dataset(n=90, test=None, blocks=False, seed=0):
    rng = np.random.default_rng(seed)
    labels = (np.arange(n) % 3).astype(np.int8)
    features = rng.normal(size=(n, 6)) + 2.5 * np.eye(3, 6)[labels] + 3.0
    views = {}
    if blocks:
        features = np.clip(40 * features, 0, 255).astype(np.uint8)
        views = {"block_1": features[:, :3].copy(), "block_2": features[:, 3:].copy()}
    return PreparedDataset(
        name="toy", features=features, labels=labels, orders=None, source={}, classes=NAMES, test=test, views=views
    )


def specification(file="obscure", kernels=KERNELS, **changes):
    protocol = {"repetitions": 2, "sizes": {"default": [10, 5, 8]}, "refit": False, "values": [0.1, 1.0, 10.0]}
    settings = {
        "study": "s",
        "dataset": "toy",
        "algorithm": file,
        "experiment": "classes",
        "file": file,
        "points": [changes.pop("point", {})],
        "sweep": "",
        "values": [],
        "protocol": protocol | changes.pop("protocol", {}),
        "kernels": kernels,
        "seed": 1,
        "classes": list(NAMES),
    }
    return Specification(**(settings | changes))


def test_draws_have_so_many_of_each_class_and_no_example_twice():
    data = dataset()
    drawn = list(classes.draws(specification(), data))
    for draw in drawn:
        parts = [draw.train, draw.validation, draw.test]
        assert [np.bincount(data.labels[part]).tolist() for part in parts] == [[10] * 3, [5] * 3, [8] * 3]
        assert len(np.unique(np.concatenate(parts))) == 69
    assert not np.array_equal(*(np.sort(draw.train) for draw in drawn))
    (second,) = classes.draws(specification(block=[1, 1]), data)
    assert np.array_equal(second.train, drawn[1].train)


def test_the_test_part_of_a_split_is_used_whole_and_for_nothing_else():
    test = np.arange(90) >= 60
    (draw, _) = classes.draws(specification(protocol={"sizes": {"toy": [0, 4, 0]}}), dataset(test=test))
    assert np.array_equal(draw.test, np.arange(60, 90))
    assert len(draw.validation) == 12
    assert np.array_equal(np.sort(draw.known), np.arange(60))


def test_too_few_examples_are_named():
    with pytest.raises(DataError, match="toy: expected 43 examples of ant, got 30"):
        list(classes.draws(specification(protocol={"sizes": {"default": [30, 5, 8]}}), dataset()))


@pytest.mark.parametrize(
    "file", ["obscure", "pegasos", "om2_multiclass", "lp_beta", "uniform_svm", "silp", "cka", "om2"]
)
def test_every_algorithm_meets_many_classes(file):
    data = dataset()
    outcome = classes.outcome(specification(file), data)
    confusion = outcome.class_values["confusion"]
    assert confusion.shape == (1, 2, 3, 3)
    assert (confusion.sum(axis=3) == 8).all()
    accuracy = 100 * np.trace(confusion, axis1=2, axis2=3) / 24
    assert np.allclose(outcome.metrics["accuracy_percent"], accuracy)
    assert np.allclose(outcome.metrics["error_percent"], 100 - accuracy)
    assert (accuracy > 70).all()
    assert outcome.kernel_values["weight"].shape == (1, 2, 3)
    assert np.isnan(outcome.metrics["selected_C"]).all() == (file != "cka")


@pytest.mark.parametrize("source", UNSEEDED)
@pytest.mark.parametrize("file", ["obscure", "uniform_svm"])
def test_a_fit_that_is_another_each_time_is_no_number(file, source, monkeypatch):
    another = unsteady(file, source)
    monkeypatch.setattr(classes.algorithms, "load", lambda name: another)
    with pytest.raises(ContractError, match=rf"^{file}: expected the same weights from two fits with the same seed"):
        classes.outcome(specification(file), dataset())


def test_what_validation_chooses_is_the_first_of_the_best():
    data = dataset()
    tune = {"parameter": "C", "values": [1e-3, 1.0, 100.0], "by": "error"}
    chosen = classes.outcome(specification("pegasos", tune=tune), data)
    errors = []
    for value in tune["values"]:
        one = specification("pegasos", tune=tune | {"values": [value]})
        errors.append(classes.outcome(one, data).metrics["validation_error_percent"][0])
    best = np.argmin(errors, axis=0)
    assert chosen.metrics["selected_value"][0].tolist() == [tune["values"][place] for place in best]
    assert np.allclose(chosen.metrics["validation_error_percent"][0], np.min(errors, axis=0))


def test_p_and_C_are_chosen_together():
    data = dataset()
    tune = {"parameter": "p", "values": [1.05, 2.0], "by": "error", "C": [1e-3, 1.0]}
    chosen = classes.outcome(specification("pegasos", tune=tune), data).metrics
    tried = [(p, C) for p in tune["values"] for C in tune["C"]]
    errors = []
    for p, C in tried:
        one = specification("pegasos", tune=tune | {"values": [p], "C": [C]})
        errors.append(classes.outcome(one, data).metrics["validation_error_percent"][0])
    best = [tried[place] for place in np.argmin(errors, axis=0)]
    assert list(zip(chosen["selected_value"][0], chosen["selected_C"][0], strict=True)) == best
    assert np.array_equal(chosen["validation_error_percent"][0], np.min(errors, axis=0))
    assert np.ptp(errors) > 0.0


def test_fewer_kernels_are_among_the_more():
    data, sizes = dataset(), [1, 2, 3]
    swept = {"points": [{}] * 3, "values": sizes, "sweep": "kernels", "size": "kernels"}
    outcome = classes.outcome(specification("uniform_svm", **swept), data)
    used = outcome.kernel_values["weight"] > 0.0
    assert used.sum(axis=2).tolist() == [[size, size] for size in sizes]
    assert (used[0] <= used[1]).all()
    other = classes.outcome(specification("obscure", **swept), data)
    assert ((other.kernel_values["weight"] > 0.0) <= used).all(), "algorithms were given other kernels"
    whole = classes.outcome(specification("obscure"), data)
    for name in ("accuracy_percent", "objective", "support_vectors"):
        assert np.array_equal(other.metrics[name][2], whole.metrics[name][0])


def test_fewer_training_examples_are_tested_on_the_same_ones():
    data, sizes = dataset(), [4, 10]
    swept = {"points": [{}] * 2, "values": sizes, "sweep": "examples", "size": "examples"}
    outcome = classes.outcome(specification("lp_beta", **swept), data)
    assert (outcome.metrics["support_vectors"][0] <= 12).all()
    assert (outcome.class_values["confusion"].sum(axis=3) == 8).all()
    whole = classes.outcome(specification("lp_beta"), data)
    assert np.array_equal(outcome.class_values["confusion"][1], whole.class_values["confusion"][0])
    with pytest.raises(DataError, match="toy: the sweep asks for 11 training examples a class, one has 10"):
        classes.outcome(specification("lp_beta", **swept | {"values": [4, 11]}), data)


def test_refit_learns_from_the_validation_examples_too():
    plain, again = (
        classes.outcome(
            specification("pegasos", tune={"parameter": "C", "values": [1.0], "by": "error"}, protocol=p), dataset()
        )
        for p in ({}, {"refit": True})
    )
    assert (plain.curves["support_vectors"] <= 30).all()
    assert (plain.metrics["objective"] != again.metrics["objective"]).all()
    assert np.array_equal(plain.metrics["validation_error_percent"], again.metrics["validation_error_percent"])


def test_curves_follow_the_states_of_the_last_fit():
    outcome = classes.outcome(specification(point={"online": 3, "batch": 4}), dataset())
    curves = outcome.curves
    assert outcome.rounds.tolist() == [1, 2, 3, 4, 5]
    assert curves["epochs"][0, 0].tolist() == [1, 2, 3, 5, 7]
    assert curves["stage"][0, 0].tolist() == [1, 1, 1, 2, 2]
    assert np.array_equal(curves["accuracy_percent"][..., -1], outcome.metrics["accuracy_percent"])
    assert np.array_equal(curves["objective"][..., -1], outcome.metrics["objective"])
    assert (np.diff(curves["elapsed_seconds"]) > 0).all()


def test_blocks_of_pixels_are_made_when_they_are_asked_for(monkeypatch):
    data = dataset(blocks=True)
    kernels = [
        Kernel(family, value, view).name
        for family, value, view in (("polynomial", 1, "block_1"), ("meangaussian", 1, "block_2"))
    ]
    monkeypatch.setattr(ByPixels, "grams", lambda self: pytest.fail("a Gram matrix was asked for"))
    outcome = classes.outcome(specification(kernels=kernels), data)
    assert (outcome.metrics["accuracy_percent"] > 60).all()


def test_one_against_the_rest_puts_scores_side_by_side():
    class Fixed:
        def __init__(self, values):
            self.values = values

        def scores(self, pool):
            return np.array(self.values)

    scores = OneVsRest([Fixed([1.0, 2.0]), Fixed([3.0, 0.0])]).scores(Stored([np.eye(2)]))
    assert scores.tolist() == [[1.0, 3.0], [2.0, 0.0]]
    assert one_vs_rest_labels(np.array([0, 1, 2], dtype=np.int8), 1).tolist() == [-1, 1, -1]
    assert is_multiclass("obscure")
    assert not is_multiclass("om2")


def whole_program(scores, labels, nu):
    """Return the weights by the program with all constraints, and its value."""
    m, n, count = scores.shape
    rows = []
    for i in range(n):
        for y in range(count):
            if y != labels[i]:
                row = np.zeros(m + n + 1)
                row[:m], row[m + i], row[-1] = scores[:, i, y] - scores[:, i, labels[i]], -1.0, 1.0
                rows.append(row)
    cost = np.concatenate([np.zeros(m), np.full(n, 1 / (nu * n)), [-1.0]])
    simplex = np.concatenate([np.ones(m), np.zeros(n + 1)])[None]
    bounds = [(0, None)] * (m + n) + [(None, None)]
    return linprog(cost, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=simplex, b_eq=[1.0], bounds=bounds)


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.9])
def test_added_constraints_give_the_whole_programs_optimum(nu):
    rng = np.random.default_rng(4)
    labels = (np.arange(40) % 4).astype(np.int8)
    scores = rng.normal(size=(5, 40, 4)) + np.linspace(0, 1.5, 5)[:, None, None] * np.eye(4)[labels]
    weights, whole = lp_beta.combine(scores, labels, nu), whole_program(scores, labels, nu)
    assert weights.sum() == pytest.approx(1.0)

    def value(beta):
        mixed = np.tensordot(beta, scores, 1)
        right = mixed[np.arange(40), labels].copy()
        mixed[np.arange(40), labels] = -np.inf
        margins = right - mixed.max(axis=1)
        return min(-rho + np.maximum(0, rho - margins).sum() / (nu * 40) for rho in margins)  # it is kinked at margins

    assert value(weights) == pytest.approx(whole.fun, abs=1e-6)
    assert value(np.full(5, 0.2)) > whole.fun


def test_lp_beta_prefers_the_kernel_that_knows():
    rng = np.random.default_rng(0)
    labels = (np.arange(60) % 3).astype(np.int8)
    good = rng.normal(size=(60, 3)) + 4.0 * np.eye(3)[labels]
    noise = rng.normal(size=(60, 3))
    grams = np.stack([noise @ noise.T + np.eye(60), good @ good.T + np.eye(60)])
    fit = learn(
        load("lp_beta"),
        load("lp_beta").parameters(),
        Stored(grams),
        labels,
        order=np.arange(60, dtype=np.int32),
        rng=np.random.default_rng(1),
    )
    assert fit.weights[1] > 0.9
    assert np.mean(fit.predictor.scores(Stored(grams)).argmax(axis=1) == labels) > 0.95


TWO = {"parameter": "p", "values": [1.1, 2], "C": [1, 10]}
STUDY = {
    "name": "s",
    "title": "-",
    "paper": "-",
    "protocol": {"kind": "per_class_splits", "sizes": {"default": [10, 5, 8]}, "values": [1]},
    "kernels": [{"family": "polynomial", "values": [1]}],
    "datasets": ["toy"],
    "algorithms": {"obscure": {}, "uniform_svm": {}},
    "figures": {
        "progress": {
            "kind": "progress",
            "title": "-",
            "caption": "-",
            "x": "elapsed_seconds",
            "metrics": ["accuracy_percent"],
            "algorithms": ["obscure", "uniform_svm"],
            "datasets": ["toy"],
        },
        "confusion": {
            "kind": "confusion",
            "title": "-",
            "caption": "-",
            "metrics": ["accuracy_percent"],
            "algorithms": ["obscure"],
            "datasets": ["toy"],
        },
    },
}


def recorded(tmp_path):
    """Return the tables of two runs' records."""
    found = {}
    for file in ("obscure", "uniform_svm"):
        asked = specification(file, kernels=["polynomial_p1"])
        outcome = classes.outcome(asked, dataset())
        record = records.Record(
            study="s",
            dataset="toy",
            algorithm=file,
            status="ok",
            orders=outcome.origin,
            metrics=outcome.metrics,
            curves=outcome.curves,
            rounds=outcome.rounds,
            kernel_values=outcome.kernel_values,
            class_values=outcome.class_values,
            settings={"sweep": "", "values": [], "kernels": ["polynomial_p1"], "classes": list(NAMES)},
        )
        records.write(tmp_path / f"{file}.h5", record)
        found[file] = records.read(tmp_path / f"{file}.h5")
    paths = [tmp_path / name for name in ("runs.parquet", "curves.parquet", "cells.csv")]
    collect.write(found, *paths)
    return found, pd.read_parquet(paths[0]), pd.read_parquet(paths[1]), pd.read_csv(paths[2], keep_default_na=False)


def test_blocks_of_repeats_that_end_when_they_will_make_the_whole():
    data, point = dataset(), {"online": 40, "batch": 1, "p": 1.5}

    def record(block):
        asked = specification(point=point, block=block)
        outcome = classes.outcome(asked, data)
        return records.Record(
            study="s",
            dataset="toy",
            algorithm="obscure",
            status="ok",
            orders=outcome.origin,
            metrics=outcome.metrics,
            curves=outcome.curves,
            rounds=outcome.rounds,
            settings={"block": block},
        )

    whole, blocks = record(None), [record([0, 0]), record([1, 1])]
    lengths = [len(block.rounds) for block in blocks]
    assert lengths[0] != lengths[1]
    together = joined(blocks)
    assert np.array_equal(together.rounds, whole.rounds)
    for name in ("epochs", "objective", "accuracy_percent"):
        assert np.array_equal(together.curves[name], whole.curves[name], equal_nan=True)


def test_records_tables_and_figures_have_the_classes(tmp_path):
    found, runs, curves, cells = recorded(tmp_path)
    confusion = found["obscure"].class_values["confusion"][0]
    own = runs[runs["algorithm"] == "obscure"].set_index(["metric", "repetition"])["result"]
    for repetition, table in enumerate(confusion):
        for number, name in enumerate(NAMES):
            assert own[f"class_accuracy:{name}", repetition] == pytest.approx(100 * table[number, number] / 8)
            for other, count in zip(NAMES, table[number], strict=True):
                assert own.get((f"confused:{name}:{other}", repetition), 0.0) == count
    study = Study.model_validate(STUDY)
    results = Results(study, runs, cells)
    empty = pd.DataFrame(columns=["dataset", "algorithm", "metric", "published_mean"])
    (axes,) = figures.draw(results, curves, empty, study.figures["progress"]).axes
    line, dot = axes.get_lines()
    assert len(line.get_xdata()) == len(found["obscure"].rounds)
    assert dot.get_ydata().tolist() == pytest.approx([found["uniform_svm"].metrics["accuracy_percent"].mean()])
    canvas = figures.draw(results, curves, empty, study.figures["confusion"])
    shares = canvas.axes[0].get_images()[0].get_array()
    assert np.allclose(shares, 100 * confusion.sum(axis=0) / 16)
    assert [label.get_text() for label in canvas.axes[0].get_yticklabels()] == list(NAMES)


def test_a_data_set_of_many_classes_keeps_names_split_and_blocks(tmp_path):
    made = dataset(test=np.arange(90) >= 60, blocks=True)
    write(tmp_path / "toy.h5", made)
    found = read(tmp_path / "toy.h5")
    assert found.classes == NAMES
    assert np.array_equal(found.test, made.test)
    assert found.features.shape == (90, 0)
    for view, values in made.views.items():
        assert found.views[view].dtype == np.uint8
        assert np.array_equal(found.views[view], values)


def test_blocks_divide_an_image():
    assert Blocks(image=(28, 28), rows=2, columns=2).views() == ["block_1", "block_2", "block_3", "block_4"]
    with pytest.raises(ValueError, match="3 x 2 do not divide an image"):
        Blocks(image=(28, 28), rows=3, columns=2)


def test_a_study_needs_sizes_of_each_data_set():
    settings = STUDY | {"protocol": {"kind": "per_class_splits", "sizes": {"other": [1, 1, 1]}, "values": [1]}}
    with pytest.raises((ConfigError, ValueError), match="sizes: toy has none, and there is no default"):
        Study.model_validate(settings)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sweeps": {"k": {"values": [1, 2]}}}, "sweep k asks for 2 kernels, the study has 1"),
        ({"sweeps": {"k": {"values": [0]}}}, "values must be whole numbers from 1 on, got 0"),
        ({"sweeps": {"k": {"values": [1.5]}}}, "values must be whole numbers from 1 on, got 1.5"),
        (
            {"sweeps": {"k": {"values": [1]}}, "protocol": {"kind": "online"}},
            "sweep k is of kind size, studies of kind online do parameter",
        ),
        ({"tune": {"parameter": "C", "values": [1], "C": [1]}}, "a tune over C has no other C"),
        ({"tune": TWO, "parameters": {"C": 1}}, "obscure sets C, which is tuned"),
        (
            {"tune": TWO, "protocol": {"kind": "random_splits", "values": [1], "shares": [0.5, 0.25, 0.25]}},
            "two parameters",
        ),
    ],
)
def test_sizes_and_choices_that_cannot_be(changes, said):
    settings = STUDY | {"figures": {}, "protocol": changes.get("protocol", STUDY["protocol"])}
    usual = {"kind": "size", "of": "kernels", "label": "-", "algorithms": ["obscure"], "datasets": ["toy"]}
    settings["sweeps"] = {name: usual | sweep for name, sweep in changes.get("sweeps", {}).items()}
    entry = {key: changes[key] for key in ("tune", "parameters") if key in changes}
    settings["algorithms"] = {"obscure": entry, "uniform_svm": {}}
    with pytest.raises((ConfigError, ValueError), match=said):
        Study.model_validate(settings)


def test_the_table_of_data_sets_counts_classes():
    images = PreparedDataset(
        name="toy",
        features=np.empty((90, 0)),
        labels=dataset().labels,
        orders=None,
        source={"kind": "none"},
        classes=NAMES,
    )
    settings = STUDY | {"tables": {"data": {"kind": "datasets", "title": "-", "caption": "-"}}}
    study = Study.model_validate(settings)
    results = Results(
        study,
        pd.DataFrame(columns=["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"]),
        pd.DataFrame(columns=["dataset", "algorithm", "sweep", "status", "reason", "orders"]),
    )
    (row,) = tables.build(results, {"toy": images}, {}, study.tables["data"]).blocks[0].rows
    assert [cell.text for cell in row.cells] == ["90", "0", "3 classes", "", "none", "10 + 5 + 8"]
