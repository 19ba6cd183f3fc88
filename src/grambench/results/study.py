"""The results of one study in memory: what tables, figures, claims and verdicts are computed from."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from grambench import algorithms
from grambench.common.files import check
from grambench.common.types import Floats, Indices
from grambench.config.metrics import METRICS, WEIGHT
from grambench.config.protocols import RandomSplits
from grambench.config.study import Study
from grambench.kernels.functions import view_of
from grambench.results.collect import CELLS
from grambench.results.statistics import (
    BEST_LEVEL,
    Difference,
    HarmAndGain,
    Sample,
    best_set,
    harm_and_gain,
    resampled_difference,
    student,
)

NOT_PART = "not part of this run"
USUAL = ("accuracy_percent", "mistake_percent", "error_percent", "balanced_accuracy_percent")
NO_ROWS: Indices = np.arange(0)
EVERY = slice(None)
HALVES = {"even": slice(0, None, 2), "odd": slice(1, None, 2)}  # repetitions, counted from 0


def title_of(study: Study, configuration: str) -> str:
    """Return the title of a configuration in tables: the study's, or that of its algorithm."""
    return study.algorithms[configuration].title or algorithms.title(study.file(configuration))


class CellStatus(NamedTuple):
    """What cells.csv says of a data set, an algorithm and a sweep; empty if it is not part of the run."""

    status: str = ""
    reason: str = NOT_PART
    orders: str = ""
    random: str = ""
    identity: str = ""


class ViewEffect(NamedTuple):
    """The mean of a metric on a view alone, the lead of all views over it, and the change without the view."""

    alone: float
    lead: Difference
    change: Difference


@dataclass(frozen=True)
class Results:
    """Runs and failures of one study.

    Attributes
    ----------
    study : Study
        The study, its data sets restricted to those of the project.
    runs, cells : DataFrame
        runs.parquet and cells.csv.
    """

    study: Study
    runs: pd.DataFrame
    cells: pd.DataFrame

    @classmethod
    def read(cls, study: Study, runs: Path, cells: Path) -> "Results":
        """Read the two tables of `collect`; raise DataError where one was changed since."""
        return cls(study, pd.read_parquet(check(runs)), CELLS.read(check(cells)))

    @cached_property
    def _rows(self) -> dict[tuple[str, str, str], dict[str, Indices]]:
        """The rows of `runs` by sweep, data set and algorithm, then by metric, in the order of the repetitions."""
        repetitions = self.runs["repetition"].to_numpy()
        indices: dict[Any, Any] = dict(self.runs.groupby(["sweep", "dataset", "algorithm", "metric"]).indices)
        found: dict[tuple[str, str, str], dict[str, Indices]] = {}
        for (sweep, dataset, algorithm, metric), rows in sorted(indices.items(), key=lambda item: item[1][0]):
            in_order = rows[np.argsort(repetitions[rows], kind="stable")]
            found.setdefault((sweep, dataset, algorithm), {})[metric] = in_order
        return found

    @cached_property
    def _results(self) -> Floats:
        return self.runs["result"].to_numpy(np.float64)

    @cached_property
    def _samples(self) -> dict[tuple[str, ...], Sample]:
        """The samples that were asked for: the ranks of a board ask for each of them hundreds of times."""
        return {}

    def _plain(self, dataset: str, algorithm: str) -> dict[str, Floats]:
        """Return the values of all metrics of a cell, one for each repetition in their order."""
        return {metric: self._results[rows] for metric, rows in self._rows.get(("", dataset, algorithm), {}).items()}

    @cached_property
    def _cells(self) -> dict[tuple[str, ...], CellStatus]:
        # Tables of earlier versions have no column `random`.
        columns = ["dataset", "algorithm", "sweep", *CellStatus._fields]
        cells = self.cells.reindex(columns=columns, fill_value="").astype(str)
        return {tuple(row[:3]): CellStatus(*row[3:]) for row in cells.to_numpy()}

    def cell(self, dataset: str, algorithm: str, sweep: str = "") -> CellStatus:
        """Return what cells.csv says of a data set, an algorithm and a sweep."""
        return self._cells.get((dataset, algorithm, sweep), CellStatus())

    def title(self, algorithm: str) -> str:
        """Return the title of an algorithm in tables; its name if the study does not have it."""
        return title_of(self.study, algorithm) if algorithm in self.study.algorithms else algorithm

    def values(self, dataset: str, algorithm: str, metric: str) -> Floats:
        """Return one value for each repetition in their order; no values if the cell has no result."""
        return self._results[self._rows.get(("", dataset, algorithm), {}).get(metric, NO_ROWS)]

    def sample(self, dataset: str, algorithm: str, metric: str, repetitions: slice = EVERY) -> Sample:
        """Return mean, standard deviation and number of runs of a cell."""
        key = dataset, algorithm, metric, str(repetitions)  # a slice has no hash before Python 3.12
        if key not in self._samples:
            self._samples[key] = Sample.of(self.values(dataset, algorithm, metric)[repetitions])
        return self._samples[key]

    def seconds_ratio(self, dataset: str, algorithm: str, reference: str) -> Sample:
        """Return the mean seconds of an algorithm in percent of those of another one; they have no deviation."""
        ours, theirs = (self.sample(dataset, name, "seconds") for name in (algorithm, reference))
        return Sample(100 * ours.mean / theirs.mean, np.nan, min(ours.runs, theirs.runs))

    def listed(self, dataset: str, algorithm: str, metric: str) -> str:
        """Return all values of a metric whose values are names, in ascending order; one where all are the same."""
        values = sorted(int(value) for value in self.values(dataset, algorithm, metric))
        return ", ".join(map(str, values if len(set(values)) > 1 else values[:1]))

    def best(self, dataset: str, names: Iterable[str], metric: str) -> set[str]:
        """Return the algorithms of the best mean and those that the test of `p_value` at 5 % cannot tell from it."""
        return best_set(
            {name: self.sample(dataset, name, metric) for name in names},
            highest=METRICS[metric].better == "higher",
            test=lambda name, other: self.p_value(dataset, name, other, metric),
        )

    def p_value(self, dataset: str, first: str, second: str, metric: str) -> float:
        """Return the p-value of the t-test that the protocol asks for, which its attribute `test` has in words.

        Where the two do not have the same repetitions, it is Student's.
        """
        if self.study.protocol.paired and (difference := self.difference(dataset, first, second, metric)):
            return difference.p_value
        return student(self.sample(dataset, first, metric), self.sample(dataset, second, metric)).p_value

    def difference(
        self, dataset: str, first: str, second: str, metric: str, overlap: float | None = None
    ) -> Difference | None:
        """Return by how much the first algorithm's mean exceeds the second's, corrected for the overlap of splits.

        None where the two do not have the same repetitions. The overlap is that of the protocol unless it is given.
        """
        values = [self.values(dataset, name, metric) for name in (second, first)]
        if values[0].size != values[1].size:
            return None
        return resampled_difference(*values, overlap=self.study.overlap(dataset) if overlap is None else overlap)

    def compare(self, first: str, second: str, metric: str, datasets: Iterable[str] = ()) -> HarmAndGain | None:
        """Compare two algorithms over data sets, where both have at least two repetitions, the same ones.

        A collection has one vote, the mean over its data sets. As these may share examples, its error is the mean of
        their errors, and not less. None if there are fewer than two votes.
        """
        votes: dict[str, list[Difference]] = {}
        for dataset in datasets or self.study.datasets:
            difference = self.difference(dataset, first, second, metric)
            if difference and difference.freedom >= 1.0:
                votes.setdefault(self.study.collection(dataset), []).append(difference)
        if len(votes) < 2:
            return None
        sign = 1.0 if METRICS[metric].better == "higher" else -1.0
        rows = [np.array(vote).T for vote in votes.values()]
        return harm_and_gain(
            tuple(Difference(sign * float(row[0].mean()), float(row[1].mean()), float(row[2].min())) for row in rows)
        )

    def ran(self, column: str) -> list[str]:
        """Return the algorithms or the data sets of the plain runs: in the order of the study, then any others."""
        names = list(map(str, self.cells[self.cells["sweep"] == ""][column].unique()))
        in_order = [*(self.study.algorithms if column == "algorithm" else self.study.datasets)]
        return sorted(names, key=lambda name: in_order.index(name) if name in in_order else len(in_order))

    def main_metric(self) -> str:
        """Return the metric by which the study judges first; empty where it has none."""
        candidates = [metric for table in self.study.tables.values() for metric in table.judged()]
        measured = set(map(str, self.runs["metric"].unique()))
        return next((metric for metric in [*candidates, *USUAL] if metric in measured), "")

    def duel(self, first: str, second: str, metric: str) -> tuple[int, int, int]:
        """Return on how many data sets one algorithm wins, ties and loses against another, where both have a result.

        It wins where its mean is better and the test of `p_value` tells the two apart at 5 %, else it ties.
        """
        sign, counts = (1.0 if METRICS[metric].better == "higher" else -1.0), [0, 0, 0]
        for dataset in self.study.datasets:
            one, other = (self.sample(dataset, name, metric) for name in (first, second))
            if one.runs and other.runs:
                lead = sign * (one.mean - other.mean)
                different = lead != 0.0 and self.p_value(dataset, first, second, metric) < BEST_LEVEL
                counts[1 if not different else 0 if lead > 0.0 else 2] += 1
        wins, ties, losses = counts
        return wins, ties, losses

    def deterministic(self, dataset: str, algorithm: str) -> bool:
        """Return whether nothing was left to chance: published orders, and no fit that drew a random number."""
        cell = self.cell(dataset, algorithm)
        return (cell.orders, cell.random) == ("published", "no")

    def missing(self, dataset: str, algorithm: str) -> str:
        """Return why a cell has no result, in one line; empty if it has one."""
        cell = self.cell(dataset, algorithm)
        if cell.status == "ok":
            return ""
        return cell.reason if cell.status in ("", "unavailable") else f"{cell.status}: {cell.reason}"

    def swept(self, sweep: str, dataset: str, algorithm: str, metric: str) -> pd.DataFrame:
        """Return a row for each value of a sweep (sorted, the index) and a column for each repetition.

        Plain runs have all kernels and all training examples: they are the last point of a sweep over sizes.
        """
        rows = self._rows.get((sweep, dataset, algorithm), {}).get(metric, NO_ROWS)
        # a row of all columns takes long: those of names are read in chunks
        runs: pd.DataFrame = self.runs[["value", "repetition", "result"]].iloc[rows]
        table = runs.pivot(index="value", columns="repetition", values="result").sort_index()
        plain, size = self.values(dataset, algorithm, metric), getattr(self.study.sweeps.get(sweep), "of", "")
        total = self.study.size(size, dataset)
        if total and len(table) and total > table.index[-1] and len(plain) == table.shape[1]:
            table.loc[total] = plain
        return table

    def lead(
        self, dataset: str, first: str, second: str, metric: str, *, n: int, level: float = BEST_LEVEL
    ) -> tuple[float, float, float] | None:
        """Return by how much the first algorithm's mean exceeds the second's, and the ends of the interval.

        The interval, of 95 % by default, is that of the corrected resampled t-test (`resampled_difference`), for splits
        of a data set of n examples and a metric in percent of the test examples. It is at least as wide as if the two
        differed in one test example of one split: equal results do not show that all others are equal. None where the
        two do not have the same repetitions, at least two, or the protocol has no random splits.
        """
        difference = self.difference(dataset, first, second, metric, self.study.protocol.overlap(dataset, n))
        if not difference or not difference.freedom > 0.0 or not isinstance(self.study.protocol, RandomSplits):
            return None
        return difference.value, *self._widened(difference, dataset, n).interval(level)

    def _widened(self, difference: Difference, dataset: str, n: int) -> Difference:
        """Return a difference over splits with at least the error of one test example in one split; see `lead`."""
        protocol = self.study.protocol
        assert isinstance(protocol, RandomSplits)
        one_example = 100.0 / protocol.counts(dataset, n)[2] * np.eye(1, protocol.repetitions)[0]
        overlap = protocol.overlap(dataset, n)
        least = resampled_difference(np.zeros_like(one_example), one_example, overlap=overlap)
        return difference._replace(error=max(difference.error, least.error))

    def view_shares(self, dataset: str, algorithm: str) -> pd.DataFrame:
        """Return the share of each view in the weights of a plain run, a row for each repetition.

        It is empty where the run has no weights of kernels, and NaN where all of them are 0.
        """
        plain = self._plain(dataset, algorithm)
        weights = {name.removeprefix(WEIGHT): values for name, values in plain.items() if name.startswith(WEIGHT)}
        views = pd.DataFrame(weights).T.groupby(view_of, sort=False).sum().T
        return views.div(views.sum(axis="columns").replace(0.0, np.nan), axis="index")

    def view_effects(self, dataset: str, alone: str, without: str, metric: str, n: int = 0) -> dict[int, ViewEffect]:
        """Return what a metric says of each view, by the number of the view from 1.

        The two sweeps are of kind `view` and of one configuration. A view without both is left out. With the
        number n of the data set's examples, intervals have the least width that those of `lead` have.
        """
        (entry,) = self.study.sweeps[alone].algorithms
        single, rest = (self.swept(sweep, dataset, entry, metric) for sweep in (alone, without))
        whole = self.values(dataset, entry, metric)
        return {
            int(number): ViewEffect(
                float(single.loc[number].mean()),
                self.difference_of_splits(dataset, single.loc[number], whole, n),
                self.difference_of_splits(dataset, whole, rest.loc[number], n),
            )
            for number in single.index.intersection(rest.index)
        }

    def difference_of_splits(self, dataset: str, first: Floats, second: Floats, n: int = 0) -> Difference:
        """Return by how much the second values, one a split, exceed the first; with n, see `view_effects`."""
        found = resampled_difference(first, second, overlap=self.study.protocol.overlap(dataset, n))
        return self._widened(found, dataset, n) if n else found

    def by_kernel(self, sweep: str, dataset: str, algorithm: str, metric: str) -> pd.Series:
        """Return the mean of a metric for each kernel of the study by its name, from a sweep over `kernel`.

        It is empty where the sweep was not run.
        """
        names = [kernel.name for kernel in self.study.kernel_list()]
        means = self.swept(sweep, dataset, algorithm, metric).mean(axis="columns")
        return pd.Series(means.to_numpy(), index=[names[int(number)] for number in means.index], dtype=np.float64)

    def kernels(self, dataset: str, algorithm: str) -> Floats:
        """Return parameters and weights (2, k) of the kernels of a continuous family found in all runs of a cell.

        It is empty if a kernel has one parameter a feature.
        """
        plain = self._plain(dataset, algorithm)
        numbers = [metric.removeprefix("parameter:") for metric in plain if metric.startswith("parameter:")]
        values = [[plain[f"{name}:{number}"] for number in numbers] for name in ("parameter", "weight")]
        kernels = np.array(values).reshape(2, -1)
        return kernels[:, np.isfinite(kernels).all(axis=0)]

    def means(
        self, names: Iterable[str], metric: str, datasets: Iterable[str] = (), repetitions: slice = EVERY
    ) -> pd.DataFrame:
        """Return means over the runs, a row for each data set and a column for each algorithm; NaN without a result.

        The data sets are those of the study if none is named.
        """
        index = list(datasets) or self.study.datasets
        rows = {}
        for name in names:
            rows[name] = [self.sample(dataset, name, metric, repetitions).mean for dataset in index]
        return pd.DataFrame(rows, index=index)

    def votes(self, names: Iterable[str], metric: str, datasets: Iterable[str] = ()) -> pd.DataFrame:
        """Return the means for a test over data sets: `means`, of which those of one collection are one row."""
        return self.means(names, metric, datasets).groupby(self.study.collection, sort=False).mean()

    def moved_by_pool(
        self, names: Sequence[str], pool: str, metric: str, datasets: Iterable[str] = ()
    ) -> tuple[pd.Series, pd.Series]:
        """Return by how many points another pool moves the configurations, and other weights than those of the first.

        Both have a number for each collection: means over the configurations, and for weights over both pools too.

        Parameters
        ----------
        names : sequence of str
            Configurations on the study's kernels. On the other pool their names end in "_" and its name.
        pool : str
            The name of the other pool.
        metric : str
            The metric, in points.
        datasets : iterable of str
            The data sets; those of the study if none is named.
        """
        others = [f"{name}_{pool}" for name in names]
        pairs = [(name, same[0]) for same in (names, others) for name in same[1:]]
        moved = (self._moved(each, metric, datasets) for each in (list(zip(names, others, strict=True)), pairs))
        by_pool, by_weights = pd.concat(moved, axis="columns").dropna().T.to_numpy()
        return pd.Series(by_pool), pd.Series(by_weights)

    def _moved(self, pairs: Sequence[tuple[str, str]], metric: str, datasets: Iterable[str]) -> pd.Series:
        """Return the mean distance of two configurations over pairs, by collection; NaN without a result.

        Noise makes a distance larger than the true one. Each repetition therefore gives the difference, and the mean of
        all others its sign: of equal configurations it is 0 on average, if repetitions were independent.
        """
        names = list(dict.fromkeys(itertools.chain(*pairs)))
        runs = (slice(r, r + 1) for r in range(self.study.protocol.repetitions))
        means = [self.means(names, metric, datasets, run) for run in runs]
        first, second = ([pair[place] for pair in pairs] for place in (0, 1))
        differences = np.stack([each[first].to_numpy() - each[second].to_numpy() for each in means])
        # equal means may differ by the rounding of a sum, which must not decide the sign
        signs = np.sign((differences.sum(axis=0) - differences).round(9))
        distances = (signs * differences).mean(axis=(0, 2))
        return pd.Series(distances, means[0].index).groupby(self.study.collection, sort=False).mean()

    def draws(self, names: Sequence[str]) -> list[Floats]:
        """Return the errors of shared repetitions (r, a) for each data set on which all algorithms have a result."""
        draws = []
        for dataset in self.study.datasets:
            values = [self.values(dataset, name, "error_percent") for name in names]
            if runs := min((column.size for column in values), default=0):
                draws.append(np.column_stack([column[:runs] for column in values]))
        return draws

    def ranks(
        self,
        names: Iterable[str],
        metric: str = "error_percent",
        datasets: Iterable[str] = (),
        repetitions: slice = EVERY,
    ) -> pd.DataFrame:
        """Rank some algorithms by the mean of a metric, 1 for the best, ties by their mean rank.

        There is a row for each data set on which all of them have a result: a rank among fewer means something else.
        """
        # without any algorithm there is no data set either
        means = self.means(names, metric, datasets, repetitions).dropna().dropna(how="all").round(9)
        return means.rank(axis="columns", ascending=METRICS[metric].better != "higher")

    def half_ranks(self, names: Sequence[str], metric: str, datasets: Sequence[str] = ()) -> pd.DataFrame:
        """Return mean ranks by the `even` and by the `odd` repetitions, a row for each algorithm; NaN without both."""
        halves = {half: self.ranks(names, metric, datasets, part).mean() for half, part in HALVES.items()}
        return pd.DataFrame(halves, index=list(names))

    def behind(self, names: Iterable[str], metric: str, datasets: Iterable[str] = ()) -> pd.DataFrame:
        """Return how far the means of some algorithms are behind the best one on each data set, laid out as `means`."""
        means = self.means(names, metric, datasets)
        best = means.max(axis="columns") if METRICS[metric].better == "higher" else means.min(axis="columns")
        return means.sub(best, axis="index").abs()

    def with_results(self, names: Iterable[str], metric: str, datasets: Iterable[str] = ()) -> list[str]:
        """Return the algorithms that have a result; ranking any other would leave no data set to rank on."""
        means = self.means(names, metric, datasets)
        return [str(name) for name in means.columns[means.notna().any()]]

    def across(
        self,
        algorithm: str,
        metric: str,
        ranked: Iterable[str],
        by: str = "error_percent",
        datasets: Iterable[str] = (),
    ) -> Sample:
        """Return a number of all data sets together, and on how many of them it rests.

        A median or mean rank has no deviation and is NaN for an algorithm that is not `ranked`; algorithms are ranked
        `by` the mean of a metric. The rank change is how far apart its two `half_ranks` are. Seconds are a mean with
        its standard error, and any other metric is a mean. All are over `datasets`, or those of the study.
        """
        ranked, datasets = list(ranked), list(datasets)
        if metric in ("median_rank", "mean_rank", "rank_change"):
            ranks = self.ranks(ranked, by, datasets)
            if algorithm not in ranks or ranks.empty:
                return Sample(np.nan, np.nan, 0)
            if metric == "rank_change":
                halves = self.half_ranks(ranked, by, datasets).loc[algorithm]
                rank = abs(halves["even"] - halves["odd"])
            else:
                rank = ranks[algorithm].median() if metric == "median_rank" else ranks[algorithm].mean()
            return Sample(float(rank), np.nan, len(ranks) if np.isfinite(rank) else 0)
        sample = Sample.of(self.means([algorithm], metric, datasets)[algorithm].dropna())
        error = sample.std / np.sqrt(sample.runs) if metric == "seconds" and sample.runs else np.nan
        return sample._replace(std=float(error))

    def best_kernels(self, dataset: str) -> list[str]:
        """Return the kernel whose own classifier makes the fewest mistakes over all runs; several in a tie.

        The list is empty if the study has no `experts`.
        """
        names = [kernel.name for kernel in self.study.kernel_list()]
        mistakes = {name: self.values(dataset, self.study.experts or "", f"updates:{name}") for name in names}
        totals = {name: float(values.sum()) for name, values in mistakes.items() if values.size}
        return [name for name, total in totals.items() if total == min(totals.values())]
