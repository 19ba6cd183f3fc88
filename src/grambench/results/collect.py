"""All records of a study as tidy tables: runs.parquet, curves.parquet and cells.csv."""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from grambench.common.files import sealed
from grambench.results import records
from grambench.results.columns import ALGORITHM, DATASET, METRIC, ORDERS, REPEAT, STUDY, SWEEP, Column, Table

RUNS = Table(
    "runs.parquet",
    "a number of a repetition, of a plain run or of a point of a sweep",
    (
        *(STUDY, DATASET, ALGORITHM, SWEEP),
        Column(
            "value",
            "number",
            "point of the sweep: a value of the parameter, the number of a view from 1, or of a kernel from 0, in the"
            " order of the weights; missing for a plain run",
            "that of the parameter",
        ),
        *(REPEAT, ORDERS, METRIC),
        Column("result", "number", "the number", "that of the metric"),
    ),
)
CURVES = Table(
    "curves.parquet",
    "a number during a plain run",
    (
        *(STUDY, DATASET, ALGORITHM, REPEAT),
        Column("round", "integer", "examples received, calls of the SVM solver, or number of a state", "count"),
        METRIC,
        Column("result", "number", "the number; weight:KERNEL is the weight of a kernel then", "that of the metric"),
    ),
)
CELLS = Table(
    "cells.csv",
    "a record: a data set, an algorithm and a sweep, whether it succeeded or not",
    (
        *(STUDY, DATASET, ALGORITHM, SWEEP),
        Column("status", "text", f"one of {', '.join(records.STATUSES)}"),
        Column("reason", "text", "why there are no numbers, in one line; empty when ok"),
        ORDERS,
        Column("random", "text", "whether a fit drew random numbers: yes or no; empty if that was not checked"),
        Column("wall_seconds", "number", "duration of the run, including its start", "seconds"),
        Column("cpu_seconds", "number", "processor time of the run, including its start", "seconds"),
        Column("peak_resident_mb", "number", "peak memory of the run", "MiB"),
        Column("record", "text", "the record's file, below the folder of the project"),
        Column("identity", "text", "identity of settings, code and the files that it read"),
        Column("asked", "text", "hash of settings and code alone, by which a later version knows whether it is behind"),
    ),
)
OF_RECORDS = ("study", "dataset", "algorithm", "status", "reason", "orders", "random", "identity", "asked")
RESOURCES = ("wall_seconds", "cpu_seconds", "peak_resident_mb")  # of the provenance
CONFUSED = "confused:"
PARTICULAR = {  # metrics of which there is one for each kernel or class
    "updates:KERNEL": "updates of the classifier with this kernel (count); its mistakes where each round updates all",
    "weight:KERNEL": "weight of a kernel; those of a continuous family are numbered from 1",
    "parameter:KERNEL": "parameter of a kernel of a continuous family, numbered from 1",
    "class_accuracy:CLASS": "accuracy on the examples of a class (%)",
    "stage": "in curves: the stage, from 1, of an algorithm with several stages",
    "confused:CLASS:PREDICTED": "test examples of a class by predicted class, if any",
}


def runs(record: records.Record) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of runs.parquet; `sweep` and `value` are empty for a plain run."""
    sweep = record.settings["sweep"]
    head = (record.study, record.dataset, record.algorithm, sweep)
    points = record.settings["values"] or [float("nan")]
    for metric, values in record.metrics.items():
        for value, repetitions in zip(points, values, strict=True):
            for r, result in enumerate(repetitions):
                yield (*head, value, r, record.orders, metric, result)
    # Kernels of a continuous family have numbers in place of names.
    names = [] if "parameter" in record.kernel_values else record.settings["kernels"]
    for name, numbers in record.kernel_values.items() if not sweep else ():
        for r, repetition in enumerate(numbers[0]):
            for kernel, result in zip(names or range(1, len(repetition) + 1), repetition, strict=True):
                yield (*head, points[0], r, record.orders, f"{name}:{kernel}", result)
    if "confusion" in record.class_values and not sweep:
        yield from _classes(record, head, points[0], record.class_values["confusion"][0])


def _classes(
    record: records.Record, head: tuple[str, ...], point: float, table: NDArray[np.float64]
) -> Iterator[tuple[Any, ...]]:
    """Yield the accuracy of each class and the nonzero counts of the confusion matrix (C, C) of each repetition."""
    names = record.settings["classes"]
    for r, counts in enumerate(table):
        for name, row, correct in zip(names, counts, np.diagonal(counts), strict=True):
            share = 100.0 * correct / row.sum() if row.sum() else np.nan
            yield (*head, point, r, record.orders, f"class_accuracy:{name}", share)
            for other in np.flatnonzero(row):
                yield (*head, point, r, record.orders, f"{CONFUSED}{name}:{names[other]}", row[other])


def curves(record: records.Record) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of curves.parquet; there are none of a sweep."""
    head = (record.study, record.dataset, record.algorithm)
    for metric, values in record.curves.items() if not record.settings["sweep"] else ():
        for r, c in itertools.product(*map(range, values.shape[1:3])):
            if metric == "weights":
                for k, kernel in enumerate(record.settings["kernels"] or range(1, values.shape[3] + 1)):
                    yield (*head, r, int(record.rounds[c]), f"weight:{kernel}", values[0, r, c, k])
            else:
                yield (*head, r, int(record.rounds[c]), metric, values[0, r, c])


def tables(by_file: Mapping[str, records.Record]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return runs, curves and cells of records, which are given by the names of their files."""
    made = by_file.values()
    cells = [
        {field: getattr(record, field) for field in OF_RECORDS}
        | {field: record.provenance.get(field) for field in RESOURCES}
        | {"sweep": record.settings["sweep"], "record": name}
        for name, record in by_file.items()
    ]
    run_rows, curve_rows = (itertools.chain.from_iterable(map(rows, made)) for rows in (runs, curves))
    return RUNS.frame(run_rows), CURVES.frame(curve_rows), CELLS.frame(cells)


def write(by_file: Mapping[str, records.Record], runs_path: Path, curves_path: Path, cells_path: Path) -> None:
    """Write the three tables of records, which are given by the names of their files."""
    run_table, curve_table, cell_table = tables(by_file)
    for path, table in ((runs_path, run_table), (curves_path, curve_table)):
        with sealed(path) as temporary:
            table.to_parquet(temporary, index=False)
    with sealed(cells_path) as temporary:
        cell_table.to_csv(temporary, index=False)
