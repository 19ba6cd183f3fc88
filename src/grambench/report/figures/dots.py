"""A metric of each algorithm on each data set, in one panel."""

from typing import Any, ClassVar, Literal

import numpy as np

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.report import drawing
from grambench.report.charts import BLACK, Chart, Panel
from grambench.report.figure_kind import DatasetsFigure, FigureData
from grambench.report.lazy import Axes, Canvas

HEIGHT = 3.0  # inches
MANY = 12  # most names of a legend in one line
SPREAD = 0.8  # share of the distance between two data sets that their dots take


class DotsFigure(DatasetsFigure):
    """A metric of each algorithm on each data set, in one panel."""

    kind: Literal["dots"]
    about_runs: ClassVar[str] = "Dots are means of {runs}, bars one standard deviation to either side"

    def chart(self, data: FigureData) -> Chart:
        """Return the dots, at one position for each data set."""
        datasets, algorithms, lines = self.shown_datasets(data.results), self._algorithms(data), []
        alone = len(self.datasets) == 1
        for number, name in enumerate(algorithms):
            # beside each other in the place of their data set; with one data set, each algorithm has a place
            beside = SPREAD * ((number + 0.5) / len(algorithms) - 0.5)
            x = np.arange(len(datasets), dtype=np.float64) + (number if alone else beside)
            mean, std = data.means(datasets, [name], self.metrics[0])
            lines.append(data.line(name, x, mean, std, dash=None, marker=data.shape(name), names=tuple(datasets)))
        labels = [data.title(name) for name in algorithms] if alone else datasets
        ticks = {label: float(position) for position, label in enumerate(labels)}
        panel = Panel(title="", lines=lines, metric=self.metrics[0])
        return self.metric_chart([panel], x_label="", ticks=ticks)

    def draw(self, data: FigureData) -> Canvas:
        """Draw the dots and the published numbers; with one data set the algorithms themselves are the axis."""
        (metric,), datasets, chart = self.metrics, self.shown_datasets(data.results), self.chart(data)
        if not datasets:
            return self.empty(data)
        alone, labels = len(self.datasets) == 1, list(chart.ticks)
        canvas, axes = drawing.single_panel(data.width, HEIGHT)
        axes.set_axisbelow(True)
        legend: dict[str, Any] = {}
        published: list[Any] = []
        ends: list[float] = []
        for name, line in zip(self._algorithms(data), chart.panels[0].lines, strict=True):
            style: Any = {"color": line.colour, "marker": "o" if alone else line.marker, "linestyle": ""}
            style |= {"markersize": 5.5 if alone else 3.2 if data.narrow else 4.2} | drawing.WHITE_EDGE
            axes.errorbar(line.x, line.mean, line.std, fmt="none", ecolor=line.colour, elinewidth=1.0, alpha=0.6)
            (legend[line.title],) = axes.plot(line.x, line.mean, **style)
            numbers = _published(data, datasets, name, metric)
            ends += [*(line.mean - line.std), *(line.mean + line.std), *numbers]
            if np.isfinite(numbers).any():
                size = 14 if alone else 4 if data.narrow else 6
                published = axes.plot(line.x, numbers, "_", color=BLACK, markersize=size, markeredgewidth=1.4)
        if alone:
            legend.clear()
        _set_labels(axes, labels, data.width)
        if published:
            (legend["Published"],) = published
        axes.set_ylabel(METRICS[metric].label)
        _set_axes(axes, len(labels))
        if METRICS[metric].logarithmic:
            axes.set_yscale("log")
        elif np.isfinite(ends).any():
            drawing.fit_to_dots(axes, float(np.nanmin(ends)), float(np.nanmax(ends)))
        if legend:
            drawing.put_legend(canvas, legend, 10 if len(legend) <= MANY else 6, **drawing.SMALL_DOTS)
        return canvas

    def _algorithms(self, data: FigureData) -> list[str]:
        """Return the algorithms that have a result."""
        (metric,), datasets = self.metrics, self.shown_datasets(data.results)
        return [name for name in self.algorithms if any(data.results.values(d, name, metric).size for d in datasets)]


def _set_labels(axes: Axes, labels: list[str], width: float) -> None:
    """Write the labels of the positions, upright where they do not fit beside each other."""
    folded = [label.replace("_", "\n", 1).replace(", ", ",\n") for label in labels]
    longest = max(len(line) for label in folded for line in label.split("\n"))
    if longest * drawing.LABEL_WIDTH < 0.9 * width / len(labels):
        axes.set_xticks(range(len(labels)), folded)
    else:
        axes.set_xticks(range(len(labels)), labels, rotation=90)


def _published(data: FigureData, datasets: list[str], algorithm: str, metric: str) -> Floats:
    """Return the published number for each data set, NaN if there is none."""
    keys = (data.reproduction[name] for name in ("dataset", "algorithm", "metric"))
    numbers = dict(zip(zip(*keys, strict=True), data.reproduction["published_mean"], strict=True))
    return np.array([numbers.get((dataset, algorithm, metric), np.nan) for dataset in datasets])


def _set_axes(axes: Axes, count: int) -> None:
    """Set the scale of the positions, and shade every second one."""
    axes.set_xlim(-0.5, count - 0.5)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)
    for position in range(1, count, 2):
        axes.axvspan(position - 0.5, position + 0.5, color="#F4F5F7", zorder=0, linewidth=0)
