"""What the searches of a stagewise algorithm see: a panel a data set, a line an iteration."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import ProfileFigure
from grambench.report.figures.shared import LINES, Chart, Given, Line, Panel, draw_panels


def chart(given: Given, figure: ProfileFigure) -> Chart:
    """Return what the first searches of the first repeat minimise, and the least value that each of them meets."""
    name = figure.sweep
    sweep, panels = given.results.study.sweeps[name], []
    for dataset in figure.datasets:
        lines = []
        for (colour, dash), metric in zip(LINES, figure.metrics, strict=False):
            table = given.results.swept(name, dataset, figure.algorithms[0], metric)
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

    return Chart(
        panels=panels,
        x_label=sweep.label,
        y_label="Share of its largest absolute value",
        scale=scale,
        x_log=sweep.scale == "log",
    )


def draw(given: Given, figure: ProfileFigure) -> Canvas:
    """Draw what the searches minimise."""
    return draw_panels(given.results, figure, chart(given, figure))
