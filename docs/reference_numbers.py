"""What pages say of the reference results: verdicts by study, and how configurations of a leaderboard compare."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from page_parts import Verdicts, points

from grambench import claims
from grambench.claims.leaderboard import LEARNED, UNIFORM
from grambench.common import layout
from grambench.config.project import Configuration
from grambench.report.study_page import JUDGED
from grambench.results import archive, reproduction
from grambench.results.statistics import BEST_LEVEL, HarmAndGain
from grambench.results.study import Results

ROOT = Path(__file__).parents[1]
ACCURACY = "accuracy_percent"
FIT_SECONDS = "fit_seconds"


class Board(NamedTuple):
    """A leaderboard of the archive, or a part of its data sets, by accuracy or another metric."""

    results: Results
    datasets: list[str]
    metric: str = ACCURACY

    def compare(self, first: str, second: str) -> HarmAndGain:
        """Return how one configuration does beside another one."""
        compared = self.results.compare(first, second, self.metric, self.datasets)
        assert compared
        return compared

    def ahead(self, first: str, second: str = UNIFORM, *, best_of: int = 1, plus: bool = False) -> list[str]:
        """Return by how many points one configuration is ahead of another one, and the ends of the interval."""
        mean = self.compare(first, second).mean
        numbers = mean.value, *mean.interval(BEST_LEVEL / best_of)
        return [points(number, plus=plus) for number in numbers]

    def behind(self, first: str, second: str = UNIFORM) -> list[str]:
        """Return by how many points one configuration is behind another one, and the ends of the interval."""
        return self.ahead(second, first)

    def most(self, first: str, second: str = UNIFORM) -> str:
        """Return by how many points one configuration may be ahead at most, with two decimals: close to a point."""
        return points(self.compare(first, second).mean.interval(BEST_LEVEL)[1], decimals=2)

    def median(self, first: str, second: str = UNIFORM) -> str:
        """Return by how many points one configuration is ahead of another one on the median collection."""
        votes = self.results.votes([first, second], self.metric, self.datasets)
        return points(float((votes[first] - votes[second]).median()))

    def best(self, names: Iterable[str], rival: str = UNIFORM) -> str:
        """Return the configuration that is furthest ahead of a rival by its mean."""
        return max(names, key=lambda name: self.compare(name, rival).mean.value)

    def not_ahead(self, names: Iterable[str], rival: str = UNIFORM) -> list[str]:
        """Return the configurations that are shown not to be a point ahead of a rival."""
        return [name for name in names if self.compare(name, rival).not_better()]

    def lead(self, name: str, dataset: str) -> float:
        """Return by how many points a configuration is ahead of equal weights on a data set."""
        means = (self.results.values(dataset, each, ACCURACY).mean() for each in (name, UNIFORM))
        return float(np.subtract(*means))

    def collections(self) -> set[str]:
        """Return the collections that the data sets are from, each of which has one vote."""
        return {self.results.study.collection(name) for name in self.datasets}

    def accuracy(self, name: str, dataset: str) -> str:
        """Return the mean accuracy of a configuration on a data set."""
        return points(float(self.results.values(dataset, name, ACCURACY).mean()))


@cache
def results_of(study: str) -> Results:
    """Return the results of a study of the archive."""
    settings = Configuration(ROOT / "config").study(study)
    return Results.read(settings, archive.path_of(study, layout.RUNS), archive.path_of(study, layout.CELLS))


@cache
def claims_of(study: str) -> pd.DataFrame:
    """Return the claims of a study of the archive as `claims.csv` has them."""
    evidence = claims.Evidence(results_of(study), pd.read_parquet(archive.path_of(study, layout.CURVES)))
    return claims.table(study, evidence, claims.read_chances(ROOT / layout.CHANCES, study))


def verdicts(study: str) -> Verdicts:
    """Return the verdicts of the claims of a study of the archive."""
    return Verdicts(dict(zip(*claims_of(study)[["claim", "verdict"]].astype(str).T.to_numpy(), strict=True)))


@cache
def reproduced(study: str, *metrics: str, variants: bool = False, judged: Sequence[str] = JUDGED) -> pd.DataFrame:
    """Return the published values of metrics with some verdicts beside a study of the archive, once, or by variants."""
    found = _reproduced(study)
    found = found[found["metric"].isin(metrics) & found["verdict"].isin(judged)]
    return found if variants else reproduction.primary(found)


@cache
def _reproduced(study: str) -> pd.DataFrame:
    files = results_of(study).study.published
    assert files
    published = {name: ROOT / "config/published" / name for name in files.files()}
    again = ROOT / f"config/replications/{study}.csv"
    shipped = again if again.exists() else None
    found = reproduction.table(results_of(study), archive.read_prepared(study), published, shipped)
    return found[found["algorithm"] != ""]


def counted(found: pd.DataFrame) -> list[str]:
    """Return how many of the values that `reproduced` gives are exact, confirmed, compatible and different."""
    counts = found["verdict"].value_counts()
    return [str(counts.get(verdict, 0)) for verdict in JUDGED]


def learned(results: Results) -> list[str]:
    """Return the learned combinations of a board, by which its claims judge."""
    return [name for name in LEARNED if name in results.study.algorithms]


def rows_by_rank(results: Results, kinds: Sequence[Sequence[str]], columns: Sequence[Sequence[str]]) -> list[str]:
    """Return a row for each configuration: mean accuracies, mean ranks and seconds, best mean rank first.

    Parameters
    ----------
    results : Results
        The results of a board.
    kinds : sequence of sequences of str
        Data sets by kind: accuracy and rank are columns of each. Rows are sorted by the first; seconds are of it.
    columns : sequence of sequences of str
        Data sets of columns of accuracies that stand before them.
    """
    names = list(results.study.algorithms)
    means = results.means(names, ACCURACY)
    complete = [[name for name in names if means.loc[list(kind), name].notna().all()] for kind in kinds]
    ranks = [results.ranks(of, ACCURACY, kind).mean() for of, kind in zip(complete, kinds, strict=True)]
    seconds = np.exp(np.log(results.means(names, "seconds", kinds[0])).mean())
    rows = {}
    for name in names:
        numbers = [float(means.loc[list(column), name].mean()) for column in columns]
        for kind, of_kind in zip(kinds, ranks, strict=True):
            numbers += [float(means.loc[list(kind), name].mean()), float(of_kind.get(name, np.nan))]
        texts = ["–" if np.isnan(number) else f"{round(number, 9):.1f}" for number in numbers]
        rows[name] = f"| {' | '.join([results.title(name), *texts, f'{seconds[name]:.2g}'])} |"
    first = ranks[0].sort_values(kind="stable").index
    return [rows[name] for name in [*first, *(name for name in names if name not in first)]]
