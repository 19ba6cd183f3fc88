"""Mean ranks, a row for each algorithm; bars join rows that cannot be told apart (Demšar 2006, JMLR 7, Section 3.2.4).

Friedman's test asks whether the algorithms differ at all, Wilcoxon's signed-rank test with Holm's correction which two
of them do (Benavoli et al. 2016, JMLR 17, on why not Nemenyi's test). A bar lies over neighbours of which no two can be
told apart. The package scikit-posthocs draws such diagrams too. Its bars are cliques, which may pass over algorithms
that do differ, and it depends on five more packages.
"""

import math
from typing import ClassVar, Literal

import numpy as np

from grambench.common.counts import counted
from grambench.report.charts import BLACK
from grambench.report.drawing import SMALL, fold
from grambench.report.figure_kind import FigureData, RankingFigure
from grambench.report.lazy import Axes, Canvas

ROW = 0.14  # inches of an algorithm
LEVEL = 0.09  # inches from one bar to the next
Bar = tuple[float, float]


class CriticalDifferenceFigure(RankingFigure):
    """Mean ranks, a row for each algorithm; bars join algorithms that cannot be told apart over the data sets."""

    kind: Literal["critical_difference"]
    about_runs: ClassVar[str] = "Ranks of means of {runs} a data set"

    def draw(self, data: FigureData) -> Canvas:
        """Draw a dot for each mean rank, the lowest on top, and the bars on the right."""
        from matplotlib.figure import Figure

        from grambench.results.statistics import BEST_LEVEL, friedman, groups_alike

        results, ranking = data.results, self.ranking(data.results)
        names = ranking.names
        if len(ranking.ranks) < 2 or len(names) < 2:
            return self.empty(data, "two algorithms with results on two data sets are needed")
        votes = results.votes(names, self.metrics[0], ranking.ranks.index)
        statistic, p_value = friedman(votes)
        groups = groups_alike(votes)
        levels = _levels([(names.index(group[0]) - 0.3, names.index(group[-1]) + 0.3) for group in groups])
        canvas = Figure(figsize=(data.width, 0.8 + ROW * len(names)), layout="constrained")
        beside = LEVEL * (len(levels) + 1)
        axes, margin = canvas.subplots(1, 2, sharey=True, width_ratios=[data.width - beside, beside])
        _draw_ranks(axes, data, {name: float(ranking.ranks[name].mean()) for name in names})
        margin.set_axis_off()
        margin.set_xlim(0.0, len(levels) + 1.0)
        for number, bars in enumerate(levels, start=1):
            for bar in bars:
                margin.plot([number, number], bar, color=BLACK, linewidth=2.6, solid_capstyle="butt")
        untested = "Two algorithms" if len(names) == 2 else "Friedman: no test"
        test = f"Friedman: χ² = {statistic:.1f}, p = {p_value:.1g}" if np.isfinite(p_value) else untested
        level = f"{100 * BEST_LEVEL:g}\u00a0%"
        remark = f"Friedman or Wilcoxon with Holm finds no difference at {level}, which shows none to be equal"
        is_grouped = len(votes) < len(ranking.ranks)
        together = f", one vote for each of {counted(len(votes), 'collection')}" * is_grouped
        # the least p-value, of differences of one sign, and the level that Holm's method compares it with
        few = 2.0 ** (1 - len(votes)) >= BEST_LEVEL / math.comb(len(names), 2)
        too_few = f". So few cannot tell any two of {len(names)} apart by Wilcoxon's test" * few
        text = f"Mean rank on {ranking.basis}. {test}{together}; bars: {remark}{too_few}"
        canvas.supxlabel(fold(text, 1.1 * data.width), fontsize=SMALL)
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


def _draw_ranks(axes: Axes, data: FigureData, ranks: dict[str, float]) -> None:
    """Draw a dot for each mean rank with its number; a reader's own algorithm is a star with a bold name."""
    from matplotlib.ticker import MaxNLocator

    for row, (name, rank) in enumerate(ranks.items()):
        mark, size = ("*", 9.0) if data.is_own(name) else ("o", 4.5)
        axes.plot([rank], [row], mark, color=data.colour(name), markersize=size)
        axes.annotate(f"{rank:.1f}", (rank, row), xytext=(6, 0), textcoords="offset points", va="center", fontsize=6.5)
    data.name_rows(axes, list(ranks))
    axes.set_ylim(len(ranks) - 0.4, -0.6)
    axes.set_xlim(min(ranks.values()) - 0.5, max(ranks.values()) + 1.5)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
