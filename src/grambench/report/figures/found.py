"""The kernels of a continuous family that the algorithms have found in all repeats."""

from typing import Any

from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import FoundFigure
from grambench.report.figures.shared import WIDTH, Given, empty, line, put_legend, shape


def draw(given: Given, figure: FoundFigure) -> Canvas:
    """Draw the weight of every kernel that an algorithm has found in any repeat against the kernel's parameter."""
    each = {
        dataset: {name: given.results.kernels(dataset, name) for name in figure.algorithms}
        for dataset in figure.datasets
    }
    found = {dataset: kernels for dataset, kernels in each.items() if any(pairs.size for pairs in kernels.values())}
    if not found:
        return empty(given.results, figure)
    canvas = Canvas(figsize=(6.2 if len(found) == 1 else WIDTH, 3.4), layout="constrained")
    legend: dict[str, Any] = {}
    for axes, (dataset, kernels) in zip(canvas.subplots(1, len(found), squeeze=False)[0], found.items(), strict=True):
        if len(found) > 1:
            axes.set_title(dataset, loc="left", fontweight="bold", pad=16)
        for name, place in figure.marks.items():
            axes.axvline(place, color="#888888", linewidth=0.9, zorder=1)
            axes.text(place, 1.0, name, transform=axes.get_xaxis_transform(), ha="center", va="bottom", fontsize=8)
        for name, (parameters, weights) in kernels.items():
            colour = line(given.results.study, name)[0]
            axes.vlines(parameters, 0.0, weights, color=colour, linewidth=0.8, alpha=0.3)
            look: Any = {"marker": shape(given.results.study, name), "color": colour, "markersize": 5, "linestyle": ""}
            (legend[given.results.title(name)],) = axes.plot(parameters, weights, **look, alpha=0.75, markeredgewidth=0)
        axes.set_ylim(bottom=0)
    canvas.supylabel(METRICS[figure.metrics[0]].label, fontsize=9)
    canvas.supxlabel(figure.label, fontsize=9)
    put_legend(canvas, legend, 10, handlelength=1.2, handletextpad=0.5)
    return canvas
