"""A metric over the values of a sweep: a panel a data set, a line an algorithm."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import SweepFigure
from grambench.report.figures.shared import Chart, Given, Points, by_data_set, draw_panels, plain_ticks


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
