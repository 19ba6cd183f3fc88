"""Data sets by algorithms: the means of one metric, the best of each data set in bold."""

import numpy as np

from grambench.config.metrics import METRICS
from grambench.config.shown import MatrixTable
from grambench.report.tables.layout import NO_RESULT, NOTHING, Block, Cell, Given, Grid, Row, bold, data_of, failures_on
from grambench.results.study import NOT_PART, formatted


def build(given: Given, table: MatrixTable) -> Grid:
    """Lay out a row a data set and a column an algorithm."""
    (metric,) = table.metrics
    results, datasets = given.results, given.results.study.datasets
    rows = []
    for dataset in datasets:
        best = results.best(dataset, table.algorithms, metric)
        cells = [_cell(given, dataset, name, metric, best=name in best) for name in table.algorithms]
        rows.append(Row(label=dataset, metric=metric, cells=cells))
    return Grid(
        title=table.title,
        caption=table.caption,
        corner=METRICS[metric].label,
        columns=[results.title(name) for name in table.algorithms],
        blocks=[Block(dataset="", head="", rows=rows)],
        remarks=[
            "Means over the runs.",
            bold(given, table.metrics),
            f"{NO_RESULT}: {NOT_PART}.",
            *(line for dataset in datasets for line in failures_on(given, dataset, table.algorithms)),
        ],
        data=data_of(results, (cell for row in rows for cell in row.cells)),
    )


def _cell(given: Given, dataset: str, algorithm: str, metric: str, *, best: bool) -> Cell:
    """Return a mean without its deviation, for which a wide table has no room; the CSV file has it."""
    sample = given.results.sample(dataset, algorithm, metric)
    text = formatted(sample._replace(std=np.nan), dataset, metric, fine=True) if sample.runs else ""
    return Cell(
        text=text,
        status="" if sample.runs else given.results.status(dataset, algorithm) or NO_RESULT,
        best=best,
        numbers=(sample, NOTHING),
        orders=given.results.orders(dataset, algorithm),
        key=(dataset, algorithm, metric),
    )
