"""Algorithms by data sets: the means of one metric, the best of each data set in bold."""

from typing import TYPE_CHECKING, Literal

from grambench.config.metrics import METRICS
from grambench.report.cells import NO_RESULT, Block, OneMetricTable, Row, TableCell, TableContent, cells_of

if TYPE_CHECKING:
    from grambench.report.table_data import TableData


class MatrixTable(OneMetricTable):
    """A row for each algorithm, a column for each data set, means of one metric; the best of each column in bold."""

    kind: Literal["matrix"]

    def build(self, data: "TableData") -> TableContent:
        """Lay out a row for each algorithm and a column for each data set."""
        (metric,), datasets = self.metrics, data.results.study.datasets
        best = {dataset: data.results.best(dataset, self.algorithms, metric) for dataset in datasets}
        rows = []
        for name in self.algorithms:
            cells = [_cell(data, dataset, name, metric, best=name in best[dataset]) for dataset in datasets]
            rows.append(Row(label=data.results.title(name), cells=cells))
        blocks = [Block(rows=rows)]
        remarks = ["Means over the runs.", data.about_bold(self.metrics), *data.absences(datasets, self.algorithms)]
        return self.content(datasets, blocks, remarks, data.frame(cells_of(blocks)), METRICS[metric].label)


def _cell(data: "TableData", dataset: str, algorithm: str, metric: str, *, best: bool) -> TableCell:
    """Return a mean without its deviation, for which a wide table is too narrow; the CSV file has it."""
    from grambench.report.table_data import NOTHING
    from grambench.results.study import formatted

    sample = data.results.sample(dataset, algorithm, metric)
    return TableCell(
        text=formatted(sample._replace(std=float("nan")), dataset, metric, fine=True) if sample.runs else "",
        status="" if sample.runs else data.results.status(dataset, algorithm) or NO_RESULT,
        best=best,
        numbers=(sample, NOTHING),
        orders=data.results.orders(dataset, algorithm),
        key=(dataset, algorithm, metric),
    )
