"""What the figures of many algorithms on many data sets share: the order by mean rank, and what it rests on."""

from dataclasses import dataclass

import pandas as pd

from grambench.config.shown import AnyField
from grambench.results.study import Results

NAMED = 4  # data sets that are left out and that there is room to name


@dataclass(frozen=True, kw_only=True)
class Field:
    """The algorithms of a figure that have any result, compared on its data sets.

    Attributes
    ----------
    names : list of str
        The algorithms, the one of the lowest mean rank first.
    datasets : list of str
        Those on which any of them has a result.
    ranks : DataFrame
        A row for each data set on which all of them have a result, a column an algorithm, in the same order.
    """

    names: list[str]
    datasets: list[str]
    ranks: pd.DataFrame

    @classmethod
    def of(cls, results: Results, figure: AnyField) -> "Field":
        """Rank the algorithms of a figure; where no data set has all of them, they go by what they lack on average."""
        (metric,) = figure.metrics
        behind = results.behind(figure.algorithms, metric, figure.datasets)
        behind = behind.dropna(axis="index", how="all").dropna(axis="columns", how="all")
        datasets = [str(name) for name in behind.index]
        names = [str(name) for name in behind.columns]
        ranks = results.ranks(names, metric, datasets) if datasets else behind
        order = ranks.mean() if len(ranks) else behind.mean()
        names.sort(key=lambda name: float(order[name]))
        return cls(names=names, datasets=datasets, ranks=ranks[names])

    @property
    def basis(self) -> str:
        """On how many data sets a comparison of all algorithms rests, in words."""
        without = [name for name in self.datasets if name not in self.ranks.index]
        text = f"{len(self.ranks)} of {len(self.datasets)} data sets"
        return f"{text}, without {', '.join(without)}" if 0 < len(without) <= NAMED else text
