"""How far each algorithm is behind the best one on each data set, the algorithm of the lowest mean rank on top."""

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.report.drawing import WIDTH, FigureData, empty, single_panel
from grambench.report.ranking import RankingFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

ROW, COLUMN = 0.19, 0.62  # inches of a cell, at most
CLIPPED = 90  # percentile from which all colours are alike: the worst would make all others alike
LETTER = 0.075  # inches of a digit of the size that cells have at most
DARK = 0.45  # share of the last colour from which letters are white
MISSING = "#E9E9E9"


class HeatmapFigure(RankingFigure):
    """A row for each algorithm, a column for each data set: how far its mean is behind the best one there."""

    kind: Literal["heatmap"]
    about_runs: ClassVar[str] = "Means of {runs}"

    def draw(self, data: FigureData) -> "Canvas":
        """Draw a cell for each mean, with its number."""
        from matplotlib.colors import PowerNorm

        (metric,) = self.metrics
        results, ranking = data.results, self.ranking(data.results)
        if not ranking.names:
            return empty(results, self)
        values = results.behind(ranking.names, metric, ranking.datasets).to_numpy().T
        names, count = [results.title(name) for name in ranking.names], len(ranking.datasets)
        room = WIDTH - 1.3 - 0.066 * max(map(len, names))
        column = min(COLUMN, room / count)
        canvas, axes = single_panel(WIDTH - room + column * count, 1.3 + ROW * len(names))
        axes.set_facecolor(MISSING)
        top = max(float(np.nanpercentile(values, CLIPPED)), 1e-9)
        image = axes.imshow(values, cmap="YlOrBr", norm=PowerNorm(0.5, vmin=0.0, vmax=top), aspect="auto")
        bar = canvas.colorbar(image, ax=axes, extend="max", fraction=0.03, pad=0.02)
        bar.set_label(f"{METRICS[metric].label} behind the best", fontsize=8)
        axes.set_xticks(range(count), ranking.datasets, rotation=50, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        size = min(7.0, 7.0 * column / (4.3 * LETTER))
        for (y, x), value in np.ndenumerate(values):
            dark = np.isfinite(value) and value > DARK * top
            text = f"{value:.1f}" if np.isfinite(value) else "×"
            colour = "white" if dark else "#333333"
            axes.text(x, y, text, ha="center", va="center", fontsize=size, color=colour)
        canvas.supxlabel(f"Rows by mean rank on {ranking.basis}; ×: no result", fontsize=8)
        return canvas
