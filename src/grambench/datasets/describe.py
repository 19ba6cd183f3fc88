"""Describes a user's file of separated values: detects its format, counts examples and hashes the content."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError, unknown_name
from grambench.common.files import sha256
from grambench.config.dataset import Csv, Label
from grambench.config.load import check
from grambench.datasets import prepare, readers, tables, unpack
from grambench.datasets.tables import SEPARATORS, MalformedFileError, Sheet
from grambench.datasets.store import PreparedDataset

ABSENT = ("NA", "N/A", "NaN", "nan", "null", "None")  # as programs write missing values
STRAY = 0.1  # the largest share of texts in a column of numbers, which count as mistakes
MOST_CLASSES = 100  # more labels are a regression's, or not the column that was meant
MOST_VALUES = 50  # the largest number of values of a nominal column
DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+")
POSITION = re.compile(r"-?[0-9]+")
DIGITS = 9  # the largest number of digits of a position; Python refuses to convert thousands
NOT_IN_VIEW = re.compile(r"[^A-Za-z0-9_.+-]+")  # characters that a view's name does not have
NAME = re.compile(r"[^a-z0-9_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The options of a user for the description of a file.

    Attributes
    ----------
    label : str
        The column of the labels, by its name in the header or its position.
    positive, negative : sequence of str
        The labels that become +1 and -1. If `negative` is empty, the file must have exactly one other label. If both
        are empty, the last of two labels in their order becomes +1, and each of more labels is a class.
    drop : sequence of str
        The columns to leave out.
    separator : str or None
        The character between columns; None to detect it.
    header : bool or None
        Whether the first line names the columns; None to detect it.
    drop_incomplete : bool
        Whether rows with missing values are left out.
    minmax : bool
        Whether each column is mapped to [-1, 1].
    views : Path or None
        A file with a column of the data and its view in each row; a column may be in several views.
    """

    label: str
    positive: Sequence[str]
    negative: Sequence[str] = ()
    drop: Sequence[str] = ()
    separator: str | None = None
    header: bool | None = None
    drop_incomplete: bool = False
    minmax: bool = False
    views: Path | None = None


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """The description of a file.

    Attributes
    ----------
    values : dict
        The plain values of the description.
    remarks : list of str
        The decisions made for the user, in one line each.
    """

    values: dict[str, Any]
    remarks: list[str]


def name_of(path: Path) -> str:
    """Return a name for a data set, made from the name of its file."""
    name = NAME.sub("_", path.name.split(".")[0].lower()).strip("_")
    return name if name[:1].isalpha() else f"data_{name}".rstrip("_")


def describe(path: Path, relative_path: str, name: str, wishes: Wishes) -> DescribedFile:
    """Describe a file of separated values.

    Parameters
    ----------
    path : Path
        The file.
    relative_path : str
        The path of the file relative to the description.
    name : str
        The name of the data set.
    wishes : Wishes
        The options of the user.

    Raises
    ------
    DataError
        If the file cannot be described, with all faults in one line each.
    """
    try:
        return _describe(path, relative_path, name, wishes)
    except MalformedFileError as error:
        raise DataError("\n".join(f"{path}: {fault}" for fault in error.faults)) from None


def _describe(path: Path, relative_path: str, name: str, wishes: Wishes) -> DescribedFile:
    size = max(128, 2 * path.stat().st_size // unpack.MEBIBYTE + 1)
    try:
        with unpack.opened(path, size) as stream:
            content = stream.read()
    except unpack.DAMAGED as error:
        raise MalformedFileError([f"cannot be read ({error})"]) from None
    text = tables.decoded(content)
    separator = wishes.separator or tables.separated_by(text) or ","
    header = _has_header(text, separator, wishes) if wishes.header is None else wishes.header
    sheet = tables.sheet(text, separator, int(header))
    faults = list(sheet.faults)
    if sheet.cells.shape[1] == 1:  # a label needs a second column beside it
        raise MalformedFileError(faults)
    naming = "named by the first line" if header else "called by their positions: there is no header"
    remarks = [f"columns separated by {SEPARATORS.get(separator, repr(separator))}, {naming}"]
    label = _find_column("--label", wishes.label, sheet, faults)
    drop = [_find_column("--drop", column, sheet, faults) for column in wishes.drop]
    options: dict[str, Any] = {
        "separator": separator,
        "header_lines": int(header),
        "label": _column_name(sheet, label),
        "drop": [_column_name(sheet, column) for column in drop],
        **_encode_features(sheet, {label, *drop}, wishes, faults, remarks),
        **(_name_labels(sheet.cells[:, label], wishes, faults, remarks) if label is not None else {}),
        "drop_incomplete": wishes.drop_incomplete,
        "minmax": wishes.minmax,
        "mebibytes": size,
    }
    views = _find_views(wishes.views, sheet, {label, *drop}, options["one_hot"], faults) if wishes.views else {}
    if faults:
        raise MalformedFileError(faults)
    if views:
        remarks.append("views: " + ", ".join(f"{view} ({len(columns)})" for view, columns in views.items()))
    settings = {"format": "csv"} | {
        key: value for key, value in options.items() if value != Csv.model_fields[key].default
    }
    reader = check(Csv, settings, str(path))
    raw = readers.read(reader, {path.name: path})
    if not np.isfinite(np.asarray(raw.features)).all():
        raise MalformedFileError(["expected finite numbers, got infinite ones"])
    labels = prepare.labels(raw.labels, reader)
    prepared = PreparedDataset(name=name, features=raw.features, labels=labels, orders=None, source={})
    file_name = re.sub(r"[^A-Za-z0-9._-]", "_", path.name).lstrip("._-") or "file"
    values: dict[str, Any] = {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "n": len(labels),
        "d": raw.features.shape[1],
        "positives": 0 if reader.classes else int(np.count_nonzero(labels == 1)),
        "content": prepared.content,
        **({"views": {view: _ranges(columns) for view, columns in views.items()}} if views else {}),
        "sources": [
            {
                "kind": "file",
                "files": [{"name": file_name, "path": relative_path, "sha256": sha256(path)}],
                "reader": settings,
            }
        ],
    }
    return DescribedFile(values, remarks)


def _has_header(text: str, separator: str, wishes: Wishes) -> bool:
    """Return whether the first line names columns: it has a name from the options, or a text above a number."""
    sheet = tables.sheet(text, separator, 0)
    first = [cell or "" for cell in sheet.cells[0]]
    if any(column in first for column in (wishes.label, *wishes.drop) if not POSITION.fullmatch(column)):
        return True
    second = [cell or "" for cell in sheet.cells[1]] if len(sheet.cells) > 1 else first
    return any(
        not readers.is_number(above) and readers.is_number(below) for above, below in zip(first, second, strict=True)
    )


def _find_column(option: str, column: str, sheet: Sheet, faults: list[str]) -> int | None:
    """Return the position of a column that an option names; if there is none, add to the faults."""
    width = int(sheet.cells.shape[1])
    if sheet.names.count(column) == 1:
        return sheet.names.index(column)
    if sheet.names.count(column) > 1:
        faults.append(f"{option} {column}: the header has it {sheet.names.count(column)} times; name its position")
        return None
    if POSITION.fullmatch(column):
        if len(column) <= DIGITS and -width <= int(column) < width:
            return int(column) % width
        faults.append(f"{option} {column:.30}: expected a column from {-width} to {width - 1}")
        return None
    if sheet.names:
        faults.append(f"{option}: {unknown_name('column', column, sheet.names)}")
    else:
        faults.append(f"{option} {column}: there is no header that names {width} columns; give a position, from 0")
    return None


def _column_name(sheet: Sheet, position: int | None) -> str | int | None:
    """Return the name of a column if it is unique, else its position."""
    if position is None or not sheet.names:
        return position
    name = sheet.names[position]
    return name if name and sheet.names.count(name) == 1 else position


def _encode_features(
    sheet: Sheet, dropped: set[int | None], wishes: Wishes, faults: list[str], remarks: list[str]
) -> dict[str, Any]:
    """Return the options that encode columns as numbers; add to the faults and remarks."""
    one_hot: dict[str, list[str]] = {}
    coded: set[str] = set()
    for position in sorted(set(range(sheet.cells.shape[1])) - dropped):
        column, name = sheet.cells[:, position], str(_column_name(sheet, position))
        text_rows = [row for row, cell in enumerate(column) if cell is not None and not readers.is_number(cell)]
        texts = {column[row] for row in text_rows}
        nominal = sorted(texts - set(ABSENT))
        if nominal and all(DECIMAL_COMMA.fullmatch(text) for text in nominal):
            line = sheet.lines[text_rows[0]]
            faults.append(f"column {name}: expected decimal points, got {nominal[0]!r}, the first in line {line}")
            continue
        if nominal and len(text_rows) <= STRAY * len(column):
            faults.extend(
                f"line {sheet.lines[row]}, column {name}: expected a number, got {column[row]!r}"
                for row in text_rows
                if column[row] in nominal
            )
            nominal = []
        absent = [row for row, cell in enumerate(column) if cell is None or (not nominal and cell in ABSENT)]
        if absent and not wishes.drop_incomplete:
            more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
            line = sheet.lines[absent[0]]
            faults.append(
                f"column {name}: missing in line {line}{more}; leave out such rows (--drop-incomplete) "
                "or the column (--drop)"
            )
        if nominal:
            values = sorted({str(cell) for cell in column if cell is not None})
            if len(values) > MOST_VALUES:
                faults.append(
                    f"column {name}: expected numbers, or at most {MOST_VALUES} different texts, "
                    f"got {len(values)}, such as {nominal[0]!r}; leave it out (--drop)"
                )
            one_hot[name] = values
            remarks.append(f"column {name}: a column of 0 and 1 for each of {', '.join(values[:10])}")
        else:
            coded |= texts
    return {"codes": dict.fromkeys(sorted(coded)), "one_hot": one_hot, "numbers": bool(one_hot)}


def _find_views(
    path: Path, sheet: Sheet, dropped: set[int | None], one_hot: dict[str, list[str]], faults: list[str]
) -> dict[str, list[int]]:
    """Return the positions of the features of each view, in a file of columns and views; add to the faults."""
    try:
        text = tables.decoded(path.read_bytes())
    except OSError as error:
        faults.append(f"--views {path}: cannot be read ({error.strerror})")
        return {}
    groups = tables.sheet(text, tables.separated_by(text) or ",", 0)
    if groups.faults or groups.cells.shape[1] != 2:
        faults.append(f"--views {path}: expected a column of the data and its view in each line")
        return {}
    rows = [(str(column), str(view)) for column, view in groups.cells]
    first, positions = 0, dict[int, range]()
    for kept in sorted(set(range(sheet.cells.shape[1])) - dropped):
        # a nominal column has become a feature for each of its values
        width = len(one_hot.get(str(_column_name(sheet, kept)), ["number"]))
        positions[kept], first = range(first, first + width), first + width
    views: dict[str, list[int]] = {}
    for column, view in rows[1:] if rows[0] == ("column", "view") else rows:
        position = _find_column("--views", column, sheet, faults)
        if position in dropped and position is not None:
            faults.append(f"--views {column}: is the label or dropped, and is in no view")
        elif position is not None:
            views.setdefault(NOT_IN_VIEW.sub("_", view).strip("_") or "view", []).extend(positions[position])
    return {view: sorted(set(columns)) for view, columns in views.items()}


def _ranges(positions: Sequence[int]) -> list[int | str]:
    """Return ascending positions with "5-9" in place of 5, 6, 7, 8 and 9."""
    ranges: list[int | str] = []
    start = 0
    for end in range(1, len(positions) + 1):
        if end == len(positions) or positions[end] != positions[end - 1] + 1:
            first, last = positions[start], positions[end - 1]
            ranges += [f"{first}-{last}"] if last - first > 1 else list(range(first, last + 1))
            start = end
    return ranges


def _name_labels(column: NDArray[Any], wishes: Wishes, faults: list[str], remarks: list[str]) -> dict[str, Any]:
    """Return the labels that become +1 and -1, or those of more classes; add to the faults and remarks."""
    counts = Counter("" if cell is None else str(cell) for cell in column)
    missing = counts.pop("", 0)
    if missing and not wishes.drop_incomplete:
        faults.append(f"--label {wishes.label}: {missing} are missing; leave out such rows (--drop-incomplete)")
    numeric = all(map(readers.is_number, counts))

    def convert(text: str) -> Label:
        if not (numeric and readers.is_number(text)):
            return text
        number = float(text)
        return int(number) if number.is_integer() else number  # written as 1 rather than 1.0

    labels = {convert(text) for text in counts}
    positive, negative = list(map(convert, wishes.positive)), list(map(convert, wishes.negative))
    if not positive and not negative and len(labels) == 2:
        positive = [max(labels, key=lambda label: (str(type(label)), label))]
        remarks.append(f"{positive[0]} becomes +1; --positive names another label")
    elif not positive and not negative and len(labels) > MOST_CLASSES:
        faults.append(f"--label {wishes.label}: expected at most {MOST_CLASSES} labels, got {len(labels)}")
        return {}
    elif not positive and not negative and len(labels) > 2:
        classes = sorted(labels, key=lambda label: (str(type(label)), label))
        remarks.append(f"{len(classes)} classes: {', '.join(map(str, classes))}; --positive makes two classes of them")
        return {"classes": classes}
    shown = ", ".join(f"{text} ({count})" for text, count in counts.most_common(10))
    shown += ", ..." if len(counts) > 10 else ""
    for option, texts in (("--positive", wishes.positive), ("--negative", wishes.negative)):
        unknown = [text for text in texts if convert(text) not in labels]
        faults.extend(f"{option} {text}: no such label; there are {shown}" for text in unknown)
    if common := [text for text in wishes.positive if convert(text) in negative]:
        faults.append(f"--positive and --negative: expected different labels, got {common[0]} in both")
    if not negative and (len(labels - {*positive}) != 1 or len(positive) != 1) and not faults:
        faults.append(f"--label {wishes.label}: expected two labels, got {shown}; name those of -1 with --negative")
    return {
        side: names[0] if len(names) == 1 else names for side, names in (("positive", positive), ("negative", negative))
    }
