"""The page of one study, from the files of the earlier steps; the layout is in the folder `templates`."""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import pandas as pd

from grambench.config.metrics import METRICS
from grambench.config.study import Study
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.report.board import pair
from grambench.report.cells import NO_RESULT, TableCell, TableContent
from grambench.report.record import machine
from grambench.report.table_data import Comparison
from grambench.results.records import Record
from grambench.results.reproduction import VARIANTS, judged_by_replications
from grambench.results.study import ALL, NOT_PART, Prepared, Results
from grambench.results.verdicts import VERDICTS, normality

WIDEST = 62.0  # rem of a figure
POINTS_PER_REM = 9.6
SIGNS = {
    "exact": "=",
    "confirmed": "≈",
    "compatible": "~",
    "different": "≠",
    "speed-up": "∥",
    "unavailable": "–",
}
MEANINGS = {
    "exact": "mean and, where published, standard deviation print as published, and no test finds a difference",
    "confirmed": "no significant difference at 1 %, and its 99 % interval lies within the margin of the study",
    "compatible": "no significant difference at 1 %, but the interval is wider than the margin: the test is not sharp",
    "different": "a significant difference at 1 %; or not as printed, where nothing is left to chance",
    "speed-up": "seconds and their ratios, beside the published ones: not judged",
    "unavailable": "nothing to compare: a failed run, or unavailable data",
}
JUDGED = ("exact", "confirmed", "compatible", "different")
LABELS = {"unavailable": "without result", "contradicted": "inconsistent within the paper"}  # where they differ
CLAIM_SIGNS = {"holds": "✓", "fails": "✗", "contradicted": "⊥", "undecided": "?"}
PAPER_TABLE = "tables/for-a-paper"  # no table of a study has hyphens in its name
NO_DATA = b'id="no-data"'  # in the file of a figure without data, see grambench.report.drawing.empty
WORST = 5  # configurations that are named for fits that did not converge


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
    svg, column : bytes
        The figure as for papers, as wide as a page and as a column.
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
    column: bytes = b""
    downloads: dict[str, str] = field(default_factory=dict)
    chart: dict[str, Any] | None = None

    @property
    def address(self) -> str:
        """The figure as a data: address, so that the page needs no other file."""
        return _data_address(self.svg)

    @property
    def column_address(self) -> str:
        """The figure of a column as a data: address."""
        return _data_address(self.column)

    @property
    def empty(self) -> bool:
        """Whether no data set of the figure has a result."""
        return NO_DATA in self.svg or (self.chart is not None and not self.chart["panels"])

    @property
    def width(self) -> float:
        """How wide the figure is shown at most, in rem: letters have the same size in all figures."""
        return round(points_of(self.svg) / POINTS_PER_REM, 1) or WIDEST


def _data_address(svg: bytes) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")


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
    reproduction, claims : DataFrame
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
    """

    results: Results
    whole: Study
    earlier: str
    prepared: Prepared
    reproduction: pd.DataFrame
    claims: pd.DataFrame
    comparison: Comparison
    tables: dict[str, TableContent]
    figures: list[Picture]
    files: dict[str, bytes]
    records: dict[str, Record]
    newest: datetime

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

    @property
    def provenance(self) -> list[dict[str, Any]]:
        """The provenance of every record."""
        return [record.provenance for record in self.records.values()]

    @cached_property
    def record_paths(self) -> dict[tuple[str, str], str]:
        """The path of the record of each plain run, by data set and configuration."""
        plain = self.results.cells[self.results.cells["sweep"] == ""]
        return {(row["dataset"], row["algorithm"]): str(row["record"]) for row in plain.to_dict("records")}

    @property
    def noun(self) -> str:
        """What the page calls its columns: "configurations" if the study has an algorithm twice, else "algorithms"."""
        files = list(map(self.whole.file, self.whole.algorithms))
        return "configurations" if len(set(files)) < len(files) else "algorithms"

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs, one unless the project's seed has changed between runs."""
        return sorted({int(r.settings["seed"]) for r in self.records.values() if r.settings.get("seed") is not None})

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """The ranks of all algorithms with results by the main metric, a row for each data set; empty for fewer than 2.

        Data sets without a result of one of them are left out.
        """
        metric = self.main_metric()
        names = self.results.with_results(self.ran, metric) if metric else []
        return self.results.ranks(names, metric) if len(names) > 1 else pd.DataFrame()

    @property
    def partial(self) -> str:
        """How much of the study is part of the run, in words; empty for a whole study."""
        counts = (
            (self.study.datasets, self.whole.datasets, "data sets"),
            (self.ran, self.whole.algorithms, self.noun),
        )
        return " and ".join(
            f"{len(selected)} of {len(all_)} {noun}" for selected, all_, noun in counts if len(selected) < len(all_)
        )

    def numbers(self) -> pd.DataFrame:
        """Return the published numbers that this run reproduces, each once, and without variants of the paper.

        A number that is not part of the run is left out rather than counted as unavailable.
        """
        rows = self.reproduction
        ran = {(str(d), str(a)) for d, a in zip(self.results.cells["dataset"], self.results.cells["algorithm"])}  # noqa: B905
        in_run = [
            (dataset in self.study.datasets and (not name or (dataset, name) in ran))
            or (dataset == ALL and verdict != "unavailable")
            for dataset, name, verdict in zip(rows["dataset"], rows["algorithm"], rows["verdict"], strict=True)
        ]
        numbers = rows[pd.Series(in_run, index=rows.index, dtype=bool) & (rows["reason"] != NOT_PART)]
        primary = numbers[~numbers["item"].str.endswith(VARIANTS)]
        return primary.drop_duplicates(["dataset", "algorithm", "metric"])

    def achieved(self) -> pd.DataFrame:
        """Return the published numbers that are results of algorithms: low or high ones are best.

        Sizes of data sets, names of kernels and numbers of selected kernels are left out.
        """
        rows = self.numbers()
        is_result = [METRICS[str(metric)].better is not None for metric in rows["metric"]]
        return rows[pd.Series(is_result, index=rows.index, dtype=bool)]

    @cached_property
    def compared(self) -> dict[tuple[str, str, str], pd.Series]:
        """The rows of reproduction.csv by data set, algorithm and metric; the first where several items have one."""
        return {key[1:]: row for key, row in reversed(self.comparison.items())}

    def main_metric(self) -> str:
        """Return the metric by which the study judges first; empty where it has none."""
        return self.results.main_metric()


def facts(provenance: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the facts on where runs took place, each with its value, or all values with their numbers of records."""
    counts: dict[str, Counter[str]] = {}
    for of_record in provenance:
        for label, value in machine(of_record) if "versions" in of_record else ():
            counts.setdefault(label, Counter())[value] += 1
    return [(label, _values(counts)) for label, counts in counts.items()]


def _values(counts: Counter[str]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{value} ({count} records)" for value, count in counts.most_common())


def view(study: StudyReport) -> dict[str, Any]:
    """Return the values that the template of a study's page shows."""
    results, cells, numbers, achieved = study.results, study.results.cells, study.numbers(), study.achieved()
    # A leaderboard's first table has the algorithms as rows, the best first.
    ranks = {name for name, table in study.study.tables.items() if table.kind == "ranks" and pair(results)}
    names = sorted(study.tables, key=lambda name: name not in ranks)
    all_tables = [(name, *without_missing(study.tables[name])) for name in names]
    tables = [item for item in all_tables if item[1].blocks]
    # A claim without a number says that the file of the claims is faulty.
    hidden = (study.claims["verdict"] == "undecided") & (study.claims["claim"] != "") & bool(study.partial)
    claims = study.claims[~hidden]
    return {
        "plan": study.study,
        "report": study,
        "partial": study.partial,
        "bars": bars(numbers),
        "tables": tables,
        "paper_table": PAPER_TABLE if f"{PAPER_TABLE}.tex" in study.files else "",
        "main_metric": METRICS[metric].label if (metric := study.main_metric()) else "",
        "figures": [picture for picture in study.figures if not picture.empty],
        "without_data": [
            *(picture.title for picture in study.figures if picture.empty),
            *(table.title for _, table, _ in all_tables if not table.blocks),
        ],
        "cells": _details(study, [cell for _, table, _ in tables for cell in _all_cells(table)]),
        "counts": tally(numbers["verdict"], VERDICTS),
        "testing": _testing(achieved),
        "claim_counts": claim_counts(study.claims),
        "claims": [row | {"again": _percent(row["probability"])} for row in claims.to_dict("records")],
        "hidden_claims": int(hidden.sum()),
        "differences": differences(study),
        "speed_ups": _speed_ups(study),
        "fits": convergence(results),
        "runs": {"ok": int((cells["status"] == "ok").sum()), "failed": len(study.failed), "all": len(cells)},
        "failed": [row | {"title": results.title(str(row["algorithm"]))} for row in study.failed.to_dict("records")],
        "sources": [source(loaded) for loaded in study.prepared.values() if isinstance(loaded, PreparedDataset)],
        "unavailable": [loaded for loaded in study.prepared.values() if isinstance(loaded, Unavailable)],
        "outside": _outside(study),
        "files": [name for name in study.files if "/" not in name],
    }


def tally(values: pd.Series, names: Iterable[str]) -> dict[str, int]:
    """Return how often each of some names is among the values."""
    return {name: int((values == name).sum()) for name in names}


def claim_counts(claims: pd.DataFrame) -> dict[str, int]:
    """Return how many claims have each verdict, and how many could be decided."""
    counts = tally(claims["verdict"], CLAIM_SIGNS)
    return counts | {"decided": counts["holds"] + counts["fails"], "all": len(claims)}


def _testing(numbers: pd.DataFrame) -> dict[str, Any]:
    """Return how the verdicts of a study were reached: the number of tests, their power, and the numbers tested."""
    unfitted = numbers[numbers["chosen"] == ""]["verdict"]
    fitted = numbers[(numbers["chosen"] != "") & numbers["verdict"].isin(JUDGED)]
    compatible, different = (numbers[numbers["verdict"] == name] for name in ("compatible", "different"))
    return {
        "tests": int(numbers["p_value"].notna().sum()),
        "found": int(different["p_value"].notna().sum()),
        "misprinted": int(different["p_value"].isna().sum()),
        "normality": normality(judged_by_replications(numbers)["z"]),
        "fitted": len(fitted),
        "unfitted": tally(unfitted, JUDGED),
        "detectable": [
            (METRICS[str(metric)].label, float(rows["margin"].median()), float(rows["detectable"].median()))
            for metric, rows in compatible.groupby("metric", sort=False)
            if rows["detectable"].notna().any()
        ],
    }


def bars(numbers: pd.DataFrame) -> list[dict[str, Any]]:
    """Return for each metric the number of each verdict."""
    by_metric = []
    for metric, of_metric in numbers.groupby("metric", sort=False):
        counts, total = tally(of_metric["verdict"], VERDICTS), len(of_metric)
        parts = [(name, count) for name, count in counts.items() if count]
        by_metric.append({"label": METRICS[str(metric)].label, "total": total, "parts": parts})
    return by_metric


def without_missing(table: TableContent) -> tuple[TableContent, list[str]]:
    """Return a table without the data sets and algorithms that are not part of this run, and their names."""
    blocks, omitted = [], []
    for block in table.blocks:
        rows = [row for row in block.rows if any(map(_is_part_of_run, row.cells))]
        if rows or not block.dataset:
            omitted += [row.label for row in block.rows if row not in rows]
        else:
            omitted.append(block.dataset)
        if rows:
            blocks.append(replace(block, rows=rows))
    table = replace(table, blocks=blocks)
    if blocks:
        columns = zip(*(row.cells for block in blocks for row in block.rows), strict=True)
        in_run = [any(map(_is_part_of_run, cells)) for cells in columns]
        omitted += [title for title, part in zip(table.columns, in_run, strict=True) if not part]
        table = table.select_columns([number for number, part in enumerate(in_run) if part])
    if table.basis:
        table = replace(table, basis=without_missing(table.basis)[0])
    return table, list(dict.fromkeys(omitted))


def _all_cells(table: TableContent) -> Iterator[TableCell]:
    """Yield the cells of a table and of its basis."""
    yield from table.cells()
    if table.basis:
        yield from table.basis.cells()


def _is_part_of_run(cell: TableCell) -> bool:
    return bool(cell.text) or cell.status != NO_RESULT


def _details(study: StudyReport, cells: Iterable[TableCell]) -> dict[str, dict[str, Any]]:
    """Return further facts on each cell of the tables, by data set, algorithm and metric."""
    results, details = study.results, {}
    for cell in cells:
        if cell.key is None or "|".join(cell.key) in details:
            continue
        dataset, algorithm, _ = cell.key
        ours = cell.numbers[0] if cell.numbers else None
        row = study.compared.get(cell.key)
        record, reason = study.record_paths.get((dataset, algorithm), ""), results.missing(dataset, algorithm)
        detail: dict[str, Any] = {"record": record, "why": reason}
        if ours is not None and ours.runs:
            detail |= {"mean": _digits(ours.mean), "std": _digits(ours.std), "runs": ours.runs}
        if row is not None:
            detail |= {"published": row["published"], "verdict": row["verdict"], "why": row["reason"]}
            names = ("difference", "low", "high", "p_value", "rank_p_value", "z", "margin")
            detail |= {name: _digits(row[name]) for name in names}
            # With replications, the difference is that of their mean, not of this run's.
            if row["replications"] > 0:
                detail["replications"] = int(row["replications"])
                detail["replicated"] = _digits(row["published_mean"] + row["difference"])
        values = {name: value for name, value in detail.items() if value not in ("", None)}
        if cell.text or values.get("why", NOT_PART) != NOT_PART:
            details["|".join(cell.key)] = values
    return details


def _digits(value: Any) -> float | None:
    number = float(value)
    return float(f"{number:.4g}") if number == number and abs(number) != float("inf") else None


def differences(study: StudyReport) -> list[dict[str, Any]]:
    """Return the numbers that are different, with those of variants of the paper."""
    rows = study.reproduction[study.reproduction["verdict"] == "different"].to_dict("records")
    return [
        {str(key): value for key, value in row.items()}
        | {"title": study.results.title(str(row["algorithm"])), "label": METRICS[str(row["metric"])].label}
        for row in rows
    ]


def _speed_ups(study: StudyReport) -> list[tuple[str, float]]:
    seconds = study.reproduction[study.reproduction["speed_up"] > 0].drop_duplicates(["dataset", "algorithm"])
    medians = seconds.groupby("algorithm", sort=False)["speed_up"].median()
    return [(study.results.title(str(name)), float(value)) for name, value in medians.items()]


def convergence(results: Results) -> dict[str, Any]:
    """Return how many fits report their convergence, how many did not converge, and the worst configurations."""
    reported = results.runs[results.runs["metric"] == "converged"].dropna(subset="result")
    counts = reported["result"].eq(0.0).groupby(reported["algorithm"], sort=False).agg(["sum", "size"])
    missed = counts[counts["sum"] > 0].sort_values("sum", ascending=False, kind="stable")
    worst = [(results.title(str(name)), *map(int, numbers)) for name, *numbers in missed.itertuples()]
    total = int(counts["sum"].sum())
    return {"all": len(reported), "missed": total, "worst": worst[:WORST], "others": len(worst[WORST:])}


def _outside(study: StudyReport) -> list[str]:
    """Return the data sets with published numbers that are not part of this run."""
    named = dict.fromkeys(map(str, study.reproduction["dataset"]))
    return [name for name in named if name not in (*study.study.datasets, ALL)]


def source(dataset: PreparedDataset) -> dict[str, Any]:
    """Return where a data set came from, in words."""
    described = dict(dataset.source)
    kind = str(described.pop("origin", "") or described.get("kind", "unknown"))
    described.pop("kind", None)
    details = [(key, _text(value)) for key, value in described.items() if value]
    return {"name": dataset.name, "kind": kind, "details": details, "content": dataset.content}


def _text(value: Any) -> str:
    """Return a value of a source's description in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_text(entry)}" for key, entry in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value)


def _percent(probability: str) -> str:
    """Return a probability in percent; an empty text if it is not known."""
    return f"{100 * float(probability):.0f} %" if probability else ""


def seconds(study: StudyReport) -> float:
    """Return the wall time of all runs together."""
    return float(pd.to_numeric(study.results.cells["wall_seconds"], errors="coerce").sum())
