"""The results of one study in memory, as `collect` left them: what tables, figures, claims and verdicts look at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from grambench import algorithms
from grambench.common.files import check
from grambench.config.metrics import METRICS
from grambench.config.study import Study
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.kernels.functions import Kernel
from grambench.results.collect import CELLS
from grambench.results.statistics import BEST_LEVEL, Sample, best_set, paired, printed, student

NOT_PART = "not part of this run"
ALL = "all"  # in the place of a data set: all of a study together
NO_VALUES: NDArray[np.float64] = np.zeros(0)


def title_of(study: Study, entry: str) -> str:
    """Return the title of a configuration in tables: the study's, or that of its algorithm."""
    return study.algorithms[entry].title or algorithms.title(study.file(entry))


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
    def _plain(self) -> dict[tuple[str, str, str], NDArray[np.float64]]:
        plain = self.runs[self.runs["sweep"] == ""].sort_values("repetition")
        grouped = plain.groupby(["dataset", "algorithm", "metric"])["result"]
        return {(str(d), str(a), str(m)): values.to_numpy(np.float64) for (d, a, m), values in grouped}

    def identity(self, dataset: str, algorithm: str) -> str:
        """Return the identity of the record of a cell; empty if there is no record."""
        found = self.cells[(self.cells["dataset"] == dataset) & (self.cells["algorithm"] == algorithm)]
        found = found[found["sweep"] == ""]
        return str(found["identity"].iloc[0]) if len(found) else ""

    @cached_property
    def _cells(self) -> dict[tuple[str, ...], tuple[str, str, str, str]]:
        names = ["dataset", "algorithm", "sweep", "status", "reason", "orders", "random"]
        cells = self.cells.reindex(columns=names, fill_value="").astype(str)  # older ones do not tell of `random`
        return {tuple(row[:3]): tuple(row[3:]) for row in cells.to_numpy()}

    def _cell(self, dataset: str, algorithm: str, sweep: str = "") -> tuple[str, str, str, str]:
        return self._cells.get((dataset, algorithm, sweep), ("", NOT_PART, "", ""))

    def title(self, algorithm: str) -> str:
        """Return the title of an algorithm in tables; its name if the study does not have it."""
        return title_of(self.study, algorithm) if algorithm in self.study.algorithms else algorithm

    def values(self, dataset: str, algorithm: str, metric: str) -> NDArray[np.float64]:
        """Return one value for each repetition in their order; no values if the cell has no result."""
        return self._plain.get((dataset, algorithm, metric), NO_VALUES)

    def sample(self, dataset: str, algorithm: str, metric: str) -> Sample:
        """Return mean, standard deviation and number of runs of a cell."""
        return Sample.of(self.values(dataset, algorithm, metric))

    def listed(self, dataset: str, algorithm: str, metric: str) -> str:
        """Return all values of a metric whose values are names, in ascending order; one where all are the same."""
        values = sorted(int(value) for value in self.values(dataset, algorithm, metric))
        return ", ".join(map(str, values if len(set(values)) > 1 else values[:1]))

    def best(self, dataset: str, names: Iterable[str], metric: str) -> set[str]:
        """Return the algorithms of the best mean and those that a t-test at 5 % cannot tell from it.

        The protocol says whether the test compares the algorithms repetition by repetition; Student's does not.
        """
        samples = {name: self.sample(dataset, name, metric) for name in names}

        def test(name: str, other: str) -> float:
            return self.p_value(dataset, name, other, metric)

        return best_set(samples, highest=METRICS[metric].better == "higher", test=test)

    def p_value(self, dataset: str, first: str, second: str, metric: str) -> float:
        """Return the p-value of the t-test that the protocol asks for: on differences of repetitions, or Student's.

        Where the two do not have the same repetitions, it is Student's.
        """
        values = [self.values(dataset, name, metric) for name in (first, second)]
        if self.study.protocol.paired and values[0].size == values[1].size:
            return paired(*values)
        return student(self.sample(dataset, first, metric), self.sample(dataset, second, metric))

    def duel(self, first: str, second: str, metric: str) -> tuple[int, int, int]:
        """Return on how many data sets one algorithm wins, ties and loses against another, where both have a result.

        It wins where its mean is better and a t-test at 5 % tells the two apart, and ties where no test does.
        """
        sign, counts = (1.0 if METRICS[metric].better == "higher" else -1.0), [0, 0, 0]
        for dataset in self.study.datasets:
            own, other = (self.sample(dataset, name, metric) for name in (first, second))
            if own.runs and other.runs:
                lead = sign * (own.mean - other.mean)
                apart = lead != 0.0 and self.p_value(dataset, first, second, metric) < BEST_LEVEL
                counts[1 if not apart else 0 if lead > 0.0 else 2] += 1
        wins, ties, losses = counts
        return wins, ties, losses

    def orders(self, dataset: str, algorithm: str) -> str:
        """Return "published" or "seeded"; empty if the cell has no result."""
        return self._cell(dataset, algorithm)[2]

    def deterministic(self, dataset: str, algorithm: str) -> bool:
        """Return whether nothing was left to chance: published orders, and no fit that drew a random number."""
        return self._cell(dataset, algorithm)[2:] == ("published", "no")

    def status(self, dataset: str, algorithm: str, sweep: str = "") -> str:
        """Return the status of a cell's record; empty if the cell is not part of the run."""
        return self._cell(dataset, algorithm, sweep)[0]

    def missing(self, dataset: str, algorithm: str) -> str:
        """Return why a cell has no result, in one line; empty if it has one."""
        status, reason, *_ = self._cell(dataset, algorithm)
        if status == "ok":
            return ""
        return reason if status in ("", "unavailable") else f"{status}: {reason}"

    def swept(self, sweep: str, dataset: str, algorithm: str, metric: str) -> pd.DataFrame:
        """Return a row for each value of a sweep (sorted, the index) and a column for each repetition."""
        runs = self.runs
        chosen = runs[
            (runs["sweep"] == sweep)
            & (runs["dataset"] == dataset)
            & (runs["algorithm"] == algorithm)
            & (runs["metric"] == metric)
        ]
        return chosen.pivot(index="value", columns="repetition", values="result").sort_index()

    def by_kernel(self, sweep: str, dataset: str, algorithm: str, metric: str) -> pd.Series:
        """Return the mean of a metric for each kernel of the study by its name, as a sweep over `kernel` tells it.

        It is empty where the sweep was not run.
        """
        names = [kernel.name for kernel in self.study.kernel_list()]
        means = self.swept(sweep, dataset, algorithm, metric).mean(axis="columns")
        return pd.Series(means.to_numpy(), index=[names[int(number)] for number in means.index], dtype=np.float64)

    def kernels(self, dataset: str, algorithm: str) -> NDArray[np.float64]:
        """Return parameters and weights (2, k) of the kernels of a continuous family found in all runs of a cell.

        There are none where a kernel has one parameter a feature.
        """
        own = [name for *cell, name in self._plain if cell == [dataset, algorithm] and name.startswith("parameter:")]
        slots = [name.partition(":")[2] for name in own]
        parts = ("parameter", "weight")
        found = np.array([[self.values(dataset, algorithm, f"{part}:{slot}") for slot in slots] for part in parts])
        found = found.reshape(2, -1)
        return found[:, np.isfinite(found).all(axis=0)]

    def means(self, names: Iterable[str], metric: str, datasets: Iterable[str] = ()) -> pd.DataFrame:
        """Return means over the runs: a row for each data set, of the study where none is named, a column an algorithm.

        They are NaN where there is no result.
        """
        index = list(datasets) or self.study.datasets
        rows = {name: [self.sample(dataset, name, metric).mean for dataset in index] for name in names}
        return pd.DataFrame(rows, index=index)

    def draws(self, names: Sequence[str], metric: str = "error_percent") -> list[NDArray[np.float64]]:
        """Return shared repetitions by algorithms (r, a) for each data set on which all algorithms have a result."""
        found = ([self.values(dataset, name, metric) for name in names] for dataset in self.study.datasets)
        shared = ((values, min((each.size for each in values), default=0)) for values in found)
        return [np.column_stack([each[:runs] for each in values]) for values, runs in shared if runs]

    def ranks(self, names: Iterable[str], metric: str = "error_percent", datasets: Iterable[str] = ()) -> pd.DataFrame:
        """Rank some algorithms by the mean of a metric, 1 for the best, ties by their mean rank.

        There is a row for each data set on which all of them have a result: a rank among fewer means something else.
        """
        means = self.means(names, metric, datasets).dropna().round(9)
        return means.rank(axis="columns", ascending=METRICS[metric].better != "higher")

    def behind(self, names: Iterable[str], metric: str, datasets: Iterable[str] = ()) -> pd.DataFrame:
        """Return how far the means of some algorithms are behind the best one on each data set, laid out as `means`."""
        means = self.means(names, metric, datasets)
        if METRICS[metric].better == "higher":
            return means.rsub(means.max(axis="columns"), axis="index")
        return means.sub(means.min(axis="columns"), axis="index")

    def with_results(self, names: Iterable[str], metric: str) -> list[str]:
        """Return the algorithms that have any result: with others, no data set would be left to rank on."""
        means = self.means(names, metric)
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

        Of ranks it is their median or mean, without a deviation, NaN for an algorithm that is not `ranked`; they are
        ranked `by` the mean of a metric. Of seconds it is the mean with its standard error; of anything else the mean.
        All are over `datasets`, those of the study where none is named.
        """
        if metric in ("median_rank", "mean_rank"):
            ranks = self.ranks(ranked, by, datasets)
            if algorithm not in ranks or ranks.empty:
                return Sample(np.nan, np.nan, 0)
            own = ranks[algorithm]
            return Sample(float(own.median() if metric == "median_rank" else own.mean()), np.nan, len(own))
        sample = Sample.of(self.means([algorithm], metric, datasets)[algorithm].dropna())
        error = sample.std / np.sqrt(sample.runs) if metric == "seconds" and sample.runs else np.nan
        return sample._replace(std=float(error))

    def best_kernels(self, dataset: str) -> list[str]:
        """Return the kernel whose own classifier makes the fewest mistakes over all runs; several in a tie.

        There is none where the study has no `experts` to tell it.
        """
        names = [kernel.name for kernel in self.study.kernel_list()]
        mistakes = {name: self.values(dataset, self.study.experts or "", f"updates:{name}") for name in names}
        totals = {name: float(values.sum()) for name, values in mistakes.items() if values.size}
        return [name for name, total in totals.items() if total == min(totals.values())]


Prepared = dict[str, PreparedDataset | Unavailable]


def kernel_title(name: str) -> str:
    """Return a kernel's name for people, such as "gaussian σ = 0.5"."""
    return Kernel.parse(name).title


def formatted(sample: Sample, dataset: str, metric: str, *, fine: bool = False) -> str:
    """Return a number as tables print it; seconds of all data sets together have no decimals, as in CA's Table 2."""
    return printed(sample, metric, fine=fine, decimals=0 if dataset == ALL and metric == "seconds" else None)
