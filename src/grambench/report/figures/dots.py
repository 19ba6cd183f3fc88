"""A metric of each algorithm on each data set, in one panel."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.report import drawing
from grambench.report.drawing import Chart, DatasetsFigure, FigureData, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MANY = 12  # most names that fit beside or above each other
SPREAD = 0.8  # share of the distance between two data sets that their dots take


class DotsFigure(DatasetsFigure):
    """A metric of each algorithm on each data set, in one panel."""

    kind: Literal["dots"]
    about_runs: ClassVar[str] = "Dots are means of {runs}, bars one standard deviation to either side"

    def chart(self, data: FigureData) -> Chart:
        """Return the dots, at one position for each data set."""
        datasets, lines = self._datasets(data), []
        for number, name in enumerate(self.algorithms):
            x = np.arange(len(datasets), dtype=np.float64) + _offset(number, len(self.algorithms))
            mean, std = data.means(datasets, [name], self.metrics[0])
            if np.isfinite(mean).any():
                lines.append(data.line(name, x, mean, std, dash=None, marker=data.shape(name), names=tuple(datasets)))
        ticks = {name: float(position) for position, name in enumerate(datasets)}
        panel = Panel(title="", lines=lines, metric=self.metrics[0])
        return self.metric_chart([panel], x_label="", ticks=ticks)

    def draw(self, data: FigureData) -> "Canvas":
        """Draw the dots and the published numbers; with one data set the algorithms themselves are the axis."""
        results, (metric,), datasets = data.results, self.metrics, self._datasets(data)
        if not datasets:
            return drawing.empty(results, self)
        algorithms = [name for name in self.algorithms if any(results.values(d, name, metric).size for d in datasets)]
        alone = len(self.datasets) == 1
        positions = np.arange(len(algorithms if alone else datasets), dtype=np.float64)
        canvas, axes = drawing.single_panel(drawing.WIDTH, 4.0)
        axes.set_axisbelow(True)
        legend: dict[str, Any] = {}
        published: list[Any] = []
        for number, name in enumerate(algorithms):
            x = positions[[number]] if alone else positions + _offset(number, len(algorithms))
            mean, std = data.means(datasets, [name], metric)
            style: Any = {"color": data.colour(name), "marker": "o" if alone else data.shape(name), "linestyle": ""}
            style |= {"markersize": 6.5 if alone else 4.8} | drawing.WHITE_EDGE
            axes.errorbar(x, mean, std, fmt="none", ecolor=style["color"], elinewidth=1.0, alpha=0.6)
            (legend[results.title(name)],) = axes.plot(x, mean, **style)
            numbers = _published(data, datasets, name, metric)
            if np.isfinite(numbers).any():
                size = 16 if alone else 7
                published = axes.plot(x, numbers, "_", color=drawing.BLACK, markersize=size, markeredgewidth=1.4)
        if alone:
            axes.set_xticks(positions, [name.replace(", ", ",\n") for name in legend])
            legend.clear()
        else:
            axes.set_xticks(positions, [name.replace("_", "\n", 1) for name in datasets])
            if len(datasets) > MANY:
                axes.tick_params(axis="x", labelrotation=90)
        if published:
            (legend["Published"],) = published
        axes.set_ylabel(METRICS[metric].label)
        _set_axes(axes, positions, logarithmic=METRICS[metric].logarithmic)
        if legend:
            drawing.put_legend(canvas, legend, 10 if len(legend) <= MANY else 6, **drawing.SMALL_DOTS)
        return canvas

    def _datasets(self, data: FigureData) -> list[str]:
        without = self.left_out(data.results)
        return [name for name in self.datasets if name not in without]


def _offset(number: int, count: int) -> float:
    """Return how far the dots of one of several algorithms are from the position of their data set."""
    return SPREAD * ((number + 0.5) / count - 0.5)


def _published(data: FigureData, datasets: list[str], algorithm: str, metric: str) -> Floats:
    """Return the published number for each data set, NaN if there is none."""
    keys = (data.reproduction[name] for name in ("dataset", "algorithm", "metric"))
    numbers = dict(zip(zip(*keys, strict=True), data.reproduction["published_mean"], strict=True))
    return np.array([numbers.get((dataset, algorithm, metric), np.nan) for dataset in datasets])


def _set_axes(axes: "Axes", positions: Floats, *, logarithmic: bool) -> None:
    """Set the scales, and shade every second position."""
    axes.set_xlim(-0.5, len(positions) - 0.5)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)
    if logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    for position in positions[1::2]:
        axes.axvspan(position - 0.5, position + 0.5, color="#F4F5F7", zorder=0, linewidth=0)
