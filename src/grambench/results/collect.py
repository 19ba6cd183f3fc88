"""All records of a study as tidy tables.

runs.parquet    study, dataset, algorithm, sweep, value, repeat, orders, metric, result: one row a number; beside the
                metrics of the protocol, plain runs have one for every kernel, such as updates:<kernel>; the kernels
                that an algorithm has found are numbered; of many classes class_accuracy:<class> in percent, and
                confused:<class>:<predicted> in test examples where there are any
curves.parquet  study, dataset, algorithm, repeat, round, metric, result: plain runs only; weight:<kernel> is a metric
cells.csv       study, dataset, algorithm, sweep, status, reason, orders, wall_seconds, peak_resident_mb, record and
                identity, the settings and the code that it was made from (grambench.pipeline.fingerprint)
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from grambench.common.files import sealed
from grambench.results import records

RUN_COLUMNS = ["study", "dataset", "algorithm", "sweep", "value", "repeat", "orders", "metric", "result"]
CONFUSED = "confused:"
CURVE_COLUMNS = ["study", "dataset", "algorithm", "repeat", "round", "metric", "result"]


def runs(record: records.Record) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of runs.parquet; `sweep` and `value` are empty for a plain run."""
    sweep = record.settings["sweep"]
    head = (record.study, record.dataset, record.algorithm, sweep)
    points = record.settings["values"] or [float("nan")]
    for metric, values in record.metrics.items():
        for value, repeats in zip(points, values, strict=True):
            for r, result in enumerate(repeats):
                yield (*head, value, r, record.orders, metric, result)
    names = [] if "parameter" in record.kernel_values else record.settings["kernels"]  # not of kernels that were found
    for name, numbers in record.kernel_values.items() if not sweep else ():
        for r, repeat in enumerate(numbers[0]):
            for kernel, result in zip(names or range(1, len(repeat) + 1), repeat, strict=True):
                yield (*head, points[0], r, record.orders, f"{name}:{kernel}", result)
    for table in record.class_values.get("confusion", ())[:1] if not sweep else ():
        yield from _classes(record, head, points[0], table)


def _classes(
    record: records.Record, head: tuple[str, ...], point: float, table: NDArray[np.float64]
) -> Iterator[tuple[Any, ...]]:
    """Yield the accuracy of each class, and how often it is taken for which other, of one table (C, C) a repeat."""
    names = record.settings["classes"]
    for r, counts in enumerate(table):
        for name, row, own in zip(names, counts, np.diagonal(counts), strict=True):
            share = 100.0 * own / row.sum() if row.sum() else np.nan
            yield (*head, point, r, record.orders, f"class_accuracy:{name}", share)
            for other in np.flatnonzero(row):
                yield (*head, point, r, record.orders, f"{CONFUSED}{name}:{names[other]}", row[other])


def curves(record: records.Record) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of curves.parquet."""
    head = (record.study, record.dataset, record.algorithm)
    for metric, values in record.curves.items():
        for r, c in itertools.product(*map(range, values.shape[1:3])):
            if metric == "weights":
                for k, kernel in enumerate(record.settings["kernels"] or range(1, values.shape[3] + 1)):
                    yield (*head, r, int(record.rounds[c]), f"weight:{kernel}", values[0, r, c, k])
            else:
                yield (*head, r, int(record.rounds[c]), metric, values[0, r, c])


def write(
    found: Mapping[str, records.Record],
    runs_path: Path,
    curves_path: Path,
    cells_path: Path,
    identities: Sequence[str] = (),
) -> None:
    """Write the three tables of some records, which go by the names of their files; identities where they are known."""
    run_rows: list[tuple[Any, ...]] = []
    curve_rows: list[tuple[Any, ...]] = []
    cells = []
    for (name, record), identity in zip(found.items(), identities or [""] * len(found), strict=True):
        sweep = record.settings["sweep"]
        run_rows.extend(runs(record))
        if not sweep:
            curve_rows.extend(curves(record))
        cells.append(
            {
                "study": record.study,
                "dataset": record.dataset,
                "algorithm": record.algorithm,
                "sweep": sweep,
                "status": record.status,
                "reason": record.reason,
                "orders": record.orders,
                "wall_seconds": record.provenance.get("wall_seconds"),
                "peak_resident_mb": record.provenance.get("peak_resident_mb"),
                "record": name,
                "identity": identity,
            }
        )
    for path, rows, columns in ((runs_path, run_rows, RUN_COLUMNS), (curves_path, curve_rows, CURVE_COLUMNS)):
        with sealed(path) as temporary:
            pd.DataFrame(rows, columns=columns).to_parquet(temporary, index=False)
    with sealed(cells_path) as temporary:
        pd.DataFrame(cells).to_csv(temporary, index=False)
