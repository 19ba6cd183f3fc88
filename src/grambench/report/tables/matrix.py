"""Algorithms by data sets: the means of one metric, the best of each data set in bold, and the mean rank."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from grambench.common.counts import counted
from grambench.config.metrics import METRICS
from grambench.config.names import Name
from grambench.report.cells import NO_RESULT, Block, Row, TableCell, TableContent, cells_of
from grambench.report.lazy import Results
from grambench.report.table_kind import OneMetricTable, TableData


class MatrixTable(OneMetricTable):
    """A row for each algorithm, a column for each data set, and the mean rank; the best of each data set in bold.

    Attributes
    ----------
    datasets : list of str
        The data sets; all of the study if none is listed.
    deviations : bool
        Whether standard deviations are printed beside the means. The CSV file has them in any case.
    """

    kind: Literal["matrix"]
    datasets: list[Name] = []
    deviations: bool = False

    def build(self, data: TableData) -> TableContent:
        """Lay out a row for each algorithm and a column for each data set."""
        (metric,), results = self.metrics, data.results
        datasets = self.datasets or results.study.datasets
        judged = METRICS[metric].better is not None  # else neither low nor high values are best
        best = {dataset: results.best(dataset, self.algorithms, metric) if judged else set() for dataset in datasets}
        ranked = results.with_results(self.algorithms, metric, datasets)
        complete = list(results.ranks(ranked, metric, datasets).index)
        rows = []
        for name in self.algorithms:
            cells = [self._cell(data, dataset, name, best=name in best[dataset]) for dataset in datasets]
            rank = results.across(name, "mean_rank", ranked, metric, complete)
            cells.append(TableCell(text=f"{rank.mean:.2f}" if rank.runs else "", status="" if rank.runs else NO_RESULT))
            rows.append(Row(label=results.title(name), cells=cells))
        has_absent = any(cell.status == NO_RESULT for row in rows for cell in row.cells)
        over = f"{len(complete)} of {counted(len(datasets), 'data set')}, where every ranked algorithm has a result"
        about_rank = f"Mean rank over {over}: 1 is the best, ties share their mean rank."
        remarks = [
            *([] if self.deviations else ["Means over the runs."]),
            *([data.about_bold(self.metrics), about_rank] if judged else []),
            *(data.absences if has_absent else data.failures)(datasets, self.algorithms),
        ]
        frame = data.frame(cells_of([Block(rows=[replace(row, cells=row.cells[:-1]) for row in rows])]))
        content = self.content([*datasets, "Mean rank"], [Block(rows=rows)], remarks, frame, "Algorithm")
        return content if judged else content.select_columns(range(len(datasets)))

    def _cell(self, data: TableData, dataset: str, algorithm: str, *, best: bool) -> TableCell:
        key = ("", dataset, algorithm, self.metrics[0])
        cell = data.cell(key)
        text = cell.text if self.deviations else data.cell(key, deviations=False).text
        return replace(cell, text=text, best=best)


def paper_table(
    results: Results, metric: str, algorithms: Sequence[str], datasets: Sequence[str], caption: str = ""
) -> TableContent:
    """Return a table for a paper: mean and standard deviation of one metric, and the mean rank.

    Parameters
    ----------
    results : Results
        The results of the study.
    metric : str
        What is compared.
    algorithms, datasets : sequence of str
        The rows and the columns, in this order.
    caption : str
        The caption. The metric, what the deviations are over, and remarks on the test and the ranks follow.
    """
    from grambench.report.table_data import TableData

    origins = dict.fromkeys(filter(None, (results.cell(d, a).orders for d in datasets for a in algorithms)))
    repetitions = " or ".join(map(results.study.protocol.repetitions_text, origins)) or "no runs"
    shown = f"{METRICS[metric].label}: mean ± standard deviation over {repetitions}"
    table = MatrixTable(
        kind="matrix",
        title="",
        caption=". ".join(filter(None, [caption.rstrip(". "), shown])),
        algorithms=list(algorithms),
        metrics=[metric],
        datasets=list(datasets),
        deviations=True,
    )
    return table.build(TableData(results=results, prepared={}, reproduction={}))
