"""The papers' figures with our curves, and published against own numbers, as SVG and PNG.

Every algorithm keeps its colour and its line style through all figures; the colours are those of Okabe and Ito, which
colour-blind readers can tell apart. The same results give the same SVG file, byte for byte.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import FormatStrFormatter, LogFormatterSciNotation, LogLocator, NullFormatter
from numpy.typing import NDArray

from grambench.config.metrics import METRICS
from grambench.config.shown import Figure
from grambench.config.study import Study
from grambench.datasets.generators import FUNCTIONS
from grambench.results.statistics import VERDICTS
from grambench.results.study import Results

BLACK = "#000000"
LINES: list[tuple[str, Any]] = [  # colour and dash pattern
    ("#E69F00", (0, (6, 1.2, 1, 1.2, 1, 1.2))),
    ("#0072B2", "-"),
    ("#D55E00", (0, (5, 1))),
    ("#009E73", (0, (3, 1, 1, 1))),
    ("#CC79A7", (0, (1.5, 0.8))),
    ("#999999", (0, (1, 1.2))),
    (BLACK, (0, (4, 1.5))),
    ("#56B4E9", (0, (5, 1.5, 1, 1.5))),
]
DASHES: list[Any] = ["-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5))]  # of entries that share a file
SHAPES = ["o", "s", "^", "D", "v", "P", "X", "p"]  # likewise
MARKS = {
    "exact": ("#0072B2", "o"),
    "consistent": ("#009E73", "s"),
    "different": ("#D55E00", "X"),
}
COLUMNS = 3
WIDTH = 9.3  # inches of three columns
SPREAD = 0.8  # share of the room between two data sets that their dots take
NAMED = 8  # points of the agreement that are labelled
SIDE = 260.0  # points of length of a panel of the agreement
APART = 8.5  # points from one label to the next
WIDE = 3.0  # ratio of the largest to the smallest number from which the agreement's axes are logarithmic
Floats = NDArray[np.float64]
STYLE: Any = {
    "svg.hashsalt": "grambench",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "figure.dpi": 100,
    "savefig.dpi": 160,
}


def draw(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw one figure.

    Parameters
    ----------
    results : Results
        What was run.
    curves : DataFrame
        curves.parquet.
    reproduction : DataFrame
        reproduction.csv.
    figure : Figure
        The figure's description in the study.
    """
    with mpl.rc_context(STYLE):
        return KINDS[figure.kind](results, curves, reproduction, figure)


def save(canvas: Canvas, svg: Path, png: Path) -> None:
    """Write a figure in both formats, without dates."""
    with mpl.rc_context(STYLE):
        canvas.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        canvas.savefig(png, format="png", metadata={"Software": None})


def line(study: Study, algorithm: str) -> tuple[str, Any]:
    """Return colour and dash pattern of an entry.

    The colour goes by the place of its algorithm's file in the study; entries that share a file share the colour and
    differ in their dashes.
    """
    file = study.file(algorithm)
    colour, dash = LINES[list(dict.fromkeys(map(study.file, study.algorithms))).index(file) % len(LINES)]
    siblings = _siblings(study, algorithm)
    return colour, dash if len(siblings) == 1 else DASHES[siblings.index(algorithm) % len(DASHES)]


def _siblings(study: Study, algorithm: str) -> list[str]:
    """Return the entries that share a file with one."""
    return [name for name in study.algorithms if study.file(name) == study.file(algorithm)]


def _shape(study: Study, algorithm: str) -> str:
    """Return the shape of an entry's dots."""
    return SHAPES[_siblings(study, algorithm).index(algorithm) % len(SHAPES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: what the legend calls it, x, mean and standard deviation (0 for no band), and how it looks."""

    title: str
    x: Floats
    mean: Floats
    std: Floats
    colour: str
    dash: Any
    marker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel: its title, its lines, and the metric that they show."""

    title: str
    lines: list[Line]
    metric: str


Points = tuple[Floats, Floats, Floats]  # x, mean and standard deviation of a line


def _curves(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw a metric against the rounds: all means are seen, the wide bands of the first rounds may leave the panel."""
    metric = figure.metrics[0]
    if metric == "best_kernel_weight":
        kernels = {name: results.best_kernels(name)[:1] for name in results.study.datasets}
        best = {name: f"weight:{kernel}" for name, first in kernels.items() for kernel in first}
        chosen = curves["metric"] == curves["dataset"].map(best)
    else:
        chosen = curves["metric"] == metric
    grouped = curves[chosen].groupby(["dataset", "algorithm", "round"], as_index=False)["result"]
    table = grouped.agg(["mean", "std"]).fillna({"std": 0.0})
    parts = {(str(d), str(a)): part for (d, a), part in table.groupby(["dataset", "algorithm"])}

    def find(dataset: str, algorithm: str) -> Points | None:
        if (part := parts.get((dataset, algorithm))) is None:
            return None
        x, mean, std = (part[name].to_numpy(np.float64) for name in ("round", "mean", "std"))
        return x, mean, std

    def scale(axes: Axes) -> None:
        axes.set_xlim(left=0)
        values = np.concatenate([np.asarray(drawn.get_ydata()) for drawn in axes.get_lines()])
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if METRICS[metric].logarithmic:
            axes.set_ylim(low / 1.3, high * 1.3)
        elif metric == "best_kernel_weight":
            axes.set_ylim(0, 1.02)
        else:
            axes.set_ylim(max(low - 0.2 * (high - low), 0), high + 0.06 * (high - low))

    panels = _by_data_set(results, figure, find)
    return _panels(results, figure, panels, scale, results.study.protocol.progress, METRICS[metric].label)


def _sweep(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw a metric against the values of a sweep."""
    name, metric = figure.sweep or "", figure.metrics[0]
    sweep = results.study.sweeps[name]

    def find(dataset: str, algorithm: str) -> Points | None:
        table = results.swept(name, dataset, algorithm, metric)
        if table.empty:
            return None
        std = table.std(axis=1, ddof=1).fillna(0.0).to_numpy()
        return table.index.to_numpy(), table.mean(axis=1).to_numpy(), std

    def scale(axes: Axes) -> None:
        axes.set_xscale(sweep.scale)
        if sweep.scale == "log":
            _plain_ticks(axes.xaxis, sweep.values)

    panels = _by_data_set(results, figure, find)
    return _panels(results, figure, panels, scale, sweep.label, METRICS[metric].label)


def _profile(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw what the first searches of the first repeat minimise, and the least value that each of them meets."""
    name = figure.sweep or ""
    sweep, panels = results.study.sweeps[name], []
    for dataset in figure.datasets:
        lines = []
        for (colour, dash), metric in zip(LINES[1:], figure.metrics, strict=False):
            table = results.swept(name, dataset, figure.algorithms[0], metric)
            if table.empty or table[0].isna().all():
                continue
            values = (table[0] / table[0].abs().max()).to_numpy()
            x, flat = table.index.to_numpy(), np.zeros(len(values))
            label = METRICS[metric].label
            lines.append(Line(title=label, x=x, mean=values, std=flat, colour=colour, dash=dash))
        panels.append(Panel(title=dataset, lines=lines, metric=figure.metrics[0]))

    def scale(axes: Axes) -> None:
        axes.set_xscale(sweep.scale)
        for drawn in axes.get_lines():
            x, y = np.asarray(drawn.get_xdata()), np.asarray(drawn.get_ydata())
            least = int(np.nanargmin(y))
            axes.plot(x[least], y[least], "o", color=drawn.get_color(), markersize=4.5)

    return _panels(results, figure, panels, scale, sweep.label, "Share of its largest absolute value")


def _across(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw metrics against the number in which the data sets differ, at even steps."""
    steps, panels = np.arange(len(figure.datasets), dtype=np.float64), []
    for metric in figure.metrics:
        lines = []
        for name in figure.algorithms:
            samples = [results.sample(dataset, name, metric) for dataset in figure.datasets]
            if any(sample.runs for sample in samples):
                mean, std = (np.array([getattr(sample, part) for sample in samples]) for part in ("mean", "std"))
                colour, dash = line(results.study, name)
                title, marker = results.title(name), _shape(results.study, name)
                std = np.nan_to_num(std)
                lines.append(Line(title=title, x=steps, mean=mean, std=std, colour=colour, dash=dash, marker=marker))
        panels.append(Panel(title=METRICS[metric].label, lines=lines, metric=metric))

    def scale(axes: Axes) -> None:
        axes.set_xticks(steps, [f"{x:g}" for x in figure.x])

    return _panels(results, figure, panels, scale, figure.label, "")


def _by_data_set(results: Results, figure: Figure, find: Callable[[str, str], Points | None]) -> list[Panel]:
    """Return a panel for each data set; `find` returns the line of a data set and an algorithm, None for no line."""
    panels = []
    for dataset in figure.datasets:
        lines = []
        for name in figure.algorithms:
            if (points := find(dataset, name)) is not None:
                x, mean, std = points
                colour, dash = line(results.study, name)
                lines.append(Line(title=results.title(name), x=x, mean=mean, std=std, colour=colour, dash=dash))
        panels.append(Panel(title=dataset, lines=lines, metric=figure.metrics[0]))
    return panels


def _panels(
    results: Results,
    figure: Figure,
    panels: list[Panel],
    scale: Callable[[Axes], object],
    x_label: str,
    y_label: str,
) -> Canvas:
    """Draw the panels that have any line.

    Parameters
    ----------
    results : Results
        What was run.
    figure : Figure
        The figure's description in the study.
    panels : list of Panel
        What to draw.
    scale : callable
        Sets the axes of a panel in which all lines are drawn.
    x_label, y_label : str
        What the lines run over, and what they show.
    """
    panels = [panel for panel in panels if panel.lines]
    if not panels:
        return _empty(results, figure)
    columns = min(COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    size = (6.2, 3.4) if len(panels) == 1 else (WIDTH, 3.4 if len(panels) == 2 else 2.45 * rows + 0.75)
    canvas = Canvas(figsize=size, layout="constrained")
    grid = canvas.subplots(rows, columns, squeeze=False).ravel()
    for axes, panel in zip(grid, panels, strict=False):
        logarithmic = METRICS[panel.metric].logarithmic
        axes.set_title(panel.title, loc="left", fontweight="bold")
        axes.set_yscale("log" if logarithmic else "linear")
        for drawn in panel.lines:
            _band(axes, drawn, logarithmic=logarithmic)
        scale(axes)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    canvas.supylabel(y_label, fontsize=9)
    canvas.supxlabel(x_label, fontsize=9)
    fullest = sorted(panels, key=lambda panel: -len(panel.lines))  # it has the lines in the figure's order
    looks = {one.title: (one.colour, one.dash, one.marker) for panel in fullest for one in panel.lines}
    legend = {
        title: Line2D([], [], color=colour, linestyle=dash, marker=marker, markersize=4, lw=1.8)
        for title, (colour, dash, marker) in looks.items()
    }
    _legend(canvas, legend, max(2 * columns, 4), handlelength=3.2)
    return canvas


def _legend(canvas: Canvas, legend: dict[str, Any], columns: int, **options: float) -> None:
    """Put a legend above all panels."""
    columns = math.ceil(len(legend) / math.ceil(len(legend) / columns))  # rows of equal length
    canvas.legend(legend.values(), legend.keys(), loc="outside upper center", ncols=columns, **options)


def _band(axes: Axes, line: Line, *, logarithmic: bool) -> None:
    mean, colour = line.mean, line.colour
    if logarithmic:
        mean = np.where(mean > 0.0, mean, np.nan)  # 0 has no place on the axis
    floor = 1e-3 * mean if logarithmic else 0.0
    if line.std.any():
        low, high = np.maximum(mean - line.std, floor), mean + line.std
        axes.fill_between(line.x, low, high, color=colour, alpha=0.07 if colour == BLACK else 0.12, linewidth=0)
    axes.plot(line.x, mean, color=colour, linestyle=line.dash, marker=line.marker, markersize=4)


def _dots(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw a metric of each algorithm on each data set; with one data set the algorithms themselves are the axis."""
    metric, study = figure.metrics[0], results.study
    datasets = [name for name in figure.datasets if name not in left_out(results, figure)]
    if not datasets:
        return _empty(results, figure)
    keys = (reproduction[name] for name in ("dataset", "algorithm", "metric"))
    printed = dict(zip(zip(*keys, strict=True), reproduction["published_mean"], strict=True))
    algorithms = [name for name in figure.algorithms if any(results.values(one, name, metric).size for one in datasets)]
    alone = len(figure.datasets) == 1
    places = np.arange(len(algorithms if alone else datasets), dtype=np.float64)
    canvas = Canvas(figsize=(WIDTH, 4.0), layout="constrained")
    axes = canvas.subplots()
    axes.set_axisbelow(True)
    legend: dict[str, Any] = {}
    mark: Line2D | None = None
    for number, name in enumerate(algorithms):
        samples = [results.sample(dataset, name, metric) for dataset in datasets]
        x = places[[number]] if alone else places + SPREAD * ((number + 0.5) / len(algorithms) - 0.5)
        mean, std = (np.array([getattr(sample, part) for sample in samples]) for part in ("mean", "std"))
        look: Any = {"color": line(study, name)[0], "marker": "o" if alone else _shape(study, name), "linestyle": ""}
        look |= {"markersize": 6.5 if alone else 4.8, "markeredgecolor": "white", "markeredgewidth": 0.4}
        axes.errorbar(x, mean, np.nan_to_num(std), fmt="none", ecolor=look["color"], elinewidth=1.0, alpha=0.6)
        (legend[results.title(name)],) = axes.plot(x, mean, **look)
        published = [printed.get((dataset, name, metric), np.nan) for dataset in datasets]
        if np.isfinite(published).any():
            (mark,) = axes.plot(x, published, "_", color=BLACK, markersize=16 if alone else 7, markeredgewidth=1.4)
    if alone:
        axes.set_xticks(places, [name.replace(", ", ",\n") for name in legend])
        legend.clear()
    else:
        axes.set_xticks(places, [name.replace("_", "\n", 1) for name in datasets])
    if mark:
        legend["Published"] = mark
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(METRICS[metric].label)
    axes.tick_params(axis="x", length=0)
    if METRICS[metric].logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    for place in places[1::2]:
        axes.axvspan(place - 0.5, place + 0.5, color="#F4F5F7", zorder=0, linewidth=0)
    if legend:
        _legend(canvas, legend, 10, handlelength=1.2, handletextpad=0.5)
    return canvas


def _found(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw the weight of every kernel that an algorithm has found in any repeat against the kernel's parameter."""
    each = {
        dataset: {name: results.kernels(dataset, name) for name in figure.algorithms} for dataset in figure.datasets
    }
    found = {dataset: kernels for dataset, kernels in each.items() if any(pairs.size for pairs in kernels.values())}
    if not found:
        return _empty(results, figure)
    canvas = Canvas(figsize=(6.2 if len(found) == 1 else WIDTH, 3.4), layout="constrained")
    legend: dict[str, Any] = {}
    for axes, (dataset, kernels) in zip(canvas.subplots(1, len(found), squeeze=False)[0], found.items(), strict=True):
        if len(found) > 1:
            axes.set_title(dataset, loc="left", fontweight="bold", pad=16)
        for name, place in figure.marks.items():
            axes.axvline(place, color="#888888", linewidth=0.9, zorder=1)
            axes.text(place, 1.0, name, transform=axes.get_xaxis_transform(), ha="center", va="bottom", fontsize=8)
        for name, (parameters, weights) in kernels.items():
            colour = line(results.study, name)[0]
            axes.vlines(parameters, 0.0, weights, color=colour, linewidth=0.8, alpha=0.3)
            look: Any = {"marker": _shape(results.study, name), "color": colour, "markersize": 5, "linestyle": ""}
            (legend[results.title(name)],) = axes.plot(parameters, weights, **look, alpha=0.75, markeredgewidth=0)
        axes.set_ylim(bottom=0)
    canvas.supylabel(METRICS[figure.metrics[0]].label, fontsize=9)
    canvas.supxlabel(figure.label, fontsize=9)
    _legend(canvas, legend, 10, handlelength=1.2, handletextpad=0.5)
    return canvas


def _function(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw a function on an interval, and the signs that are its labels."""
    low, high = figure.x
    x = np.linspace(low, high, 2001)
    values = FUNCTIONS[figure.function or ""](x)
    canvas = Canvas(figsize=(WIDTH, 2.9), layout="constrained")
    axes = canvas.subplots()
    axes.plot(x, values, color="#0072B2", linewidth=1.2, label="f")
    axes.plot(x, np.where(values > 0.0, 1.0, -1.0), ".", color="#D55E00", markersize=1.8, label="sign of f")
    axes.set_xlim(low, high)
    axes.set_xlabel(figure.label)
    canvas.legend(loc="outside upper center", ncols=2, markerscale=3.0)
    return canvas


def _empty(results: Results, figure: Figure) -> Canvas:
    """Return a panel that says why there is nothing to show."""
    reasons = dict.fromkeys(
        reason
        for name in figure.datasets
        for algorithm in figure.algorithms
        if (reason := results.missing(name, algorithm))
    )
    text = "\n".join(["No data for this figure:", ", ".join(figure.datasets), *list(reasons)[:3]])
    canvas = Canvas(figsize=(6.2, 2.4), layout="constrained")
    axes = canvas.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, ha="center", va="center", wrap=True, color="#444444", transform=axes.transAxes)
    return canvas


def _agreement(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw each published mean against ours, once for each (data set, algorithm), coloured by verdict."""
    unique = reproduction.drop_duplicates(["dataset", "algorithm", "metric"])
    judged = unique[unique["verdict"].isin(list(MARKS))]
    if figure.algorithms:
        judged = judged[judged["algorithm"].isin(figure.algorithms)]
    canvas = Canvas(figsize=(4.3 * len(figure.metrics), 4.7), layout=ConstrainedLayoutEngine(h_pad=0.09))
    panels = canvas.subplots(1, len(figure.metrics), squeeze=False).ravel()
    counts = dict.fromkeys(MARKS, 0)
    for axes, metric in zip(panels, figure.metrics, strict=True):
        points = judged[judged["metric"] == metric]
        axes.set_title(METRICS[metric].label, loc="left", fontweight="bold")
        axes.set_xlabel("Published")
        axes.set_ylabel("Ours")
        if points.empty:
            axes.text(0.5, 0.5, "no data", ha="center", va="center", transform=axes.transAxes, color="#444444")
            continue
        for verdict, (colour, mark) in MARKS.items():
            chosen = points[points["verdict"] == verdict]
            counts[verdict] += len(chosen)
            _points(axes, chosen, colour, mark)
        _diagonal(axes, points)
        _name_outliers(axes, results, points[points["verdict"] == "different"])
    handles = [
        Line2D(
            [], [], color=colour, marker=mark, linestyle="", markersize=6, markeredgecolor="white", markeredgewidth=0.5
        )
        for colour, mark in MARKS.values()
    ]
    names = [f"{verdict} ({counts[verdict]})" for verdict in VERDICTS if verdict in MARKS]
    canvas.legend(handles, names, loc="outside upper center", ncols=len(names))
    return canvas


def _points(axes: Axes, points: pd.DataFrame, colour: str, mark: str) -> None:
    x, y, x_std, y_std = (
        points[name].fillna(0.0).to_numpy(np.float64)
        for name in ("published_mean", "ours_mean", "published_std", "ours_std")
    )
    errors = (np.minimum(x_std, 0.95 * x), np.minimum(y_std, 0.95 * y))  # on a logarithmic axis nothing reaches 0
    axes.errorbar(x, y, xerr=errors[0], yerr=errors[1], fmt="none", ecolor=colour, elinewidth=0.6, alpha=0.45, zorder=2)
    axes.plot(x, y, mark, color=colour, markersize=5.5, markeredgecolor="white", markeredgewidth=0.5, zorder=3)


def _diagonal(axes: Axes, points: pd.DataFrame) -> None:
    """Set both axes to one range, logarithmic where it is wide, and draw the line of agreement."""
    values = points[["published_mean", "ours_mean"]].to_numpy()
    low, high = values[values > 0].min(), values.max()
    wide = bool(high / low > WIDE)
    low, high = (0.75 * low, 1.35 * high) if wide else (low - 0.1 * (high - low), high + 0.1 * (high - low))
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.plot([low, high], [low, high], color="#888888", linewidth=0.8, zorder=1)
    if not wide:
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        _plain_ticks(axis, [low, high])


def _plain_ticks(axis: Axis, values: list[float]) -> None:
    """Write the numbers of a short logarithmic axis as 1, 2, 5, 10."""
    if max(values) / min(values) < 200:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FormatStrFormatter("%g"))
    else:
        axis.set_major_formatter(LogFormatterSciNotation())
    axis.set_minor_formatter(NullFormatter())


def _name_outliers(axes: Axes, results: Results, points: pd.DataFrame) -> None:
    """Write data set and algorithm beside the worst points, on the side away from the diagonal."""
    ours, published = (points[name].to_numpy(np.float64) for name in ("ours_mean", "published_mean"))
    worst = np.argsort(-np.abs(np.log(ours / published)), kind="stable")[:NAMED]
    to_axes = axes.transScale.transform
    (left, low), (right, high) = to_axes(np.column_stack([axes.get_xlim(), axes.get_ylim()]))
    taken: dict[bool, float] = {True: -np.inf, False: -np.inf}  # height of the last label on either side
    for _, point in points.iloc[worst].sort_values("ours_mean").iterrows():
        above = bool(point["ours_mean"] > point["published_mean"])
        place = (float(point["published_mean"]), float(point["ours_mean"]))
        across, up = to_axes([place])[0]
        height = SIDE * (up - low) / (high - low)
        leftwards = above and across - left > 0.3 * (right - left)  # else it would run over the axis
        label = max(height + (5.0 if above else -5.0), taken[above] + APART)
        taken[above] = label
        axes.annotate(
            f"{point['dataset']} {results.title(str(point['algorithm']))}",
            place,
            xytext=(-6 if leftwards else 6, label - height),
            textcoords="offset points",
            ha="right" if leftwards else "left",
            va="bottom" if above else "top",
            fontsize=7,
            color="#8A3C00",
        )


Drawer = Callable[[Results, pd.DataFrame, pd.DataFrame, Figure], Canvas]

KINDS: dict[str, Drawer] = {
    "curves": _curves,
    "sweep": _sweep,
    "profile": _profile,
    "dots": _dots,
    "across": _across,
    "found": _found,
    "function": _function,
    "agreement": _agreement,
}


def left_out(results: Results, figure: Figure) -> list[str]:
    """Return the data sets of a figure that have no panel, because no algorithm of it has a result there."""
    sweep = figure.sweep or ""
    ran = {name for name in figure.datasets for one in figure.algorithms if results.status(name, one, sweep) == "ok"}
    return [name for name in figure.datasets if name not in ran]


def alternative(results: Results, figure: Figure) -> str:
    """Return what the figure shows, for readers who cannot see it."""
    names = [results.title(name) for name in figure.algorithms]
    without = left_out(results, figure)
    shown = [name for name in figure.datasets if name not in without]
    parts = [f"{figure.title}: {figure.caption}."]
    parts += [f"Algorithms: {', '.join(names)}."] if names else []
    parts += [f"Data sets: {', '.join(shown)}."] if shown else []
    return " ".join(parts)
