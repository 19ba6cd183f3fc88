"""Ranks, tests, tables and figures of many algorithms, on the small leaderboard of leaderboard.py."""

import itertools
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import leaderboard
import numpy as np
import pandas as pd
import planted
import pytest
from leaderboard import BEHIND, BEST, FAILED, REASON
from matplotlib.colors import to_hex
from matplotlib.text import Text
from planted import shown
from scipy import stats

from grambench.config.shown import TABLES
from grambench.report import abstract, board, drawing, figure_kind, figures, renderings, table_data, tables
from grambench.report.figures import critical_difference, heatmap, panels
from grambench.report.looks import environment
from grambench.report.page import NO_DATA, Picture
from grambench.results import reproduction
from grambench.results.statistics import friedman

NAMES = list(BEHIND)
ACCURACY = "accuracy_percent"
NOTHING = reproduction.TABLE.frame([])
RANKED = {name: float(rank) for rank, name in enumerate(NAMES, start=1)} | {"d2": 3.5, "gradient_boosting": 3.5}

APART = {name: float(place) for place, name in enumerate(NAMES)}
RANK_CHANGE = {"ranks": leaderboard.SETTINGS["tables"]["ranks"] | {"metrics": ["mean_rank", "rank_change"]}}
RANK_CHANGE_TABLE = leaderboard.study(tables=RANK_CHANGE).tables["ranks"]


@pytest.fixture(scope="module")
def results():
    return leaderboard.results()


@pytest.fixture(scope="module")
def grids(results):
    return {name: tables.build(results, {}, {}, table) for name, table in results.study.tables.items()}


def drawn(results, name, *width):
    return figures.draw(figure_kind.FigureData(results, pd.DataFrame(), NOTHING, *width), results.study.figures[name])


@pytest.fixture(scope="module")
def canvases(results):
    return {name: drawn(results, name) for name in results.study.figures}


# numbers


def test_ranks_go_by_the_highest_accuracy_and_split_ties(results):
    ranks = results.ranks(NAMES, ACCURACY)
    assert list(ranks.index) == [name for name in BEST if name != FAILED[0]]
    assert all(row == RANKED for row in ranks.to_dict("index").values())
    assert results.across("d2", "mean_rank", NAMES, ACCURACY) == (3.5, pytest.approx(math.nan, nan_ok=True), 7)


def test_what_is_lost_against_the_best(results):
    behind = results.behind(NAMES, ACCURACY)
    assert behind.loc["sonar"].to_dict() == pytest.approx({name: value[0] for name, value in BEHIND.items()})
    assert np.isnan(behind.loc[FAILED]) and behind.loc["waveform", "d2"] == pytest.approx(0.5)
    slowest = results.behind(NAMES, "seconds", ["banana"]).loc["banana"]
    assert slowest["majority"] == 0.0 and slowest["rkl"] == pytest.approx(7.999)


def test_wins_ties_and_losses_are_antisymmetric(results):
    for first, second in itertools.combinations(NAMES, 2):
        wins, ties, losses = results.duel(first, second, ACCURACY)
        assert results.duel(second, first, ACCURACY) == (losses, ties, wins)
        assert wins + ties + losses == (7 if "simple_mkl" in (first, second) else 8)
    assert results.duel("rkl", "majority", ACCURACY) == (8, 0, 0)
    assert results.duel("d2", "gradient_boosting", ACCURACY) == (0, 8, 0)  # equal means


def test_a_win_needs_the_test(results):
    first, second = "uniform_svm", "gaussian_svm"
    wins, ties, losses = 0, 0, 0
    for dataset in BEST:
        values = [results.values(dataset, name, ACCURACY) for name in (first, second)]
        differences = np.subtract(*values)  # 50 of 120 examples are for training, 70 for the test
        error = differences.std(ddof=1) * math.sqrt(1 / 10 + 70 / 50)
        p_value = 2 * stats.t.sf(abs(differences.mean()) / error, 9)
        assert results.p_value(dataset, first, second, ACCURACY) == pytest.approx(p_value)
        wins, ties = wins + (p_value < 0.05), ties + (p_value >= 0.05)
    assert ties > 0 and results.duel(first, second, ACCURACY) == (wins, ties, losses)


@pytest.mark.parametrize(
    ("study", "rest"),
    [
        ("leaderboard", "that the corrected resampled t-test (Nadeau and Bengio 2003) at the 5 % level does not"),
        ("rkl", "that the corrected resampled t-test (Nadeau and Bengio 2003) at the 5 % level does not"),
        ("omkc", "that Student's t-test at the 5 % level does not"),
        ("oks", "that a paired t-test over the seeds, on one split, at the 5 % level does not"),
        ("obscure_mnist", "Bold: the highest mean."),  # of one repetition
    ],
)
def test_the_remark_on_bold_names_the_test(study, rest):
    whole = planted.CONFIGURATION.study(study)
    remark = table_data.TableData(results=planted.results(whole, []), prepared={}, reproduction={}).about_bold(
        ["accuracy_percent"]
    )
    assert rest in remark


def test_tasks_of_one_base_are_one_collection():
    study = planted.CONFIGURATION.study("leaderboard_images")
    assert {study.collection(name) for name in study.datasets if "_" in name} == {
        *("caltech101", "corel5k", "digits", "flowers17", "mnist", "pascal07")
    }
    vectors = planted.CONFIGURATION.study("leaderboard")
    assert vectors.collection("wpbc") == vectors.collection("wdbc") == "wdbc"
    assert study.overlap("corel5k_sky_grass") == pytest.approx(1 / 3 * 1000 / 1337)
    assert study.overlap("pascal07_animal_person") == pytest.approx(1 / 3 * 1000 / 1200), "of its smallest source"


def test_a_sentence_names_the_first_and_those_not_told_from_it(results):
    names = [name for name in NAMES if name != FAILED[1]]

    def sentence(datasets, of=results, names=names):
        ranks = of.ranks(names, ACCURACY, datasets)
        return abstract._best(SimpleNamespace(ranks=ranks, results=of, noun="algorithms"))

    first = "RKL is first by mean rank in accuracy, 1.0 among 11 algorithms on 8 data sets, not told from D2, "
    assert sentence(list(BEST)).startswith(first) and "more (Wilcoxon's test with Holm's" in sentence(list(BEST))
    assert sentence(list(BEST)[:7]) == ""
    together = dict.fromkeys(BEST, ("one", 500)) | {next(iter(BEST)): ("other", 500)}
    grouped = replace(results, study=results.study.model_copy(update={"populations": together}))
    assert "told from all others" in sentence(list(BEST), names=["rkl", "majority"])
    assert "not told from Majority class" in sentence(list(BEST), grouped, ["rkl", "majority"])  # two votes


def test_friedman_is_scipys(results):
    means = results.means(NAMES, ACCURACY).drop(FAILED[0]).round(9)
    answer = stats.friedmanchisquare(*(means[name] for name in NAMES))
    assert friedman(means) == (pytest.approx(answer.statistic), pytest.approx(answer.pvalue))
    ranks = means.round(9).rank(axis="columns")
    blocks, k = ranks.shape
    textbook = 12 * blocks / (k * (k + 1)) * (ranks.mean() ** 2).sum() - 3 * blocks * (k + 1)
    assert friedman(means.drop(columns="d2"))[0] == pytest.approx(7 * 10)  # the same order everywhere: n (k - 1)
    assert friedman(means)[0] > textbook  # ties make it larger
    assert all(map(math.isnan, friedman(means[["rkl", "d1"]])))
    assert all(map(math.isnan, friedman(means * 0.0)))
    noise = 1e-14 * np.arange(means.size).reshape(means.shape)
    assert friedman(means + noise) == friedman(means)  # which breaks ties of means


# tables


def cell(grid, label, column):
    (block,) = grid.blocks
    return next(row for row in block.rows if row.label == label).cells[grid.columns.index(column)]


def test_the_matrix_marks_the_best_and_the_failed(grids):
    matrix = grids["matrix"]
    assert matrix.columns == [*BEST, "Mean rank"]
    assert [row.label for row in matrix.blocks[0].rows][::11] == ["RKL", "Majority class"]
    assert (cell(matrix, "RKL", "sonar").text, cell(matrix, "RKL", "sonar").best) == ("82.0", True)
    assert not cell(matrix, "Majority class", "sonar").best
    failed = cell(matrix, "SimpleMKL", "waveform")
    assert (failed.text, failed.status, failed.best) == ("", "timeout", False)
    assert f"SimpleMKL on waveform: timeout: {REASON}." in matrix.remarks
    assert "**" in renderings.markdown(matrix) and "timeout" in renderings.markdown(matrix)


def test_a_table_of_one_algorithm_has_no_rival(results):
    table = leaderboard.study(tables={"own": shown("pairs", algorithms=["rkl"], metrics=[ACCURACY])}).tables["own"]
    (row,) = tables.build(results, {}, {}, table).blocks[0].rows
    assert [cell.text for cell in row.cells] == ["", ""]


def test_the_ratio_of_seconds_needs_no_published_number(results):
    table = leaderboard.study(tables={"own": shown("times", algorithms=["rkl", "d1"])}).tables["own"]
    times = tables.build(results, {}, {}, table)
    assert {row.cells[2].text for row in times.blocks[0].rows} == {"75.0"}  # 6 seconds beside 8


def test_the_mean_ranks_of_a_number_that_no_algorithm_has_are_over_no_data_set(results):
    table = leaderboard.study(tables={"own": shown("matrix", algorithms=NAMES[:2], metrics=["gap"])}).tables["own"]
    assert "Mean rank over 0 of 8 data sets" in " ".join(tables.build(results, {}, {}, table).remarks)


def test_the_matrix_as_csv_has_deviations_too(grids):
    data = grids["matrix"].data
    row = data[(data["dataset"] == "sonar") & (data["algorithm_title"] == "OM-2")].iloc[0]
    assert (row.ours_mean, row.runs) == (pytest.approx(80.0), 10) and row.ours_std > 0.5
    assert len(data) == len(BEST) * len(BEHIND)


def test_pairs_are_ordered_by_wins_less_losses(grids):
    pairs = grids["pairs"]
    (block,) = pairs.blocks
    assert [row.label for row in block.rows] == pairs.columns[1:]
    assert [row.label for row in block.rows][::11] == ["RKL", "Majority class"]
    assert cell(pairs, "Majority class", "All").text == "0/0/87"
    assert cell(pairs, "RKL", "Majority class").text == "8"
    assert cell(pairs, "Majority class", "RKL").text == "0"
    counts = pairs.data.set_index(["algorithm_title", "rival_title"])[["wins", "ties", "losses"]]
    assert counts.loc[("Majority class", "All")].tolist() == [0, 0, 87]
    assert counts.loc[("RKL", "Majority class")].tolist() == [8, 0, 0]
    assert len(counts) == len(pairs.columns[1:]) ** 2
    assert (cell(pairs, "RKL", "RKL").text, cell(pairs, "RKL", "RKL").status) == ("", "—")


def test_two_pools_stand_above_each_other_with_their_difference():
    # linear SVM stands for D2 on another pool, the uniform SVM for RKL; Gradient boosting was added by a user
    pairs = {"d2_other": "linear_svm", "rkl_other": "uniform_svm"}
    settings = leaderboard.SETTINGS["tables"]["pairs"] | {"kind": "pools", "pool": "other", "labels": ["one", "two"]}
    settings |= {"algorithms": ["d2", "rkl", "gradient_boosting"]}
    entries = leaderboard.SETTINGS["algorithms"] | {name: {"algorithm": "ca_1d"} for name in pairs}
    study = leaderboard.study(algorithms=entries, tables={})
    study = study.model_copy(update={"tables": {"pools": TABLES.load("pools").model_validate(settings)}})
    planted_runs = leaderboard.results()
    runs = [planted_runs.runs, *(of(planted_runs.runs, old, new) for new, old in pairs.items())]
    cells = [planted_runs.cells, *(of(planted_runs.cells, old, new) for new, old in pairs.items())]
    results = replace(planted_runs, study=study, runs=pd.concat(runs), cells=pd.concat(cells))
    grid = tables.build(results, {}, {}, study.tables["pools"])
    assert grid.columns == ["D2", "RKL"] and [row.label for row in grid.blocks[0].rows][:2] == ["one", "two"]
    mean = np.mean(list(BEST.values()))
    assert cell(grid, "one", "D2").text == f"{mean - 0.5:.1f}" and cell(grid, "two", "RKL").text == f"{mean - 1.2:.1f}"
    # the differences are equal by plan, so that the width is that of their own errors
    errors = [results.difference(data, "linear_svm", "d2", "accuracy_percent").error for data in BEST]
    half = stats.t.ppf(0.975, len(errors) - 1) * np.linalg.norm(errors) / len(errors)
    assert cell(grid, "difference, 95 % interval", "D2").text == f"-7.5 ({-7.5 - half:.1f} to {-7.5 + half:.1f})"
    assert cell(grid, "shown on data sets", "D2").text == "8, 0, 0 of 8"
    assert cell(grid, "on a next data set", "D2").text == "1.00, 0.00, 0.00"
    # 7.5 and 1.2 points by the pool, 0.5 and 6.8 by the weights; splits differ by a little noise
    moved = re.search(r"moves accuracy by ([\d.]+) points, .* D2 on the same pool by ([\d.]+)", " ".join(grid.remarks))
    assert list(map(float, moved.groups())) == pytest.approx([4.35, 3.65], abs=0.06)
    assert set(grid.data["algorithm"]) == {"d2", "rkl", *pairs}
    grid = tables.build(replace(results, runs=planted_runs.runs), {}, {}, study.tables["pools"])
    assert not any(row.cells for row in grid.blocks[0].rows), "no data set has results on both"
    assert all(renderings.files({"pools": grid}).values())


def of(table, old, new):
    """Return the rows of one algorithm under another name."""
    return table[table["algorithm"] == old].assign(algorithm=new)


def test_ranks_need_nothing_published(grids):
    ranks = grids["ranks"]
    (block,) = ranks.blocks
    assert block.head == "ranked on 7 of 8 data sets, without waveform"
    assert [row.label for row in block.rows][::11] == ["RKL", "Majority class"]
    assert ranks.columns[:2] == ["Mean rank", "Accuracy (%)"]
    assert cell(ranks, "D2", "Mean rank").text == cell(ranks, "Gradient boosting", "Mean rank").text == "3.5"
    complete = [BEST[name] for name in BEST if name != FAILED[0]]
    assert cell(ranks, "D2", "Accuracy (%)").text == f"{np.mean(complete) - 0.5:.1f}"  # of the same data sets as ranks
    assert cell(ranks, "Majority class", "Kernel values").text == "0"
    assert any("rank 1 is that of the highest mean accuracy" in remark for remark in ranks.remarks)


def test_an_algorithm_without_any_result_is_not_ranked_and_leaves_the_others_their_ranks():
    """Not ranked where it failed; a dash, which the page leaves out, where it is not part of the run."""
    absent, failed = leaderboard.results([(dataset, "d1") for dataset in BEST]), leaderboard.results()
    failed = replace(
        failed,
        runs=failed.runs[failed.runs["algorithm"] != "d1"],
        cells=failed.cells.assign(status=failed.cells["status"].mask(failed.cells["algorithm"] == "d1", "timeout")),
    )
    for results, status in ((absent, "—"), (failed, "not ranked")):
        grid = tables.build(results, {}, {}, results.study.tables["ranks"])
        assert grid.blocks[0].head == "ranked on 7 of 8 data sets, without waveform"
        assert grid.blocks[0].rows[-1].label == "D1"
        assert cell(grid, "D1", "Mean rank").status == status
        assert cell(grid, "Majority class", "Mean rank").text == "11.0"


def halves(even, odd):
    """Return results in which algorithms have other points behind the best in even and in odd repetitions."""
    planted = leaderboard.results()
    runs = planted.runs
    for points, half in ((even, 0), (odd, 1)):
        for name, behind in points.items():
            rows = (runs["algorithm"] == name) & (runs["metric"] == ACCURACY) & (runs["repetition"] % 2 == half)
            # without the noise that is an algorithm's own, so that ranks are known in each half
            noise = runs.loc[rows, "dataset"].map({dataset: 0.001 * place for place, dataset in enumerate(BEST)})
            runs.loc[rows, "result"] = runs.loc[rows, "dataset"].map(BEST) - behind + noise
    return planted


@pytest.mark.parametrize(
    ("odd", "remark"),
    [({}, "The first 5 keep their order between these halves."), ({"simple_mkl": 0.0}, "The first 5 stand as a tie")],
)
def test_the_first_five_keep_their_order_between_halves_or_stand_as_a_tie(odd, remark):
    """As they do too where two of them have equal mean ranks in a half."""
    ranks = tables.build(halves(APART, APART | odd), {}, {}, RANK_CHANGE_TABLE)
    assert ranks.columns == ["Mean rank", "Rank change"]
    assert ({row.cells[1].text for row in ranks.blocks[0].rows} == {"0.0"}) == (not odd)
    assert any(remark in each for each in ranks.remarks)


def test_a_rank_change_is_the_distance_of_the_mean_ranks_of_the_halves():
    """The first and the third change places in the odd repetitions, on all of seven data sets."""
    results = halves(APART, APART | {"rkl": 2.0, "d2": 0.0})
    ranks = tables.build(results, {}, {}, RANK_CHANGE_TABLE)
    changes = {row.label: row.cells[1].text for row in ranks.blocks[0].rows}
    assert changes == {results.title(name): "2.0" if name in ("rkl", "d2") else "0.0" for name in NAMES}
    assert results.across("rkl", "rank_change", NAMES, ACCURACY) == (2.0, pytest.approx(math.nan, nan_ok=True), 7)
    (remark,) = (remark for remark in ranks.remarks if remark.startswith("Rank change"))
    even, odd = "RKL, SimpleMKL, D2, Gradient boosting, D1", "D2, SimpleMKL, RKL, Gradient boosting, D1"
    assert remark.endswith(f"The first 5 stand as a tie. By the even repetitions: {even}. By the odd ones: {odd}.")


def test_a_single_repetition_has_no_rank_change():
    results = leaderboard.results()
    single = replace(results, runs=results.runs[results.runs["repetition"] == 0])
    ranks = tables.build(single, {}, {}, RANK_CHANGE_TABLE)
    assert {(row.cells[1].text, row.cells[1].status) for row in ranks.blocks[0].rows} == {("", "—")}
    assert not any(remark.startswith("Rank change") for remark in ranks.remarks)


def test_a_wide_table_is_several_in_latex(grids):
    text = renderings.latex(grids["pairs"])
    assert text.count(r"\begin{table*}") == 2 and "part 2 of 2" in text
    assert renderings.latex(grids["matrix"]).count(r"\begin{table*}") == 1


def test_the_matrix_has_the_mean_ranks_of_the_ranks(grids):
    matrix, ranks = grids["matrix"], grids["ranks"]
    assert "7 of 8 data sets, where every ranked algorithm has a result" in " ".join(matrix.remarks)
    for row in matrix.blocks[0].rows:
        assert f"{float(row.cells[-1].text):.1f}" == cell(ranks, row.label, "Mean rank").text


# figures


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_the_diagram_joins_all_where_seven_data_sets_cannot_tell_two_apart(canvases, results):
    axes, margin = canvases["critical"].axes
    assert len(margin.get_lines()) == 1  # Holm's correction of 66 tests on 7 data sets
    names, texts = [label.get_text() for label in axes.get_yticklabels()], words(axes)
    assert (names[0], texts[0]) == ("RKL", "1.0") and (names[-1], texts[-1]) == ("Majority class", "12.0")
    assert len(texts) == len(names) == len(BEHIND)
    dots = [float(drawn.get_xdata()[0]) for drawn in axes.get_lines()]
    assert dots == sorted(dots) and axes.yaxis_inverted()
    means = results.means(NAMES, ACCURACY).drop(FAILED[0])
    assert f"χ² = {friedman(means)[0]:.1f}" in canvases["critical"].get_supxlabel()
    note = " ".join(canvases["critical"].get_supxlabel().split())
    assert "7 of 8 data sets, without waveform" in note and "So few cannot tell any two of 12 apart" in note


def test_data_sets_of_one_collection_have_one_vote_in_the_test_of_the_diagram(results):
    together = dict.fromkeys(("heart", "sonar"), ("photographs", 500))
    grouped = replace(results, study=results.study.model_copy(update={"populations": together}))
    means, votes = results.means(NAMES, ACCURACY), grouped.votes(NAMES, ACCURACY)
    assert len(votes) == len(means) - 1
    assert np.allclose(votes.loc["photographs"], means.loc[["heart", "sonar"]].mean())
    note = drawn(grouped, "critical").get_supxlabel()
    assert "one vote for each of 6 collections" in note and f"χ² = {friedman(votes.dropna())[0]:.1f}" in note
    alone = replace(results, study=results.study.model_copy(update={"populations": dict.fromkeys(BEST, ("one", 500))}))
    note = " ".join(drawn(alone, "critical").get_supxlabel().split())
    assert "Friedman: no test, one vote for each of 1 collection;" in note


def test_bars_share_a_level_only_where_they_do_not_touch():
    assert critical_difference._levels([(3.0, 5.0), (1.0, 2.0), (1.5, 3.5)]) == [[(1.0, 2.0), (3.0, 5.0)], [(1.5, 3.5)]]


def test_the_front_is_drawn_and_no_name_covers_another(canvases, results):
    (axes,) = canvases["pareto"].axes
    bold = {text.get_text() for text in axes.texts if text.get_fontweight() == "bold"}
    front = ["majority", "linear_svm", "perceptron_u", "omkc_ss", "om2", "gradient_boosting", "rkl"]
    assert bold == {results.title(name) for name in front}
    step = next(drawn for drawn in axes.get_lines() if len(drawn.get_xdata()) > 1)
    assert len(step.get_xdata()) == len(front) and axes.yaxis_inverted()  # the best are on top
    canvases["pareto"].draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) == len(BEHIND)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_costs_are_geometric_means_over_the_data_sets_that_all_have(canvases):
    (axes,) = canvases["pareto"].axes
    slow = [1.0 + 0.5 * place for place, name in enumerate(BEST) if name != FAILED[0]]
    dots = [tuple(float(value[0]) for value in drawn.get_data()) for drawn in axes.get_lines()[1:]]
    assert dots[0] == (pytest.approx(8.0 * stats.gmean(slow)), pytest.approx(0.0))
    assert dots[-1][1] == pytest.approx(25.0)


def test_what_costs_nothing_has_no_place_on_a_logarithmic_axis(canvases):
    (axes,) = canvases["work"].axes
    assert len(axes.texts) == len(BEHIND) - 2
    label = " ".join(axes.get_xlabel().split())
    assert label.endswith("not shown, without any: Gradient boosting, Majority class")


def test_the_heat_map_goes_by_rank_and_marks_the_failed(canvases, results):
    canvas = canvases["heatmap"]
    axes = canvas.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()][::11] == ["RKL", "Majority class"]
    values = np.ma.filled(axes.images[0].get_array(), np.nan)
    assert values.shape == (len(BEHIND), len(BEST)) and np.isnan(values[1, -1])
    assert words(axes).count("×") == 1 and "25.0" in words(axes)
    complete = replace(results, runs=results.runs[results.runs["dataset"] != FAILED[0]])
    signs = [each._supxlabel.get_text().endswith("; ×: no result") for each in (canvas, drawn(complete, "heatmap"))]
    assert signs == [True, False]


def test_a_long_title_of_a_panel_stays_within_it(results):
    long = {"german": "electrocardiogram", "waveform": "mammographically"}
    study = results.study.model_copy(update={"datasets": [long.get(name, name) for name in results.study.datasets]})
    tables_of = (each.replace({"dataset": long}) for each in (results.runs, results.cells))
    canvas = drawn(replace(results, **dict(zip(("runs", "cells"), tables_of, strict=True)), study=study), "panels")
    canvas.draw_without_rendering()
    titles = [axes._left_title.get_window_extent() for axes in canvas.axes]
    widths = [title.width / axes.bbox.width for title, axes in zip(titles, canvas.axes, strict=True)]
    assert len(widths) == 8 and max(widths) < 1.1  # less than the space to the next panel, or to the edge


def test_panels_show_all_means_but_far_ones(canvases):
    all_axes = canvases["panels"].axes
    assert [axes.get_title(loc="left") for axes in all_axes] == list(BEST)
    names = [label.get_text() for label in all_axes[0].get_yticklabels()]
    assert names[0] == "RKL" and names[-1] == "Majority class"
    dots, low, high = all_axes[0].collections[1:]
    assert dots.get_offsets()[0].tolist() == [pytest.approx(89.5), 0.0]
    edge = all_axes[0].get_xlim()[0]
    assert len(high.get_offsets()) == 0
    assert low.get_offsets()[-1].tolist() == [pytest.approx(edge), 11.0]
    assert words(all_axes[-1]) == ["×"]
    colours = {to_hex(colour).upper() for colour in dots.get_facecolor()}
    assert figure_kind.line(leaderboard.study(), "rkl")[0] in colours


def test_dots_have_room_for_many_data_sets(results):
    sets = [f"a_long_name_{number}" for number in range(20)]
    figure = leaderboard.SETTINGS["figures"]["dots"] | {"datasets": sets}

    def copied(table):
        return pd.concat([table[table["dataset"] == "sonar"].assign(dataset=name) for name in sets])

    study = leaderboard.study(datasets=sets, figures={"dots": figure})
    canvas = drawn(replace(results, study=study, runs=copied(results.runs), cells=copied(results.cells)), "dots")
    canvas.draw_without_rendering()
    assert {label.get_rotation() for label in canvas.axes[0].get_xticklabels()} == {90.0}


def test_the_first_screen_has_the_numbers_behind_ranks_and_front(results):
    shown = board.numbers(results)
    assert board.pair(results) == ("critical", "pareto")
    titles = [each["title"] for each in shown["algorithms"]]
    assert titles[0] == "RKL" and titles[-1] == "Majority class"
    assert not any(each["own"] for each in shown["algorithms"])
    assert shown["datasets"] == list(BEST)
    accuracy = shown["metrics"][0]
    assert (accuracy["name"], accuracy["high"], accuracy["log"]) == (ACCURACY, True, False)
    assert accuracy["values"][0] == pytest.approx(list(BEST.values()), abs=0.01)
    assert accuracy["values"][titles.index("SimpleMKL")][-1] is None  # the run that failed
    assert [shown["metrics"][place]["name"] for place in shown["costs"]] == ["seconds", "kernel_values"]
    assert [sorted(group) for group in shown["groups"]] == [list(range(len(BEHIND)))]


def test_the_first_screen_shows_no_figure_without_data():
    screen = "{% from 'leaderboard.html' import first_screen with context %}"
    screen += "{{ first_screen(board, names, pictures, {}, none) }}"
    texts = {"title": "A figure", "caption": "", "alternative": "", "left_out": []}
    pictures = [Picture(name=name, svg=svg, **texts) for name, svg in (("critical", NO_DATA), ("pareto", b""))]
    values = {"board": {"algorithms": []}, "names": ["critical", "pareto"], "pictures": pictures, "whole": False}
    made = environment()
    made.filters["data"] = str
    text = made.from_string(screen).render(values | {"file": lambda report, name: name})
    assert "figures/pareto.column.svg" in text and "critical" not in text


def test_only_a_study_with_ranks_and_a_front_has_a_first_screen(results):
    study = leaderboard.study(figures={"pareto": leaderboard.SETTINGS["figures"]["pareto"]})
    assert board.numbers(replace(results, study=study)) is None


@pytest.mark.parametrize("width", [drawing.PAGE, drawing.COLUMN])
def test_figures_have_the_width_of_a_page_or_of_a_column(results, width):
    """No text is smaller than 6 points as printed."""
    for name in results.study.figures:
        canvas = drawn(results, name, width)
        assert 0.8 * width < canvas.get_figwidth() <= width, name
        sizes = [text.get_fontsize() for text in canvas.findobj(Text) if text.get_text() and text.get_visible()]
        assert min(sizes) >= 6.0, name


def test_what_is_too_wide_for_a_column_is_a_page_wide():
    names = [f"algorithm {number}" for number in range(33)]
    assert panels._layout(drawing.COLUMN, names, 3) == (drawing.COLUMN, 1, 3)
    assert panels._layout(drawing.COLUMN, names, 27)[0] == drawing.PAGE
    assert heatmap._layout(drawing.COLUMN, names, 8)[0] <= drawing.COLUMN
    assert heatmap._layout(drawing.COLUMN, names, 27)[0] > drawing.COLUMN


def test_dots_cover_their_range_and_need_not_start_at_zero(canvases, results):
    (axes,) = canvases["dots"].axes
    means = results.means(NAMES, ACCURACY).to_numpy()
    low, high = axes.get_ylim()
    assert 40.0 < low < np.nanmin(means) and np.nanmax(means) < high < 110.0


def test_an_algorithm_of_ones_own_is_marked_by_more_than_its_colour(results):
    settings = leaderboard.SETTINGS["algorithms"] | {"om2": {"path": "mine.py", "title": "Mine"}}
    study = leaderboard.study(algorithms=settings)
    own = replace(results, study=study)
    for name in ("critical", "heatmap", "panels", "pareto"):
        canvas = drawn(own, name)
        labels = [text for text in canvas.findobj(Text) if text.get_text() == "★ Mine"]
        assert "bold" in {label.get_fontweight() for label in labels}, name


def test_without_complete_data_sets_the_order_goes_by_what_is_lost():
    gone = [(dataset, NAMES[number]) for number, dataset in enumerate(BEST)]
    results = leaderboard.results(gone)
    field = results.study.figures["heatmap"].ranking(results)
    assert len(field.ranks) == 0 and field.names[-1] == "majority" and len(field.names) == 12
    assert field.basis == "0 of 8 data sets"
    for name in ("critical", "pareto"):
        assert drawn(results, name).axes


def test_numbers_of_a_logarithmic_axis_are_no_formulas():
    axes = drawn(leaderboard.results(), "pareto").axes[0]
    axes.figure.canvas.draw()
    labels = [label.get_text() for label in axes.get_xticklabels() if label.get_text()]
    assert axes.get_xscale() == "log" and labels and all(float(label) > 0.0 for label in labels)


def test_without_results_everything_says_so():
    results = planted.results(leaderboard.study(), [])
    for name in results.study.figures:
        canvas = drawn(results, name)
        assert "No data for this figure" in canvas.axes[0].texts[0].get_text()
    for table in results.study.tables.values():
        grid = tables.build(results, {}, {}, table)
        assert renderings.markdown(grid) and renderings.latex(grid) and len(grid.data)
