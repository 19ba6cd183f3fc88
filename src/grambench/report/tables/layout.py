"""What a table is made of, as `Grid` of blocks, rows and cells, and how a cell gets its two numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from grambench.config.metrics import METRICS
from grambench.config.shown import AnyTable
from grambench.results.collect import ALGORITHM, ORDERS
from grambench.results.columns import Column, Table
from grambench.results.statistics import Sample
from grambench.results.study import ALL, Prepared, Results, formatted

NO_RESULT = "—"
NOTHING = Sample(np.nan, np.nan, 0)
METRIC_TITLES = {name: metric.label for name, metric in METRICS.items()}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell.

    Attributes
    ----------
    text : str
        Our value as printed; empty where there is none.
    published : str
        The published value as printed; empty where the paper has none.
    status : str
        What stands in the place of a value of ours: the status of the run that failed, or a dash.
    verdict : str
        See grambench.results.verdicts.Judged; empty where nothing is published.
    best : bool
        Whether it is among the best of its row.
    speed_up : float or None
        Published seconds by ours.
    numbers : tuple of two Samples or None
        Our value and the published one, for the CSV file.
    orders : str
        "published" or "seeded"; empty where nothing was run.
    key : tuple of str or None
        Data set, algorithm and metric of what it shows.
    """

    text: str
    published: str = ""
    status: str = ""
    verdict: str = ""
    best: bool = False
    speed_up: float | None = None
    numbers: tuple[Sample, Sample] | None = None
    orders: str = ""
    key: tuple[str, str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: its label, what its cells measure, and one cell a column."""

    label: str
    metric: str
    cells: list[Cell]


@dataclass(frozen=True, kw_only=True)
class Block:
    """The rows of one data set under its head; a table without heads has one block."""

    dataset: str
    head: str
    rows: list[Row]


@dataclass(frozen=True, kw_only=True)
class Grid:
    """One table: title, caption, remarks beneath it, the head of its label column, its columns and blocks.

    `data` is the same for programs, as the module of its kind declares it: names beside titles, numbers as numbers.
    """

    title: str
    caption: str
    corner: str
    columns: list[str]
    blocks: list[Block]
    remarks: list[str] = field(default_factory=list)
    data: pd.DataFrame = field(compare=False)


CELLS = Table(
    "tables/*.csv",
    "a cell of a table of kind results, ranks, matrix, times or relative",
    (
        Column("dataset", "text", f"name of the data set; {ALL!r} for all of the table together"),
        ALGORITHM,
        Column("metric", "text", "what is measured: a metric (below), or a comparison of the table's own"),
        Column("algorithm_title", "text", "title of the entry, as the table prints it"),
        Column("metric_title", "text", "title of what is measured, with its unit"),
        Column("ours_mean", "number", "our number; missing where there is none", "that of the metric"),
        Column("ours_std", "number", "standard deviation of our runs (ddof = 1), if it is shown", "that of the metric"),
        Column("runs", "integer", "runs behind our number, of all data sets together data sets; 0 without", "count"),
        Column("published_mean", "number", "the published number, if any", "that of the metric"),
        Column("published_std", "number", "the published standard deviation, if any", "that of the metric"),
        Column("speed_up", "number", "published seconds by ours, of seconds only", "ratio"),
        Column("ours", "text", "our number as printed, or the names that stand for it; empty where there is none"),
        Column("published", "text", "the published number as printed, or names; empty where there is none"),
        ORDERS,
        Column("best", "boolean", "whether it is among the best of its row, set in bold"),
        Column("verdict", "text", "verdict on our number beside the published one; empty where none is published"),
        Column(
            "status", "text", "that of the run, ok or why there is no number; empty where it is not part of this run"
        ),
        Column("reason", "text", "why there is no number, in one line"),
    ),
)


def data_of(results: Results, cells: Iterable[Cell], titles: Mapping[str, str] = METRIC_TITLES) -> pd.DataFrame:
    """Return the cells of a table as CELLS declares them, with the titles of what they measure."""
    rows = []
    for cell in cells:
        dataset, algorithm, metric = cell.key or ("", "", "")
        ours, published = cell.numbers or (NOTHING, NOTHING)
        here, known = dataset != ALL, bool(cell.text)
        status = results.status(dataset, algorithm) if here else ""
        rows.append(
            {
                **{name: getattr(cell, name) for name in ("orders", "best", "verdict")},
                "dataset": dataset,
                "algorithm": algorithm,
                "metric": metric,
                "algorithm_title": results.title(algorithm),
                "metric_title": titles[metric],
                "ours_mean": ours.mean,
                "ours_std": ours.std,
                "runs": ours.runs,
                "published_mean": published.mean,
                "published_std": published.std,
                "speed_up": cell.speed_up,
                "ours": cell.text,
                "published": cell.published,
                "status": "ok" if known else status,
                "reason": results.missing(dataset, algorithm) if here and not known else "",
            }
        )
    return CELLS.frame(rows)


Comparison = dict[tuple[str, str, str, str], pd.Series]


def comparison(reproduction: pd.DataFrame) -> Comparison:
    """Index the rows of reproduction.csv by item, data set, algorithm (empty where there is none) and metric."""
    keys = (reproduction[name].fillna("").astype(str) for name in ("item", "dataset", "algorithm", "metric"))
    return dict(zip(zip(*keys, strict=True), (row for _, row in reproduction.iterrows()), strict=True))


@dataclass(frozen=True, kw_only=True)
class Given:
    """All that a table may look at: what was run, the data sets as loaded, reproduction.csv (see `comparison`)."""

    results: Results
    prepared: Prepared
    reproduction: Comparison


def cell_of(
    given: Given,
    key: tuple[str, str, str, str],
    *,
    deviations: bool = True,
    ours: Sample | None = None,
) -> Cell:
    """Return our value with the published one; where only one of the two exists, with that one.

    `ours` is what stands for our value where none is published, if it is not that of the cell's runs.
    """
    _, dataset, algorithm, metric = key
    row = given.reproduction.get(key)
    if METRICS[metric].named:
        text = given.results.listed(dataset, algorithm, metric)
        return Cell(
            text=text,
            published="" if row is None else str(row["published"]),
            status="" if text else given.results.status(dataset, algorithm) or NO_RESULT,
            verdict="" if row is None else str(row["verdict"]),
            key=key[1:],
        )
    if row is None:
        ours, published = ours or given.results.sample(dataset, algorithm, metric), NOTHING
    else:
        ours = Sample(float(row["ours_mean"]), float(row["ours_std"]), int(row["runs"]))
        published = Sample(float(row["published_mean"]), float(row["published_std"]), 0)
    if not deviations:
        ours, published = ours._replace(std=np.nan), published._replace(std=np.nan)
    return Cell(
        text=formatted(ours, dataset, metric, fine=True) if ours.runs else "",
        published=formatted(published, dataset, metric) if np.isfinite(published.mean) else "",
        status="" if ours.runs else given.results.status(dataset, algorithm) or NO_RESULT,
        verdict="" if row is None else str(row["verdict"]),
        speed_up=float(row["speed_up"]) if row is not None and row["speed_up"] > 0 else None,
        numbers=(ours, published),
        orders=given.results.orders(dataset, algorithm),
        key=key[1:],
    )


def failures_on(given: Given, dataset: str, algorithms: list[str]) -> list[str]:
    """Return why runs on a data set failed; that the data set is unavailable is said in the block's head."""
    results = given.results
    failed = [name for name in algorithms if results.status(dataset, name) not in ("ok", "", "unavailable")]
    return [f"{results.title(name)} on {dataset}: {results.missing(dataset, name)}." for name in failed]


def datasets_of(given: Given, table: AnyTable) -> list[str]:
    """Return the data sets of the published table; all of the study where there is none."""
    published = dict.fromkeys(dataset for item, dataset, *_ in given.reproduction if item == table.title)
    return list(published) or given.results.study.datasets


def bold(given: Given, metrics: list[str]) -> str:
    """Return what is set in bold."""
    ends = {None: "", "higher": "highest", "lower": "lowest"}
    best = ", ".join(f"the {ends[METRICS[name].better]} of ours in {METRICS[name].label}" for name in metrics)
    test = "a paired t-test" if given.results.study.protocol.paired else "Student's t-test"
    return f"Bold: {best}, and those that {test} cannot tell from it at 5 %."
