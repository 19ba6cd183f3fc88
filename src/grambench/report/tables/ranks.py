"""All data sets together: ranks, and means over the data sets."""

from dataclasses import replace
from typing import Literal

from grambench.common.counts import counted, in_line, within
from grambench.config.metrics import METRICS
from grambench.config.names import MetricNames, Name, Names
from grambench.report.cells import Block, Row, TableContent, cells_of
from grambench.report.lazy import DataFrame, Results
from grambench.report.table_kind import TableData, TableKind
from grambench.results.columns import ALL

NOT_RANKED = "not ranked"
RANKS = ("median_rank", "mean_rank")
FIRST = 5  # algorithms whose order is compared between two halves of the repetitions


class RanksTable(TableKind):
    """All data sets together: median and mean ranks, and means over the data sets.

    Attributes
    ----------
    by : str
        The metric by whose mean the algorithms are ranked on each data set.
    rows : str
        "metrics", with a column for each algorithm; or "algorithms", the best first, with a column for each metric.
    """

    kind: Literal["ranks"]
    algorithms: Names
    metrics: MetricNames
    by: Name = "error_percent"
    rows: Literal["metrics", "algorithms"] = "metrics"

    def judged(self) -> list[str]:
        """Return the metrics by which algorithms are ranked."""
        return [self.by]

    def build(self, data: TableData) -> TableContent:
        """Lay out ranks and means over the data sets."""
        results = data.results
        published = [algorithm for *_, algorithm, metric in data.reproduction if metric == "median_rank"]
        ranked = published or results.with_results(self.algorithms, self.by)
        ranks = results.ranks(ranked, self.by)
        over, names = [] if published else list(ranks.index), self.algorithms
        if self.rows == "algorithms":
            # the best first; those without a rank come last
            mean_ranks = ranks.mean()
            names = sorted(names, key=lambda name: mean_ranks.get(name, len(ranked) + 1.0))
        rows, run = [], set(results.cells["algorithm"])
        for metric in self.metrics:
            cells = []
            for name in names:
                ours = results.across(name, metric, ranked, self.by, over)
                cell = data.cell((self.title, ALL, name, metric), ours=ours)
                unranked = metric in RANKS and name in run and not cell.text
                cells.append(replace(cell, status=NOT_RANKED) if unranked else cell)
            rows.append(Row(label=METRICS[metric].label, cells=cells))
        columns, corner, head = data.titles(names), "", _head(results.study.datasets, ranks)
        # The CSV file has one order of rows, however the table is laid out.
        frame = data.frame(cells_of([Block(dataset=ALL, head=head, rows=rows)]))
        if self.rows == "algorithms":
            by_column = zip(columns, zip(*(row.cells for row in rows), strict=True), strict=True)
            columns, corner = [row.label for row in rows], "Algorithm"
            rows = [Row(label=label, cells=list(cells)) for label, cells in by_column]
        remarks = self._remarks(published=bool(published))
        if "rank_change" in self.metrics:
            remarks += self._about_halves(results, ranked, over)
        remarks += data.failures(results.study.datasets, self.algorithms)
        return self.content(columns, [Block(dataset=ALL, head=head, rows=rows)], remarks, frame, corner)

    def _remarks(self, *, published: bool) -> list[str]:
        label = within(METRICS[self.by].label.partition(" (")[0])
        superlative = "highest" if METRICS[self.by].better == "higher" else "least"
        every = "every algorithm that the paper ranks" if published else "every ranked algorithm"
        means = f"The other numbers are means over {'the' if published else 'these'} data sets, of seconds ± the"
        return [
            f"On each data set on which {every} has a result, rank 1 is that of the {superlative} mean {label}; "
            "algorithms in a tie share their mean rank.",
            f"{means} standard error{'; in parentheses the published value' if published else ''}.",
        ]

    def _about_halves(self, results: Results, ranked: list[str], datasets: list[str]) -> list[str]:
        """Return the remark on the order of the first algorithms by each half of the repetitions; none without both."""
        halves = results.half_ranks(ranked, self.by, datasets)
        if halves.isna().any(axis=None) or len(halves) < 2:
            return []
        first = results.ranks(ranked, self.by, datasets).mean().nsmallest(FIRST).index
        even, odd = (halves.loc[first, half].sort_values(kind="stable") for half in ("even", "odd"))
        text = "Rank change: how far apart the mean ranks by the even and by the odd repetitions are. "
        text += f"The first {len(first)} "
        if even.index.equals(odd.index) and even.is_unique and odd.is_unique:
            return [f"{text}keep their order between these halves."]
        orders = [in_line(map(results.title, half.index)) for half in (even, odd)]
        return [f"{text}stand as a tie. By the even repetitions: {orders[0]}. By the odd ones: {orders[1]}."]


def _head(datasets: list[str], ranks: DataFrame) -> str:
    """Return the data sets behind the ranks, in words."""
    without = [name for name in datasets if name not in ranks.index]
    head = f"ranked on {len(ranks)} of {counted(len(datasets), 'data set')}"
    return f"{head}, without {', '.join(without)}" if without else head
