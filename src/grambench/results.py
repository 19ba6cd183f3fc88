"""The results of one study in memory, as `collect` left them: what tables, figures, claims and verdicts look at."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from grambench import algorithms
from grambench.config.study import Study
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.kernels import Kernel
from grambench.statistics import Sample

EXPERTS = "omkc_dd"  # updates every kernel at each of its mistakes, so that its updates are their mistakes
NOT_PART = "not part of this run"
NO_VALUES: NDArray[np.float64] = np.zeros(0)


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
        """Read the two tables of `collect`."""
        texts = {"reason": str, "sweep": str, "orders": str}
        return cls(study, pd.read_parquet(runs), pd.read_csv(cells, keep_default_na=False, dtype=texts))

    @cached_property
    def _plain(self) -> dict[tuple[str, str, str], NDArray[np.float64]]:
        plain = self.runs[self.runs["sweep"] == ""].sort_values("repeat")
        grouped = plain.groupby(["dataset", "algorithm", "metric"])["result"]
        return {(str(d), str(a), str(m)): values.to_numpy(np.float64) for (d, a, m), values in grouped}

    @cached_property
    def _cells(self) -> dict[tuple[str, str], tuple[str, str, str]]:
        plain = self.cells[self.cells["sweep"] == ""]
        columns = (plain[name].astype(str) for name in ("dataset", "algorithm", "status", "reason", "orders"))
        return {(d, a): (status, reason, orders) for d, a, status, reason, orders in zip(*columns, strict=True)}

    def values(self, dataset: str, algorithm: str, metric: str) -> NDArray[np.float64]:
        """Return one value for each run, in the order of the repeats; none where the cell has no result."""
        return self._plain.get((dataset, algorithm, metric), NO_VALUES)

    def sample(self, dataset: str, algorithm: str, metric: str) -> Sample:
        """Return mean, standard deviation and number of runs of a cell."""
        return Sample.of(self.values(dataset, algorithm, metric))

    def orders(self, dataset: str, algorithm: str) -> str:
        """Return "published" or "seeded", or nothing where the cell has no result."""
        return self._cells.get((dataset, algorithm), ("", "", ""))[2]

    def status(self, dataset: str, algorithm: str) -> str:
        """Return the status of a cell's record, or nothing where the cell is not part of the run."""
        return self._cells.get((dataset, algorithm), ("", "", ""))[0]

    def missing(self, dataset: str, algorithm: str) -> str:
        """Return why a cell has no result, in one line; empty where it has one."""
        status, reason, _ = self._cells.get((dataset, algorithm), ("", NOT_PART, ""))
        if status == "ok":
            return ""
        return reason if status in ("", "unavailable") else f"{status}: {reason}"

    def swept(self, sweep: str, dataset: str, algorithm: str, metric: str) -> pd.DataFrame:
        """Return a row for each value of a sweep (sorted, the index) and a column for each repeat."""
        runs = self.runs
        chosen = runs[
            (runs["sweep"] == sweep)
            & (runs["dataset"] == dataset)
            & (runs["algorithm"] == algorithm)
            & (runs["metric"] == metric)
        ]
        return chosen.pivot(index="value", columns="repeat", values="result").sort_index()

    def best_kernels(self, dataset: str) -> list[str]:
        """Return the kernel whose own classifier makes the fewest mistakes over all runs; several in a tie."""
        names = [kernel.name for kernel in self.study.kernel_list()]
        mistakes = {name: self.values(dataset, EXPERTS, f"updates:{name}") for name in names}
        totals = {name: float(values.sum()) for name, values in mistakes.items() if values.size}
        return [name for name, total in totals.items() if total == min(totals.values())]


Prepared = dict[str, PreparedDataset | Unavailable]


def title(algorithm: str) -> str:
    """Return an algorithm's name as the tables print it; its own name where it is not registered."""
    return algorithms.title(algorithm) if algorithm in algorithms.names() else algorithm


def kernel_title(name: str) -> str:
    """Return a kernel's name for people, such as "gaussian σ = 0.5"."""
    kernel = Kernel.parse(name)
    symbol = {"gaussian": "σ", "polynomial": "p"}.get(kernel.family, "parameter")
    return f"{kernel.family} {symbol} = {kernel.parameter:g}"
