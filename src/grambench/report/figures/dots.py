"""A metric of each algorithm on each data set, in one panel."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from grambench.config.metrics import METRICS
from grambench.config.shown import DotsFigure
from grambench.report.figures.shared import (
    BLACK,
    WIDTH,
    Chart,
    Given,
    Line,
    Panel,
    empty,
    left_out,
    line,
    put_legend,
    shape,
)

MANY = 12  # names beside or above each other that there is room for
SPREAD = 0.8  # share of the room between two data sets that their dots take


def chart(given: Given, figure: DotsFigure) -> Chart:
    """Return the same dots, a place a data set, those of a paper as marks of their own."""
    metric, results = figure.metrics[0], given.results
    datasets = [name for name in figure.datasets if name not in left_out(results, figure)]
    lines = []
    for number, name in enumerate(figure.algorithms):
        samples = [results.sample(dataset, name, metric) for dataset in datasets]
        x = np.arange(len(datasets), dtype=np.float64) + SPREAD * ((number + 0.5) / len(figure.algorithms) - 0.5)
        mean, std = (np.array([getattr(sample, part) for sample in samples]) for part in ("mean", "std"))
        if np.isfinite(mean).any():
            look: Any = {"colour": line(results.study, name)[0], "dash": None, "marker": shape(results.study, name)}
            lines.append(
                Line(title=results.title(name), x=x, mean=mean, std=np.nan_to_num(std), names=tuple(datasets), **look)
            )
    ticks = {name: float(place) for place, name in enumerate(datasets)}
    logarithmic = METRICS[metric].logarithmic
    panel = Panel(title="", lines=lines, metric=metric)
    return Chart(panels=[panel], x_label="", y_label=METRICS[metric].label, ticks=ticks, y_log=logarithmic)


def draw(given: Given, figure: DotsFigure) -> Canvas:
    """Draw a metric of each algorithm on each data set; with one data set the algorithms themselves are the axis."""
    metric, study = figure.metrics[0], given.results.study
    datasets = [name for name in figure.datasets if name not in left_out(given.results, figure)]
    if not datasets:
        return empty(given.results, figure)
    keys = (given.reproduction[name] for name in ("dataset", "algorithm", "metric"))
    printed = dict(zip(zip(*keys, strict=True), given.reproduction["published_mean"], strict=True))
    algorithms = [
        name for name in figure.algorithms if any(given.results.values(one, name, metric).size for one in datasets)
    ]
    alone = len(figure.datasets) == 1
    places = np.arange(len(algorithms if alone else datasets), dtype=np.float64)
    canvas = Canvas(figsize=(WIDTH, 4.0), layout="constrained")
    axes = canvas.subplots()
    axes.set_axisbelow(True)
    legend: dict[str, Any] = {}
    mark: Line2D | None = None
    for number, name in enumerate(algorithms):
        samples = [given.results.sample(dataset, name, metric) for dataset in datasets]
        x = places[[number]] if alone else places + SPREAD * ((number + 0.5) / len(algorithms) - 0.5)
        mean, std = (np.array([getattr(sample, part) for sample in samples]) for part in ("mean", "std"))
        look: Any = {"color": line(study, name)[0], "marker": "o" if alone else shape(study, name), "linestyle": ""}
        look |= {"markersize": 6.5 if alone else 4.8, "markeredgecolor": "white", "markeredgewidth": 0.4}
        axes.errorbar(x, mean, np.nan_to_num(std), fmt="none", ecolor=look["color"], elinewidth=1.0, alpha=0.6)
        (legend[given.results.title(name)],) = axes.plot(x, mean, **look)
        published = [printed.get((dataset, name, metric), np.nan) for dataset in datasets]
        if np.isfinite(published).any():
            (mark,) = axes.plot(x, published, "_", color=BLACK, markersize=16 if alone else 7, markeredgewidth=1.4)
    if alone:
        axes.set_xticks(places, [name.replace(", ", ",\n") for name in legend])
        legend.clear()
    else:
        axes.set_xticks(places, [name.replace("_", "\n", 1) for name in datasets])
        if len(datasets) > MANY:
            axes.tick_params(axis="x", labelrotation=90)
    if mark:
        legend["Published"] = mark
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(METRICS[metric].label)
    axes.tick_params(axis="x", length=0)
    if METRICS[metric].logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    for place in places[1::2]:
        axes.axvspan(place - 0.5, place + 0.5, color="#F4F5F7", zorder=0, linewidth=0)
    if legend:
        put_legend(canvas, legend, 10 if len(legend) <= MANY else 6, handlelength=1.2, handletextpad=0.5)
    return canvas
