"""Seconds of the algorithms on each data set, and their ratio to the first one's."""

from typing import Literal

from grambench.config.names import Names
from grambench.report.cells import Block, Row, TableContent, cells_of
from grambench.report.table_kind import TableData, TableKind


class TimesTable(TableKind):
    """A row for each data set, the seconds of the algorithms and their ratio to the first one's."""

    kind: Literal["times"]
    algorithms: Names

    def build(self, data: TableData) -> TableContent:
        """Lay out a row for each data set."""
        reference, *compared = self.algorithms
        titles = data.titles(self.algorithms)
        titles += [f"{title} / {titles[0]}, %" for title in titles[1:]]
        rows, datasets = [], data.datasets(self)
        for dataset in datasets:
            # Without deviations, as in OMKC's Table 5.
            seconds = [data.cell((self.title, dataset, name, "seconds"), deviations=False) for name in self.algorithms]
            ratios = {name: data.results.seconds_ratio(dataset, name, reference) for name in compared}
            cells = seconds + [
                data.cell((self.title, dataset, name, "seconds_ratio_percent"), deviations=False, ours=ratio)
                for name, ratio in ratios.items()
            ]
            rows.append(Row(label=dataset, cells=cells))
        blocks = [Block(rows=rows)]
        remarks = [
            "Mean seconds of a run; in parentheses the published ones.",
            "Seconds are not judged; the ratios depend on the implementation too.",
            "Other runs may have shared the computer.",
            *_origins(data, datasets, reference),
            *data.absences(datasets, self.algorithms),
        ]
        return self.content(titles, blocks, remarks, data.frame(cells_of(blocks)))


def _origins(data: TableData, datasets: list[str], algorithm: str) -> list[str]:
    """Return what the repetitions on each data set are, such as published or seeded permutations."""
    lines = []
    for origin in ("published", "seeded", "stored"):
        if names := [name for name in datasets if data.results.cell(name, algorithm).orders == origin]:
            lines.append(f"{data.results.study.protocol.repetitions_text(origin).capitalize()}: {', '.join(names)}.")
    return lines
