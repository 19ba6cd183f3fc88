"""The numbers of a study in a few rows that pandas reads at once: summary.csv."""

from collections.abc import Mapping

import pandas as pd

from grambench.config.metrics import METRICS
from grambench.results.columns import ALGORITHM, DATASET, ORDERS, STUDY, Column, Table
from grambench.results.study import Results

TABLE = Table(
    "summary.csv",
    "a metric of an algorithm on a data set in plain runs; empty metric if the run has no numbers",
    (
        *(STUDY, DATASET, ALGORITHM),
        Column("metric", "text", "what was measured: a metric (below); empty if the run has no numbers"),
        Column("dataset_title", "text", "title of the data set"),
        Column("algorithm_title", "text", "title of the configuration in tables"),
        Column("metric_title", "text", "title of the metric with its unit"),
        Column("mean", "number", "mean over the runs that have the number", "that of the metric"),
        Column("std", "number", "their standard deviation (ddof = 1); missing for a single run", "that of the metric"),
        Column("runs", "integer", "runs that have the number", "count"),
        ORDERS,
        Column("status", "text", "status of the record, see cells.csv"),
        Column("reason", "text", "why there are no numbers, in one line; empty when ok"),
    ),
)
HEAD = ["study", "dataset", "algorithm", "orders", "status", "reason"]  # columns of cells.csv too


def table(results: Results, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return the summary of a study.

    Parameters
    ----------
    results : Results
        What was run.
    titles : dict of str
        The titles of its data sets.
    """
    plain = results.runs[(results.runs["sweep"] == "") & ~results.runs["metric"].str.contains(":")]
    numbers = plain.groupby(["dataset", "algorithm", "metric"], sort=False)["result"].agg(["mean", "std", "count"])
    numbers = numbers.reset_index().rename(columns={"count": "runs"})
    numbers["metric_title"] = [METRICS[name].label if name in METRICS else name for name in numbers["metric"]]
    cells = results.cells.loc[results.cells["sweep"] == "", HEAD]
    cells = cells.assign(
        dataset_title=[titles.get(name, name) for name in cells["dataset"]],
        algorithm_title=[results.title(name) for name in cells["algorithm"]],
    )
    rows = cells.merge(numbers, "left", ["dataset", "algorithm"])[TABLE.names]
    return TABLE.frame(rows.itertuples(index=False))
