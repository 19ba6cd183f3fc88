"""The data sets as loaded."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grambench.config.protocols import Protocol
from grambench.config.shown import DatasetsTable
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.report.tables.layout import NO_RESULT, Block, Cell, Given, Grid, Row
from grambench.results.collect import DATASET
from grambench.results.columns import Column, Table
from grambench.results.study import NOT_PART

TABLE = Table(
    "tables/*.csv",
    "a data set, of a table of kind datasets",
    (
        DATASET,
        Column("n", "integer", "examples; 0 where it could not be had, or is not part of this run", "count"),
        Column("d", "integer", "features; 0 of images", "count"),
        Column("classes", "integer", "classes; 0 where there are no data", "count"),
        Column("positives", "integer", "examples of class +1; 0 where there are more than two classes", "count"),
        Column("nonzero_percent", "number", "share of the feature values that are not 0", "%"),
        Column("source", "text", "where it came from: its origin, or the kind of its source where that says it all"),
        Column("drawn", "text", "what a run is repeated over or draws, as the study's protocol says it"),
        Column("published_n", "number", "published number of examples, if any", "count"),
        Column("published_d", "number", "published number of features, if any", "count"),
        Column("reason", "text", "why there are no data, in one line"),
    ),
)


def build(given: Given, table: DatasetsTable) -> Grid:
    """Lay out a row a data set."""
    protocol = given.results.study.protocol
    columns, remarks = ["n", "d", "Positive", "Non-zero (%)", "Source"], []
    if any(metric in ("n", "d") for *_, metric in given.reproduction):
        remarks.append("In parentheses the published size and dimension.")
    if said := protocol.remark():
        columns.append(said[0])
        remarks.append(said[1])
    rows, data = [], []
    for name in given.results.study.datasets:
        loaded = given.prepared.get(name)
        if isinstance(loaded, PreparedDataset):
            own = _facts(loaded, protocol)
            texts = _texts(own) | ({said[0]: own["drawn"]} if said else {})
        else:
            own, texts = {}, {"Source": "unavailable" if loaded else NOT_PART}
        printed = {}
        cells = {column: Cell(text=texts.get(column, ""), status=NO_RESULT) for column in columns}
        for metric in ("n", "d"):
            row = next((row for key, row in given.reproduction.items() if key[1:] == (name, "", metric)), None)
            if row is not None:
                printed[f"published_{metric}"] = row["published_mean"]
            if row is not None and cells[metric].text:
                verdict, published = str(row["verdict"]), str(row["published"])
                cells[metric] = replace(cells[metric], published=published, verdict=verdict)
        rows.append(Row(label=name, metric="", cells=list(cells.values())))
        data.append({"dataset": name, "reason": "" if texts.get("n") else str(loaded or NOT_PART)} | printed | own)
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="Data set",
        columns=columns,
        blocks=[Block(dataset="", head="", rows=rows)],
        remarks=[*remarks, *(str(loaded) for loaded in given.prepared.values() if isinstance(loaded, Unavailable))],
        data=TABLE.frame(data),
    )


def _facts(dataset: PreparedDataset, protocol: Protocol) -> dict[str, Any]:
    """Return what is said of a data set, by column of the file."""
    size, dimension = dataset.features.shape
    stored = dataset.features
    filled = np.count_nonzero(stored) if isinstance(stored, np.ndarray) else stored.count_nonzero()
    return {
        "n": size,
        "d": dimension,
        "classes": len(dataset.classes) or 2,
        "positives": 0 if dataset.classes else int(np.count_nonzero(dataset.labels > 0)),
        "nonzero_percent": 100 * filled / (size * dimension) if dimension else np.nan,
        "source": str(dataset.source.get("origin") or dataset.source.get("kind", "")),
        "drawn": protocol.fact(dataset.name, size, 0 if dataset.orders is None else len(dataset.orders)),
    }


def _texts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the same for people, by column of the table."""
    return {
        "n": str(facts["n"]),
        "d": str(facts["d"]),
        "Positive": str(facts["positives"] or f"{facts['classes']} classes"),
        "Non-zero (%)": f"{facts['nonzero_percent']:.1f}" if facts["d"] else "",
        "Source": facts["source"],
    }
