"""How often the kernel of the largest weight is one of the best by themselves, during the pass: a panel a data set."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import PicksFigure
from grambench.report.figures.shared import Chart, Given, Points, by_data_set, draw_panels

PREFIX = "weight:"


def chart(given: Given, figure: PicksFigure) -> Chart:
    """Return the share of repeats, in percent, against the examples seen; all passes follow each other."""
    results, (metric,) = given.results, figure.metrics
    swept = results.study.sweeps[figure.sweep].algorithms[0]
    weights = given.curves[given.curves["metric"].str.startswith(PREFIX)]

    def find(dataset: str, algorithm: str) -> Points | None:
        alone = results.by_kernel(figure.sweep, dataset, swept, metric)
        own = weights[(weights["dataset"] == dataset) & (weights["algorithm"] == algorithm)]
        if own.empty or alone.empty:
            return None
        best = alone.sort_values(ascending=METRICS[metric].better == "lower", kind="stable").index[: figure.count]
        first = own.loc[own.groupby(["repeat", "round"])["result"].idxmax()]
        hit = first["metric"].str.removeprefix(PREFIX).isin(best)
        share = 100.0 * hit.groupby(first["round"]).mean()
        mean = np.asarray(share, dtype=np.float64)
        return np.asarray(share.index, dtype=np.float64), mean, np.zeros(len(mean))

    def scale(axes: Axes) -> None:
        axes.set_xlim(left=0)
        axes.set_ylim(-3, 103)

    panels = by_data_set(results, figure, find)
    label = f"Repeats in which one of the {figure.count} best kernels has most weight (%)"
    return Chart(panels=panels, x_label=results.study.protocol.progress, y_label=label, scale=scale)


def draw(given: Given, figure: PicksFigure) -> Canvas:
    """Draw the share of repeats against the examples seen."""
    return draw_panels(given.results, figure, chart(given, figure))
