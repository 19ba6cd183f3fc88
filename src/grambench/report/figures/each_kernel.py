"""The best and the worst single kernels: a panel for each data set, a bar for each kernel."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.names import Name
from grambench.config.shown import OneMetric
from grambench.report.drawing import (
    LINES,
    WIDTH,
    DatasetsFigure,
    FigureData,
    empty,
    panel_grid,
    put_legend,
    set_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLUMNS = 2
BEST, WORST = LINES[0][0], LINES[1][0]


class EachKernelFigure(DatasetsFigure):
    """The best and the worst single kernels, a panel for each data set, by a sweep over the kernel's number.

    Attributes
    ----------
    sweep : str
        The sweep over `kernel`, of one algorithm.
    count : int
        The number of best kernels shown, and of worst ones.
    """

    kind: Literal["each_kernel"]
    sweep: Name
    algorithms: OneMetric
    count: Annotated[int, Field(ge=1)] = 5
    about_runs: ClassVar[str] = "Means of {runs}"
    shows_sweep: ClassVar[bool] = True

    def draw(self, data: FigureData) -> "Canvas":
        """Draw the kernels of the highest values, best first, and those of the lowest; equal ones in their order."""
        from matplotlib.patches import Patch

        results, (metric,), (algorithm,) = data.results, self.metrics, self.algorithms
        known = {name: results.by_kernel(self.sweep, name, algorithm, metric) for name in self.datasets}
        known = {name: values for name, values in known.items() if len(values)}
        if not known:
            return empty(results, self)
        columns = min(COLUMNS, len(known))
        canvas, grid = panel_grid((WIDTH, 0.6 + 2.1 * -(-len(known) // columns)), len(known), columns)
        numbers = {kernel.name: (number, kernel.title) for number, kernel in enumerate(results.study.kernel_list(), 1)}
        for axes, (name, values) in zip(grid, known.items(), strict=True):
            ranked = values.sort_values(ascending=METRICS[metric].better == "lower", kind="stable")
            shown = [*ranked.index[: self.count], *ranked.index[-self.count :]]
            titles = ["{}  {}".format(*numbers[kernel]) for kernel in shown]
            set_title(axes, name)
            _draw_bars(axes, titles, ranked[shown].to_numpy(), self.count)
        canvas.supxlabel(METRICS[metric].label, fontsize=9)
        put_legend(canvas, {"Best": Patch(color=BEST), "Worst": Patch(color=WORST)}, 2)
        return canvas


def _draw_bars(axes: "Axes", names: list[str], values: Floats, count: int) -> None:
    places = np.arange(len(names), dtype=np.float64)
    places[count:] += 0.6
    colours = [BEST] * count + [WORST] * (len(names) - count)
    axes.set_axisbelow(True)
    axes.barh(places, values, color=colours, height=0.72)
    for place, value in zip(places, values, strict=True):
        axes.text(value, place, f" {value:.1f}", va="center", fontsize=6.5, color="#444444")
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", labelsize=6.5, length=0)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    low, high = float(values.min()), float(values.max())
    axes.set_xlim(max(0.0, low - 0.5 * (high - low) - 1.0), high + 0.12 * (high - low) + 1.0)
