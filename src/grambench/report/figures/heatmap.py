"""How far each algorithm is behind the best one on each data set, the algorithm of the lowest mean rank on top."""

from typing import ClassVar, Literal

import numpy as np

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.report.drawing import PAGE, SMALL, fold, single_panel
from grambench.report.figure_kind import FigureData, RankingFigure
from grambench.report.lazy import Axes, Canvas

ROW, CELL = 0.15, 0.5  # inches of a cell: its height, and its width at most
NARROWEST = 0.13  # inches of a cell's width, for the name of its data set
NAMES, BAR = 0.06, 0.75  # inches of a letter of an algorithm's name, and of the colour bar
CLIPPED = 90  # percentile from which all colours are alike: the worst would make all others alike
LETTER = 0.06  # inches of a digit
DARK = 0.45  # share of the last colour from which letters are white
MISSING = "#E9E9E9"


class HeatmapFigure(RankingFigure):
    """A row for each algorithm, a column for each data set: how far its mean is behind the best one there."""

    kind: Literal["heatmap"]
    about_runs: ClassVar[str] = "Means of {runs}"

    def draw(self, data: FigureData) -> Canvas:
        """Draw a cell for each mean, with its number where there is room for it."""
        from matplotlib.colors import PowerNorm

        (metric,) = self.metrics
        ranking = self.ranking(data.results)
        if not ranking.names:
            return self.empty(data)
        values = data.results.behind(ranking.names, metric, ranking.datasets).to_numpy().T
        names, count = [data.title(name) for name in ranking.names], len(ranking.datasets)
        width, cell = _layout(data.width, names, count)
        height = ROW * len(names)
        canvas, axes = single_panel(width, 1.1 + height)
        axes.set_facecolor(MISSING)
        top = max(float(np.nanpercentile(values, CLIPPED)), 1e-9)
        image = axes.imshow(values, cmap="YlOrBr", norm=PowerNorm(0.5, vmin=0.0, vmax=top), aspect="auto")
        _label(axes, data, ranking.names, ranking.datasets)
        if cell > 2.6 * LETTER:
            _write_values(axes, values, DARK * top, cell)
        bar = canvas.colorbar(image, ax=axes, extend="max", fraction=0.03, pad=0.02)
        bar.set_label(fold(f"{METRICS[metric].label} behind the best", height), fontsize=SMALL)
        sign = "" if np.isfinite(values).all() else "; ×: no result"
        canvas.supxlabel(fold(f"Rows by mean rank on {ranking.basis}{sign}", width), fontsize=SMALL)
        return canvas


def _layout(width: float, names: list[str], count: int) -> tuple[float, float]:
    """Return the width of the figure and of a cell in inches.

    Data sets whose names do not fit beside each other in a column of a page take the page's whole width.
    """
    room = width - BAR - NAMES * max(map(len, names))
    if width < PAGE and room < NARROWEST * count:
        return _layout(PAGE, names, count)
    cell = min(CELL, room / count)
    return width - room + cell * count, cell


def _label(axes: Axes, data: FigureData, names: list[str], datasets: list[str]) -> None:
    """Name rows and columns."""
    axes.set_xticks(range(len(datasets)), datasets, rotation=60, ha="right", rotation_mode="anchor")
    data.name_rows(axes, names)
    axes.tick_params(length=0)
    axes.grid(visible=False)


def _write_values(axes: Axes, values: Floats, dark: float, width: float) -> None:
    """Write each number into its cell, without a decimal where the cell is narrow."""
    for (y, x), value in np.ndenumerate(values):
        text = f"{value:.{int(width > 4.0 * LETTER)}f}" if np.isfinite(value) else "×"
        colour = "white" if np.isfinite(value) and value > dark else "#333333"
        axes.text(x, y, text, ha="center", va="center", fontsize=6.5, color=colour)
