"""The base classes of the kinds of tables.

This module is imported when a study is loaded. It therefore imports no pandas, and of the results the columns alone.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from grambench.config.names import Names
from grambench.config.shown import AnyTable, OneMetric
from grambench.report.cells import Block, TableContent
from grambench.report.lazy import DataFrame
from grambench.results.columns import ALGORITHM, ALGORITHM_TITLE, ALL, ORDERS, Column, Table

if TYPE_CHECKING:
    from grambench.report.table_data import TableData as TableData
else:
    TableData = Any

CELLS = Table(
    "tables/*.csv",
    "a cell of a table, of all kinds that have no file of their own (below)",
    (
        Column("dataset", "text", f"name of the data set; {ALL!r} for all of the table together"),
        ALGORITHM,
        Column("metric", "text", "what is measured: a metric (below), or a comparison of the table's own"),
        ALGORITHM_TITLE,
        Column("metric_title", "text", "title of what is measured, with its unit"),
        Column("ours_mean", "number", "our number; missing where there is none", "that of the metric"),
        Column("ours_std", "number", "standard deviation of our runs (ddof = 1), if it is shown", "that of the metric"),
        Column("runs", "integer", "runs behind our number, of all data sets together data sets; 0 without", "count"),
        Column("published_mean", "number", "the published number, if any", "that of the metric"),
        Column("published_std", "number", "the published standard deviation, if any", "that of the metric"),
        Column("speed_up", "number", "published seconds by ours, of seconds only", "ratio"),
        Column("ours", "text", "our number as printed, or the names that stand for it; empty where there is none"),
        Column("published", "text", "the published number as printed, or names; empty where there is none"),
        ORDERS,
        Column("best", "boolean", "whether it is among the best of its row, set in bold"),
        Column("verdict", "text", "verdict on our number beside the published one; empty where none is published"),
        Column(
            "status", "text", "that of the run, ok or why there is no number; empty where it is not part of this run"
        ),
        Column("reason", "text", "why there is no number, in one line"),
    ),
)


class TableKind(AnyTable):
    """One table: the fields that a study's file sets, and its layout.

    Attributes
    ----------
    file : Table
        The declaration of the table's CSV file.
    """

    file: ClassVar[Table] = CELLS

    def build(self, data: TableData) -> TableContent:
        """Lay the table out."""
        raise NotImplementedError

    def content(
        self,
        columns: Sequence[str],
        blocks: Sequence[Block],
        remarks: Iterable[str],
        data: DataFrame,
        corner: str = "Data set",
    ) -> TableContent:
        """Return the content with the table's title and caption, and its own remark before all others."""
        return TableContent(
            title=self.title,
            caption=self.caption,
            corner=corner,
            columns=list(columns),
            blocks=list(blocks),
            remarks=[*([self.remark] if self.remark else []), *remarks],
            data=data,
        )


class OneMetricTable(TableKind):
    """A table that compares algorithms by one metric."""

    algorithms: Names
    metrics: OneMetric

    def judged(self) -> list[str]:
        """Return the metric by which algorithms are compared."""
        return self.metrics
