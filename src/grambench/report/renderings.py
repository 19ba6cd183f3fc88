"""A table as Markdown and LaTeX."""

import math
from collections.abc import Iterator
from dataclasses import replace

from grambench.report.cells import Row, TableCell, TableContent

MAX_COLUMNS = 12  # of a LaTeX table


def markdown(table: TableContent) -> str:
    """Return the table in Markdown: a small table for each data set under its head."""
    lines = [f"# {_markdown_text(table.title)}: {_markdown_text(table.caption)}", ""]
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
    for character in "\\|*_`<>[]#":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


def _markdown_cell(cell: TableCell) -> str:
    text = _markdown_text(cell.text or cell.status)
    text = f"**{text}**" if cell.best else text
    return f"{text} ({_markdown_text(cell.published)})" if cell.published else text


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


def latex_text(text: str) -> str:
    """Return `text` so that LaTeX prints it as it stands."""
    return "".join(LATEX.get(character, character) for character in " ".join(text.split()))


def latex(table: TableContent) -> str:
    r"""Return the table as a `longtable`, or as several; the document needs \usepackage{booktabs,longtable}."""
    return "\n".join(map(_longtable, _split_columns(table)))


def _split_columns(table: TableContent) -> Iterator[TableContent]:
    """Yield tables of as many of its columns as fit on a page; the last one has the remarks."""
    count = math.ceil(len(table.columns) / MAX_COLUMNS)
    columns = range(len(table.columns))
    size = math.ceil(len(columns) / count)
    for number in range(count):
        caption = table.caption if count == 1 else f"{table.caption}, part {number + 1} of {count}"
        remarks = table.remarks if number == count - 1 else []
        part = table.select_columns(columns[number * size : (number + 1) * size])
        yield replace(part, caption=caption, remarks=remarks)


def _longtable(table: TableContent) -> str:
    width = len(table.columns) + 1
    header = " & ".join([latex_text(table.corner), *map(_latex_column, table.columns)]) + r" \\"
    caption = " ".join([f"{table.caption} ({table.title}).", *table.remarks])
    lines = [
        r"% \usepackage{booktabs,longtable}",
        r"\begingroup\footnotesize\setlength{\tabcolsep}{4pt}",
        rf"\begin{{longtable}}{{@{{}}l{'r' * len(table.columns)}@{{}}}}",
        rf"\caption{{{latex_text(caption)}}} \\",
        *(r"\toprule", header, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", header, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
    ]
    for number, block in enumerate(table.blocks):
        if block.dataset:
            lines += [r"\addlinespace"] if number else []
            head = rf"\textbf{{{latex_text(block.dataset)}}}\quad {latex_text(_short(block.head, 100))}"
            lines.append(rf"\multicolumn{{{width}}}{{@{{}}l}}{{{head}}} \\*")
        for row in block.rows:
            lines.extend(_latex_row(row))
    return "\n".join([*lines, r"\end{longtable}", r"\endgroup", ""])


def _latex_column(column: str) -> str:
    name, _, denominator = column.partition(" / ")
    return (
        latex_text(name) if not denominator else rf"\shortstack[r]{{{latex_text(name)} /\\{latex_text(denominator)}}}"
    )


def _latex_row(row: Row) -> Iterator[str]:
    cells = [latex_text(_short(cell.text or cell.status, 20)) for cell in row.cells]
    bold = [rf"\textbf{{{text}}}" if cell.best else text for text, cell in zip(cells, row.cells, strict=True)]
    published = [f"({latex_text(cell.published)})" if cell.published else "" for cell in row.cells]
    yield " & ".join([latex_text(row.label), *bold]) + (r" \\*" if any(published) else r" \\")
    if any(published):
        yield " & ".join(["", *published]) + r" \\"


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."
