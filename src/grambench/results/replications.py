"""Replications of a study: how far its means vary if it is run again with other random draws.

config/replications/<study>.csv has a row for each cell and metric that is judged by it: dataset, algorithm, metric,
whether orders are published or seeded, the identity of the study's own run (settings and code, see
grambench.pipeline.fingerprint), and the means, separated by blanks, with that of the study's own run first. `make
replications` updates it.
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


def table(records: Iterable[tuple[str, Record]], metrics: Collection[str]) -> pd.DataFrame:
    """Return the table of some records.

    Parameters
    ----------
    records : iterable of (str, Record)
        Identity and record of a study's own runs and of their replications. The blocks of replications have the same
        number of repetitions or a multiple of it. A cell with a failed record is left out.
    metrics : collection of str
        The metrics of the table.

    Raises
    ------
    DataError
        If a replication was run with other settings or other code than the study's own run.
    """
    cells: dict[tuple[str, str], list[tuple[str, Record]]] = defaultdict(list)
    for identity, record in records:
        cells[record.dataset, record.algorithm].append((identity, record))
    rows = []
    for (dataset, algorithm), pairs in cells.items():
        identities, blocks = {identity for identity, _ in pairs}, [record for _, record in pairs]
        if any(record.status != "ok" for record in blocks):
            continue
        if len(identities) > 1:
            raise DataError(f"{dataset}, {algorithm}: its replications are not all of the same settings and code")
        # The study's own run has no block and comes first.
        blocks.sort(key=lambda record: record.settings.get("block") or [-1])
        first = blocks[0]
        repetitions = next(iter(first.metrics.values())).shape[1]
        for metric in sorted(metrics & first.metrics.keys()):
            values = np.concatenate([record.metrics[metric][0] for record in blocks]).reshape(-1, repetitions)
            means = " ".join(f"{mean:.10g}" for mean in values.mean(axis=1))
            rows.append([dataset, algorithm, metric, first.orders, *identities, means])
    return pd.DataFrame(rows, columns=COLUMNS)


def updated(shipped: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Return a shipped table whose rows are replaced by new ones; rows without a new one stay."""
    return pd.concat([new, shipped]).drop_duplicates(KEY).sort_values(KEY, ignore_index=True)


def read(path: Path) -> dict[tuple[str, ...], Replications]:
    """Return the replications of a shipped table by data set, algorithm, metric and orders."""
    with as_written(path):
        rows = pd.read_csv(path, dtype=str)[COLUMNS].to_numpy(str)
        return {
            tuple(map(str, key)): Replications(np.array(means.split(), dtype=np.float64), str(identity))
            for *key, identity, means in rows
        }
