"""The numbers of a study in a few rows that pandas reads at once: summary.csv."""

from collections.abc import Mapping
from typing import Any

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
    metrics: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (dataset, algorithm, metric), mean, std, count in numbers.itertuples():
        title = METRICS[metric].label if metric in METRICS else metric
        row = {"metric": metric, "metric_title": title, "mean": mean, "std": std, "runs": count}
        metrics.setdefault((dataset, algorithm), []).append(row)
    rows = []
    for cell in results.cells[results.cells["sweep"] == ""].to_dict("records"):
        head = {str(name): cell[name] for name in ("study", "dataset", "algorithm", "orders", "status", "reason")}
        dataset, algorithm = head["dataset"], head["algorithm"]
        head |= {"dataset_title": titles.get(dataset, dataset), "algorithm_title": results.title(algorithm)}
        rows += [head | row for row in metrics.get((dataset, algorithm), [{}])]
    return TABLE.frame(rows)
