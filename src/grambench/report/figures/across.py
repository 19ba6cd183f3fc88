"""Metrics over data sets that differ in one number: a panel a metric, a line an algorithm."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import AcrossFigure
from grambench.report.figures.shared import Chart, Given, Line, Panel, draw_panels, line, shape


def chart(given: Given, figure: AcrossFigure) -> Chart:
    """Return metrics against the number in which the data sets differ, at even steps."""
    steps, panels = np.arange(len(figure.datasets), dtype=np.float64), []
    for metric in figure.metrics:
        lines = []
        for name in figure.algorithms:
            samples = [given.results.sample(dataset, name, metric) for dataset in figure.datasets]
            if any(sample.runs for sample in samples):
                mean, std = (np.array([getattr(sample, part) for sample in samples]) for part in ("mean", "std"))
                colour, dash = line(given.results.study, name)
                title, marker = given.results.title(name), shape(given.results.study, name)
                std = np.nan_to_num(std)
                lines.append(Line(title=title, x=steps, mean=mean, std=std, colour=colour, dash=dash, marker=marker))
        panels.append(Panel(title=METRICS[metric].label, lines=lines, metric=metric))

    def scale(axes: Axes) -> None:
        axes.set_xticks(steps, [f"{x:g}" for x in figure.x])

    ticks = {f"{x:g}": float(step) for x, step in zip(figure.x, steps, strict=True)}
    return Chart(panels=panels, x_label=figure.label, y_label="", scale=scale, ticks=ticks)


def draw(given: Given, figure: AcrossFigure) -> Canvas:
    """Draw metrics against the number in which the data sets differ."""
    return draw_panels(given.results, figure, chart(given, figure))
