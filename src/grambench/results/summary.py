"""The numbers of a study in a few rows that pandas reads at once: summary.csv."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from grambench.config.metrics import METRICS
from grambench.results.collect import ALGORITHM, DATASET, ORDERS, STUDY
from grambench.results.columns import Column, Table
from grambench.results.study import Results

TABLE = Table(
    "summary.csv",
    "a metric of an algorithm on a data set, of plain runs; one without a metric where the run has no numbers",
    (
        *(STUDY, DATASET, ALGORITHM),
        Column("metric", "text", "what was measured: a metric (below); empty where the run has no numbers"),
        Column("dataset_title", "text", "title of the data set"),
        Column("algorithm_title", "text", "title of the entry, as tables print it"),
        Column("metric_title", "text", "title of the metric with its unit"),
        Column("mean", "number", "mean over the runs that have the number", "that of the metric"),
        Column("std", "number", "their standard deviation (ddof = 1); missing of a single one", "that of the metric"),
        Column("runs", "integer", "runs that have the number", "count"),
        ORDERS,
        Column("status", "text", "that of the record, ok or why there are no numbers in a word (cells.csv)"),
        Column("reason", "text", "why there are no numbers, in one line; empty when ok"),
    ),
)


def table(results: Results, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return the summary of a study.

    Parameters
    ----------
    results : Results
        What was run.
    titles : dict of str
        Those of its data sets.
    """
    plain = results.runs[(results.runs["sweep"] == "") & ~results.runs["metric"].str.contains(":")]
    numbers = plain.groupby(["dataset", "algorithm", "metric"], sort=False)["result"].agg(["mean", "std", "count"])
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for (dataset, algorithm, metric), mean, std, count in numbers.itertuples():
        title = METRICS[metric].label if metric in METRICS else metric
        row = {"metric": metric, "metric_title": title, "mean": mean, "std": std, "runs": count}
        found.setdefault((dataset, algorithm), {})[metric] = row
    rows = []
    for cell in results.cells[results.cells["sweep"] == ""].to_dict("records"):
        known = {str(name): cell[name] for name in ("study", "dataset", "algorithm", "orders", "status", "reason")}
        dataset, algorithm = known["dataset"], known["algorithm"]
        known |= {"dataset_title": titles.get(dataset, dataset), "algorithm_title": results.title(algorithm)}
        own = found.get((dataset, algorithm), {"": {}})
        rows += [known | row for row in own.values()]
    return TABLE.frame(rows)
