"""The best and the worst kernels by themselves: a panel a data set, a bar a kernel."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Patch

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.shown import EachKernelFigure
from grambench.report.figures.shared import LINES, WIDTH, Given, empty, put_legend
from grambench.results.study import kernel_title

COLUMNS = 2
BEST, WORST = LINES[0][0], LINES[1][0]


def draw(given: Given, figure: EachKernelFigure) -> Canvas:
    """Draw the kernels of the highest values, best first, and those of the lowest; equal ones in their order."""
    results, (metric,), (algorithm,) = given.results, figure.metrics, figure.algorithms
    known = {name: results.by_kernel(figure.sweep, name, algorithm, metric) for name in figure.datasets}
    known = {name: values for name, values in known.items() if len(values)}
    if not known:
        return empty(results, figure)
    columns = min(COLUMNS, len(known))
    rows = math.ceil(len(known) / columns)
    canvas = Canvas(figsize=(WIDTH, 0.6 + 2.1 * rows), layout="constrained")
    grid = canvas.subplots(rows, columns, squeeze=False).ravel()
    numbers = {kernel.name: place for place, kernel in enumerate(results.study.kernel_list(), 1)}
    for axes, (name, values) in zip(grid, known.items(), strict=False):
        ranked = values.sort_values(ascending=METRICS[metric].better == "lower", kind="stable")
        shown = [*ranked.index[: figure.count], *ranked.index[-figure.count :]]
        titles = [f"{numbers[kernel]}  {kernel_title(kernel)}" for kernel in shown]
        _bars(axes, name, titles, ranked[shown].to_numpy(), figure.count)
    for axes in grid[len(known) :]:
        axes.set_axis_off()
    canvas.supxlabel(METRICS[metric].label, fontsize=9)
    put_legend(canvas, {"Best": Patch(color=BEST), "Worst": Patch(color=WORST)}, 2)
    return canvas


def _bars(axes: Axes, title: str, names: list[str], values: Floats, count: int) -> None:
    places = np.arange(len(names), dtype=np.float64)
    places[count:] += 0.6
    colours = [BEST] * count + [WORST] * (len(names) - count)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_axisbelow(True)
    axes.barh(places, values, color=colours, height=0.72)
    for place, value in zip(places, values, strict=True):
        axes.text(value, place, f" {value:.1f}", va="center", fontsize=6.5, color="#444444")
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", labelsize=6.5, length=0)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    low, high = float(values.min()), float(values.max())
    axes.set_xlim(max(0.0, low - 0.5 * (high - low) - 1.0), high + 0.12 * (high - low) + 1.0)
