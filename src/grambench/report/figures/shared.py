"""What the figures of all kinds share: their looks, the colour and the dashes of every entry, panels and legends.

The first eight colours are those of Okabe and Ito, which colour-blind readers can tell apart.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FormatStrFormatter, LogFormatterSciNotation, LogLocator, NullFormatter

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.shown import (
    AnyFigure,
    CurvesFigure,
    EachKernelFigure,
    PicksFigure,
    ProfileFigure,
    ProgressFigure,
    SweepFigure,
)
from grambench.config.study import Study
from grambench.results.study import Results

BLACK = "#000000"
LINES: list[tuple[str, Any]] = [  # colour and dash pattern
    ("#0072B2", "-"),
    ("#D55E00", (0, (5, 1))),
    ("#009E73", (0, (3, 1, 1, 1))),
    ("#E69F00", (0, (6, 1.2, 1, 1.2, 1, 1.2))),
    ("#CC79A7", (0, (1.5, 0.8))),
    ("#56B4E9", (0, (5, 1.5, 1, 1.5))),
    (BLACK, (0, (4, 1.5))),
    ("#999999", (0, (1, 1.2))),
    ("#882255", "-"),
    ("#999933", (0, (5, 1))),
    ("#332288", (0, (3, 1, 1, 1))),
    ("#8C510A", (0, (1.5, 0.8))),
    ("#66C2A5", "-"),
    ("#E7298A", (0, (4, 1.5))),
]
DASHES: list[Any] = ["-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5))]  # of entries that share a file
SHAPES = ["o", "s", "^", "D", "v", "P", "X", "p"]  # likewise
COLUMNS = 3
DENSE, CLEAR, FEW = 0.12, 0.07, 3  # how opaque bands are: of a few lines, and of more, which lie over each other
WIDTH = 9.3  # inches of three columns
HEIGHT, LETTER = 9 / 72, 0.07  # inches of a legend's letters, and how wide they are
Points = tuple[Floats, Floats, Floats]  # x, mean and standard deviation of a line
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


@dataclass(frozen=True, kw_only=True)
class Given:
    """All that a figure may look at: what was run, curves.parquet and reproduction.csv."""

    results: Results
    curves: pd.DataFrame
    reproduction: pd.DataFrame


def line(study: Study, algorithm: str) -> tuple[str, Any]:
    """Return colour and dash pattern of an entry.

    The colour goes by the place of its algorithm's file among those of the study, so that it is the same in all its
    figures, and stays as it is when an entry is added at the end; entries that share a file share the colour and differ
    in their dashes.
    """
    files = list(dict.fromkeys(map(study.file, study.algorithms)))
    colour, dash = LINES[files.index(study.file(algorithm)) % len(LINES)]
    siblings = _siblings(study, algorithm)
    return colour, dash if len(siblings) == 1 else DASHES[siblings.index(algorithm) % len(DASHES)]


def _siblings(study: Study, algorithm: str) -> list[str]:
    """Return the entries that share a file with one."""
    return [name for name in study.algorithms if study.file(name) == study.file(algorithm)]


def shape(study: Study, algorithm: str) -> str:
    """Return the shape of an entry's dots."""
    return SHAPES[_siblings(study, algorithm).index(algorithm) % len(SHAPES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: what the legend calls it, x, mean and standard deviation (0 for no band), and how it looks.

    Without a `dash` it is points, of which `names` says what each is.
    """

    title: str
    x: Floats
    mean: Floats
    std: Floats
    colour: str
    dash: Any
    marker: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel: its title, its lines, and the metric that they show."""

    title: str
    lines: list[Line]
    metric: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """What a figure of panels shows: the data of the report's figure and of the one for papers alike.

    Attributes
    ----------
    panels : list of Panel
        Those without any line are not drawn.
    x_label, y_label : str
        What the lines run over, and what they show.
    scale : callable
        Sets the axes of a panel in which all lines are drawn.
    x_log, y_log : bool
        Whether axes are logarithmic.
    ticks : dict of float
        Names of places on the x axis, where they stand for its numbers.
    diagonal : bool
        Whether the line of equal x and y is drawn.
    y_down : bool
        Whether the y axis runs downwards, its least value on top.
    """

    panels: list[Panel]
    x_label: str
    y_label: str
    scale: Callable[[Axes], object] = lambda _: None
    x_log: bool = False
    y_log: bool = False
    ticks: Mapping[str, float] = field(default_factory=dict)
    diagonal: bool = False
    y_down: bool = False


def by_data_set(
    results: Results,
    figure: CurvesFigure | SweepFigure | PicksFigure | ProgressFigure,
    find: Callable[[str, str], Points | None],
) -> list[Panel]:
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


def draw_panels(results: Results, figure: AnyFigure, chart: Chart) -> Canvas:
    """Draw the panels that have any line."""
    panels = [panel for panel in chart.panels if panel.lines]
    if not panels:
        return empty(results, figure)
    columns = min(COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    size = (6.2, 3.4) if len(panels) == 1 else (WIDTH, 3.4 if len(panels) == 2 else 2.45 * rows + 0.75)
    canvas = Canvas(figsize=size, layout="constrained")
    grid = canvas.subplots(rows, columns, squeeze=False).ravel()
    for axes, panel in zip(grid, panels, strict=False):
        logarithmic = METRICS[panel.metric].logarithmic
        axes.set_title(panel.title, loc="left", fontweight="bold")
        axes.set_yscale("log" if logarithmic else "linear")
        share = CLEAR if len(panel.lines) > FEW else DENSE
        for drawn in panel.lines:
            _band(axes, drawn, share, logarithmic=logarithmic)
        chart.scale(axes)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    canvas.supylabel(chart.y_label, fontsize=9)
    canvas.supxlabel(chart.x_label, fontsize=9)
    fullest = sorted(panels, key=lambda panel: -len(panel.lines))  # it has the lines in the figure's order
    looks = {one.title: (one.colour, one.dash, one.marker) for panel in fullest for one in panel.lines}
    legend = {
        title: Line2D([], [], color=colour, linestyle=dash, marker=marker, markersize=4, lw=1.8)
        for title, (colour, dash, marker) in looks.items()
    }
    put_legend(canvas, legend, max(2 * columns, 4), handlelength=3.2)
    return canvas


def put_legend(canvas: Canvas, legend: dict[str, Any], columns: int, **options: float) -> None:
    """Put a legend above all panels, in no more columns than there is room for."""
    spaces = options.get("handlelength", 2.0) + options.get("handletextpad", 0.8) + 2.0  # of a letter's height
    entry = spaces * HEIGHT + LETTER * max(map(len, legend))
    columns = max(1, min(columns, int(canvas.get_figwidth() / entry)))
    columns = math.ceil(len(legend) / math.ceil(len(legend) / columns))  # rows of equal length
    canvas.legend(legend.values(), legend.keys(), loc="outside upper center", ncols=columns, **options)


def _band(axes: Axes, line: Line, share: float, *, logarithmic: bool) -> None:
    mean, colour = line.mean, line.colour
    if logarithmic:
        mean = np.where(mean > 0.0, mean, np.nan)  # 0 has no place on the axis
    floor = 1e-3 * mean if logarithmic else 0.0
    if line.std.any():
        low, high = np.maximum(mean - line.std, floor), mean + line.std
        axes.fill_between(
            line.x, low, high, color=colour, alpha=min(share, CLEAR) if colour == BLACK else share, linewidth=0
        )
    axes.plot(line.x, mean, color=colour, linestyle=line.dash, marker=line.marker, markersize=4)


def empty(results: Results, figure: AnyFigure) -> Canvas:
    """Return a panel that says why there is nothing to show."""
    datasets = figure.named("datasets") or results.study.datasets
    reasons = dict.fromkeys(
        reason
        for name in datasets
        for algorithm in figure.named("algorithms")
        if (reason := results.missing(name, algorithm))
    )
    text = "\n".join(["No data for this figure:", ", ".join(datasets), *list(reasons)[:3]])
    canvas = Canvas(figsize=(6.2, 2.4), layout="constrained")
    axes = canvas.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, ha="center", va="center", wrap=True, color="#444444", transform=axes.transAxes)
    return canvas


def left_out(results: Results, figure: AnyFigure) -> list[str]:
    """Return the data sets of a figure that have no panel, because no algorithm of it has a result there."""
    sweep = figure.sweep if isinstance(figure, SweepFigure | EachKernelFigure | ProfileFigure) else ""
    named, algorithms = figure.named("datasets"), figure.named("algorithms")
    ran = {name for name in named for one in algorithms if results.status(name, one, sweep) == "ok"}
    return [name for name in named if name not in ran]


def plain_ticks(axis: Axis, values: list[float]) -> None:
    """Write the numbers of a short logarithmic axis as 1, 2, 5, 10."""
    if max(values) / min(values) < 200:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FormatStrFormatter("%g"))
    else:
        axis.set_major_formatter(LogFormatterSciNotation())
    axis.set_minor_formatter(NullFormatter())
