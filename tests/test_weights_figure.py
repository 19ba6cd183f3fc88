"""The figure of weights by view, from runs with known weights."""

import itertools

import pandas as pd
import planted
import pytest
from planted import plain, shown

from grambench.config.study import Study
from grambench.report import figures
from grambench.report.abstract import kernels_text
from grambench.report.figure_kind import FigureData

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
        "weights": shown("weights", algorithms=["cka"], metrics=["accuracy_percent"], alone="alone", without="without")
    },
}
# in units that differ between repetitions
WEIGHTS = {"mean": [(1.0, 2.0), (10.0, 0.0)], "error": [(0.0, 0.0), (0.0, 10.0)], "worst": [(7.0, 0.0), (40.0, 40.0)]}


def results():
    rows = []
    for view, weights in WEIGHTS.items():
        for width, of_repetitions in enumerate(zip(*weights, strict=True), start=1):
            rows += plain("wdbc", "cka", f"weight:{view}/mediangaussian_sigma{width}", *of_repetitions)
    for width in (1, 2):
        rows += plain("banana", "cka", f"weight:mediangaussian_sigma{width}", 1.0)
    rows += plain("wdbc", "uniform_svm", "accuracy_percent", 90.0, 91.0)
    for number, pair in enumerate(((80.0, 91.0), (60.0, 90.54), (70.0, 85.5)), start=1):
        for (sweep, value), r in itertools.product(zip(("alone", "without"), pair, strict=True), range(2)):
            rows.append(("wdbc", "uniform_svm", sweep, number, r, "accuracy_percent", value))
    return planted.results(Study.model_validate(SETTINGS), rows, [("wdbc", "cka", "", "ok", "", "")])


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
    canvas = figures.draw(FigureData(found, pd.DataFrame(), pd.DataFrame()), found.study.figures["weights"])
    (axes,) = [each for each in canvas.axes if each.axison]
    assert axes.get_title(loc="left") == "wdbc"
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["worst (70.0; -5.0)", "mean (80.0; +0.5)", "error (60.0; +0.0)"]
    (line,) = [line for line in axes.lines if line.get_marker() != "None"]
    assert line.get_xdata() == pytest.approx([75.0, 20.0, 5.0])
    assert axes.get_xlim()[0] == 0.0 and axes.get_ylim() == (2.6, -0.6)


@pytest.mark.parametrize("board", ["leaderboard_images", "leaderboard_views"])
def test_a_board_shows_a_method_whose_weights_select_features(board):
    assert "hsic_lasso" in planted.CONFIGURATION.study(board).figures["a_weights"].named("algorithms")


def test_no_weights_draw_a_figure_that_says_so():
    empty = planted.results(Study.model_validate(SETTINGS))
    assert figures.draw(FigureData(empty, pd.DataFrame(), pd.DataFrame()), empty.study.figures["weights"]).axes


def test_a_study_says_that_its_kernels_are_on_each_view():
    text = kernels_text(Study.model_validate(SETTINGS))
    assert text == "2 Gaussian, σ = 1 to 2 x median distance; on each view of a data set"
