"""The figure of weights by view, from runs with known weights."""

import itertools

import numpy as np
import pandas as pd
import pytest

from grambench.config.study import Study
from grambench.report import figures
from grambench.report.abstract import kernels_text
from grambench.results.study import Results

SETTINGS = {
    "name": "views",
    "title": "Views",
    "paper": "Nobody",
    "protocol": {"kind": "random_splits", "repetitions": 2, "shares": [0.5, 0.25, 0.25], "values": [1]},
    "kernels": [{"views": "all", "families": [{"family": "mediangaussian", "values": [1, 2]}]}],
    "datasets": ["wdbc", "banana"],
    "algorithms": {"cka": {}, "uniform_svm": {}},
    "sweeps": {of: {"kind": "view", "of": of, "algorithms": ["uniform_svm"]} for of in ("alone", "without")},
    "figures": {
        "weights": {
            "kind": "weights",
            "title": "Weights",
            "caption": "Of views",
            "algorithms": ["cka"],
            "metrics": ["accuracy_percent"],
            "alone": "alone",
            "without": "without",
        }
    },
}
# in units that differ between repetitions
WEIGHTS = {"mean": [(1.0, 2.0), (10.0, 0.0)], "error": [(0.0, 0.0), (0.0, 10.0)], "worst": [(7.0, 0.0), (40.0, 40.0)]}


def results():
    rows = []
    for (view, weights), r in itertools.product(WEIGHTS.items(), range(2)):
        for width, weight in zip((1, 2), weights[r], strict=True):
            rows.append(("wdbc", "cka", "", np.nan, r, f"weight:{view}/mediangaussian_sigma{width}", weight))
    rows += [("banana", "cka", "", np.nan, 0, f"weight:mediangaussian_sigma{width}", 1.0) for width in (1, 2)]
    for r in range(2):
        rows.append(("wdbc", "uniform_svm", "", np.nan, r, "accuracy_percent", 90.0 + r))
        for number, (alone, without) in enumerate(((80.0, 91.0), (60.0, 90.54), (70.0, 85.5)), start=1):
            rows.append(("wdbc", "uniform_svm", "alone", number, r, "accuracy_percent", alone))
            rows.append(("wdbc", "uniform_svm", "without", number, r, "accuracy_percent", without))
    columns = ["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"]
    cells = pd.DataFrame([("wdbc", "cka", "", "ok", "")], columns=["dataset", "algorithm", "sweep", "status", "reason"])
    return Results(Study.model_validate(SETTINGS), pd.DataFrame(rows, columns=columns), cells)


def test_shares_of_views_are_those_of_each_repetition():
    shares = results().view_shares("wdbc", "cka")
    assert shares.to_dict("list") == {
        "mean": pytest.approx([0.3, 0.1]),
        "error": pytest.approx([0.0, 0.1]),
        "worst": pytest.approx([0.7, 0.8]),
    }
    assert results().view_shares("wdbc", "uniform_svm").empty


def test_the_views_of_the_largest_weights_are_on_top_with_what_they_tell_alone_and_are_missed_for():
    found = results()
    canvas = figures.draw(found, pd.DataFrame(), pd.DataFrame(), found.study.figures["weights"])
    (axes,) = [each for each in canvas.axes if each.axison]
    assert axes.get_title(loc="left") == "wdbc"
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["worst (70.0; -5.0)", "mean (80.0; +0.5)", "error (60.0; +0.0)"]
    (line,) = [line for line in axes.lines if line.get_marker() != "None"]
    assert line.get_xdata() == pytest.approx([75.0, 20.0, 5.0])
    assert axes.get_xlim()[0] == 0.0 and axes.get_ylim() == (2.6, -0.6)


def test_no_weights_draw_a_figure_that_says_so():
    found = results()
    empty = Results(found.study, found.runs.iloc[:0], found.cells.iloc[:0])
    assert figures.draw(empty, pd.DataFrame(), pd.DataFrame(), found.study.figures["weights"]).axes


def test_a_study_says_that_its_kernels_are_on_each_view():
    text = kernels_text(Study.model_validate(SETTINGS))
    assert text == "2 gaussian σ = 1 to 2 medians; on each view of a data set"
