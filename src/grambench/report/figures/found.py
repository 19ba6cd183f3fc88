"""The kernels of a continuous family that the algorithms have selected in all repetitions."""

from typing import Any, ClassVar, Literal

from grambench.config.metrics import METRICS
from grambench.report import drawing
from grambench.report.figure_kind import DatasetsFigure, FigureData
from grambench.report.lazy import Canvas


class FoundFigure(DatasetsFigure):
    """The kernels of a continuous family that were selected in all repetitions, weight against parameter.

    Attributes
    ----------
    label : str
        The label of the axis.
    marks : dict of float
        Parameters that are marked, by the names to print there.
    """

    kind: Literal["found"]
    label: str = ""
    marks: dict[str, float] = {}
    about_runs: ClassVar[str] = "The kernels of all runs, {runs} a data set"

    def draw(self, data: FigureData) -> Canvas:
        """Draw the weight of each kernel selected in any repetition against the kernel's parameter."""
        kernels = data.results.kernels
        datasets = [d for d in self.datasets if any(kernels(d, algorithm).size for algorithm in self.algorithms)]
        if not datasets:
            return self.empty(data)
        canvas, all_axes = data.grid(len(datasets), len(datasets), 2.6)
        legend: dict[str, Any] = {}
        for axes, dataset in zip(all_axes, datasets, strict=True):
            if len(datasets) > 1:
                drawing.set_title(axes, dataset, pad=16)
            for name, x in self.marks.items():
                axes.axvline(x, color=drawing.GREY, linewidth=0.9, zorder=1)
                axes.text(
                    x, 1.0, name, transform=axes.get_xaxis_transform(), ha="center", va="bottom", fontsize=drawing.SMALL
                )
            for name in self.algorithms:
                parameters, weights = kernels(dataset, name)
                colour = data.colour(name)
                axes.vlines(parameters, 0.0, weights, color=colour, linewidth=0.8, alpha=0.3)
                style: Any = {"marker": data.shape(name), "color": colour, "markersize": 5, "linestyle": ""}
                (points,) = axes.plot(parameters, weights, **style, alpha=0.75, markeredgewidth=0)
                legend[data.title(name)] = points
            axes.set_ylim(bottom=0)
        canvas.supylabel(METRICS[self.metrics[0]].label, fontsize=drawing.LABEL)
        canvas.supxlabel(self.label, fontsize=drawing.LABEL)
        drawing.put_legend(canvas, legend, 10, **drawing.SMALL_DOTS)
        return canvas
