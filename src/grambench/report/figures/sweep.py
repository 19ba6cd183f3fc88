"""A metric over the values of a sweep: a panel a data set, a line an algorithm."""

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import SweepFigure
from grambench.report.figures.shared import (
    Chart,
    Given,
    Line,
    Panel,
    Points,
    by_data_set,
    draw_panels,
    line,
    plain_ticks,
)


def chart(given: Given, figure: SweepFigure) -> Chart:
    """Return a metric against the values of a sweep."""
    name, metric = figure.sweep, figure.metrics[0]
    sweep = given.results.study.sweeps[name]

    def find(dataset: str, algorithm: str) -> Points | None:
        table = given.results.swept(name, dataset, algorithm, metric)
        if table.empty:
            return None
        std = table.std(axis=1, ddof=1).fillna(0.0).to_numpy()
        return table.index.to_numpy(), table.mean(axis=1).to_numpy(), std

    def scale(axes: Axes) -> None:
        axes.set_xscale(sweep.scale)
        if sweep.scale == "log":
            plain_ticks(axes.xaxis, sweep.values)

    panels = by_data_set(given.results, figure, find)
    if figure.level:
        panels = [_with_levels(given, figure, panel) for panel in panels]
    return Chart(
        panels=panels,
        x_label=sweep.label,
        y_label=METRICS[metric].label,
        scale=scale,
        x_log=sweep.scale == "log",
        y_log=METRICS[metric].logarithmic,
    )


def draw(given: Given, figure: SweepFigure) -> Canvas:
    """Draw a metric against the values of a sweep."""
    return draw_panels(given.results, figure, chart(given, figure))


def _with_levels(given: Given, figure: SweepFigure, panel: Panel) -> Panel:
    """Return a panel with what the algorithms reach without the sweep, from its first value to its last."""
    results, values = given.results, given.results.study.sweeps[figure.sweep].values
    ends, levels = np.array([min(values), max(values)], dtype=np.float64), []
    for name in figure.algorithms:
        plain = results.values(panel.title, name, figure.metrics[0])
        if len(plain):
            title, (colour, _) = f"{results.title(name)}, {figure.level}", line(results.study, name)
            mean = np.full(2, plain.mean())
            levels.append(Line(title=title, x=ends, mean=mean, std=np.zeros(2), colour=colour, dash=(0, (1, 2))))
    return replace(panel, lines=[*panel.lines, *levels])
