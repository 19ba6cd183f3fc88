"""The description of a file of one's own: its format found out, everything counted and hashed."""

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
from grambench.datasets import prepare, readers, separated, unpack
from grambench.datasets.separated import SEPARATORS, Faults, Sheet
from grambench.datasets.store import PreparedDataset

ABSENT = ("NA", "N/A", "NaN", "nan", "null", "None")  # as programs write missing values
STRAY = 0.1  # of the cells of a column: so few texts among numbers are mistakes
MOST_VALUES = 50  # of a nominal column that gets an indicator column each
DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+")
POSITION = re.compile(r"-?[0-9]+")
DIGITS = 9  # of a position; Python makes no number of thousands of them
NAME = re.compile(r"[^a-z0-9_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a file does not say of itself.

    Attributes
    ----------
    label : str
        The label's column, by its name in the header or its position.
    positive, negative : sequence of str
        The labels that become +1 and -1; without the latter all others are -1, and there must be one other.
    drop : sequence of str
        Columns left out.
    separator : str or None
        Between columns; None where the file shall tell.
    header : bool or None
        Whether the first line names the columns; None where the file shall tell.
    drop_incomplete : bool
        Whether rows with missing values are left out.
    minmax : bool
        Whether each column is mapped to [-1, 1].
    """

    label: str
    positive: Sequence[str]
    negative: Sequence[str] = ()
    drop: Sequence[str] = ()
    separator: str | None = None
    header: bool | None = None
    drop_incomplete: bool = False
    minmax: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """What came of a file.

    Attributes
    ----------
    values : dict
        Those of the description.
    remarks : list of str
        What was decided for the user, a line each.
    """

    values: dict[str, Any]
    remarks: list[str]


def name_of(path: Path) -> str:
    """Return what a data set is called after its file."""
    name = NAME.sub("_", path.name.split(".")[0].lower()).strip("_")
    return name if name[:1].isalpha() else f"data_{name}".rstrip("_")


def describe(path: Path, seen: str, name: str, wishes: Wishes) -> Described:
    """Describe a file of separated values.

    Parameters
    ----------
    path : Path
        The file.
    seen : str
        Its path relative to the description.
    name : str
        Of the data set.
    wishes : Wishes
        What the file does not say.

    Raises
    ------
    DataError
        With all that is wrong, a line each.
    """
    try:
        return _described(path, seen, name, wishes)
    except Faults as error:
        raise DataError("\n".join(f"{path}: {fault}" for fault in error.faults)) from None


def _described(path: Path, seen: str, name: str, wishes: Wishes) -> Described:
    size = max(128, 2 * path.stat().st_size // unpack.MEBIBYTE + 1)
    try:
        with unpack.opened(path, size) as stream:
            text = separated.decoded(stream.read())
    except unpack.DAMAGED as error:
        if isinstance(error, Faults):
            raise
        raise Faults([f"cannot be read ({error})"]) from None
    separator = wishes.separator or separated.separated_by(text) or ","
    header = _has_header(text, separator, wishes) if wishes.header is None else wishes.header
    sheet = separated.sheet(text, separator, int(header))
    faults = list(sheet.faults)
    if sheet.cells.shape[1] == 1:  # of which no more can be said
        raise Faults(faults)
    named = "named by the first line" if header else "called by their positions: there is no header"
    remarks = [f"columns separated by {SEPARATORS.get(separator, repr(separator))}, {named}"]
    label = _column("--label", wishes.label, sheet, faults)
    drop = [_column("--drop", column, sheet, faults) for column in wishes.drop]
    settings: dict[str, Any] = {"separator": separator} if separator != "," else {}
    settings |= {"header_lines": 1} if header else {}
    settings["label"] = _called(sheet, label)
    settings |= {"drop": [_called(sheet, column) for column in drop]} if drop else {}
    settings |= _features(sheet, {label, *drop}, wishes, faults, remarks)
    if label is not None:
        settings |= _sides(sheet.cells[:, label], wishes, faults)
    if faults:
        raise Faults(faults)
    settings |= {"drop_incomplete": True} if wishes.drop_incomplete else {}
    settings |= {"minmax": True} if wishes.minmax else {}
    settings |= {"mebibytes": size} if size > 128 else {}
    reader = check(Csv, {"format": "csv"} | settings, str(path))
    raw = readers.read(reader, {path.name: path})
    if not np.isfinite(np.asarray(raw.features)).all():
        raise Faults(["expected finite numbers, got infinite ones"])
    labels = prepare.labels(raw.labels, reader)
    content = PreparedDataset(name=name, features=raw.features, labels=labels, orders=None, source={}).content
    stored = re.sub(r"[^A-Za-z0-9._-]", "_", path.name).lstrip("._-") or "file"
    values: dict[str, Any] = {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "n": len(labels),
        "d": raw.features.shape[1],
        "positives": int(np.count_nonzero(labels == 1)),
        "content": content,
        "sources": [
            {
                "kind": "file",
                "files": [{"name": stored, "path": seen, "sha256": sha256(path)}],
                "reader": {"format": "csv"} | settings,
            }
        ],
    }
    return Described(values, remarks)


def _has_header(text: str, separator: str, wishes: Wishes) -> bool:
    """Return whether the first line names columns: it has a name of the call, or a text above a number."""
    sheet = separated.sheet(text, separator, 0)
    first = [cell or "" for cell in sheet.cells[0]]
    if any(column in first for column in (wishes.label, *wishes.drop) if not POSITION.fullmatch(column)):
        return True
    second = [cell or "" for cell in sheet.cells[1]] if len(sheet.cells) > 1 else first
    return any(
        not readers.is_number(above) and readers.is_number(below) for above, below in zip(first, second, strict=True)
    )


def _column(option: str, column: str, sheet: Sheet, faults: list[str]) -> int | None:
    """Return the position of a column that the call names, or note what is wrong with it."""
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


def _called(sheet: Sheet, position: int | None) -> str | int | None:
    """Return what the description calls a column: its name, where it has one of its own, or its position."""
    if position is None or not sheet.names:
        return position
    name = sheet.names[position]
    return name if name and sheet.names.count(name) == 1 else position


def _features(
    sheet: Sheet, left_out: set[int | None], wishes: Wishes, faults: list[str], remarks: list[str]
) -> dict[str, Any]:
    """Return how the reader makes numbers of the columns, and note what it cannot."""
    one_hot: dict[str, list[str]] = {}
    coded: set[str] = set()
    for position in sorted(set(range(sheet.cells.shape[1])) - left_out):
        column, name = sheet.cells[:, position], str(_called(sheet, position))
        strays = [row for row, cell in enumerate(column) if cell is not None and not readers.is_number(cell)]
        texts = {column[row] for row in strays}
        nominal = sorted(texts - set(ABSENT))
        if nominal and all(DECIMAL_COMMA.fullmatch(text) for text in nominal):
            line = sheet.lines[strays[0]]
            faults.append(f"column {name}: expected decimal points, got {nominal[0]!r}, the first in line {line}")
            continue
        if nominal and len(strays) <= STRAY * len(column):
            faults.extend(
                f"line {sheet.lines[row]}, column {name}: expected a number, got {column[row]!r}"
                for row in strays
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
        coded |= texts if not nominal else set()
    codes = {"codes": dict.fromkeys(sorted(coded))} if coded else {}
    return codes | ({"one_hot": one_hot, "numbers": True} if one_hot else {})


def _sides(column: NDArray[Any], wishes: Wishes, faults: list[str]) -> dict[str, Any]:
    """Return which labels become +1 and which -1, and note what does not fit."""
    counts = Counter("" if cell is None else str(cell) for cell in column)
    missing = counts.pop("", 0)
    if missing and not wishes.drop_incomplete:
        faults.append(f"--label {wishes.label}: {missing} are missing; leave out such rows (--drop-incomplete)")
    numeric = all(map(readers.is_number, counts))

    def label(text: str) -> Label:
        return float(text) if numeric and readers.is_number(text) else text

    known = {label(text) for text in counts}
    shown = ", ".join(f"{text} ({count})" for text, count in counts.most_common(10))
    shown += ", ..." if len(counts) > 10 else ""
    for option, texts in (("--positive", wishes.positive), ("--negative", wishes.negative)):
        unknown = [text for text in texts if label(text) not in known]
        faults.extend(f"{option} {text}: no such label; there are {shown}" for text in unknown)
    others = known - {label(text) for text in wishes.positive}
    if both := [text for text in wishes.positive if label(text) in {label(other) for other in wishes.negative}]:
        faults.append(f"--positive and --negative: expected different labels, got {both[0]} in both")
    if not wishes.negative and (len(others) != 1 or len(wishes.positive) != 1) and not faults:
        faults.append(f"--label {wishes.label}: expected two labels, got {shown}; name those of -1 with --negative")
    sides: dict[str, Any] = {"positive": [_plain(label(text)) for text in wishes.positive]}
    if wishes.negative:
        sides["negative"] = [_plain(label(text)) for text in wishes.negative]
    return {side: labels[0] if len(labels) == 1 else labels for side, labels in sides.items()}


def _plain(label: Label) -> Label:
    """Return a label as it is written: 1 rather than 1.0."""
    return int(label) if isinstance(label, float) and label.is_integer() else label
