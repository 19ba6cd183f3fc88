"""Seconds of the algorithms on each data set, and their ratio to the first one's."""

from grambench.config.shown import TimesTable
from grambench.report.tables.layout import (
    NO_RESULT,
    Block,
    Given,
    Grid,
    Row,
    cell_of,
    data_of,
    datasets_of,
    failures_on,
)
from grambench.results.study import NOT_PART, Results


def build(given: Given, table: TimesTable) -> Grid:
    """Lay out a row a data set."""
    reference, *others = table.algorithms
    columns = [(name, "seconds") for name in table.algorithms] + [(name, "seconds_ratio_percent") for name in others]
    rows, datasets = [], datasets_of(given, table)
    for dataset in datasets:
        keys = [(table.title, dataset, *column) for column in columns]
        cells = [cell_of(given, key, deviations=False) for key in keys]  # as in OMKC's Table 5
        rows.append(Row(label=dataset, metric="", cells=cells))
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="Data set",
        columns=[given.results.title(name) for name in table.algorithms]
        + [f"{given.results.title(name)} / {given.results.title(reference)}, %" for name in others],
        blocks=[Block(dataset="", head="", rows=rows)],
        remarks=[
            "Mean seconds of a run; in parentheses the published ones.",
            "Seconds are not judged; the ratios depend on the implementation too.",
            "Other runs may have shared the machine.",
            *_origins(given.results, datasets, reference),
            f"{NO_RESULT}: {NOT_PART}.",
            *(line for dataset in datasets for line in failures_on(given, dataset, table.algorithms)),
        ],
        data=data_of(given.results, (cell for row in rows for cell in row.cells)),
    )


def _origins(results: Results, datasets: list[str], algorithm: str) -> list[str]:
    """Return what the runs on each data set were repeated over, such as published or seeded orders."""
    lines = []
    for origin in ("published", "seeded"):
        if names := [name for name in datasets if results.orders(name, algorithm) == origin]:
            lines.append(f"{results.study.protocol.repeated(origin).capitalize()}: {', '.join(names)}.")
    return lines
