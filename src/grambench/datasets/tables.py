"""Reads tables of text with every cell as text, and decides by one rule what a text is.

The rule serves `add-dataset`, `compare`, descriptions of formats csv and csv_rows, and files of views:

- A value of MISSING is missing, unless the description names it as a value or as a label.
- A number is written with decimal digits, such as 12, -0.5, .5 or 1e-3; 1_1, 0x1, nan and inf are none. If the table
  has decimal commas, 0,5 is a number and 0.5 is none.
- Labels are numbers if all of them are plain numbers that are written back as they stand. Otherwise they are texts: a
  label of 18 digits is none that a number of 64 bits can hold, and 01 or 1.10 is another label than 1 or 1.1.

A table is parsed by Python's csv, which, unlike pandas and PyArrow, tells short rows, open quotes and the lines of an
editor.
"""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import plain
from grambench.common.types import Floats

SHOWN_FAULTS = 10  # the largest number of faults in a message
SEPARATORS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'", " ": "blanks"}
# as people and programs write a missing value
MISSING = frozenset(("", "?", ".", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-nan", "-NaN"))
MISSING |= {"NULL", "Null", "null", "None", "NaT"}
MARK = "?"  # which stands for every missing value where a description names it
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
PLAIN_LABEL = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.0*|\.[0-9]*[1-9])?([eE][-+]?[0-9]+)?")
LARGEST_LABEL = 2.0**53  # whole numbers below are exact in 64 bits, and no other one is rounded to them
DATE = re.compile(
    r"(?i)[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([ T].*)?|[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{2}){1,2}( .*)?"
    r"|[0-9]{1,2}:[0-9]{2}(:[0-9.]+)?|[0-9]{4}-(0[1-9]|1[0-2])"
    r"|([0-9]{1,2}[-/. ]+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(r?uary|ch|il|[ey]|u?s?t|t?ember|ober)?"
    r"[-/., ]+([0-9]{1,2},? )?[0-9]{2,4}( .*)?"
)
THOUSANDS = re.compile(r"[-+]?[0-9]{1,3}([,.' \u00a0\u202f][0-9]{3})+([.,][0-9]+)?")
COMMA = re.compile(r"[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?")
CAUSES = {  # of a text that is no number, the first that fits
    DATE: "a date or a time, which has to be written as numbers",
    THOUSANDS: "thousands separators, which have to be removed",
    COMMA: "a decimal comma beside decimal points",
    NUMBER: "a number beyond 64 bits, or a decimal point beside decimal commas",
    re.compile("[-+]?inf(inity)?", re.IGNORECASE): "an infinite number",
    re.compile(r"(?=.*[^-+0-9., ])[^\w(\[<>≤≥]*[0-9][0-9.,]*[^\w)\]<>≤≥]*"): "with signs that have to be removed",
}
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\r?\n')  # the first line that spreadsheets write and read
TOP = 100  # lines that decide the separator
# Files that are no text by their first bytes, and what to do with each where a text is expected
BINARY = {
    b"PAR1\x15": "a Parquet file; describe it with `format: parquet` (docs/datasets.md), or end its name with .parquet",
    b"\x89HDF": "an HDF5 file; describe it with `format: hdf5` (docs/datasets.md)",
    **dict.fromkeys((b"MATLAB 5.0", b"MATLAB 7.3"), "a MATLAB file; describe it with `format: mat` (docs/datasets.md)"),
    b"RDX3\n": "a file of R; describe it with `format: rda` (docs/datasets.md)",
    b"\x93NUMPY": "a NumPy array; save features as CSV, a kernel with numpy.savez (docs/datasets.md)",
    b"PK\x03\x04": "a spreadsheet or an archive; save the sheet as CSV, or unpack the archive",
    b"\xd0\xcf\x11\xe0": "a file of an old office program; save the sheet as CSV",
    b"ARROW1\0": "an Arrow or Feather file; save it as Parquet or CSV",
    b"\x80": "a pickle of Python; save it as CSV",
}


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
class Table:
    """The cells of a file.

    Attributes
    ----------
    names : list of str
        The names of the columns in the header, "" for a column without one; empty if they do not fit the columns.
    cells : ndarray of object (rows, columns)
        The texts of the cells, without blanks around them.
    lines : list of int
        The line of the file in which each row begins, from 1.
    faults : list of str
        The faults of the file. Rows with another number of columns than most, or with a cell that is no text in one
        line, are left out of `cells`.
    """

    names: list[str]
    cells: NDArray[Any]
    lines: list[int]
    faults: list[str]


def _refuse_binary(content: bytes) -> None:
    """Raise MalformedFileError for a content that is no text by its first bytes, with what reads it."""
    for magic, what in BINARY.items():
        if content.startswith(magic):
            raise MalformedFileError([f"expected a text, got {what}"])


def decoded(content: bytes) -> str:
    """Return a text from UTF-8, with or without the byte order mark that spreadsheets write."""
    _refuse_binary(content)
    try:
        if (zero := content.find(b"\0")) >= 0:
            raise UnicodeDecodeError("utf-8", content, zero, zero + 1, "no character of a text")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, got = content.count(b"\n", 0, error.start) + 1, f"byte {content[error.start]:#04x}"
        raise MalformedFileError([f"line {line}: expected UTF-8, got {got}; save the file as text in UTF-8"]) from None


def read_table(text: str, separator: str, header_lines: int, *, one_column: bool = False) -> Table:
    """Return the cells of a text, and its faults; a single column is one unless `one_column` allows it."""
    numbered = list(rows(text, separator))
    header, body = numbered[:header_lines], numbered[header_lines:]
    if not body:
        raise MalformedFileError(["expected rows, got none"])
    if not one_column:
        refuse_one_column(text, separator, body)
    width = Counter(len(row) for _, row in body).most_common(1)[0][0]
    faults, valid_rows = [f"line {line}: {fault}" for line, row in header for fault in check_texts(row)], []
    for line, row in body:
        row_faults = [f"expected {width} columns, got {len(row)}"] if len(row) != width else check_texts(row)
        faults += [f"line {line}: {fault}" for fault in row_faults]
        valid_rows += [] if row_faults else [(line, row)]
    if not valid_rows:
        raise MalformedFileError(faults)
    cells = np.array([row for _, row in valid_rows], dtype=object)
    names = header[-1][1] if header else []
    if len(names) == width + 1 and not names[-1]:  # only the header ends with a separator
        names = names[:-1]
    elif len(names) == width - 1 > 0:  # only the rows do, or R has written their names without a header
        names = [*names, ""] if not cells[:, -1].any() else ["", *names]
    return Table(names if len(names) == width else [], cells, [line for line, _ in valid_rows], faults)


def refuse_one_column(text: str, separator: str, found: Sequence[tuple[int, list[str]]]) -> None:
    """Raise MalformedFileError if most rows that are found in a text have one column, with what would give more."""
    widths = Counter(len(row) for _, row in found).most_common(1)
    if widths and widths[0][0] == 1:
        other = find_separator(text)
        hint = f"; {SEPARATORS[other]} would give more" if other and other != separator else ""
        expected = f"expected columns separated by {SEPARATORS.get(separator, repr(separator))}"
        raise MalformedFileError([f"{expected}, got one column{hint}"])


def check_texts(row: Sequence[str]) -> list[str]:
    """Return the faults of the texts in a row.

    A quoted cell may have several lines, which are no number and no name: joined, "1" and "2" would become 12. A
    description, which is YAML, cannot hold control characters.
    """
    odd = [cell for cell in row if not cell.isprintable()]
    faults = [f"expected each cell in one line, got {cell!r:.60}" for cell in odd if "\n" in cell]
    controls = [cell for cell in odd if "\n" not in cell and plain(cell) != cell]
    return faults + [f"expected text without control characters, got {cell!r:.60}" for cell in controls]


def find_separator(text: str) -> str | None:
    """Return the separator that leaves most cells of the first lines without another one; None if all give one column.

    Of several, the one that gives more numbers is returned, decimal commas included, and then the one of more columns.
    """
    top, scores = "".join(itertools.islice(io.StringIO(text, newline=""), TOP)), dict[str, tuple[float, ...]]()
    for separator in SEPARATORS:
        first = [row for _, row in rows(top, separator, strict=False)]
        width = Counter(map(len, first)).most_common(1)[0][0] if first else 0
        cells = [cell for row in first if len(row) == width for cell in row]
        numbers = sum(is_number(cell, ".,") for cell in cells[width:])  # names of columns are none
        clean = sum(not re.search(r'[,;\t|"]', cell) or is_number(cell, ",") for cell in cells)
        if width > 1:
            scores[separator] = clean / width, numbers / width, width
    return max(scores, key=lambda separator: scores[separator], default=None)


def lines(stream: Any) -> Iterable[str]:
    """Return the lines of a binary stream of UTF-8, which is read as they are needed."""
    _refuse_binary(stream.read(16))
    stream.seek(0)
    return io.TextIOWrapper(stream, "utf-8-sig", newline="")


def rows(text: str | Iterable[str], separator: str, *, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the line in which it begins, without blank lines; `strict` refuses malformed quotes."""
    # A text stream ends lines where editors do, not at each separator of lines that Unicode has.
    text = io.StringIO(text, newline="") if isinstance(text, str) else text
    if separator == " ":  # any run of blanks separates
        text = (re.sub(r"[ \t]+(?=[\r\n]|$)", "", line.replace("\t", " ")) for line in text)
    try:
        reader = csv.reader(text, delimiter=separator, skipinitialspace=True, strict=strict)
    except ValueError:  # from Python 3.13 on
        raise MalformedFileError([f"separator: expected another character than a quote, got {separator!r}"]) from None
    begins = 1
    try:
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield begins, [cell.strip() for cell in row]
            begins = reader.line_num + 1
    except csv.Error as error:
        fault = f"line {begins}: expected separated values, got a fault in quotes ({error})"
        raise MalformedFileError([fault]) from None


def to_number(text: str, decimal: str = ".") -> float:
    """Return the number that a text is, NaN if it is none."""
    if decimal == ",":
        text = text.translate({ord(","): ".", ord("."): "_"})
    number = float(text) if NUMBER.fullmatch(text) else np.nan
    return number if abs(number) < np.inf else np.nan


def is_number(text: str, decimals: str = ".") -> bool:
    """Return whether a text is a number, with one of these decimal signs."""
    return not all(np.isnan(to_number(text, decimal)) for decimal in decimals)


def to_numbers(cells: Iterable[Any], decimal: str = ".") -> Floats:
    """Return the numbers of a column, NaN for missing values and texts."""
    texts = ("" if cell is None else str(cell) for cell in cells)
    return np.array([to_number(text, decimal) for text in texts])


def to_texts(cells: Iterable[Any]) -> NDArray[Any]:
    """Return cells of any type as texts: 1 and 0 for booleans, "?" for missing values."""
    known = (MARK if cell is None or cell != cell else cell for cell in cells)
    numbers = (int(cell) if isinstance(cell, bool) else cell for cell in known)
    texts = [cell.decode() if isinstance(cell, bytes) else str(cell) for cell in numbers]
    return np.array(texts, dtype=object)


def find_missing(
    column: NDArray[Any], codes: Sequence[float | str] = (), named: Collection[str] = (), decimal: str = "."
) -> NDArray[Any]:
    """Return whether each value of a column is missing.

    Parameters
    ----------
    column : ndarray of float64, or of str or object (n,)
        Numbers, or texts.
    codes : sequence of float or str
        Further values that are missing; as a number, however a cell writes it.
    named : collection of str
        Texts that a description names, which are not missing.
    decimal : str
        What stands before the digits of a fraction.
    """
    numbers = [float(code) for code in codes if not isinstance(code, str)]
    if column.dtype.kind in "OU":
        missing = (MISSING - {*named}) | {code for code in codes if isinstance(code, str)}
        is_missing = np.array([cell in missing for cell in column], dtype=np.bool_)
    else:
        is_missing = np.isnan(column)
    return is_missing | np.isin(to_numbers(column, decimal), numbers) if numbers else is_missing


def to_labels(column: NDArray[Any]) -> NDArray[Any]:
    """Return labels as numbers if all are plain numbers, else as they are written; see the rule of this module."""
    texts = [cell for cell in set(column) if isinstance(cell, str)]
    if all(PLAIN_LABEL.fullmatch(text) and abs(float(text)) < LARGEST_LABEL for text in texts):
        return column.astype(np.float64)
    return column.astype(np.str_)


def cause(text: str) -> str:
    """Return a text that is no number as a message shows it, with the cause if it has a known one."""
    return repr(text) + next((f", {words}" for known, words in CAUSES.items() if known.fullmatch(text)), "")


def locate(rows: Sequence[int], lines: Sequence[int]) -> str:
    """Return the line of the first of some rows, or its number if there are no lines, and the number of the others."""
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    return (f"line {lines[rows[0]]}" if lines else f"row {rows[0] + 1}") + more
