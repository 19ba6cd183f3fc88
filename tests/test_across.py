"""Numbers of all data sets together, and what else a holdout study shows, on a small one with one failed cell."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import planted
import pytest
import yaml
from matplotlib.colors import to_hex
from planted import CONFIG, CONFIGURATION, one, plain, shown

from grambench.common.errors import ConfigError, DataError
from grambench.common.files import sealed
from grambench.common.layout import Cell
from grambench.config.load import check
from grambench.config.shown import ProfileSweep
from grambench.config.study import Study
from grambench.datasets.store import PreparedDataset
from grambench.pipeline import fingerprint
from grambench.pipeline.plan import Plan
from grambench.report import drawing, figure_kind, figures, page, tables
from grambench.results import reproduction
from grambench.results.characteristics import Characteristics

REPEATS = 4
ERRORS = {  # CA-1D and the grids of line_40 have no rank, because D1 has no result there
    "line_0": {"ca_1d": 1.0, "cr": 2.0, "da": 2.0, "d1": 4.0, "cr_dc": 0.5},
    "line_5": {"ca_1d": 3.0, "cr": 1.0, "da": 2.0, "d1": 5.0, "cr_dc": 0.5},
    "line_40": {"ca_1d": 4.0, "cr": 1.0, "da": 2.0, "cr_dc": 0.5},
}
RANKED = ["ca_1d", "cr", "da", "d1"]
PROFILE = [1.0, 10.0, 100.0]
SHOWN = {"metrics": ["error_percent"], "algorithms": ["ca_1d", "cr", "d1"], "datasets": list(ERRORS)}
ALONE = {"algorithms": ["ca_1d"], "datasets": ["line_0"]}
RANKS, TWO = ["median_rank", "mean_rank", "error_percent", "seconds"], ["error_percent", "seconds"]
SEARCHES = [f"search_objective_{number}" for number in (1, 2, 3)]
SETTINGS = {
    "name": "small",
    "title": "A small study",
    "paper": "Nobody",
    "protocol": {"kind": "random_splits", "repetitions": REPEATS, "sizes": {"default": [5, 6, 7]}, "values": [1]},
    "dictionary": {"family": "gaussian", "low": 1, "high": 100, "count": 3, "spacing": "log"},
    "datasets": list(ERRORS),
    "algorithms": {
        "ca_1d": {},
        "cr": {},
        "da": {"algorithm": "alignf"},
        "d1": {"algorithm": "lp_mkl", "title": "√2, λ", "parameters": {"p": 1}},
        "cr_dc": {},
    },
    "sweeps": {
        "profile": {
            "kind": "profile",
            "label": "Width",
            "scale": "log",
            "values": {"low": 1, "high": 100, "count": 3, "spacing": "log"},
        }
        | ALONE,
        "parts": ALONE | {"parameter": "refine", "label": "Parts", "values": [1, 2], "algorithms": ["da"]},
    },
    "published": {
        "runs": 8,
        "results": ["ranks.csv", "text.csv"],
        "characteristics": {"item": "Table 3", "file": "sizes.csv"},
    },
    "tables": {
        "datasets": shown("datasets", "Table 3"),
        "ranks": shown("ranks", "Table 2", algorithms=[*RANKED, "cr_dc"], metrics=RANKS),
        "text": shown("results", "Section 3.1", algorithms=["ca_1d", "d1"], metrics=["error_percent"]),
    },
    "figures": {
        "dots": shown("dots", **SHOWN),
        "alone": shown("dots", **SHOWN | {"datasets": ["line_0"]}),
        "across": shown("across", x=[0, 5, 40], label="How far", **SHOWN | {"metrics": TWO, "algorithms": RANKED}),
        "found": shown("found", metrics=["weight"], label="Width", marks={"√2": math.sqrt(2)}, **ALONE),
        "profile": shown("profile", sweep="profile", metrics=SEARCHES, **ALONE),
        "function": shown("function", function="three_sines", x=[-10, 10], label="Place"),
    },
}
FILES = {
    "ranks.csv": "table,dataset,algorithm,metric,mean,std\n"
    "2,all,ca_1d,median_rank,2,\n"
    "2,all,cr,median_rank,1,\n"
    "2,all,da,median_rank,3.5,\n"
    "2,all,d1,median_rank,3,\n"
    "2,all,ca_1d,seconds,12,1\n"
    "2,all,d1,seconds,60,6\n",
    "text.csv": "table,dataset,algorithm,metric,mean,std\nSection 3.1,line_0,ca_1d,error_percent,1.2,\n",
    "sizes.csv": "dataset,n,d,train\nline_0,20,2,5\nline_5,21,2,5\n",
}


def study(**changes):
    return check(Study, SETTINGS | changes, "small.yaml")


def results(datasets=tuple(ERRORS)):
    rows, cells = [], [("line_0", "ca_1d", "profile", "ok", "", "seeded")]
    spread = 0.1 * (np.arange(REPEATS) - 1.5)
    only_first = np.where(np.arange(REPEATS), np.nan, 1.0)  # the first run found two kernels, all others one
    for dataset, algorithm in itertools.product(datasets, SETTINGS["algorithms"]):
        if (error := ERRORS[dataset].get(algorithm)) is None:
            cells.append((dataset, algorithm, "", "timeout", "stopped after 5 s", ""))
            continue
        cells.append((dataset, algorithm, "", "ok", "", "seeded"))
        values = {"error_percent": error + spread, "seconds": [0.01 * (1 + list(ERRORS).index(dataset))] * REPEATS}
        values |= {"weight:1": [0.7] * REPEATS, "parameter:1": 2.0 + spread}
        values |= {"weight:2": 0.3 * only_first, "parameter:2": 30.0 * only_first}
        rows += [row for item in values.items() for row in plain(dataset, algorithm, item[0], *item[1])]
    heights = {"1": [1.0, -4.0, 0.0], "2": [3.0, -1.0, -2.0], "3": [np.nan] * 3}
    for number, values in heights.items():
        for (x, y), repetition in itertools.product(zip(PROFILE, values, strict=True), range(REPEATS)):
            rows.append(("line_0", "ca_1d", "profile", x, repetition, f"search_objective_{number}", y))
    return planted.results(study().model_copy(update={"datasets": list(datasets)}), rows, cells)


def prepared():
    labels = np.where(np.arange(20) < 8, 1, -1).astype(np.int8)
    loaded = PreparedDataset(
        name="line_0", features=np.ones((20, 2)), labels=labels, orders=None, source={"kind": "made"}
    )
    return {"line_0": Characteristics.of(loaded, loaded.content)}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return {name: folder / name for name in FILES}


@pytest.fixture(scope="module")
def compared(files):
    return reproduction.table(results(), prepared(), files)


# numbers


def test_ranks_are_among_the_ranked_where_all_have_a_result():
    assert results().ranks(RANKED).to_dict("index") == {
        "line_0": {"ca_1d": 1.0, "cr": 2.5, "da": 2.5, "d1": 4.0},
        "line_5": {"ca_1d": 3.0, "cr": 1.0, "da": 2.0, "d1": 4.0},
    }
    assert results().across("cr", "median_rank", RANKED) == (1.75, pytest.approx(np.nan, nan_ok=True), 2)
    assert results().across("cr", "mean_rank", RANKED).mean == 1.75
    assert results().across("cr_dc", "median_rank", RANKED).runs == 0


def test_seconds_of_all_data_sets_carry_a_standard_error():
    sample = results().across("ca_1d", "seconds", RANKED)
    assert (sample.mean, sample.runs) == (pytest.approx(0.02), 3)
    assert sample.std == pytest.approx(0.01 / math.sqrt(3))
    assert results().across("d1", "seconds", RANKED).runs == 2
    error = results().across("ca_1d", "error_percent", RANKED)
    assert error.mean == pytest.approx(8 / 3) and math.isnan(error.std)


def test_verdicts_on_median_ranks(compared):
    found = compared[compared["metric"] == "median_rank"].set_index("algorithm")
    assert found["item"].unique().tolist() == ["Table 2"]
    # every draw moves all errors alike, so that no rank changes from one study to another, and none is tested
    assert found["verdict"].to_dict() == {"ca_1d": "exact"} | dict.fromkeys(("cr", "da", "d1"), "unavailable")
    assert found["ours"].to_dict() == {"ca_1d": "2.0", "cr": "1.8", "da": "2.2", "d1": "4.0"}
    assert found["runs"].unique().tolist() == [2]
    few = "2 of 8 data sets, without line_40"
    assert found["reason"].to_dict() == {"ca_1d": few} | dict.fromkeys(
        ("cr", "da", "d1"), f"resampled studies all have this median; {few}"
    )


def test_mean_seconds_are_a_speed_up(compared):
    row = one(compared, metric="seconds", algorithm="ca_1d")
    assert (row.verdict, row.speed_up, row.reason) == ("speed-up", pytest.approx(600.0), "3 of 8 data sets")
    assert (row.published, row.ours) == ("12 ± 1", "0.020 ± 0.006")
    assert one(compared, metric="seconds", algorithm="d1").reason == "2 of 8 data sets, without line_40"


def test_one_data_set_is_not_judged_and_none_is_unavailable(files):
    alone = reproduction.table(results(("line_0",)), {}, files)
    row = one(alone, metric="median_rank", algorithm="cr")
    assert (row.verdict, row.ours, row.reason) == ("unavailable", "2.5", "1 of 8 data sets")
    none = reproduction.table(results(("line_40",)), {}, files)
    row = one(none, metric="median_rank", algorithm="cr")
    assert (row.verdict, row.ours, row.reason) == ("unavailable", "", "0 of 8 data sets, without line_40")


def test_places_and_sizes_without_best_kernels(compared):
    text = one(compared, item="Section 3.1")
    assert (text.dataset, text.algorithm, text.ours_mean) == ("line_0", "ca_1d", pytest.approx(1.0))
    sizes = compared[compared["item"] == "Table 3"].set_index(["dataset", "metric"])["verdict"]
    assert sizes.to_dict() == {
        ("line_0", "n"): "exact",
        ("line_0", "d"): "exact",
        ("line_5", "n"): "unavailable",
        ("line_5", "d"): "unavailable",
    }


def test_best_kernels_need_experts(files, tmp_path):
    (tmp_path / "sizes.csv").write_text("dataset,n,d,best_kernel\nline_0,20,2,gaussian_sigma1\n")
    with pytest.raises(DataError, match="name best kernels, so the study needs experts"):
        reproduction.table(results(), prepared(), files | {"sizes.csv": tmp_path / "sizes.csv"})


def test_numbers_as_printed_survive_the_file(compared, tmp_path):
    sizes = compared[compared["metric"] == "n"]
    with sealed(tmp_path / "reproduction.csv") as path:
        sizes.to_csv(path, index=False)
    read = reproduction.read(tmp_path / "reproduction.csv")
    assert read["published"].tolist() == ["20", "21"]
    assert read["algorithm"].tolist() == ["", ""]


# tables


@pytest.fixture(scope="module")
def grids(compared):
    index = tables.comparison(compared)
    return {name: tables.build(results(), prepared(), index, table) for name, table in study().tables.items()}


def test_the_table_of_ranks(grids):
    (block,) = grids["ranks"].blocks
    assert (block.dataset, block.head) == ("all", "ranked on 2 of 3 data sets, without line_40")
    rows = {row.label: [(cell.text or cell.status, cell.published) for cell in row.cells] for row in block.rows}
    assert rows["Median rank"][1:] == [("1.8", "1.0"), ("2.2", "3.5"), ("4.0", "3.0"), ("not ranked", "")]
    assert rows["Mean rank"][0] == ("2.0", "")
    assert rows["Error (%)"][0] == ("2.7", "")
    assert rows["Time (s)"][0] == ("0.020 ± 0.006", "12 ± 1")
    assert rows["Time (s)"][4] == ("0.020 ± 0.006", "")  # not published, and shown all the same
    assert any("timeout" in remark for remark in grids["ranks"].remarks)
    data = grids["ranks"].data
    assert set(data["dataset"]) == {"all"} and len(data) == 4 * 5
    assert set(data["status"]) <= {"ok", ""}


def test_the_pool_and_the_draws_of_a_holdout_study(grids):
    loaded = grids["datasets"]
    assert loaded.columns[-2:] == ["Source", "Drawn"]
    rows = {row.label: row.cells for row in loaded.blocks[0].rows}
    assert rows["line_0"][-1].text == "5 + 6 + 7"
    assert (rows["line_0"][0].published, rows["line_0"][0].verdict) == ("20", "exact")
    assert grids["text"].blocks[0].head == "4 random splits, n = 20, d = 2, grid of 3 kernels"
    assert [block.dataset for block in grids["text"].blocks] == ["line_0"]


# figures


@pytest.fixture(scope="module")
def canvases(compared):
    plan = study().figures
    return {
        name: figures.draw(figure_kind.FigureData(results(), pd.DataFrame(), compared), figure)
        for name, figure in plan.items()
    }


def legend(canvas):
    return [text.get_text() for text in canvas.legends[0].get_texts()]


def test_dots_stand_side_by_side_on_each_data_set(canvases):
    (axes,) = canvases["dots"].axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["line\n0", "line\n5", "line\n40"]
    dots = {to_hex(drawn.get_color()).upper(): drawn for drawn in axes.get_lines() if drawn.get_marker() == "o"}
    drawn = dots[figure_kind.line(study(), "ca_1d")[0]]
    np.testing.assert_allclose(drawn.get_ydata(), [1.0, 3.0, 4.0])
    places = np.array([dots[figure_kind.line(study(), name)[0]].get_xdata() for name in ("ca_1d", "cr", "d1")])
    assert (np.diff(places, axis=0) > 0).all()
    assert (np.abs(places - np.arange(3)) < 0.5).all()
    np.testing.assert_allclose(dots[figure_kind.line(study(), "d1")[0]].get_ydata(), [4.0, 5.0, np.nan])
    assert legend(canvases["dots"]) == ["CA-1D", "CR", "√2, λ", "Published"]


def test_on_one_data_set_algorithms_are_the_axis_with_published_numbers(canvases):
    (axes,) = canvases["alone"].axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["CA-1D", "CR", "√2,\nλ"]
    (mark,) = [drawn for drawn in axes.get_lines() if drawn.get_marker() == "_"]
    assert (mark.get_xdata(), mark.get_ydata()) == ([0.0], [1.2])
    assert legend(canvases["alone"]) == ["Published"]


def test_across_has_a_panel_for_each_metric(canvases):
    first, second = canvases["across"].axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["Error (%)", "Time (s)"]
    assert (first.get_yscale(), second.get_yscale()) == ("linear", "log")
    assert [label.get_text() for label in first.get_xticklabels()] == ["0", "5", "40"]
    colours = {name: figure_kind.line(study(), name)[0] for name in RANKED}
    lines = {to_hex(drawn.get_color()).upper(): drawn.get_ydata() for drawn in first.get_lines()}
    np.testing.assert_allclose(lines[colours["ca_1d"]], [1.0, 3.0, 4.0])
    np.testing.assert_allclose(lines[colours["d1"]], [4.0, 5.0, np.nan])
    assert canvases["across"].get_supxlabel() == "How far"


def test_found_shows_every_kernel_of_every_repeat(canvases):
    (axes,) = canvases["found"].axes
    (dots,) = [drawn for drawn in axes.get_lines() if drawn.get_marker() == "o"]
    assert sorted(dots.get_xdata()) == pytest.approx([1.85, 1.95, 2.05, 2.15, 30.0])
    assert [text.get_text() for text in axes.texts] == ["√2"]
    assert results().kernels("line_40", "d1").shape == (2, 0)


def test_a_profile_is_relative_and_marks_its_least_value(canvases):
    (axes,) = canvases["profile"].axes
    curves = [drawn for drawn in axes.get_lines() if len(drawn.get_xdata()) == 3]
    assert [drawn.get_ydata().tolist() for drawn in curves] == [[0.25, -1.0, 0.0], [1.0, -1 / 3, -2 / 3]]
    dots = [(*drawn.get_xdata(), *drawn.get_ydata()) for drawn in axes.get_lines() if len(drawn.get_xdata()) == 1]
    assert dots == [(pytest.approx(10.0), -1.0), (pytest.approx(100.0), -2 / 3)]
    assert legend(canvases["profile"]) == ["Flipped objective, iteration 1", "Flipped objective, iteration 2"]


def test_a_function_is_drawn_with_its_sign(canvases):
    (axes,) = canvases["function"].axes
    f, sign = axes.get_lines()
    x = f.get_xdata()
    assert (x[0], x[-1]) == (-10.0, 10.0)
    np.testing.assert_allclose(f.get_ydata(), sum(np.sin(np.sqrt(w) * x) for w in (2, 12, 60)))
    assert (sign.get_ydata() == np.where(f.get_ydata() > 0, 1, -1)).all()


def test_without_results_a_figure_says_so(compared):
    nothing = planted.results(study())
    for figure in (each for each in study().figures.values() if each.kind != "function"):
        canvas = figures.draw(figure_kind.FigureData(nothing, pd.DataFrame(), compared), figure)
        assert "No data for this figure" in canvas.axes[0].texts[0].get_text()


def test_a_colour_goes_by_the_place_of_the_file_in_the_study():
    colours = {name: figure_kind.line(study(), name)[0] for name in study().algorithms}
    assert len(set(colours.values())) == len(colours)
    again = study(algorithms=SETTINGS["algorithms"] | {"ca_nd": {}, "d2": {"algorithm": "lp_mkl"}})
    assert {name: figure_kind.line(again, name)[0] for name in colours} == colours
    (d1, dash), (d2, other) = (figure_kind.line(again, name) for name in ("d1", "d2"))
    assert d1 == d2 and dash != other


def test_lines_differ():
    assert len({colour for colour, _ in drawing.LINES}) == len(drawing.LINES) >= 12


# the page


def test_letters_are_equally_large_in_all_figures():
    svg = b'<svg a="b" width="480.0pt">'
    picture = page.Picture(name="", title="", caption="", alternative="", left_out=[], svg=svg)
    assert picture.width == 50.0


# settings


def test_a_grid_may_stand_for_values_and_whole_numbers_stay_whole():
    sweeps = study().sweeps
    assert sweeps["profile"].values == pytest.approx(PROFILE)
    assert [type(value) for value in sweeps["parts"].values] == [int, int]
    again = ProfileSweep.model_validate(json.loads(sweeps["profile"].model_dump_json()))
    assert again == sweeps["profile"]


@pytest.mark.parametrize(
    ("part", "name", "change", "message"),
    [
        ("figures", "across", {"x": [0, 5]}, "expected an x for each of its 3 data sets, got 2"),
        ("figures", "dots", {"x": [0, 5, 40]}, "figures.dots.x: no such key"),
        ("figures", "dots", {"kind": "dot"}, "figures.dots.kind: unknown kind of figure 'dot': did you mean dots"),
        ("tables", "ranks", {"kind": 5}, "tables.ranks.kind: unknown kind of table '5': known: datasets, matrix"),
        ("figures", "profile", {"sweep": "other"}, "profile shows sweep 'other', known: profile, parts"),
        ("figures", "function", {"function": "two_sines"}, "function: Input should be 'three_sines'"),
        ("figures", "function", {"x": [-10]}, "function.x.1: Field required"),
        ("figures", "dots", {"metrics": []}, "at least 1 item"),
        ("figures", "dots", {"metrics": ["error_percent", "seconds"]}, "at most 1 item"),
        ("sweeps", "profile", {"parameter": "gain"}, "sweeps.profile.profile.parameter: no such key"),
        ("sweeps", "profile", {"references": {"ca_1d": "cr"}}, "sweeps.profile.profile.references: no such key"),
        ("sweeps", "parts", {"parameter": None}, "sweeps.parts.parameter.parameter: Input should be a valid string"),
        (
            "sweeps",
            "profile",
            {"values": {"low": 1, "high": 1, "count": 3, "spacing": "log"}},
            "low must be below high",
        ),
    ],
)
def test_a_wrong_study_is_refused(part, name, change, message):
    parts = SETTINGS[part] | {name: SETTINGS[part][name] | change}
    with pytest.raises(ConfigError, match=message):
        study(**{part: parts})


def test_only_studies_of_random_splits_have_searches_to_profile():
    nested = yaml.safe_load((CONFIG / "studies/rkl.yaml").read_text())
    profile = SETTINGS["sweeps"]["profile"] | {"algorithms": ["unif"], "datasets": ["sonar"]}
    with pytest.raises(
        ConfigError,
        match="sweep profile is of kind profile, but a study of kind nested_cv allows parameter and scaling",
    ):
        check(Study, nested | {"sweeps": nested["sweeps"] | {"profile": profile}}, "rkl.yaml")


def test_the_plan_of_a_profile(monkeypatch):
    plan = Plan({"studies": ["ca_letter"]}, CONFIG)
    settings = json.loads(plan.specs.of_cell(Cell("ca_letter", "letter_b_d", "ca_1d", "profile")).spec)
    assert (settings["experiment"], len(settings["points"]), len(settings["values"])) == ("profile", 1, 101)
    assert (settings["values"][0], settings["values"][-1]) == (1.0, pytest.approx(200.0))
    seen = []
    monkeypatch.setattr(fingerprint, "code", lambda *modules: seen.extend(modules))
    fingerprint.run_code(plan.specs.run_of(Cell("ca_letter", "letter_b_d", "ca_1d", "profile")))
    assert "grambench.experiments.profile" in seen and "grambench.algorithms.parametric.ca_1d" in seen


# the paper's numbers


@pytest.mark.parametrize("name", ["ca_dirichlet", "ca_mnist", "ca_letter", "ca_eleven"])
def test_what_is_published_is_part_of_the_study(name):
    plan = CONFIGURATION.study(name)
    for file in plan.published.results:
        numbers = pd.read_csv(CONFIG / "published" / file)
        assert set(numbers["algorithm"]) <= set(plan.algorithms)
        assert set(numbers["dataset"]) <= {*plan.datasets, "all"}
        assert numbers["dataset"].ne("all").all() or plan.published.runs == len(plan.datasets)
    ranked = {name for table in plan.tables.values() if table.kind == "ranks" for name in table.algorithms}
    assert ranked <= set(numbers["algorithm"])


def test_sizes_are_those_of_table_3():
    plan = CONFIGURATION.study("ca_eleven")
    sizes = pd.read_csv(CONFIG / "published/ca_table_3.csv").set_index("dataset")
    assert plan.protocol.sizes == {
        name: (row["train"], row["validation"], row["test"]) for name, row in sizes.iterrows()
    }
    assert plan.datasets == list(sizes.index)
