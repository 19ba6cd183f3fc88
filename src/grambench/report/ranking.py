"""What the figures of many algorithms on many data sets share: the order by mean rank, and its basis."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grambench.config.names import Name, Names
from grambench.config.shown import OneMetric
from grambench.report.drawing import FigureKind

if TYPE_CHECKING:
    import pandas as pd

    from grambench.results.study import Results

NAMED = 4  # most data sets that are named where they are left out


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The algorithms of a figure that have any result, compared on its data sets.

    Attributes
    ----------
    names : list of str
        The algorithms, the one of the lowest mean rank first.
    datasets : list of str
        The data sets on which any of them has a result.
    ranks : DataFrame
        A row for each data set on which all of them have a result, a column for each algorithm, in the same order.
    """

    names: list[str]
    datasets: list[str]
    ranks: "pd.DataFrame"

    @property
    def basis(self) -> str:
        """The number of data sets behind a comparison of all algorithms, in words."""
        without = [name for name in self.datasets if name not in self.ranks.index]
        text = f"{len(self.ranks)} of {len(self.datasets)} data sets"
        return f"{text}, without {', '.join(without)}" if 0 < len(without) <= NAMED else text


class RankingFigure(FigureKind):
    """A figure of many algorithms on many data sets, by one metric; of all data sets if none is listed."""

    metrics: OneMetric
    algorithms: Names
    datasets: list[Name] = []

    def judged(self) -> list[str]:
        """Return the metrics whose best values the figure marks."""
        return self.metrics

    def ranking(self, results: "Results") -> Ranking:
        """Rank the algorithms, by their mean distance from the best if no data set has results of all of them."""
        (metric,) = self.metrics
        behind = results.behind(self.algorithms, metric, self.datasets)
        behind = behind.dropna(axis="index", how="all").dropna(axis="columns", how="all")
        datasets = [str(name) for name in behind.index]
        names = [str(name) for name in behind.columns]
        ranks = results.ranks(names, metric, datasets) if datasets else behind
        order = ranks.mean() if len(ranks) else behind.mean()
        names.sort(key=lambda name: float(order[name]))
        return Ranking(names=names, datasets=datasets, ranks=ranks[names])
