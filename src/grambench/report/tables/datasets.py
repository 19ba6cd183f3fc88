"""The data sets as loaded."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from grambench.config.protocols import Protocol
from grambench.report.cells import NO_RESULT, Block, Row, TableCell, TableContent
from grambench.report.lazy import Characteristics
from grambench.report.table_kind import TableData, TableKind
from grambench.results.columns import DATASET, Column, Table


class DatasetsTable(TableKind):
    """The data sets as loaded."""

    kind: Literal["datasets"]
    file: ClassVar = Table(
        "tables/*.csv",
        "a data set, of a table of kind datasets",
        (
            DATASET,
            Column("n", "integer", "examples; 0 if it is unavailable, or not part of this run", "count"),
            Column("d", "integer", "features; 0 of images", "count"),
            Column("classes", "integer", "classes; 0 where there are no data", "count"),
            Column("positives", "integer", "examples of class +1; 0 of more than two classes", "count"),
            Column("views", "integer", "views; 0 of a single vector, and of descriptors of images", "count"),
            Column("views_are", "text", "sources, which were measured apart, or columns; empty without views"),
            Column("collection", "text", "data sets of one collection have one vote together"),
            Column("nonzero_percent", "number", "share of the feature values that are not 0", "%"),
            Column("source", "text", "where it came from: its origin, or the kind of its source"),
            Column("drawn", "text", "permutations or random splits of a run, as the study's protocol states them"),
            Column("published_n", "number", "published number of examples, if any", "count"),
            Column("published_d", "number", "published number of features, if any", "count"),
            Column("reason", "text", "why there are no data, in one line"),
        ),
    )

    def build(self, data: TableData) -> TableContent:
        """Lay out a row for each data set."""
        from grambench.datasets.store import Unavailable
        from grambench.results.characteristics import Characteristics
        from grambench.results.study import NOT_PART

        study, protocol = data.results.study, data.results.study.protocol
        columns, remarks = ["n", "d", "Positive", "Non-zero (%)", "Source"], []
        if any(isinstance(loaded, Characteristics) and loaded.views for loaded in data.prepared.values()):
            columns.insert(2, "Views")
            remarks.append("Sources were measured apart; other views are groups of columns of one table.")
        if any(metric in ("n", "d") for *_, metric in data.reproduction):
            remarks.append("In parentheses the published size and dimension.")
        if protocol.split_column:
            columns.append(protocol.split_column[0])
            remarks.append(protocol.split_column[1])
        rows, records = [], []
        published = {key[1:]: row for key, row in reversed(data.reproduction.items())}
        for name in study.datasets:
            loaded = data.prepared.get(name)
            if isinstance(loaded, Characteristics):
                facts = _facts(loaded, protocol) | {"collection": study.collection(name)}
                # Descriptors of images are in files of their own.
                facts["views_are"] = "sources" if name in study.multisource else "columns" * bool(facts["views"])
                texts = _texts(facts) | ({protocol.split_column[0]: facts["drawn"]} if protocol.split_column else {})
            else:
                facts, texts = {}, {"Source": "unavailable" if loaded else NOT_PART}
            cells = {column: TableCell(text=texts.get(column, ""), status=NO_RESULT) for column in columns}
            for metric in ("n", "d"):
                if (row := published.get((name, "", metric))) is not None:
                    facts |= {f"published_{metric}": row["published_mean"]}
                    if cells[metric].text:
                        text, verdict = str(row["published"]), str(row["verdict"])
                        cells[metric] = replace(cells[metric], published=text, verdict=verdict)
            rows.append(Row(label=name, cells=list(cells.values())))
            records.append(facts | {"dataset": name, "reason": "" if texts.get("n") else str(loaded or NOT_PART)})
        remarks += [str(loaded) for loaded in data.prepared.values() if isinstance(loaded, Unavailable)]
        return self.content(columns, [Block(rows=rows)], remarks, self.file.frame(records))


def _facts(dataset: Characteristics, protocol: Protocol) -> dict[str, Any]:
    """Return the facts on a data set, by column of the file."""
    return {
        "n": dataset.n,
        "d": dataset.d,
        "classes": len(dataset.classes) or 2,
        "positives": dataset.positives,
        "views": dataset.views,
        "nonzero_percent": 100 * dataset.nonzero / (dataset.n * dataset.d) if dataset.d else math.nan,
        "source": dataset.origin,
        "drawn": protocol.split_text(dataset.name, dataset.n, dataset.orders),
    }


def _texts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts as printed, by column of the table."""
    return {
        "n": str(facts["n"]),
        "d": str(facts["d"]),
        "Positive": str(facts["positives"] or f"{facts['classes']} classes"),
        "Views": f"{facts['views'] or ''} {facts['views_are'].replace('columns', 'groups')}".strip(),
        "Non-zero (%)": f"{facts['nonzero_percent']:.1f}" if facts["d"] else "",
        "Source": facts["source"],
    }
