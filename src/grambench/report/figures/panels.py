"""A metric of many algorithms: a panel a data set, a row an algorithm, the one of the lowest mean rank on top."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.shown import PanelsFigure
from grambench.report.figures.field import Field
from grambench.report.figures.shared import WIDTH, Given, empty, line
from grambench.results.study import Results

COLUMNS = 10
TALLEST = 11.0  # inches
ROW = 0.15  # inches of an algorithm, at most
OUTLYING = 1.5  # interquartile ranges outside the quartiles from which a mean is marked at the edge (Tukey)


def draw(given: Given, figure: PanelsFigure) -> Canvas:
    """Draw mean and standard deviation of every algorithm; what lies far from the others is marked at the edge."""
    (metric,) = figure.metrics
    results, field = given.results, Field.of(given.results, figure)
    if not field.names:
        return empty(results, figure)
    lines = math.ceil(len(field.datasets) / COLUMNS)
    columns = math.ceil(len(field.datasets) / lines)
    row = min(ROW, (TALLEST - 0.8) / lines / len(field.names) - 0.5 / len(field.names))
    canvas = Canvas(figsize=(WIDTH, 0.5 + lines * (0.5 + row * len(field.names))), layout="constrained")
    grid = canvas.subplots(lines, columns, squeeze=False, sharey=True)
    for axes, dataset in zip(grid.ravel(), field.datasets, strict=False):
        _panel(axes, results, dataset, field.names, metric)
    for axes in grid.ravel()[len(field.datasets) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_yticks(range(len(field.names)), [results.title(name) for name in field.names])
        axes.set_ylim(len(field.names) - 0.4, -0.6)
        axes.tick_params(axis="y", labelsize=min(8.0, 68.0 * row))
    canvas.supxlabel(f"{METRICS[metric].label}. Rows by mean rank on {field.basis}", fontsize=8)
    return canvas


def _panel(axes: Axes, results: Results, dataset: str, names: list[str], metric: str) -> None:
    samples = [results.sample(dataset, name, metric) for name in names]
    means, stds = (np.array([getattr(sample, part) for sample in samples]) for part in ("mean", "std"))
    stds, places = np.nan_to_num(stds), np.arange(len(names))
    colours = np.array([line(results.study, name)[0] for name in names])
    low, high = _ends(means, stds)
    axes.set_title(dataset.replace("_", "\n", 1), loc="left", fontsize=7.0, fontweight="bold")
    axes.set_xlim(low, high)
    inside = (low <= means) & (means <= high)
    ends = (means - stds)[inside], (means + stds)[inside]
    axes.hlines(places[inside], *ends, colors=list(colours[inside]), linewidth=1.2, alpha=0.5)
    axes.scatter(means[inside], places[inside], s=11, c=colours[inside], zorder=3)
    for outside, edge, mark in ((means < low, low, "<"), (means > high, high, ">")):
        axes.scatter(
            np.full(outside.sum(), edge), places[outside], s=16, c=colours[outside], marker=mark, clip_on=False
        )
    for place in places[np.isnan(means)]:
        axes.text(0.5, place, "×", transform=axes.get_yaxis_transform(), ha="center", va="center", color="#888888")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=3))
    axes.tick_params(axis="x", labelsize=7)
    axes.tick_params(axis="y", length=0)


def _ends(means: Floats, stds: Floats) -> tuple[float, float]:
    """Return the ends of an axis that shows all means but those that lie far from the others."""
    known = np.isfinite(means)
    first, third = np.quantile(means[known], [0.25, 0.75])
    reach = OUTLYING * (third - first) + 1e-9
    shown = known & (means >= first - reach) & (means <= third + reach)
    low, high = float((means - stds)[shown].min()), float((means + stds)[shown].max())
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room
