"""A block for each data set, a row for each metric, a column for each algorithm."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, Self

from pydantic import model_validator

from grambench.config.metrics import METRICS
from grambench.config.names import MetricNames, Name, Names
from grambench.config.study import Study
from grambench.report.cells import Block, Row, TableCell, TableContent, cells_of
from grambench.report.table_kind import TableData, TableKind


class ResultsTable(TableKind):
    """A block for each data set, a row for each metric, a column for each algorithm.

    Attributes
    ----------
    highlight : list of str
        Metrics whose best values are set in bold: the best mean, and those that a t-test cannot tell from it.
    """

    kind: Literal["results"] = "results"
    algorithms: Names
    metrics: MetricNames
    highlight: list[Name] = []

    def judged(self) -> list[str]:
        """Return the metrics whose best values are set in bold."""
        return self.highlight

    @model_validator(mode="after")
    def _highlights_what_it_shows(self) -> Self:
        if stray := [metric for metric in self.highlight if metric not in self.metrics]:
            raise ValueError(f"highlights {stray[0]}, which is not among its metrics")
        return self

    def build(self, data: TableData) -> TableContent:
        """Lay out a block for each data set."""
        datasets, algorithms = data.datasets(self), self.algorithms
        blocks = []
        for dataset in datasets:
            rows = []
            for metric in self.metrics:
                best = data.results.best(dataset, algorithms, metric) if metric in self.highlight else set()
                cells = [data.cell((self.title, dataset, name, metric)) for name in algorithms]
                marked = [replace(cell, best=name in best) for name, cell in zip(algorithms, cells, strict=True)]
                rows.append(Row(label=METRICS[metric].label, cells=marked))
            blocks.append(Block(dataset=dataset, head=_head(data, dataset, algorithms), rows=rows))
        has_published = any(cell.published for cell in cells_of(blocks))
        published = "; in parentheses the published value, where the paper prints one" if has_published else ""
        remarks = [
            f"Mean ± standard deviation over the runs{published}.",
            *([data.about_bold(self.highlight)] if self.highlight else []),
            *_kernel_numbers(data, cells_of(blocks)),
            *data.absences(datasets, algorithms),
        ]
        return self.content(data.titles(algorithms), blocks, remarks, data.frame(cells_of(blocks)), corner="")


def _head(data: TableData, dataset: str, algorithms: list[str]) -> str:
    """Return the head of a block as the paper prints it, with the kind of repetitions."""
    from grambench.datasets.store import Unavailable
    from grambench.kernels.labels import kernel_label
    from grambench.results.study import NOT_PART

    results, loaded = data.results, data.prepared.get(dataset)
    if isinstance(loaded, Unavailable):
        return str(loaded)
    if loaded is None:
        return NOT_PART
    origins = dict.fromkeys(filter(None, (results.cell(dataset, name).orders for name in algorithms)))
    facts = [results.study.protocol.repetitions_text(origin) for origin in origins]
    facts += [f"n = {loaded.n}", f"d = {loaded.d}", _pool(results.study, dataset)]
    if best := results.best_kernels(dataset):
        facts.append(f"best kernel expert: {' or '.join(map(kernel_label, best))}")
    return ", ".join(facts)


def _kernel_numbers(data: TableData, cells: Iterable[TableCell]) -> list[str]:
    """Return the remark on what the numbers of selected kernels stand for."""
    from grambench.kernels.labels import kernel_label

    texts = [cell.text for cell in cells if cell.key and cell.key[2] == "selected_kernel"]
    numbers = sorted({int(number) for text in texts for number in re.findall(r"\d+", text)})
    kernels = data.results.study.kernel_list()
    named = [f"{number}: {kernel_label(kernels[number - 1].name)}" for number in numbers if number <= len(kernels)]
    return [f"Kernels by their numbers: {'; '.join(named)}."] if named else []


def _pool(study: Study, dataset: str) -> str:
    """Return the number of base kernels on a data set, in words."""
    if study.dictionary:
        return f"grid of {study.dictionary.count} kernels"
    return f"m = {study.n_kernels(dataset)}" + (" on each view" if study.has_kernels_by_dataset else "")
