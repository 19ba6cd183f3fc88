"""How methods compare where their numbers cannot: distances, ratios of seconds and ranks, ours and the published ones.

With other descriptors all accuracies on a data set are others; what can be compared is how far each method is from the
best kernel by itself, and which comes before which.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from grambench.config.metrics import METRICS
from grambench.config.shown import RelativeTable
from grambench.report.tables.layout import NO_RESULT, Block, Cell, Given, Grid, Row, data_of, failures_on
from grambench.results.statistics import Sample
from grambench.results.study import ALL, NOT_PART

MEAN = "mean"  # the label of the row of means


def build(given: Given, table: RelativeTable) -> Grid:
    """Lay out three blocks with a row a data set and one of means over those that have a result."""
    results, (metric,) = given.results, table.metrics
    datasets, names = results.study.datasets, list(dict.fromkeys([*table.algorithms, table.reference]))
    lower = METRICS[metric].better == "lower"
    ours, seconds = (results.means(names, each) for each in (metric, "seconds"))
    printed, printed_seconds = (_printed(given, datasets, names, each) for each in (metric, "seconds"))
    alone = {name: given.results.by_kernel(table.sweep, name, _swept(given, table), metric) for name in datasets}
    best = pd.Series({name: each.min() if lower else each.max() for name, each in alone.items()}, dtype=np.float64)

    def ranks(means: pd.DataFrame) -> pd.DataFrame:
        complete = means[table.algorithms].dropna(axis="columns", how="all").dropna().round(9)
        return complete.rank(axis="columns", ascending=lower).reindex(datasets, columns=table.algorithms)

    def to_reference(means: pd.DataFrame) -> pd.DataFrame:
        return 100.0 * means.div(means[table.reference], axis="index")

    label, title = METRICS[metric].label, results.title(table.reference)
    own = ours.sub(best, axis="index"), to_reference(seconds), ranks(ours)
    theirs = printed.sub(printed[table.reference], axis="index"), to_reference(printed_seconds), ranks(printed)
    kinds = (
        (f"{metric}_from_best_kernel", f"{label}, from the best kernel by itself", "{:+.1f}"),
        ("seconds_percent_of_reference", f"Seconds, in percent of those of {title}", "{:.1f}"),
        ("rank", f"Rank by {label}", "{:.1f}"),
    )
    blocks = [
        _block(name, head, form, *(numbers[table.algorithms] for numbers in both))
        for (name, head, form), *both in zip(kinds, own, theirs, strict=True)
    ]
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="Data set",
        columns=[results.title(name) for name in table.algorithms],
        blocks=blocks,
        remarks=[
            f"In parentheses the same of the published numbers, for which the best kernel is that of {title}.",
            f"{NO_RESULT}: {NOT_PART}.",
            *(line for dataset in datasets for line in failures_on(given, dataset, names)),
        ],
        data=data_of(
            results,
            (cell for block in blocks for row in block.rows for cell in row.cells),
            {name: head for name, head, _ in kinds},
        ),
    )


def _swept(given: Given, table: RelativeTable) -> str:
    return given.results.study.sweeps[table.sweep].algorithms[0]


def _printed(given: Given, datasets: list[str], names: list[str], metric: str) -> pd.DataFrame:
    rows = {key[1:]: float(row["published_mean"]) for key, row in given.reproduction.items()}
    return pd.DataFrame({name: [rows.get((d, name, metric), np.nan) for d in datasets] for name in names}, datasets)


def _block(name: str, head: str, form: str, ours: pd.DataFrame, published: pd.DataFrame) -> Block:
    both = [pd.concat([numbers, numbers.mean().to_frame(MEAN).T]) for numbers in (ours, published)]
    return Block(
        dataset=head,
        head="",
        rows=[
            Row(
                label=str(label),
                metric="",
                cells=[
                    replace(
                        _cell(form, *pair),
                        key=(ALL if label == MEAN else str(label), str(algorithm), name),
                    )
                    for algorithm, *pair in zip(ours.columns, *pairs, strict=True)
                ],
            )
            for label, *pairs in zip(both[0].index, *(numbers.to_numpy() for numbers in both), strict=True)
        ],
    )


def _cell(form: str, ours: float, published: float) -> Cell:
    known = bool(np.isfinite(ours))
    return Cell(
        text=form.format(ours) if known else "",
        published=form.format(published) if np.isfinite(published) else "",
        status="" if known else NO_RESULT,
        numbers=(Sample(ours, np.nan, int(known)), Sample(published, np.nan, 0)),
    )
