"""A metric of each algorithm on each data set, in one panel."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.report.drawing import (
    BLACK,
    WIDTH,
    Chart,
    DatasetsFigure,
    FigureData,
    Panel,
    empty,
    put_legend,
    single_panel,
)

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
        metric, datasets = METRICS[self.metrics[0]], self._datasets(data)
        lines = []
        for number, name in enumerate(self.algorithms):
            x = np.arange(len(datasets), dtype=np.float64) + _offset(number, len(self.algorithms))
            mean, std = data.means(datasets, [name], self.metrics[0])
            if np.isfinite(mean).any():
                style = {"dash": None, "marker": data.shape(name), "names": tuple(datasets)}
                lines.append(data.line(name, x, mean, std, **style))
        ticks = {name: float(place) for place, name in enumerate(datasets)}
        panel = Panel(title="", lines=lines, metric=self.metrics[0])
        return Chart(panels=[panel], x_label="", y_label=metric.label, ticks=ticks, y_log=metric.logarithmic)

    def draw(self, data: FigureData) -> "Canvas":
        """Draw the dots and the published numbers; with one data set the algorithms themselves are the axis."""
        results, (metric,), datasets = data.results, self.metrics, self._datasets(data)
        if not datasets:
            return empty(results, self)
        algorithms = [name for name in self.algorithms if any(results.values(d, name, metric).size for d in datasets)]
        alone = len(self.datasets) == 1
        places = np.arange(len(algorithms if alone else datasets), dtype=np.float64)
        canvas, axes = single_panel(WIDTH, 4.0)
        axes.set_axisbelow(True)
        legend: dict[str, Any] = {}
        published: list[Any] = []
        for number, name in enumerate(algorithms):
            x = places[[number]] if alone else places + _offset(number, len(algorithms))
            mean, std = data.means(datasets, [name], metric)
            style: Any = {"color": data.colour(name), "marker": "o" if alone else data.shape(name), "linestyle": ""}
            style |= {"markersize": 6.5 if alone else 4.8, "markeredgecolor": "white", "markeredgewidth": 0.4}
            axes.errorbar(x, mean, std, fmt="none", ecolor=style["color"], elinewidth=1.0, alpha=0.6)
            (legend[results.title(name)],) = axes.plot(x, mean, **style)
            numbers = _published(data, datasets, name, metric)
            if np.isfinite(numbers).any():
                size = 16 if alone else 7
                published = axes.plot(x, numbers, "_", color=BLACK, markersize=size, markeredgewidth=1.4)
        if alone:
            axes.set_xticks(places, [name.replace(", ", ",\n") for name in legend])
            legend.clear()
        else:
            axes.set_xticks(places, [name.replace("_", "\n", 1) for name in datasets])
            if len(datasets) > MANY:
                axes.tick_params(axis="x", labelrotation=90)
        if published:
            (legend["Published"],) = published
        axes.set_ylabel(METRICS[metric].label)
        _set_axes(axes, places, logarithmic=METRICS[metric].logarithmic)
        if legend:
            put_legend(canvas, legend, 10 if len(legend) <= MANY else 6, handlelength=1.2, handletextpad=0.5)
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


def _set_axes(axes: "Axes", places: Floats, *, logarithmic: bool) -> None:
    """Set the scales, and shade every second position."""
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)
    if logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    for place in places[1::2]:
        axes.axvspan(place - 0.5, place + 0.5, color="#F4F5F7", zorder=0, linewidth=0)
