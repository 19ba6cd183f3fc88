"""Reads separated values and collects their faults, each in one line with the line of the file."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import plain
from grambench.datasets import unpack

SHOWN_FAULTS = 10  # the largest number of faults in a message
SEPARATORS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'", " ": "blanks"}
MISSING = ("", "?")


class MalformedFileError(ValueError):
    """A file is malformed.

    Attributes
    ----------
    faults : list of str
        The faults of the file, in one line each.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        more = [f"and {len(self.faults) - SHOWN_FAULTS} more"] if len(self.faults) > SHOWN_FAULTS else []
        super().__init__("; ".join([*self.faults[:SHOWN_FAULTS], *more]))


@dataclass(frozen=True, slots=True)
class Sheet:
    """The cells of a file.

    Attributes
    ----------
    names : list of str
        The names of the columns in the header; empty if it does not name each of them.
    cells : ndarray of object (rows, columns)
        The texts of the cells, None for missing values.
    lines : list of int
        The line of the file of each row, from 1.
    faults : list of str
        The faults of the file. Rows with another number of columns than most, or with a cell that is no text in one
        line, are left out of `cells`.
    """

    names: list[str]
    cells: NDArray[Any]
    lines: list[int]
    faults: list[str]


def decoded(content: bytes) -> str:
    """Return a text from UTF-8, with or without the byte order mark that spreadsheets write."""
    if fault := unpack.binary_fault(content):
        raise MalformedFileError([fault])
    try:
        if (zero := content.find(b"\0")) >= 0:
            raise UnicodeDecodeError("utf-8", content, zero, zero + 1, "no character of a text")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MalformedFileError(
            [f"line {line}: expected UTF-8, got byte {content[error.start]:#04x}; save the file as UTF-8"]
        ) from None


def sheet(text: str, separator: str, header_lines: int, *, one_column: bool = False) -> Sheet:
    """Return the cells of a text, and its faults; a single column is one unless `one_column` allows it."""
    numbered = list(_rows(text, separator, strict=True))
    header, rows = numbered[:header_lines], numbered[header_lines:]
    if not rows:
        raise MalformedFileError(["expected rows, got none"])
    widths = Counter(len(row) for _, row in rows)
    width = widths.most_common(1)[0][0]
    faults, valid_rows = [f"line {line}: {fault}" for line, row in header for fault in _check_texts(row)], []
    for line, row in rows:
        row_faults = [f"expected {width} columns, got {len(row)}"] if len(row) != width else _check_texts(row)
        faults += [f"line {line}: {fault}" for fault in row_faults]
        valid_rows += [] if row_faults else [(line, row)]
    if not valid_rows:
        raise MalformedFileError(faults)
    if width == 1 and not one_column:
        other = separated_by(text)
        hint = f"; {SEPARATORS[other]} would give more" if other and other != separator else ""
        faults.append(f"expected columns separated by {SEPARATORS.get(separator, repr(separator))}, got one{hint}")
    cells = np.array([[_cell(cell) for cell in row] for _, row in valid_rows], dtype=object)
    names = [cell.strip() for cell in header[-1][1]] if header else []
    return Sheet(names if len(names) == width else [], cells, [line for line, _ in valid_rows], faults)


def _check_texts(row: Sequence[str]) -> list[str]:
    """Return the faults of the texts in a row.

    A quoted cell may have several lines, which are no number and no name: joined, "1" and "2" would become 12. A
    description, which is YAML, cannot hold control characters.
    """
    odd = [cell for cell in row if not cell.isprintable()]
    faults = [f"expected each cell in one line, got {cell!r:.60}" for cell in odd if "\n" in cell]
    controls = [cell for cell in odd if "\n" not in cell and plain(cell) != cell]
    return faults + [f"expected text without control characters, got {cell!r:.60}" for cell in controls]


def separated_by(text: str) -> str | None:
    """Return the separator that gives most of the first rows equally many columns; None if all give one column."""
    top = "\n".join(text.splitlines()[:100])
    candidates: list[tuple[int, int, str]] = []
    for separator in SEPARATORS:
        try:
            widths = Counter(len(row) for _, row in _rows(top, separator, strict=False))
        except MalformedFileError:
            continue
        width, count = max(widths.items(), key=lambda item: item[1], default=(1, 0))
        if width > 1:
            candidates.append((count, width, separator))
    return max(candidates, key=lambda candidate: candidate[:2])[2] if candidates else None


def _rows(text: str, separator: str, *, strict: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the line in which it begins, without blank lines; `strict` refuses malformed quotes."""
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
        raise MalformedFileError(
            [f"line {numbered[begins][0]}: expected separated values, got a fault in quotes ({error})"]
        ) from None


def _cell(text: str) -> str | None:
    return None if text.strip() in MISSING else text.strip()
