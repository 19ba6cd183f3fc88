"""The numbers that tables are made of: how a cell gets our value and the published one, and what is said beneath."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from grambench.algorithms import resolved
from grambench.algorithms.settings import GAP, gap_missed
from grambench.config.metrics import METRICS
from grambench.config.shown import AnyTable
from grambench.report.cells import ABSENT, NO_RESULT, TableCell
from grambench.report.lazy import Comparison
from grambench.report.table_kind import CELLS
from grambench.results.characteristics import Prepared
from grambench.results.columns import ALL
from grambench.results.statistics import BEST_LEVEL, Sample, printed
from grambench.results.study import Results

NOTHING = Sample(np.nan, np.nan, 0)
METRIC_TITLES = {name: metric.label for name, metric in METRICS.items()}


@dataclass(frozen=True, kw_only=True)
class TableData:
    """All that a table may look at.

    Attributes
    ----------
    results : Results
        The results of the study.
    prepared : dict
        The data sets as loaded.
    reproduction : dict
        The rows of reproduction.csv, see `grambench.report.tables.comparison`.
    """

    results: Results
    prepared: Prepared
    reproduction: Comparison

    def titles(self, names: Iterable[str]) -> list[str]:
        """Return the titles of some entries."""
        return [self.results.title(name) for name in names]

    def cell(
        self,
        key: tuple[str, str, str, str],
        *,
        deviations: bool = True,
        ours: Sample | None = None,
    ) -> TableCell:
        """Return the cell of an item, data set, algorithm and metric: our value and the published one, if any.

        `ours` replaces the mean of the cell's runs if nothing is published. Without `deviations` only means are shown.
        """
        _, dataset, algorithm, metric = key
        results, row = self.results, self.reproduction.get(key)
        verdict = "" if row is None else str(row["verdict"])
        status = results.cell(dataset, algorithm).status
        absent = NO_RESULT if status in ("", "ok") else status  # a run may lack the number
        if METRICS[metric].named:
            text = results.listed(dataset, algorithm, metric)
            published = "" if row is None else str(row["published"])
            return TableCell(
                text=text, published=published, status="" if text else absent, verdict=verdict, key=key[1:]
            )
        if row is None:
            ours, theirs = ours or results.sample(dataset, algorithm, metric), NOTHING
        else:
            ours = Sample(float(row["ours_mean"]), float(row["ours_std"]), int(row["runs"]))
            theirs = Sample(float(row["published_mean"]), float(row["published_std"]), 0)
        if not deviations:
            ours, theirs = ours._replace(std=np.nan), theirs._replace(std=np.nan)
        return TableCell(
            text=printed(ours, metric, dataset, fine=True) if ours.runs else "",
            published=printed(theirs, metric, dataset) if np.isfinite(theirs.mean) else "",
            status="" if ours.runs else absent,
            verdict=verdict,
            speed_up=float(row["speed_up"]) if row is not None and row["speed_up"] > 0 else None,
            numbers=(ours, theirs),
            orders=results.cell(dataset, algorithm).orders,
            key=key[1:],
        )

    def frame(self, cells: Iterable[TableCell], titles: Mapping[str, str] = METRIC_TITLES) -> pd.DataFrame:
        """Return cells as CELLS declares them, with the titles of what they measure."""
        rows = []
        for cell in cells:
            dataset, algorithm, metric = cell.key or ("", "", "")
            ours, published = cell.numbers or (NOTHING, NOTHING)
            of_dataset, has_number = dataset != ALL, bool(cell.text)
            status = self.results.cell(dataset, algorithm).status if of_dataset else ""
            rows.append(
                {
                    **{name: getattr(cell, name) for name in ("orders", "best", "verdict", "speed_up", "published")},
                    "dataset": dataset,
                    "algorithm": algorithm,
                    "metric": metric,
                    "algorithm_title": self.results.title(algorithm),
                    "metric_title": titles[metric],
                    "ours_mean": ours.mean,
                    "ours_std": ours.std,
                    "runs": ours.runs,
                    "published_mean": published.mean,
                    "published_std": published.std,
                    "ours": cell.text,
                    "status": "ok" if has_number else status,
                    "reason": self.results.missing(dataset, algorithm) if of_dataset and not has_number else "",
                }
            )
        return CELLS.frame(rows)

    def datasets(self, table: AnyTable) -> list[str]:
        """Return the data sets of the published table; all of the study if nothing is published."""
        published = dict.fromkeys(dataset for item, dataset, *_ in self.reproduction if item == table.title)
        return list(published) or self.results.study.datasets

    def failures(self, datasets: Iterable[str], algorithms: Iterable[str]) -> list[str]:
        """Return a remark on each failed run, and on each configuration whose fits stopped short of the gap asked for.

        The head of a block says that a data set is unavailable.
        """
        results, datasets, names = self.results, list(datasets), list(algorithms)
        remarks = [
            f"{results.title(name)} on {dataset}: {results.missing(dataset, name)}."
            for dataset in datasets
            for name in names
            if results.cell(dataset, name).status not in ("ok", "", "unavailable")
        ]
        for name in filter(results.study.algorithms.__contains__, names):
            settings = resolved(results.study.file(name), dict(results.study.algorithms[name].parameters))
            gaps = np.concatenate([np.zeros(0), *(results.values(dataset, name, "gap") for dataset in datasets)])
            if (missed := gaps[gap_missed(gaps, settings)]).size:
                text = f"{missed.size} of {gaps.size} fits stopped short of a gap of {settings.get('gap', GAP):g}"
                remarks.append(f"{results.title(name)}: {text}, with a certified gap of up to {missed.max():.2g}.")
        return remarks

    def absences(self, datasets: Iterable[str], algorithms: Iterable[str]) -> list[str]:
        """Return the remarks on cells without a number: what a dash means, and which runs failed."""
        datasets, names = list(datasets), list(algorithms)
        is_whole = all(self.results.cell(dataset, name).status for dataset in datasets for name in names)
        return [*[ABSENT] * (not is_whole), *self.failures(datasets, names)]

    def about_bold(self, metrics: list[str]) -> str:
        """Return the remark on what is set in bold."""
        superlatives = {None: "best", "higher": "highest", "lower": "lowest"}
        bests = ", ".join(
            f"the {superlatives[METRICS[name].better]} mean"
            + (f" of {METRICS[name].label}" if len(metrics) > 1 else "")
            for name in metrics
        )
        protocol, level = self.results.study.protocol, f"{100 * BEST_LEVEL:g} %"
        tested = f", and all that {protocol.test} at the {level} level does not distinguish from it"
        return f"Bold: {bests}{tested * (protocol.repetitions > 1)}."  # there is no test of single runs
