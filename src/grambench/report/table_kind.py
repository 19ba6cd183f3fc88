"""The base classes of the kinds of tables.

This module is imported when a study is loaded. It therefore imports neither pandas nor the results.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from grambench.config.names import Names
from grambench.config.shown import AnyTable, OneMetric
from grambench.report.cells import Block, TableContent
from grambench.report.lazy import DataFrame, Table

if TYPE_CHECKING:
    from grambench.report.table_data import TableData as TableData
else:
    TableData = Any


class TableKind(AnyTable):
    """One table: the fields that a study's file sets, and its layout."""

    def build(self, data: TableData) -> TableContent:
        """Lay the table out."""
        raise NotImplementedError

    @classmethod
    def file(cls) -> Table:
        """Return the declaration of the table's CSV file."""
        from grambench.report.table_data import CELLS

        return CELLS

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
