"""All data sets together: ranks, and means over the data sets."""

from dataclasses import replace

from grambench.config.metrics import METRICS
from grambench.config.shown import RanksTable
from grambench.report.tables.layout import Block, Given, Grid, Row, cell_of, failures_on
from grambench.results.study import ALL

NOT_RANKED = "not ranked"


def build(given: Given, table: RanksTable) -> Grid:
    """Lay out ranks and means over the data sets."""
    ranked = [algorithm for *_, algorithm, metric in given.reproduction if metric == "median_rank"]
    rows = []
    for metric in table.metrics:
        cells = [
            cell_of(
                given,
                (table.title, ALL, name, metric),
                ours=given.results.across(name, metric, ranked),
            )
            for name in table.algorithms
        ]
        if metric in ("median_rank", "mean_rank"):
            cells = [cell if cell.text else replace(cell, status=NOT_RANKED) for cell in cells]
        rows.append(Row(label=METRICS[metric].label, metric=metric, cells=cells))
    head = f"ranked on {len(given.results.ranks(ranked))} of {len(given.results.study.datasets)} data sets"
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="",
        columns=[given.results.title(name) for name in table.algorithms],
        blocks=[Block(dataset=ALL, head=head, rows=rows)],
        remarks=[
            "Ranks are by mean error, 1 for the least and ties by their mean rank, of the algorithms that the paper "
            "ranks, where all of them have a result.",
            "Error and time are means over the data sets, ± the standard error; in parentheses the published value.",
            *(
                line
                for dataset in given.results.study.datasets
                for line in failures_on(given, dataset, table.algorithms)
            ),
        ],
    )
