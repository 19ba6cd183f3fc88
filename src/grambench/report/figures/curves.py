"""A metric over the pass: a panel a data set, a line an algorithm, a band over the repeats."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import CurvesFigure
from grambench.report.figures.shared import Chart, Given, Points, by_data_set, draw_panels


def chart(given: Given, figure: CurvesFigure) -> Chart:
    """Return a metric against the rounds."""
    metric = figure.metrics[0]
    if metric == "best_kernel_weight":
        kernels = {name: given.results.best_kernels(name)[:1] for name in given.results.study.datasets}
        best = {name: f"weight:{kernel}" for name, first in kernels.items() for kernel in first}
        chosen = given.curves["metric"] == given.curves["dataset"].map(best)
    else:
        chosen = given.curves["metric"] == metric
    grouped = given.curves[chosen].groupby(["dataset", "algorithm", "round"], as_index=False)["result"]
    table = grouped.agg(["mean", "std"]).fillna({"std": 0.0})
    parts = {(str(d), str(a)): part for (d, a), part in table.groupby(["dataset", "algorithm"])}

    def find(dataset: str, algorithm: str) -> Points | None:
        if (part := parts.get((dataset, algorithm))) is None:
            return None
        x, mean, std = (part[name].to_numpy(np.float64) for name in ("round", "mean", "std"))
        return x, mean, std

    def scale(axes: Axes) -> None:
        axes.set_xlim(left=0)
        values = np.concatenate([np.asarray(drawn.get_ydata()) for drawn in axes.get_lines()])
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if METRICS[metric].logarithmic:
            axes.set_ylim(low / 1.3, high * 1.3)
        elif metric == "best_kernel_weight":
            axes.set_ylim(0, 1.02)
        else:
            axes.set_ylim(max(low - 0.2 * (high - low), 0), high + 0.06 * (high - low))

    panels = by_data_set(given.results, figure, find)
    return Chart(
        panels=panels,
        x_label=given.results.study.protocol.progress,
        y_label=METRICS[metric].label,
        scale=scale,
        y_log=METRICS[metric].logarithmic,
    )


def draw(given: Given, figure: CurvesFigure) -> Canvas:
    """Draw it: all means are seen, the wide bands of the first rounds may leave the panel."""
    return draw_panels(given.results, figure, chart(given, figure))
