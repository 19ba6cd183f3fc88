"""The data sets as loaded."""

from dataclasses import replace

import numpy as np

from grambench.config.protocols import Protocol
from grambench.config.shown import DatasetsTable
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.report.tables.layout import NO_RESULT, Block, Cell, Given, Grid, Row
from grambench.results.study import NOT_PART


def build(given: Given, table: DatasetsTable) -> Grid:
    """Lay out a row a data set."""
    protocol = given.results.study.protocol
    columns, remarks = ["n", "d", "Positive", "Non-zero (%)", "Source"], []
    if any(metric in ("n", "d") for *_, metric in given.reproduction):
        remarks.append("In parentheses the published size and dimension.")
    if said := protocol.remark():
        columns.append(said[0])
        remarks.append(said[1])
    rows = []
    for name in given.results.study.datasets:
        loaded = given.prepared.get(name)
        if isinstance(loaded, PreparedDataset):
            texts = _loaded(loaded, protocol)
        else:
            texts = {"Source": "unavailable" if loaded else NOT_PART}
        cells = {column: Cell(text=texts.get(column, ""), status=NO_RESULT) for column in columns}
        for metric in ("n", "d"):
            row = next((row for key, row in given.reproduction.items() if key[1:] == (name, "", metric)), None)
            if row is not None and cells[metric].text:
                verdict, published = str(row["verdict"]), str(row["published"])
                cells[metric] = replace(cells[metric], published=published, verdict=verdict)
        rows.append(Row(label=name, metric="", cells=list(cells.values())))
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="Data set",
        columns=columns,
        blocks=[Block(dataset="", head="", rows=rows)],
        remarks=[*remarks, *(str(loaded) for loaded in given.prepared.values() if isinstance(loaded, Unavailable))],
    )


def _loaded(dataset: PreparedDataset, protocol: Protocol) -> dict[str, str]:
    """Return what is said of a data set, by column."""
    size, dimension = dataset.features.shape
    stored = dataset.features
    filled = np.count_nonzero(stored) if isinstance(stored, np.ndarray) else stored.count_nonzero()
    facts = {
        "n": str(size),
        "d": str(dimension),
        "Positive": f"{len(dataset.classes)} classes" if dataset.classes else str(np.count_nonzero(dataset.labels > 0)),
        "Non-zero (%)": f"{100 * filled / (size * dimension):.1f}" if dimension else "",
        "Source": str(dataset.source.get("origin") or dataset.source.get("kind", "")),
    }
    if said := protocol.remark():
        facts[said[0]] = protocol.fact(dataset.name, size, 0 if dataset.orders is None else len(dataset.orders))
    return facts
