"""Separated values with all that is wrong with them: each fault in one line, with the line of the file it is in."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import plain

FEW = 10  # faults that a message names
SEPARATORS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'", " ": "blanks"}
MISSING = ("", "?")


class Faults(ValueError):
    """What is wrong with a file.

    Attributes
    ----------
    faults : list of str
        One line each.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        more = [f"and {len(self.faults) - FEW} more"] if len(self.faults) > FEW else []
        super().__init__("; ".join([*self.faults[:FEW], *more]))


@dataclass(frozen=True, slots=True)
class Sheet:
    """The cells of a file.

    Attributes
    ----------
    names : list of str
        What the header calls the columns; empty where it does not name each of them.
    cells : ndarray of object (rows, columns)
        Texts, None for missing values.
    lines : list of int
        The line of the file of each row, from 1.
    faults : list of str
        What is wrong. Rows with another number of columns than most, or with a cell that is no text in one line, are
        left out of `cells`.
    """

    names: list[str]
    cells: NDArray[Any]
    lines: list[int]
    faults: list[str]


def decoded(content: bytes) -> str:
    """Return a text in UTF-8, with or without a mark at its beginning, as spreadsheets write it."""
    try:
        if (zero := content.find(b"\0")) >= 0:
            raise UnicodeDecodeError("utf-8", content, zero, zero + 1, "no character of a text")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Faults(
            [f"line {line}: expected UTF-8, got byte {content[error.start]:#04x}; save the file as UTF-8"]
        ) from None


def sheet(text: str, separator: str, header_lines: int) -> Sheet:
    """Return the cells of a text, and what is wrong with it."""
    numbered = list(_rows(text, separator, strict=True))
    header, rows = numbered[:header_lines], numbered[header_lines:]
    if not rows:
        raise Faults(["expected rows, got none"])
    widths = Counter(len(row) for _, row in rows)
    width = widths.most_common(1)[0][0]
    faults, kept = [f"line {line}: {fault}" for line, row in header for fault in _unfit(row)], []
    for line, row in rows:
        found = [f"expected {width} columns, got {len(row)}"] if len(row) != width else _unfit(row)
        faults += [f"line {line}: {fault}" for fault in found]
        kept += [] if found else [(line, row)]
    if not kept:
        raise Faults(faults)
    if width == 1:
        other = separated_by(text)
        hint = f"; {SEPARATORS[other]} would give more" if other and other != separator else ""
        faults.append(f"expected columns separated by {SEPARATORS.get(separator, repr(separator))}, got one{hint}")
    cells = np.array([[_cell(cell) for cell in row] for _, row in kept], dtype=object)
    names = [cell.strip() for cell in header[-1][1]] if header else []
    return Sheet(names if len(names) == width else [], cells, [line for line, _ in kept], faults)


def _unfit(row: Sequence[str]) -> list[str]:
    """Return what is wrong with the cells of a row as texts.

    A cell between quotes may have several lines, which are no number and no name; its parts put together, "1" and "2",
    would be another one, 12. A description, which is YAML, cannot hold control characters.
    """
    odd = [cell for cell in row if not cell.isprintable()]  # few, if any
    return [f"expected each cell in one line, got {cell!r:.60}" for cell in odd if "\n" in cell] + [
        f"expected text without control characters, got {cell!r:.60}"
        for cell in odd
        if "\n" not in cell and plain(cell) != cell
    ]


def separated_by(text: str) -> str | None:
    """Return the separator by which most of the first rows have equally many columns; None where there is only one."""
    top = "\n".join(text.splitlines()[:100])
    found: list[tuple[int, int, str]] = []
    for separator in SEPARATORS:
        try:
            widths = Counter(len(row) for _, row in _rows(top, separator, strict=False))
        except Faults:
            continue
        width, count = max(widths.items(), key=lambda item: item[1], default=(1, 0))
        if width > 1:
            found.append((count, width, separator))
    return max(found, key=lambda each: each[:2])[2] if found else None


def _rows(text: str, separator: str, *, strict: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, blank lines left out, with the line in which each begins; a strict one minds its quotes."""
    numbered = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if separator == " ":
        yield from ((number, line.split()) for number, line in numbered)
        return
    reader = csv.reader((f"{line}\n" for _, line in numbered), delimiter=separator, strict=strict)
    begins = 0
    try:
        for row in reader:
            yield numbered[begins][0], row
            begins = reader.line_num
    except csv.Error as error:
        raise Faults(
            [f"line {numbered[begins][0]}: expected separated values, got a fault in quotes ({error})"]
        ) from None


def _cell(text: str) -> str | None:
    return None if text.strip() in MISSING else text.strip()
