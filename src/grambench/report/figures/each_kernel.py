"""The best and the worst single kernels: a panel for each data set, a bar for each kernel."""

from typing import ClassVar, Literal

import numpy as np

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.names import Name
from grambench.config.shown import OneName
from grambench.kernels.labels import kernel_label
from grambench.report import drawing
from grambench.report.figure_kind import DatasetsFigure, FigureData
from grambench.report.lazy import Axes, Canvas

MAX_COLUMNS = 2
COUNT = 5  # best kernels shown, and worst ones
BEST, WORST = drawing.LINES[0][0], drawing.LINES[1][0]


class EachKernelFigure(DatasetsFigure):
    """The best and the worst single kernels, a panel for each data set, by a sweep over the kernel's number.

    Attributes
    ----------
    sweep : str
        The sweep over `kernel`, of one algorithm.
    """

    kind: Literal["each_kernel"]
    sweep: Name
    algorithms: OneName
    about_runs: ClassVar[str] = "Means of {runs}"
    shows_sweep: ClassVar[bool] = True

    def draw(self, data: FigureData) -> Canvas:
        """Draw the kernels of the highest values, best first, and those of the lowest; equal ones in their order."""
        from matplotlib.patches import Patch

        results, (metric,), (algorithm,) = data.results, self.metrics, self.algorithms
        means = {name: results.by_kernel(self.sweep, name, algorithm, metric) for name in self.datasets}
        datasets = [name for name in self.datasets if len(means[name])]
        if not datasets:
            return self.empty(data)
        canvas, all_axes = data.grid(len(datasets), MAX_COLUMNS, 0.45 + 0.13 * 2 * COUNT, 0.4)
        kernels = enumerate(results.study.kernel_list(), start=1)
        labels = {kernel.name: f"{number}  {kernel_label(kernel.name)}" for number, kernel in kernels}
        for axes, dataset in zip(all_axes, datasets, strict=True):
            ranked = means[dataset].sort_values(ascending=METRICS[metric].better == "lower", kind="stable")
            shown = [*ranked.index[:COUNT], *ranked.index[-COUNT:]]
            titles = [labels[kernel] for kernel in shown]
            # Beneath the title are the labels of the bars, which may be wider than the panel.
            axes.set_title(dataset, loc="right", fontweight="bold")
            _draw_bars(axes, titles, ranked[shown].to_numpy())
        canvas.supxlabel(METRICS[metric].label, fontsize=drawing.LABEL)
        drawing.put_legend(canvas, {"Best": Patch(color=BEST), "Worst": Patch(color=WORST)}, 2)
        return canvas


def _draw_bars(axes: Axes, names: list[str], values: Floats) -> None:
    positions = np.arange(len(names), dtype=np.float64)
    positions[COUNT:] += 0.6
    colours = [BEST] * COUNT + [WORST] * (len(names) - COUNT)
    axes.set_axisbelow(True)
    axes.barh(positions, values, color=colours, height=0.72)
    for position, value in zip(positions, values, strict=True):
        axes.text(value, position, f" {value:.1f}", va="center", fontsize=6.5, color=drawing.DARK_GREY)
    axes.set_yticks(positions, names)
    axes.tick_params(axis="y", labelsize=6.5, length=0)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    # Room for the number beside the longest bar.
    axes.set_xlim(0.0, 1.15 * float(values.max()))
