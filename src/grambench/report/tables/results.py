"""A block a data set, a row a metric, a column an algorithm."""

from dataclasses import replace

from grambench.config.metrics import METRICS
from grambench.config.shown import ResultsTable
from grambench.config.study import Study
from grambench.datasets.store import Unavailable
from grambench.report.tables.layout import (
    NO_RESULT,
    Block,
    Given,
    Grid,
    Row,
    bold,
    cell_of,
    data_of,
    datasets_of,
    failures_on,
)
from grambench.results.study import NOT_PART, Prepared, Results, kernel_title


def build(given: Given, table: ResultsTable) -> Grid:
    """Lay out a block a data set."""
    blocks, failures = [], []
    for dataset in datasets_of(given, table):
        rows = []
        for metric in table.metrics:
            best = given.results.best(dataset, table.algorithms, metric) if metric in table.highlight else set()
            cells = [cell_of(given, (table.title, dataset, name, metric)) for name in table.algorithms]
            marked = [replace(cell, best=name in best) for name, cell in zip(table.algorithms, cells, strict=True)]
            rows.append(Row(label=METRICS[metric].label, metric=metric, cells=marked))
        failures += failures_on(given, dataset, table.algorithms)
        blocks.append(
            Block(dataset=dataset, head=_head(given.results, given.prepared, dataset, table.algorithms), rows=rows)
        )
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="",
        columns=[given.results.title(name) for name in table.algorithms],
        blocks=blocks,
        remarks=[
            "Mean ± standard deviation over the runs; in parentheses the published value.",
            *([bold(given, table.highlight)] if table.highlight else []),
            f"{NO_RESULT}: {NOT_PART}.",
            *failures,
        ],
        data=data_of(given.results, (cell for block in blocks for row in block.rows for cell in row.cells)),
    )


def _head(results: Results, prepared: Prepared, dataset: str, algorithms: list[str]) -> str:
    """Return what the paper prints in the head of a block, and what the runs are repeated over."""
    loaded = prepared.get(dataset)
    if isinstance(loaded, Unavailable):
        return str(loaded)
    if loaded is None:
        return NOT_PART
    size, dimension = loaded.features.shape
    origins = dict.fromkeys(filter(None, (results.orders(dataset, name) for name in algorithms)))
    parts = [results.study.protocol.repeated(origin) for origin in origins]
    parts += [f"n = {size}", f"d = {dimension}", _pool(results.study)]
    if best := results.best_kernels(dataset):
        parts.append(f"best kernel expert: {' or '.join(map(kernel_title, best))}")
    return ", ".join(parts)


def _pool(study: Study) -> str:
    """Return how many base kernels there are."""
    return f"grid of {study.dictionary.count} kernels" if study.dictionary else f"m = {len(study.kernel_list())}"
