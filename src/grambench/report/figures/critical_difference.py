"""Mean ranks on a line; bars join algorithms that cannot be told apart (Demšar 2006, JMLR 7, Section 3.2.4).

Friedman's test asks whether the algorithms differ at all, Wilcoxon's signed-rank test with Holm's correction which two
of them do (Benavoli et al. 2016, JMLR 17, on why not Nemenyi's test). A bar lies over neighbours of which no two can be
told apart. The package scikit-posthocs draws such diagrams too. Its bars are cliques, which may pass over algorithms
that do differ, and it depends on five more packages.
"""

import math
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from grambench.report.drawing import BLACK, WIDTH, FigureData, empty, single_panel
from grambench.report.ranking import RankingFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

STEP = 0.18  # inches from one name to the next
LEVEL = 0.1  # inches from one bar to the next
Bar = tuple[float, float]


class CriticalDifferenceFigure(RankingFigure):
    """Mean ranks on a line; bars join algorithms that cannot be told apart over the data sets."""

    kind: Literal["critical_difference"]
    about_runs: ClassVar[str] = "Ranks of means of {runs} a data set"

    def draw(self, data: FigureData) -> "Canvas":
        """Draw the line of ranks on top, the bars beneath it, and the names on both sides."""
        from grambench.results.statistics import BEST_LEVEL, alike, friedman, pairwise

        results, ranking = data.results, self.ranking(data.results)
        names = ranking.names
        if len(ranking.ranks) < 2 or len(names) < 2:
            return empty(results, self)
        ranks = {name: float(ranking.ranks[name].mean()) for name in names}
        means = results.means(names, self.metrics[0], ranking.ranks.index)
        statistic, p_value = friedman(means)
        # Of two algorithms, the test of the pair says all.
        differ = p_value < BEST_LEVEL or len(names) == 2
        groups = alike(names, pairwise(means)) if differ else [tuple(names)]
        levels = _levels([(ranks[group[0]], ranks[group[-1]]) for group in groups])
        half, below = math.ceil(len(names) / 2), LEVEL * (len(levels) + 1)
        canvas, axes = single_panel(WIDTH, 0.9 + below + STEP * half)
        ends = float(math.floor(min(ranks.values()))), float(math.ceil(max(ranks.values())))
        _draw_line_of_ranks(axes, ends, below + STEP * half)
        for number, bars in enumerate(levels, start=1):
            for low, high in bars:
                axes.plot([low - 0.05, high + 0.05], [LEVEL * number] * 2, color=BLACK, linewidth=2.6, zorder=3)
        for number, name in enumerate(names):
            on_the_left = number < half
            row = number if on_the_left else len(names) - 1 - number
            texts = [results.title(name), f"{ranks[name]:.1f}"]
            height, edge = below + STEP * (row + 0.5), ends[0] if on_the_left else ends[1]
            _draw_elbow(axes, ranks[name], height, edge, data.colour(name), texts)
        test = f"Friedman: χ² = {statistic:.1f}, p = {p_value:.1g}" if np.isfinite(p_value) else "Two algorithms"
        joined = "Wilcoxon and Holm tell no two apart" if differ else "Friedman tells none apart"
        canvas.supxlabel(f"Mean rank on {ranking.basis}. {test}; bars: {joined} at {BEST_LEVEL:.0%}", fontsize=8)
        return canvas


def _levels(bars: list[Bar]) -> list[list[Bar]]:
    """Put bars on as few levels as possible without any two touching."""
    levels: list[list[Bar]] = []
    for bar in sorted(bars):
        free = (level for level in levels if level[-1][1] + 0.15 < bar[0])
        level = next(free, None)
        if level is None:
            levels.append([bar])
        else:
            level.append(bar)
    return levels


def _draw_line_of_ranks(axes: "Axes", ends: Bar, depth: float) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlim(*ends)
    axes.set_ylim(depth, 0.0)
    axes.yaxis.set_visible(False)
    axes.grid(visible=False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.tick_top()
    axes.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True))


def _draw_elbow(axes: "Axes", rank: float, height: float, edge: float, colour: str, texts: list[str]) -> None:
    """Draw the line from a rank down and out to the name, and write the rank between the two."""
    leftwards = edge <= rank and edge == min(axes.get_xlim())
    axes.plot([rank, rank, edge], [0.0, height, height], color=colour, linewidth=1.0, clip_on=False)
    axes.plot([rank], [0.0], "o", color=colour, markersize=4, clip_on=False, zorder=4)
    axes.annotate(
        "  ".join(texts if leftwards else reversed(texts)),
        (edge, height),
        xytext=(-4 if leftwards else 4, 0),
        textcoords="offset points",
        ha="right" if leftwards else "left",
        va="center",
        fontsize=8.5,
        annotation_clip=False,
    )
