"""A metric of many algorithms: a panel for each data set, the algorithm of the lowest mean rank on top."""

import math
from typing import ClassVar, Literal

import numpy as np

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.report.drawing import GREY, PAGE, SMALL, fold, panel_grid, set_title
from grambench.report.figure_kind import FigureData, RankingFigure
from grambench.report.lazy import Axes, Canvas

NAMES = 0.06  # inches of a letter of an algorithm's name
PANEL = 0.62  # inches of a panel, at least
TALLEST = 9.0  # inches of a page's text
BOLD = 0.085  # inches of a letter of a title, with the space to the next panel
ROW = 0.13  # inches of an algorithm
TITLE = 0.45  # inches of a panel's title and ticks
OUTLYING = 1.5  # interquartile ranges outside the quartiles from which a mean is marked at the edge (Tukey)


class PanelsFigure(RankingFigure):
    """A panel for each data set, a row for each algorithm: its mean and standard deviation."""

    kind: Literal["panels"]
    about_runs: ClassVar[str] = "Dots are means of {runs}, lines one standard deviation to either side"

    def draw(self, data: FigureData) -> Canvas:
        """Draw mean and standard deviation of every algorithm; outlying means are marked at the edge."""
        (metric,), ranking = self.metrics, self.ranking(data.results)
        if not ranking.names:
            return self.empty(data)
        count = len(ranking.names)
        names = [data.title(name) for name in ranking.names]
        width, lines, columns = _layout(data.width, names, len(ranking.datasets))
        size = (width, 0.5 + lines * (TITLE + ROW * count))
        canvas, all_axes = panel_grid(size, len(ranking.datasets), columns, share_y=True)
        for axes, dataset in zip(all_axes, ranking.datasets, strict=True):
            title = dataset.replace("_", "\n", 1)
            room = (width - NAMES * max(map(len, names))) / columns
            set_title(axes, title, fontsize=SMALL * min(1.0, room / (BOLD * max(map(len, title.split("\n"))))))
            _draw_panel(axes, data, dataset, ranking.names, metric)
        for axes in all_axes[::columns]:
            data.name_rows(axes, ranking.names)
            axes.set_ylim(count - 0.4, -0.6)
        text = f"{METRICS[metric].label}. Rows by mean rank on {ranking.basis}"
        canvas.supxlabel(fold(text, width), fontsize=SMALL)
        return canvas


def _layout(width: float, names: list[str], count: int) -> tuple[float, int, int]:
    """Return the width in inches, the number of lines of panels and the number of panels in a line.

    Panels that would be higher than a page in one of its columns take the page's whole width.
    """
    most = max(int((width - NAMES * max(map(len, names))) / PANEL), 1)
    lines = math.ceil(count / most)
    if width < PAGE and 0.5 + lines * (TITLE + ROW * len(names)) > TALLEST:
        return _layout(PAGE, names, count)
    return width, lines, math.ceil(count / lines)


def _draw_panel(axes: Axes, data: FigureData, dataset: str, names: list[str], metric: str) -> None:
    from matplotlib.ticker import MaxNLocator

    means, stds = data.means([dataset], names, metric)
    rows = np.arange(len(names))
    colours = np.array(list(map(data.colour, names)))
    low, high = _ends(means, stds)
    axes.set_xlim(low, high)
    inside = (low <= means) & (means <= high)
    ends = (means - stds)[inside], (means + stds)[inside]
    axes.hlines(rows[inside], *ends, colors=list(colours[inside]), linewidth=1.2, alpha=0.5)
    axes.scatter(means[inside], rows[inside], s=8, c=colours[inside], zorder=3)
    for outside, edge, mark in ((means < low, low, "<"), (means > high, high, ">")):
        edges = np.full(outside.sum(), edge)
        axes.scatter(edges, rows[outside], s=12, c=colours[outside], marker=mark, clip_on=False)
    for row in rows[np.isnan(means)]:
        axes.text(0.5, row, "×", transform=axes.get_yaxis_transform(), ha="center", va="center", color=GREY)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=2))
    axes.tick_params(axis="x", labelsize=7)
    axes.tick_params(axis="y", length=0)


def _ends(means: Floats, stds: Floats) -> tuple[float, float]:
    """Return the ends of an axis that shows all means but the outlying ones."""
    finite = np.isfinite(means)
    first_quartile, third_quartile = np.quantile(means[finite], [0.25, 0.75])
    reach = OUTLYING * (third_quartile - first_quartile) + 1e-9
    inside = finite & (means >= first_quartile - reach) & (means <= third_quartile + reach)
    while True:
        low, high = float((means - stds)[inside].min()), float((means + stds)[inside].max())
        room = 0.05 * (high - low) or 1.0
        low, high = low - room, high + room
        # An outlying mean that the lines of others reach is shown with a line of its own.
        reached = finite & (means >= low) & (means <= high)
        if not (reached & ~inside).any():
            return low, high
        inside |= reached
