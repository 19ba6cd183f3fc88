"""All data sets together: ranks, and means over the data sets."""

from dataclasses import replace

from grambench.config.metrics import METRICS
from grambench.config.shown import RanksTable
from grambench.report.tables.layout import Block, Given, Grid, Row, cell_of, data_of, failures_on
from grambench.results.study import ALL

NOT_RANKED = "not ranked"
RANKS = ("median_rank", "mean_rank")


def build(given: Given, table: RanksTable) -> Grid:
    """Lay out ranks and means over the data sets."""
    results = given.results
    published = [algorithm for *_, algorithm, metric in given.reproduction if metric == "median_rank"]
    ranked = published or results.with_results(table.algorithms, table.by)
    over = [] if published else list(results.ranks(ranked, table.by).index)
    names = table.algorithms if table.rows == "metrics" else _best_first(given, table, ranked)
    rows, run = [], set(results.cells["algorithm"])
    for metric in table.metrics:
        keys = [(table.title, ALL, name, metric) for name in names]
        cells = [cell_of(given, key, ours=results.across(key[2], metric, ranked, table.by, over)) for key in keys]
        if metric in RANKS:
            cells = [
                replace(cell, status=NOT_RANKED) if name in run and not cell.text else cell
                for name, cell in zip(names, cells, strict=True)
            ]
        rows.append(Row(label=METRICS[metric].label, metric=metric, cells=cells))
    data = data_of(results, (cell for row in rows for cell in row.cells))
    columns, corner = [results.title(name) for name in names], ""
    if table.rows == "algorithms":
        rows, columns, corner = _transposed(rows, columns), [row.label for row in rows], "Algorithm"
    return Grid(
        title=table.title,
        caption=table.caption,
        corner=corner,
        columns=columns,
        blocks=[Block(dataset=ALL, head=_head(given, ranked, table.by), rows=rows)],
        remarks=[
            *_remarks(table, published=bool(published)),
            *(line for dataset in results.study.datasets for line in failures_on(given, dataset, table.algorithms)),
        ],
        data=data,
    )


def _head(given: Given, ranked: list[str], by: str) -> str:
    """Return on which data sets the ranks rest."""
    datasets = given.results.study.datasets
    complete = given.results.ranks(ranked, by).index
    without = [name for name in datasets if name not in complete]
    head = f"ranked on {len(complete)} of {len(datasets)} data sets"
    return f"{head}, without {', '.join(without)}" if without else head


def _remarks(table: RanksTable, *, published: bool) -> list[str]:
    label = METRICS[table.by].label.partition(" (")[0].lower()
    best = {"lower": "least", "higher": "highest"}[METRICS[table.by].better or "lower"]
    who = "that the paper ranks" if published else "that have any"
    means = "All else are means over the same data sets, that of seconds ± its standard error."
    if published:
        means = "Error and time are means over the data sets, ± the standard error; in parentheses the published value."
    return [
        f"Ranks are by mean {label}, 1 for the {best} and ties by their mean rank, of the algorithms {who}, where all "
        "of them have a result.",
        means,
    ]


def _best_first(given: Given, table: RanksTable, ranked: list[str]) -> list[str]:
    """Return the algorithms by their mean rank; those without one come last."""
    means = given.results.ranks(ranked, table.by).mean()
    return sorted(table.algorithms, key=lambda name: means.get(name, len(ranked) + 1.0))


def _transposed(rows: list[Row], columns: list[str]) -> list[Row]:
    cells = zip(*(row.cells for row in rows), strict=True)
    return [Row(label=column, metric="", cells=list(own)) for column, own in zip(columns, cells, strict=True)]
