"""What a page is, and what the report shows of one study, from the files of the earlier steps."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import pandas as pd

from grambench.config.metrics import METRICS
from grambench.config.study import Study
from grambench.report import answer
from grambench.report.cells import TableContent
from grambench.report.lazy import Comparison
from grambench.results.characteristics import Characteristics, Prepared
from grambench.results.columns import ALL
from grambench.results.records import Record
from grambench.results.reproduction import primary
from grambench.results.study import NOT_PART, Results

WIDEST = 62.0  # rem of a figure
POINTS_PER_REM = 9.6
PAPER_TABLE = "tables/for-a-paper"  # no table of a study has hyphens in its name
NO_DATA = b'id="no-data"'  # in the file of a figure without data, see FigureKind.empty


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page: its name, its template, the title of the browser's tab, and the values that the template shows."""

    name: str
    template: str
    title: str
    values: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """One figure.

    Attributes
    ----------
    name, title, caption, alternative : str
        The name among the study's figures, the texts printed with it, and a text for readers who cannot see it.
    left_out : list of str
        Data sets without a panel.
    svg : bytes
        The figure as for papers, as wide as a page.
    downloads : dict of str
        The files to download by their titles, below the study's folder.
    chart : dict or None
        The numbers of the interactive figure, see grambench.report.charts; None if its kind has none.
    """

    name: str
    title: str
    caption: str
    alternative: str
    left_out: list[str]
    svg: bytes
    downloads: dict[str, str] = field(default_factory=dict)
    chart: dict[str, Any] | None = None

    @property
    def empty(self) -> bool:
        """Whether no data set of the figure has a result."""
        return NO_DATA in self.svg or (self.chart is not None and not self.chart["panels"])

    @property
    def width(self) -> float:
        """How wide the figure is shown at most, in rem: letters have the same size in all figures."""
        return round(points_of(self.svg) / POINTS_PER_REM, 1) or WIDEST


def points_of(svg: bytes) -> float:
    """Return the width of a figure in points; 0 if its file does not say."""
    width = re.search(rb'<svg [^>]*width="([\d.]+)pt"', svg)
    return float(width[1]) if width else 0.0


@dataclass(frozen=True, kw_only=True)
class StudyReport:
    """The contents of the page of one study.

    Attributes
    ----------
    results : Results
        The results of the study.
    whole : Study
        The study with all its data sets.
    earlier : str
        The remark on a study that was not part of the last run; empty for one that was.
    prepared : dict
        The data sets as loaded.
    reproduction, all_claims : DataFrame
        reproduction.csv and claims.csv, empty texts for missing ones.
    comparison : dict
        The rows of reproduction.csv, see grambench.report.tables.comparison.
    tables : dict of TableContent
        The tables by their names.
    figures : list of Picture
        The figures.
    files : dict of bytes
        The files for download: tables in three formats and CSV files, by their paths below the study's folder.
    records : dict of Record
        Every record by its path, without curves and confusion matrices.
    newest : datetime
        The time at which the newest record was written.
    archived : bool
        Whether the study is from the archive, which has no files of records.
    """

    results: Results
    whole: Study
    earlier: str
    prepared: Prepared
    reproduction: pd.DataFrame
    all_claims: pd.DataFrame
    comparison: Comparison
    tables: dict[str, TableContent]
    figures: list[Picture]
    files: dict[str, bytes]
    records: dict[str, Record]
    newest: datetime
    archived: bool = False

    @property
    def study(self) -> Study:
        """The study, its data sets restricted to those of the project."""
        return self.results.study

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"study-{self.study.name}"

    @property
    def ran(self) -> list[str]:
        """The configurations that are part of the run."""
        ran = set(self.results.cells["algorithm"])
        return [name for name in self.study.algorithms if name in ran]

    @property
    def failed(self) -> pd.DataFrame:
        """The cells whose runs failed, other than for lack of data."""
        cells = self.results.cells
        return cells[~cells["status"].isin(["ok", "unavailable"])]

    @cached_property
    def record_paths(self) -> dict[tuple[str, str], str]:
        """The path of the record of each plain run, by data set and configuration."""
        plain = self.results.cells[self.results.cells["sweep"] == ""]
        return {(row["dataset"], row["algorithm"]): str(row["record"]) for row in plain.to_dict("records")}

    @cached_property
    def answer(self) -> list[str]:
        """Whether kernels are worth combining, where a board was run on one data set as `grambench compare` does."""
        data = self.prepared.get(self.study.datasets[0]) if len(self.study.datasets) == 1 else None
        if not isinstance(data, Characteristics) or not set(answer.REQUIRED) <= self.whole.algorithms.keys():
            return []
        if not set(answer.REQUIRED).intersection(answer.able(self.whole, data.d)) <= set(self.ran):
            return []
        return answer.answer(self.whole, self.results, data.name, data.n, data.d)

    @property
    def claims(self) -> pd.DataFrame:
        """The claims; none of a comparison on one data set, which says nothing of those on many."""
        return self.all_claims[:0] if self.answer else self.all_claims

    @property
    def title(self) -> str:
        """The title of the study; of a comparison on one data set, its own."""
        return f"Comparison on {self.study.datasets[0]}" if self.answer else self.study.title

    @property
    def noun(self) -> str:
        """What the page calls its columns: "configurations" if the study has an algorithm twice, else "algorithms"."""
        files = list(map(self.whole.file, self.whole.algorithms))
        return "configurations" if len(set(files)) < len(files) else "algorithms"

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs, one unless the project's seed has changed between runs."""
        return sorted({int(r.settings["seed"]) for r in self.records.values() if r.settings.get("seed") is not None})

    @property
    def ranked(self) -> list[str]:
        """The configurations that are part of the run; of a board, those of them that it ranks."""
        return [name for name in self.ran if not self.study.takes_any_dataset or name in self.study.ranked]

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """The ranks of all algorithms with results by the main metric, a row for each data set; empty for fewer than 2.

        Data sets without a result of one of them are left out.
        """
        metric = self.results.main_metric()
        names = self.results.with_results(self.ranked, metric) if metric else []
        return self.results.ranks(names, metric) if len(names) > 1 else pd.DataFrame()

    @property
    def extent(self) -> tuple[tuple[int, int, str], ...]:
        """The numbers of data sets and of algorithms that are part of the run, and of all, each with its noun."""
        return (
            (len(self.study.datasets), len(self.whole.datasets), "data sets"),
            (len(self.ran), len(self.whole.algorithms), self.noun),
        )

    @property
    def partial(self) -> str:
        """How much of the study is part of the run, in words; empty for a whole study."""
        return " and ".join(f"{count} of {total} {noun}" for count, total, noun in self.extent if count < total)

    def numbers(self) -> pd.DataFrame:
        """Return the published numbers that this run reproduces, each once, and without variants of the paper.

        A number that is not part of the run is left out rather than counted as unavailable.
        """
        rows, cells = self.reproduction, self.results.cells
        ran = (rows["dataset"] + "/" + rows["algorithm"]).isin(cells["dataset"] + "/" + cells["algorithm"])
        of_dataset = rows["dataset"].isin(self.study.datasets) & ((rows["algorithm"] == "") | ran)
        of_all = (rows["dataset"] == ALL) & (rows["verdict"] != "unavailable")
        return primary(rows[(of_dataset | of_all) & (rows["reason"] != NOT_PART)])

    def achieved(self) -> pd.DataFrame:
        """Return the published numbers that are results of algorithms: low or high ones are best.

        Sizes of data sets, names of kernels and numbers of selected kernels are left out.
        """
        numbers = self.numbers()
        return numbers[numbers["metric"].isin([name for name, metric in METRICS.items() if metric.better])]

    @cached_property
    def compared(self) -> dict[tuple[str, str, str], pd.Series]:
        """The rows of reproduction.csv by data set, algorithm and metric; the first where several items have one."""
        return {key[1:]: row for key, row in reversed(self.comparison.items())}
