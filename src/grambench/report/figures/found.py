"""The kernels of a continuous family that the algorithms have selected in all repetitions."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from grambench.config.metrics import METRICS
from grambench.report.drawing import WIDTH, DatasetsFigure, FigureData, empty, panel_grid, put_legend, set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


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

    def draw(self, data: FigureData) -> "Canvas":
        """Draw the weight of each kernel selected in any repetition against the kernel's parameter."""
        each = {name: {one: data.results.kernels(name, one) for one in self.algorithms} for name in self.datasets}
        known = {name: kernels for name, kernels in each.items() if any(pairs.size for pairs in kernels.values())}
        if not known:
            return empty(data.results, self)
        canvas, grid = panel_grid((6.2 if len(known) == 1 else WIDTH, 3.4), len(known), len(known))
        legend: dict[str, Any] = {}
        for axes, (dataset, kernels) in zip(grid, known.items(), strict=True):
            if len(known) > 1:
                set_title(axes, dataset, pad=16)
            for name, place in self.marks.items():
                axes.axvline(place, color="#888888", linewidth=0.9, zorder=1)
                axes.text(place, 1.0, name, transform=axes.get_xaxis_transform(), ha="center", va="bottom", fontsize=8)
            for name, (parameters, weights) in kernels.items():
                colour = data.colour(name)
                axes.vlines(parameters, 0.0, weights, color=colour, linewidth=0.8, alpha=0.3)
                style: Any = {"marker": data.shape(name), "color": colour, "markersize": 5, "linestyle": ""}
                (drawn,) = axes.plot(parameters, weights, **style, alpha=0.75, markeredgewidth=0)
                legend[data.results.title(name)] = drawn
            axes.set_ylim(bottom=0)
        canvas.supylabel(METRICS[self.metrics[0]].label, fontsize=9)
        canvas.supxlabel(self.label, fontsize=9)
        put_legend(canvas, legend, 10, handlelength=1.2, handletextpad=0.5)
        return canvas
