"""Data sets by algorithms: the means of one metric, the best of each data set in bold."""

from typing import TYPE_CHECKING, Literal

from grambench.config.metrics import METRICS
from grambench.report.cells import NO_RESULT, Block, OneMetricTable, Row, TableCell, TableContent, cells_of

if TYPE_CHECKING:
    from grambench.report.table_data import TableData


class MatrixTable(OneMetricTable):
    """A row for each data set, a column for each algorithm, means of one metric; the best of each row in bold."""

    kind: Literal["matrix"]

    def build(self, data: "TableData") -> TableContent:
        """Lay out a row for each data set and a column for each algorithm."""
        (metric,), datasets = self.metrics, data.results.study.datasets
        rows = []
        for dataset in datasets:
            best = data.results.best(dataset, self.algorithms, metric)
            cells = [_cell(data, dataset, name, metric, best=name in best) for name in self.algorithms]
            rows.append(Row(label=dataset, cells=cells))
        blocks = [Block(rows=rows)]
        remarks = ["Means over the runs.", data.about_bold(self.metrics), *data.absences(datasets, self.algorithms)]
        columns, corner = data.titles(self.algorithms), METRICS[metric].label
        return self.content(columns, blocks, remarks, data.frame(cells_of(blocks)), corner)


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
