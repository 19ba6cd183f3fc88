"""The papers' figures with our curves, and published against own numbers, as SVG and PNG.

Every algorithm keeps its colour and its line style through all figures; the colours are those of Okabe and Ito, which
colour-blind readers can tell apart. The same results give the same SVG file, byte for byte.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import FormatStrFormatter, LogFormatterSciNotation, LogLocator, NullFormatter
from numpy.typing import NDArray

from grambench.config.study import Figure
from grambench.results import Results, title
from grambench.statistics import VERDICTS

LINES: dict[str, tuple[str, Any]] = {
    "perceptron": ("#999999", (0, (1, 1.2))),
    "perceptron_u": ("#56B4E9", (0, (5, 1.5, 1, 1.5))),
    "perceptron_star": ("#000000", (0, (4, 1.5))),
    "om2": ("#E69F00", (0, (6, 1.2, 1, 1.2, 1, 1.2))),
    "omkc_dd": ("#0072B2", "-"),
    "omkc_ds": ("#D55E00", (0, (5, 1))),
    "omkc_sd": ("#009E73", (0, (3, 1, 1, 1))),
    "omkc_ss": ("#CC79A7", (0, (1.5, 0.8))),
}
OTHER_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]
MARKS = {
    "exact": ("#0072B2", "o"),
    "consistent": ("#009E73", "s"),
    "different": ("#D55E00", "X"),
}
LABELS = {
    "mistake_percent": "Mistake rate (%)",
    "support_vectors": "Support vectors",
    "best_kernel_weight": "Weight of the best kernel",
}
SYMBOLS = {"beta": "β"}
LOGARITHMIC = {"support_vectors"}
COLUMNS = 3
NAMED = 8  # points of the agreement that are labelled
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
        if figure.kind == "agreement":
            return _agreement(reproduction, figure)
        metric = figure.metrics[0]
        if figure.kind == "sweep":
            return _panels(results, figure, lambda axes, *names: _sweep_line(axes, results, figure, metric, *names))
        means = _CurveTable(results, curves, metric)
        return _panels(results, figure, lambda axes, *names: _curve_line(axes, means, metric, *names))


def save(canvas: Canvas, svg: Path, png: Path) -> None:
    """Write a figure in both formats, without dates."""
    with mpl.rc_context(STYLE):
        canvas.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        canvas.savefig(png, format="png", metadata={"Software": None})


def line(algorithm: str, position: int) -> tuple[str, Any]:
    """Return colour and dash pattern of an algorithm; those not in LINES take them in turn."""
    return LINES.get(algorithm, (OTHER_COLOURS[position % len(OTHER_COLOURS)], "-"))


class _CurveTable:
    """Means and standard deviations over the repeats of one metric: rounds, mean and std of a line."""

    def __init__(self, results: Results, curves: pd.DataFrame, metric: str) -> None:
        if metric == "best_kernel_weight":
            best = {name: kernels[0] for name in results.study.datasets if (kernels := results.best_kernels(name))}
            chosen = curves["metric"] == "weight:" + curves["dataset"].map(best).fillna("")
        else:
            chosen = curves["metric"] == metric
        grouped = curves[chosen].groupby(["dataset", "algorithm", "round"], as_index=False)["result"]
        table = grouped.agg(["mean", "std"]).fillna({"std": 0.0})
        self._lines = {(str(d), str(a)): part for (d, a), part in table.groupby(["dataset", "algorithm"])}

    def line(self, dataset: str, algorithm: str) -> tuple[Floats, Floats, Floats] | None:
        part = self._lines.get((dataset, algorithm))
        if part is None:
            return None
        return part["round"].to_numpy(np.float64), part["mean"].to_numpy(np.float64), part["std"].to_numpy(np.float64)


Line = Callable[[Axes, str, str, str, Any], bool]


def _curve_line(
    axes: Axes, table: _CurveTable, metric: str, dataset: str, algorithm: str, colour: str, dash: Any
) -> bool:
    found = table.line(dataset, algorithm)
    if found is None:
        return False
    _band(axes, *found, colour, dash, floor=1.0 if metric in LOGARITHMIC else 0.0)
    return True


def _sweep_line(
    axes: Axes, results: Results, figure: Figure, metric: str, dataset: str, algorithm: str, colour: str, dash: Any
) -> bool:
    table = results.swept(figure.sweep or "", dataset, algorithm, metric)
    if table.empty:
        return False
    std = table.std(axis=1, ddof=1).fillna(0.0).to_numpy()
    _band(axes, table.index.to_numpy(), table.mean(axis=1).to_numpy(), std, colour, dash)
    return True


def _band(axes: Axes, x: Floats, mean: Floats, std: Floats, colour: str, dash: Any, floor: float = 0.0) -> None:
    low, high = np.maximum(mean - std, floor), mean + std
    axes.fill_between(
        x, low, high, color=colour, alpha=0.07 if colour == LINES["perceptron_star"][0] else 0.12, linewidth=0
    )
    axes.plot(x, mean, color=colour, linestyle=dash)


def _panels(results: Results, figure: Figure, draw_line: Line) -> Canvas:
    """Draw a panel for each data set that has any line."""
    without = left_out(results, figure)
    available = [name for name in figure.datasets if name not in without]
    if not available:
        return _empty(results, figure)
    columns = min(COLUMNS, len(available))
    rows = math.ceil(len(available) / columns)
    width = 3.1 * columns if columns > 1 else 5.0
    canvas = Canvas(figsize=(width, 2.45 * rows + 0.75), layout="constrained")
    grid = canvas.subplots(rows, columns, squeeze=False).ravel()
    shown: set[str] = set()
    lines = {name: line(name, position) for position, name in enumerate(sorted(results.study.algorithms))}
    lines |= {name: line(name, position) for position, name in enumerate(figure.algorithms) if name not in lines}
    order = figure.algorithms
    for axes, dataset in zip(grid, available, strict=False):
        axes.set_title(dataset, loc="left", fontweight="bold")
        shown |= {name for name in order if draw_line(axes, dataset, name, *lines[name])}
        _scales(axes, figure)
    for axes in grid[len(available) :]:
        axes.set_axis_off()
    canvas.supylabel(LABELS.get(figure.metrics[0], figure.metrics[0]), fontsize=9)
    canvas.supxlabel(_x_label(results, figure), fontsize=9)
    handles = [
        Line2D([], [], color=lines[name][0], linestyle=lines[name][1], lw=1.8) for name in order if name in shown
    ]
    names = [title(name) for name in order if name in shown]
    canvas.legend(handles, names, loc="outside upper center", ncols=min(len(names), 2 * columns), handlelength=3.2)
    return canvas


def _has_data(results: Results, figure: Figure, dataset: str) -> bool:
    metric = figure.metrics[0]
    if figure.kind == "sweep":
        return any(len(results.swept(figure.sweep or "", dataset, name, metric)) for name in figure.algorithms)
    return any(results.values(dataset, name, "mistake_percent").size for name in figure.algorithms)


def _scales(axes: Axes, figure: Figure) -> None:
    """Set the axes so that all means are seen; the wide bands of a pass's first rounds may leave the panel."""
    if figure.kind == "sweep":
        axes.set_xticks(np.linspace(0, 1, 6))
        return
    axes.set_xlim(left=0)
    low, high = _range(axes)
    if figure.metrics[0] in LOGARITHMIC:
        axes.set_yscale("log")
        axes.set_ylim(low / 1.3, high * 1.3)
    elif figure.metrics[0] == "best_kernel_weight":
        axes.set_ylim(0, 1.02)
    else:
        axes.set_ylim(max(low - 0.2 * (high - low), 0), high + 0.06 * (high - low))


def _range(axes: Axes) -> tuple[float, float]:
    """Return the least and the largest of all means."""
    values = np.concatenate([np.asarray(drawn.get_ydata()) for drawn in axes.get_lines()])
    return float(values.min()), float(values.max())


def _x_label(results: Results, figure: Figure) -> str:
    if figure.kind == "sweep":
        parameter = results.study.sweeps[figure.sweep or ""].parameter
        return f"Discount weight {SYMBOLS[parameter]}" if parameter in SYMBOLS else parameter
    return "Examples received"


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


def _agreement(reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw each published mean against ours, once for each (data set, algorithm), coloured by verdict."""
    unique = reproduction.drop_duplicates(["dataset", "algorithm", "metric"])
    judged = unique[unique["verdict"].isin(list(MARKS))]
    canvas = Canvas(figsize=(4.3 * len(figure.metrics), 4.7), layout=ConstrainedLayoutEngine(h_pad=0.09))
    panels = canvas.subplots(1, len(figure.metrics), squeeze=False).ravel()
    counts = dict.fromkeys(MARKS, 0)
    for axes, metric in zip(panels, figure.metrics, strict=True):
        points = judged[judged["metric"] == metric]
        axes.set_title(LABELS.get(metric, metric), loc="left", fontweight="bold")
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
        _name_outliers(axes, points[points["verdict"] == "different"])
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
    errors = (np.minimum(x_std, 0.95 * x), np.minimum(y_std, 0.95 * y))  # the axes are logarithmic
    axes.errorbar(x, y, xerr=errors[0], yerr=errors[1], fmt="none", ecolor=colour, elinewidth=0.6, alpha=0.45, zorder=2)
    axes.plot(x, y, mark, color=colour, markersize=5.5, markeredgecolor="white", markeredgewidth=0.5, zorder=3)


def _diagonal(axes: Axes, points: pd.DataFrame) -> None:
    values = points[["published_mean", "ours_mean"]].to_numpy()
    low, high = 0.75 * values[values > 0].min(), 1.35 * values.max()
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.plot([low, high], [low, high], color="#888888", linewidth=0.8, zorder=1)
    for axis in (axes.xaxis, axes.yaxis):
        if high / low < 200:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter(FormatStrFormatter("%g"))
        else:
            axis.set_major_formatter(LogFormatterSciNotation())
        axis.set_minor_formatter(NullFormatter())


def _name_outliers(axes: Axes, points: pd.DataFrame) -> None:
    """Write data set and algorithm beside the worst points, on the side away from the diagonal."""
    ours, published = (points[name].to_numpy(np.float64) for name in ("ours_mean", "published_mean"))
    worst = np.argsort(-np.abs(np.log(ours / published)), kind="stable")[:NAMED]
    for _, point in points.iloc[worst].iterrows():
        above = point["ours_mean"] > point["published_mean"]
        axes.annotate(
            f"{point['dataset']} {title(str(point['algorithm']))}",
            (point["published_mean"], point["ours_mean"]),
            xytext=(-6, 5) if above else (6, -5),
            textcoords="offset points",
            ha="right" if above else "left",
            va="bottom" if above else "top",
            fontsize=7,
            color="#8A3C00",
        )


def left_out(results: Results, figure: Figure) -> list[str]:
    """Return the data sets of a figure that have no panel, because there is nothing to show."""
    return [name for name in figure.datasets if figure.kind != "agreement" and not _has_data(results, figure, name)]


def alternative(results: Results, figure: Figure) -> str:
    """Return what the figure shows, for readers who cannot see it."""
    names: Sequence[str] = [title(name) for name in figure.algorithms]
    without = left_out(results, figure)
    shown = [name for name in figure.datasets if name not in without] if figure.kind != "agreement" else []
    parts = [f"{figure.title}: {figure.caption}."]
    parts += [f"Lines: {', '.join(names)}."] if names else []
    parts += [f"Panels: {', '.join(shown)}."] if shown else []
    return " ".join(parts)
