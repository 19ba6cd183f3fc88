"""Comparisons of methods whose numbers cannot be compared: distances, ratios of seconds and ranks, with published ones.

With other descriptors all accuracies on a data set differ. The distance of each method from the best single kernel, and
the order of the methods, can be compared all the same.
"""

from typing import Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.config.names import Name
from grambench.report.cells import NO_RESULT, Block, Row, TableCell, TableContent, cells_of
from grambench.report.lazy import DataFrame
from grambench.report.table_kind import OneMetricTable, TableData
from grambench.results.columns import ALL

MEAN = "mean"  # the label of the row of means


class RelativeTable(OneMetricTable):
    """A block each of distances from the best single kernel, ratios of seconds, and ranks; a row for each data set.

    Attributes
    ----------
    reference : str
        The algorithm whose seconds are 100 percent, and whose published metric the published distances are from.
    sweep : str
        The sweep over `kernel`, of one algorithm, that finds the best kernel.
    """

    kind: Literal["relative"]
    reference: Name
    sweep: Name

    def named(self, key: Literal["algorithms", "datasets", "metrics"]) -> list[str]:
        """Return the algorithms, data sets or metrics that it lists, the reference among the first."""
        return [*super().named(key), *([self.reference] if key == "algorithms" else [])]

    def build(self, data: TableData) -> TableContent:
        """Lay out three blocks with a row for each data set and one of means over those that have a result."""
        import pandas as pd

        results, (metric,) = data.results, self.metrics
        datasets, names = results.study.datasets, list(dict.fromkeys([*self.algorithms, self.reference]))
        lower = METRICS[metric].better == "lower"
        swept = results.study.sweeps[self.sweep].algorithms[0]
        by_kernel = {name: results.by_kernel(self.sweep, name, swept, metric) for name in datasets}
        best_of = pd.Series.min if lower else pd.Series.max
        best_kernel = pd.Series({name: best_of(means) for name, means in by_kernel.items()}, dtype=np.float64)
        ours, seconds = (results.means(names, name) for name in (metric, "seconds"))
        printed, printed_seconds = (_printed(data, datasets, names, name) for name in (metric, "seconds"))

        def ranks(means: DataFrame) -> DataFrame:
            complete = means[self.algorithms].dropna(axis="columns", how="all").dropna().round(9)
            return complete.rank(axis="columns", ascending=lower).reindex(datasets, columns=self.algorithms)

        def to_reference(means: DataFrame) -> DataFrame:
            return 100.0 * means.div(means[self.reference], axis="index")

        label, title = METRICS[metric].label, results.title(self.reference)
        distances = ours.sub(best_kernel, axis="index"), printed.sub(printed[self.reference], axis="index")
        ratios = to_reference(seconds), to_reference(printed_seconds)
        columns = {
            f"{metric}_from_best_kernel": f"{label}, from the best single kernel",
            "seconds_percent_of_reference": f"Seconds, in percent of those of {title}",
            "rank": f"Rank by {label}",
        }
        forms, pairs = ("{:+z.1f}", "{:.1f}", "{:.1f}"), (distances, ratios, (ranks(ours), ranks(printed)))
        blocks = [
            _block(name, head, form, *(numbers[self.algorithms] for numbers in pair))
            for (name, head), form, pair in zip(columns.items(), forms, pairs, strict=True)
        ]
        remarks = [
            f"In parentheses the same of the published numbers, for which the best kernel is that of {title}.",
            *data.absences(datasets, names),
        ]
        return self.content(data.titles(self.algorithms), blocks, remarks, data.frame(cells_of(blocks), columns))


def _printed(data: TableData, datasets: list[str], names: list[str], metric: str) -> DataFrame:
    import pandas as pd

    rows = {key[1:]: float(row["published_mean"]) for key, row in data.reproduction.items()}
    return pd.DataFrame({name: [rows.get((d, name, metric), np.nan) for d in datasets] for name in names}, datasets)


def _block(metric: str, head: str, form: str, ours: DataFrame, published: DataFrame) -> Block:
    import pandas as pd

    from grambench.results.statistics import Sample

    with_means = (pd.concat([numbers, numbers.mean().to_frame(MEAN).T]) for numbers in (ours, published))
    our_means, printed_means = (numbers.to_dict("index") for numbers in with_means)
    rows = []
    for label in map(str, our_means):
        cells = []
        for algorithm in map(str, ours.columns):
            mean, printed = our_means[label][algorithm], printed_means[label][algorithm]
            cell = TableCell(
                text=form.format(mean) if np.isfinite(mean) else "",
                published=form.format(printed) if np.isfinite(printed) else "",
                status=NO_RESULT,
                numbers=(Sample(mean, np.nan, int(np.isfinite(mean))), Sample(printed, np.nan, 0)),
                key=(ALL if label == MEAN else label, algorithm, metric),
            )
            cells.append(cell)
        rows.append(Row(label=label, cells=cells))
    return Block(dataset=head, rows=rows)
