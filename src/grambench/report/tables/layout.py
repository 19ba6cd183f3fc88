"""What a table is made of, as `Grid` of blocks, rows and cells, and how a cell gets its two numbers."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from grambench.config.metrics import METRICS
from grambench.config.shown import AnyTable
from grambench.results.statistics import Sample
from grambench.results.study import Prepared, Results, formatted

NO_RESULT = "—"
NOTHING = Sample(np.nan, np.nan, 0)


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
    """One table: title, caption, remarks beneath it, the head of its label column, its columns and blocks."""

    title: str
    caption: str
    corner: str
    columns: list[str]
    blocks: list[Block]
    remarks: list[str] = field(default_factory=list)


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
