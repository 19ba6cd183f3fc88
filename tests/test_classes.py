"""Data of more than two classes: one-vs-rest, LP-beta, and what records, tables and figures show."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fitting import fit
from problems import NAMES, blobs, of_classes, prepared
from scipy.optimize import linprog
from specifications import record_of
from test_protocols import STUDY as TOY

from grambench.algorithms import load
from grambench.algorithms.fit import Expansion, SupportExpansion
from grambench.algorithms.multiclass import lp_beta
from grambench.algorithms.one_vs_rest import OneVsRest
from grambench.common.errors import ContractError
from grambench.config.metrics import MEASURED
from grambench.config.study import Study
from grambench.datasets.descriptions import PixelBlocks
from grambench.datasets.store import read, write
from grambench.experiments import offline, training
from grambench.experiments.outcome import GROUPS
from grambench.experiments.training import Examples, Generators, learn_task, scores_of_each
from grambench.kernels.pool import Stored
from grambench.pipeline.steps.join import join
from grambench.report import figures, tables
from grambench.report.figure_kind import FigureData
from grambench.results import collect, records
from grambench.results.characteristics import Characteristics
from grambench.results.study import Results


def test_decision_functions_of_classes_are_computed_together_and_equal_each_alone():
    rng = np.random.default_rng(4)
    pool = Stored(rng.normal(size=(3, 8, 12)))
    weights = np.array([[0.5, 0.5, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    classes = [
        Expansion(each, rng.normal(size=12), bias) for each, bias in zip(weights, [1.0, 0.0, 3.0, -2.0], strict=True)
    ]
    scores = OneVsRest(classes).scores(pool)
    assert scores.shape == (8, 4) and (scores[:, 2] == 3.0).all()
    np.testing.assert_allclose(scores, np.stack([each.scores(pool) for each in classes], axis=1), rtol=0, atol=1e-13)


def test_states_that_share_kernel_values_keep_the_contract():
    rng = np.random.default_rng(4)
    sample = Examples(Stored(rng.normal(size=(3, 8, 12))), np.zeros(8, dtype=np.int8), np.arange(8, dtype=np.int32), 3)
    states = [
        SupportExpansion(rng.random(3), np.arange(size, dtype=np.int32), rng.normal(size=(size, 3))) for size in (4, 9)
    ]

    class Other(SupportExpansion):
        def scores(self, pool):
            return np.ones((8, 3))

    other = Other(*(getattr(states[0], name) for name in ("weights", "support", "dual")))
    assert [scores.tolist() for scores in scores_of_each([other], sample)] == [np.ones((8, 3)).tolist()]
    for state, scores in zip(states, scores_of_each(states, sample), strict=True):
        np.testing.assert_allclose(scores, state.scores(sample.pool), rtol=0, atol=1e-13)
    for wrong in (replace(states[0], dual=states[0].dual[:, :2]), replace(states[0], weights=np.full(3, np.nan))):
        with pytest.raises(ContractError, match=r"^scores: expected"):
            scores_of_each([states[1], wrong], sample)


@pytest.mark.parametrize("classes", [3, 0])
@pytest.mark.parametrize("wrong", [np.zeros(12), np.zeros((12, 1)), np.zeros((12, 4)), np.zeros((12, 3, 1))])
def test_training_scores_are_of_all_classes(monkeypatch, classes, wrong):
    labels = (np.arange(12) % (classes or 2)).astype(np.int8)
    labels = labels if classes else 2 * labels - 1
    sample = Examples(Stored([np.eye(12)]), labels, np.arange(12, dtype=np.int32), classes)
    algorithm, fit = load("obscure"), training.fit
    monkeypatch.setattr(training, "fit", lambda *arguments: replace(fit(*arguments), train_scores=wrong))
    with pytest.raises(ContractError, match=r"^train_scores: expected an array"):
        learned = learn_task(algorithm, {}, sample, Generators(np.random.SeedSequence(0)))
        learned.train_scores(next(learned.models([1.0])))


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
    fitted = fit("lp_beta", grams, labels, seed=1)
    assert fitted.weights[1] > 0.9
    assert np.mean(fitted.predictor.scores(Stored(grams)).argmax(axis=1) == labels) > 0.95


def test_lp_beta_refuses_classes_of_one_example():
    with pytest.raises(ValueError, match="expected a class with at least 2 examples, got one of each class"):
        fit("lp_beta", np.eye(3)[None], np.arange(3, dtype=np.int8), seed=1)


STUDY = TOY | {
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
    }
}


def recorded(tmp_path):
    """Return the tables of two runs' records."""
    found = {}
    for file in ("obscure", "uniform_svm"):
        outcome = offline.outcome(of_classes(file, kernels=["polynomial_p1"]), blobs())
        settings = {"sweep": "", "values": [], "kernels": ["polynomial_p1"], "classes": list(NAMES)}
        records.write(tmp_path / f"{file}.h5", record_of(outcome, settings, study="s", dataset="toy", algorithm=file))
        found[file] = records.read(tmp_path / f"{file}.h5")
    paths = [tmp_path / name for name in ("runs.parquet", "curves.parquet", "cells.csv")]
    collect.write(found, *paths)
    return found, pd.read_parquet(paths[0]), pd.read_parquet(paths[1]), pd.read_csv(paths[2], keep_default_na=False)


def test_blocks_of_repeats_that_end_when_they_will_make_the_whole():
    data, point = blobs(), {"online": 40, "batch": 1, "p": 1.5}

    def record(block):
        outcome = offline.outcome(of_classes(points=[point], block=block), data)
        return record_of(outcome, {"block": block})

    whole, blocks = record(None), [record([0, 0]), record([1, 1])]
    lengths = [len(block.rounds) for block in blocks]
    assert lengths[0] != lengths[1]
    together = join(blocks)
    assert np.array_equal(together.rounds, whole.rounds)
    for name in ("epochs", "objective", "accuracy_percent"):
        assert np.array_equal(together.curves[name], whole.curves[name], equal_nan=True)


POINTS = {
    "parameter": (0, {"points": [{"p": 1.5}, {"p": 1.1}], "values": [1.5, 1.1]}),
    "kernels": (1, {"points": [{"p": 1.5}] * 3, "values": [1, 3, 2], "size": "kernels"}),
    "examples": (1, {"points": [{"p": 1.5}] * 2, "values": [4, 10], "size": "examples"}),
}


@pytest.mark.parametrize("name", POINTS)
def test_a_sweep_has_the_numbers_of_the_plain_run_at_its_settings(name):
    point, settings = POINTS[name]
    plain = offline.outcome(of_classes(points=[{"p": 1.5}]), blobs())
    sweep = offline.outcome(of_classes(sweep=name, **settings), blobs())
    for group in GROUPS:
        for key, expected in getattr(plain, group).items():
            # the curves of another point may be longer
            values = getattr(sweep, group)[key][point][tuple(map(slice, expected[0].shape))]
            assert key.endswith(MEASURED) or values.tobytes() == expected[0].tobytes(), key
    assert not np.array_equal(sweep.metrics["objective"][1 - point], plain.metrics["objective"][0])


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
    data = FigureData(results, curves, pd.DataFrame(columns=["dataset", "algorithm", "metric", "published_mean"]))
    (axes,) = figures.draw(data, study.figures["progress"]).axes
    line, dot = axes.get_lines()
    assert len(line.get_xdata()) == len(found["obscure"].rounds)
    assert dot.get_ydata().tolist() == pytest.approx([found["uniform_svm"].metrics["accuracy_percent"].mean()])
    canvas = figures.draw(data, study.figures["confusion"])
    shares = canvas.axes[0].get_images()[0].get_array()
    assert np.allclose(shares, 100 * confusion.sum(axis=0) / 16)
    assert [label.get_text() for label in canvas.axes[0].get_yticklabels()] == list(NAMES)
    named = replace(results, runs=runs.assign(metric=runs["metric"].str.replace(NAMES[0], "T:cell", regex=False)))
    axes = figures.draw(replace(data, results=named), study.figures["confusion"]).axes[0]
    assert np.array_equal(axes.get_images()[0].get_array(), shares)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["T:cell", *NAMES[1:]]


def test_a_data_set_of_many_classes_keeps_names_split_and_blocks(tmp_path):
    made = blobs(test=np.arange(90) >= 60, blocks=True)
    write(tmp_path / "toy.h5", made)
    found = read(tmp_path / "toy.h5")
    assert found.classes == NAMES
    assert np.array_equal(found.test, made.test)
    assert found.features.shape == (90, 0)
    for view, values in made.views.items():
        assert found.views[view].dtype == np.uint8
        assert np.array_equal(found.views[view], values)


def test_blocks_divide_an_image():
    assert PixelBlocks(image=(28, 28), rows=2, columns=2).views() == ["block_1", "block_2", "block_3", "block_4"]
    with pytest.raises(ValueError, match="3 x 2 do not divide an image"):
        PixelBlocks(image=(28, 28), rows=3, columns=2)


def test_the_table_of_data_sets_counts_classes():
    images = prepared(np.empty((90, 0)), np.arange(90) % 3, name="toy", source={"kind": "none"}, classes=NAMES)
    settings = STUDY | {"tables": {"data": {"kind": "datasets", "title": "-", "caption": "-"}}}
    study = Study.model_validate(settings)
    results = Results(
        study,
        pd.DataFrame(columns=["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"]),
        pd.DataFrame(columns=["dataset", "algorithm", "sweep", "status", "reason", "orders"]),
    )
    known = {"toy": Characteristics.of(images, "")}
    (row,) = tables.build(results, known, {}, study.tables["data"]).blocks[0].rows
    assert [cell.text for cell in row.cells] == ["90", "0", "3 classes", "", "none", "10 + 5 + 8"]
