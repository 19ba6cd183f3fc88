"""A table as text, Markdown and LaTeX."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from grambench.report.cells import Row, TableCell, TableContent

MAX_ROWS = 45  # of a table on one page
HEAD = 10  # characters of a column's head in one line
SHORT = 20  # characters in LaTeX of a reason for a missing number; a number is never cut
# in points, of a paper with two columns on US letter paper, set in footnotesize
PAPER_COLUMN_WIDTH, PAGE_WIDTH = 238.0, 500.0
LETTER_WIDTH, COLUMN_GAP = 4.7, 6.0


def files(tables: Mapping[str, TableContent]) -> dict[str, str]:
    """Return the files of tables as CSV, Markdown and LaTeX, by the names of the tables with a suffix."""
    return {
        f"{name}.{suffix}": text
        for name, table in tables.items()
        for suffix, text in (("csv", table.data.to_csv(index=False)), ("md", markdown(table)), ("tex", latex(table)))
    }


def text(table: TableContent, width: int) -> str:
    """Return the table as text for a terminal, best values with a star; columns that do not fit stand below."""
    lines = [": ".join(filter(None, (table.title, table.caption))), ""]
    for block in table.blocks:
        lines += [f"{block.dataset}: {block.head}"] if block.dataset else []
        rows = [[table.corner, *(f"{title} " for title in table.columns)]]
        rows += [
            [row.label, *(f"{c.text or c.status}{'*' if c.best else ' '}" for c in row.cells)] for row in block.rows
        ]
        for part in fitting(rows, width + 2):  # nothing stands before the labels
            first, *others = sizes(part)
            for label, *texts in part:
                aligned = (text.rjust(size) for text, size in zip(texts, others, strict=True))
                lines.append(f"{label:{first - 2}}{''.join(aligned)}".rstrip())
            lines.append("")
    return "\n".join([*lines, *table.remarks]).replace("Bold:", "Star:") + "\n"


def sizes(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column, with two spaces between columns."""
    return [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]


def fitting(rows: Sequence[Sequence[str]], width: int) -> Iterator[list[tuple[str, ...]]]:
    """Yield tables of the first column and as many of the others as have room."""
    first, *others = sizes(rows)
    start, used = 1, first
    for place, size in enumerate(others, start=1):
        if used + size > width and place > start:
            yield [(row[0], *row[start:place]) for row in rows]
            start, used = place, first
        used += size
    yield [(row[0], *row[start:]) for row in rows]


def markdown(table: TableContent) -> str:
    """Return the table in Markdown: a small table for each data set under its head."""
    title = ": ".join(filter(None, (table.title, table.caption)))
    lines = [f"# {_markdown_text(title)}", ""]
    for block in table.blocks:
        if block.dataset:
            lines += [f"## {_markdown_text(block.dataset)}", "", _markdown_text(block.head), ""]
        lines.append(_markdown_line([table.corner, *map(_markdown_text, table.columns)]))
        lines.append("|---|" + "---:|" * len(table.columns))
        for row in block.rows:
            lines.append(_markdown_line([_markdown_text(row.label), *map(_markdown_cell, row.cells)]))
        lines.append("")
    lines += [f"{_markdown_text(remark)}\n" for remark in table.remarks]
    return "\n".join(lines)


def _markdown_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_text(text: str) -> str:
    return " ".join(text.translate(MARKDOWN).split())


def _markdown_cell(cell: TableCell) -> str:
    text = _markdown_text(cell.text or cell.status)
    text = f"**{text}**" if cell.best else text
    return f"{text} ({_markdown_text(cell.published)})" if cell.published else text


MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\|*_`<>[]#"})
LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "σ": r"$\sigma$",
    "λ": r"$\lambda$",
    "√": r"$\surd$",
    "—": "---",
}
MINUS = re.compile(r"(?<![\w.])-(?=[\d.])")  # of a number


def latex_text(text: str) -> str:
    """Return `text` so that LaTeX prints it as it stands."""
    printed = "".join(LATEX.get(character, character) for character in " ".join(text.split()))
    return MINUS.sub("$-$", printed)


def latex(table: TableContent, *, label: str = "") -> str:
    r"""Return the table in LaTeX.

    A table that fits on a page is a `tabular` in a `table`, or in a `table*` over both columns of a paper where one is
    too narrow; the document needs \usepackage{booktabs}. Any other is a `longtable`, which needs a document of one
    column and \usepackage{booktabs,longtable}. A table with too many columns becomes several.

    Parameters
    ----------
    table : TableContent
        The table.
    label : str
        The argument of `\label`.
    """
    long = sum(len(block.rows) + 1 for block in table.blocks) > MAX_ROWS
    label = rf"\label{{{label}}}" if label else ""
    parts = enumerate(_split_columns(table))
    return "\n".join(_latex_table(part, "" if number else label, long=long) for number, part in parts)


def _widths(table: TableContent) -> list[float]:
    """Return an estimate of the width of each column in points, the label column first."""
    rows = [row for block in table.blocks for row in block.rows]
    texts = [[table.corner, *(row.label for row in rows)]]
    for number, column in enumerate(table.columns):
        cells = [row.cells[number] for row in rows]
        published = [f"({cell.published})" for cell in cells if cell.published]
        texts.append([*_stacked(column), *published, *(cell.text or short(cell.status, SHORT) for cell in cells)])
    return [LETTER_WIDTH * max(map(len, column), default=0) + COLUMN_GAP for column in texts]


def _split_columns(table: TableContent) -> Iterator[TableContent]:
    """Yield tables of equally many columns that fit on a page beside the labels; the last one has the remarks."""
    first, *others = _widths(table)
    for count in itertools.count(1):
        parts = np.array_split(np.arange(len(others)), count)
        if all(len(part) < 2 or first + sum(others[number] for number in part) <= PAGE_WIDTH for part in parts):
            break
    for number, columns in enumerate(parts, start=1):
        caption = table.caption if count == 1 else f"{table.caption}, part {number} of {count}"
        remarks = table.remarks if number == count else []
        yield replace(table.select_columns(columns.tolist()), caption=caption, remarks=remarks)


def _latex_table(table: TableContent, label: str, *, long: bool) -> str:
    columns, caption = rf"{{@{{}}l{'r' * len(table.columns)}@{{}}}}", rf"\caption{{{_caption(table)}}}{label}"
    head = [r"\toprule", _header(table), r"\midrule"]
    if long:
        lines = [
            r"% \usepackage{booktabs,longtable}",
            r"\begingroup\footnotesize\setlength{\tabcolsep}{4pt}",
            *(rf"\begin{{longtable}}{columns}", rf"{caption} \\"),
            *(*head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot"),
            *_body(table),
            *(r"\end{longtable}", r"\endgroup"),
        ]
    else:
        environment = "table" if sum(_widths(table)) <= PAPER_COLUMN_WIDTH else "table*"
        lines = [
            r"% \usepackage{booktabs}",
            rf"\begin{{{environment}}}[t]",
            r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
            *(caption, rf"\begin{{tabular}}{columns}", *head),
            *_body(table),
            *(r"\bottomrule", r"\end{tabular}", rf"\end{{{environment}}}"),
        ]
    return "\n".join([*lines, ""])


def _caption(table: TableContent) -> str:
    text = f"{table.caption.rstrip('.')} ({table.title})." if table.title else f"{table.caption.rstrip('.')}."
    return latex_text(" ".join([text, *table.remarks]))


def _header(table: TableContent) -> str:
    return " & ".join([latex_text(table.corner), *map(_latex_column, table.columns)]) + r" \\"


def _body(table: TableContent) -> Iterator[str]:
    """Yield the rows of all blocks, each block under its data set."""
    width = len(table.columns) + 1
    for number, block in enumerate(table.blocks):
        if block.dataset:
            yield from [r"\addlinespace"] if number else []
            head = rf"\textbf{{{latex_text(block.dataset)}}}\quad {latex_text(short(block.head, 100))}"
            yield rf"\multicolumn{{{width}}}{{@{{}}l}}{{{head}}} \\*"
        for row in block.rows:
            yield from _latex_row(row)


def _latex_column(column: str) -> str:
    lines = [latex_text(line) for line in _stacked(column)]
    stack = r" \\".join(lines)
    return rf"\shortstack[r]{{{stack}}}" if len(lines) > 1 else stack


def _stacked(column: str) -> list[str]:
    """Return the lines of a column's head: a ratio breaks at its line, a long title at the space nearest its middle."""
    name, _, denominator = column.partition(" / ")
    if denominator:
        return [f"{name} /", denominator]
    spaces = [place for place, letter in enumerate(column) if letter == " "]
    if len(column) <= HEAD or not spaces:
        return [column]
    place = min(spaces, key=lambda space: abs(space - len(column) / 2))
    return [column[:place], column[place + 1 :]]


def _latex_row(row: Row) -> Iterator[str]:
    cells = [latex_text(cell.text or short(cell.status, SHORT)) for cell in row.cells]
    bold = [rf"\textbf{{{text}}}" if cell.best else text for text, cell in zip(cells, row.cells, strict=True)]
    published = [f"({latex_text(cell.published)})" if cell.published else "" for cell in row.cells]
    yield " & ".join([latex_text(row.label), *bold]) + (r" \\*" if any(published) else r" \\")
    if any(published):
        yield " & ".join(["", *published]) + r" \\"


def short(text: str, length: int) -> str:
    """Return a text, cut to a length."""
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."
