"""Where the means of a study might have been: of its own run and of others with other draws, its replications.

config/replications/<study>.csv has a row for each cell and metric that is judged by it: dataset, algorithm, metric,
whether orders are published or seeded, the identity of the study's own run (settings and code, see
grambench.pipeline.fingerprint), and the means, separated by blanks, that of the study's own run first. `make
replications` makes it anew.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from grambench.common.errors import DataError
from grambench.common.types import Floats
from grambench.results.reading import as_written
from grambench.results.records import Record

KEY = ["dataset", "algorithm", "metric", "orders"]
COLUMNS = [*KEY, "identity", "means"]


class Replications(NamedTuple):
    """The means of one cell, that of the study's own run first, and the identity of that run."""

    means: Floats
    identity: str


def table(found: Iterable[tuple[str, Record]], metrics: Collection[str]) -> pd.DataFrame:
    """Return the table of some records.

    Parameters
    ----------
    found : iterable of (str, Record)
        The records of a study's own runs and of their replications, each after its identity. The blocks of replications
        have the same number of repetitions or a multiple of it. A cell with a failed record is left out.
    metrics : collection of str
        The metrics of the table.

    Raises
    ------
    DataError
        If a replication was made with other settings or by other code than the run that it is one of.
    """
    cells: dict[tuple[str, str], list[Record]] = defaultdict(list)
    identities: dict[tuple[str, str], set[str]] = defaultdict(set)
    for identity, record in found:
        cells[record.dataset, record.algorithm].append(record)
        identities[record.dataset, record.algorithm].add(identity)
    rows = []
    for (dataset, algorithm), records in cells.items():
        if any(record.status != "ok" for record in records):
            continue
        if len(identities[dataset, algorithm]) > 1:
            raise DataError(f"{dataset}, {algorithm}: its replications are not all of the same settings and code")
        records.sort(key=lambda record: record.settings.get("block") or [-1])
        own, (identity,) = records[0], identities[dataset, algorithm]
        repetitions = next(iter(own.metrics.values())).shape[1]
        for metric in sorted(metrics & own.metrics.keys()):
            values = np.concatenate([record.metrics[metric][0] for record in records]).reshape(-1, repetitions)
            means = " ".join(f"{mean:.10g}" for mean in values.mean(axis=1))
            rows.append([dataset, algorithm, metric, own.orders, identity, means])
    return pd.DataFrame(rows, columns=COLUMNS)


def updated(shipped: pd.DataFrame, made: pd.DataFrame) -> pd.DataFrame:
    """Return a shipped table whose rows are replaced by new ones; rows without a new one stay."""
    return pd.concat([made, shipped]).drop_duplicates(KEY).sort_values(KEY, ignore_index=True)


def read(path: Path) -> dict[tuple[str, ...], Replications]:
    """Return the replications of a shipped table by data set, algorithm, metric and orders."""
    with as_written(path):
        rows = pd.read_csv(path, dtype=str)[COLUMNS].to_numpy(str)
        return {
            tuple(map(str, key)): Replications(np.array(means.split(), dtype=np.float64), str(identity))
            for *key, identity, means in rows
        }
