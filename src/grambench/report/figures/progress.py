"""What algorithms have on their way, against the time or work that it took: a panel a data set.

A line runs over the means of the states that all repeats have; a method without states is a dot, where it ends.
"""

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import ProgressFigure
from grambench.report.figures.shared import Chart, Given, Panel, Points, by_data_set, draw_panels, plain_ticks, shape

ENDS = {"elapsed_seconds": "search_seconds"}  # what a run as a whole says of the same, where it is called otherwise


def chart(given: Given, figure: ProgressFigure) -> Chart:
    """Return the metric of each state against another."""
    results, (metric,) = given.results, figure.metrics
    chosen = given.curves[given.curves["metric"].isin([metric, figure.x])]

    def find(dataset: str, algorithm: str) -> Points | None:
        own = chosen[(chosen["dataset"] == dataset) & (chosen["algorithm"] == algorithm)]
        if own.empty:
            ends = [results.values(dataset, algorithm, name) for name in (ENDS.get(figure.x, figure.x), metric)]
            if not all(each.size and np.isfinite(each).all() for each in ends):
                return None
            return ends[0].mean(keepdims=True), ends[1].mean(keepdims=True), np.zeros(1)
        states = own.pivot(index=["round", "repeat"], columns="metric", values="result").unstack("repeat").dropna()
        x, y = (np.asarray(states[name], dtype=np.float64).reshape(len(states), -1) for name in (figure.x, metric))
        return x.mean(axis=1), y.mean(axis=1), y.std(axis=1, ddof=1) if y.shape[1] > 1 else np.zeros(len(y))

    def scale(axes: Axes) -> None:
        if METRICS[figure.x].logarithmic:
            axes.set_xscale("log")
            plain_ticks(axes.xaxis, list(axes.get_xlim()))

    titles = {results.title(name): shape(results.study, name) for name in figure.algorithms}
    panels = [_marked(panel, titles) for panel in by_data_set(results, figure, find)]
    return Chart(
        panels=panels,
        x_label=METRICS[figure.x].label,
        y_label=METRICS[metric].label,
        scale=scale,
        x_log=METRICS[figure.x].logarithmic,
        y_log=METRICS[metric].logarithmic,
    )


def draw(given: Given, figure: ProgressFigure) -> Canvas:
    """Draw the metric of each state against another."""
    return draw_panels(given.results, figure, chart(given, figure))


def _marked(panel: Panel, shapes: dict[str, str]) -> Panel:
    """Return the panel with a mark where a method has one point only."""
    lines = [replace(line, marker=shapes[line.title]) if len(line.x) == 1 else line for line in panel.lines]
    return replace(panel, lines=lines)
