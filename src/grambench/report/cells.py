"""The content of a table in blocks, rows and cells.

This module is imported when a study is loaded. It therefore imports neither pandas nor the results.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from grambench.report.lazy import DataFrame, Sample

NO_RESULT = "—"
ABSENT = f"{NO_RESULT}: not part of this run."  # a remark


@dataclass(frozen=True, kw_only=True)
class TableCell:
    """One cell.

    Attributes
    ----------
    text : str
        Our value as printed; empty where there is none.
    published : str
        The published value as printed; empty where the paper has none.
    status : str
        The text in place of a value of ours: the status of the run that failed, or a dash.
    verdict : str
        See grambench.results.verdicts.Judged; empty where nothing is published.
    best : bool
        Whether it is among the best of its row.
    speed_up : float or None
        Published seconds by ours.
    numbers : tuple of two Samples or None
        Our value and the published one, for the CSV file.
    orders : str
        The origin of the permutations, "published" or "seeded"; empty if nothing was run.
    key : tuple of str or None
        The data set, algorithm and metric of the value.
    """

    text: str
    published: str = ""
    status: str = ""
    verdict: str = ""
    best: bool = False
    speed_up: float | None = None
    numbers: tuple[Sample, Sample] | None = None
    orders: str = ""
    key: tuple[str, str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: its label, and one cell a column."""

    label: str
    cells: list[TableCell]


@dataclass(frozen=True, kw_only=True)
class Block:
    """Rows, and the line above them: a data set and its description; a table without such lines has one block."""

    rows: list[Row]
    dataset: str = ""
    head: str = ""


@dataclass(frozen=True, kw_only=True)
class TableContent:
    """One table: title, caption, remarks beneath it, the head of its label column, its columns and blocks.

    `data` is the CSV file of the table, with names beside titles and numbers as numbers.
    """

    title: str
    caption: str
    corner: str
    columns: list[str]
    blocks: list[Block]
    remarks: list[str] = field(default_factory=list)
    data: DataFrame = field(compare=False)

    def select_columns(self, numbers: Sequence[int]) -> "TableContent":
        """Return the table with some of its columns, counted from 0."""
        blocks = [
            replace(block, rows=[replace(row, cells=[row.cells[n] for n in numbers]) for row in block.rows])
            for block in self.blocks
        ]
        return replace(self, blocks=blocks, columns=[self.columns[n] for n in numbers])


def cells_of(blocks: Iterable[Block]) -> Iterator[TableCell]:
    """Yield all cells of some blocks, row by row."""
    return (cell for block in blocks for row in block.rows for cell in row.cells)
