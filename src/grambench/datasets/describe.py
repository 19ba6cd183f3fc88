"""Describes a user's file: detects its format, counts examples and hashes the content.

The file is a table (formats `csv`, `arff` and `parquet_table`), or has stored kernels (`kernels`).
"""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from grambench.common.counts import in_line
from grambench.common.errors import ConfigError, DataError, plain, unknown_name
from grambench.common.files import sha256
from grambench.datasets import prepare, readers, tables, unpack
from grambench.datasets.formats import kernels as stored
from grambench.datasets.formats.columns import Arff, Csv, ParquetTable
from grambench.datasets.formats.reader import ROWS_USED, Label
from grambench.datasets.store import PreparedDataset
from grambench.datasets.tables import SEPARATORS, MalformedFileError, Table

STRAY = 0.1  # the largest share of texts in a column of numbers, which count as mistakes
MOST_CLASSES = 100  # more labels are a regression's, or not the column that was meant
FEW_CLASSES = 10  # as many may be more than SHARE of the rows
SHARE = 0.1  # of the rows, above which different labels look like a regression's, or like names of the rows
MOST_VALUES = 50  # the largest number of values of a nominal column
LEAST_ROWS = 5  # of which a column can be said to count the rows, or to equal the label
CODES = (-9, -99, -999, -9999, 99, 999, 9999, 99999)  # as people write missing values
POSITION = re.compile(r"-?[0-9]+")
LIBSVM = re.compile(r"(?:#.*\r?\n)*[^\s:]+([ \t]+[0-9]+:[^\s:]+)+[ \t]*\r?\n")  # where a file begins
HEADER_ROWS = 1000  # that decide whether the first line is a header
DIGITS = 9  # the largest number of digits of a position; Python refuses to convert thousands
SHOWN = 8  # most columns in no view, or with missing values, that are named
LARGEST_VIEWS = 128  # MiB of a file of views
NAME = re.compile(r"[^a-z0-9_]+")
# options that stored kernels do not have
OF_COLUMNS = ("separator", "header", "drop_incomplete", "impute", "minmax", "views", "missing", "decimal")
OF_TEXT = ("separator", "header", "decimal")  # options that tables with types do not have
TABLES: dict[str, Any] = {"csv": Csv, "arff": Arff, "parquet_table": ParquetTable}
SUFFIXES = {"arff": "arff", "parquet": "parquet_table", "pq": "parquet_table"}  # all others are csv
SUFFIX = re.compile(rf"\.({'|'.join(SUFFIXES)})(\.gz|\.bz2|\.xz|\.zip)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The options of a user for the description of a file.

    Attributes
    ----------
    label : str
        The column of the labels, by its name in the header or its position.
    positive, negative : sequence of str
        The labels that become +1 and -1. If `negative` is empty, all others become -1. If both are empty, the last of
        two labels in their order becomes +1, and each of more labels is a class.
    drop : sequence of str
        The columns to leave out.
    separator : str or None
        The character between columns; None to detect it.
    header : bool or None
        Whether the first line names the columns; None to detect it.
    drop_incomplete : bool
        Whether rows with missing values are left out; with `impute`, those without a label.
    impute : bool
        Whether each split fills missing values.
    minmax : bool
        Whether each column is mapped to [-1, 1].
    views : Path or None
        A file with a column of the data and its view in each row; a column may be in several views.
    missing : sequence of str
        Codes of missing values, such as -9.
    decimal : str or None
        The decimal sign, "." or ","; None to detect it.
    drop_leaks : bool
        Whether to leave out columns that number the rows, equal the label or are constant.
    least : tuple of two int
        How many examples there have to be, and how many of each class.
    """

    label: str
    positive: Sequence[str]
    negative: Sequence[str] = ()
    drop: Sequence[str] = ()
    separator: str | None = None
    header: bool | None = None
    drop_incomplete: bool = False
    impute: bool = False
    minmax: bool = False
    views: Path | None = None
    missing: Sequence[str] = ()
    decimal: str | None = None
    drop_leaks: bool = False
    least: tuple[int, int] = (0, 0)


def name_of(path: Path) -> str:
    """Return a name for a data set, made from the name of its file."""
    name = NAME.sub("_", path.name.split(".")[0].lower()).strip("_")
    return name if name[:1].isalpha() else f"data_{name}".rstrip("_")


def describe(path: Path, relative_path: str, name: str, wishes: Wishes) -> tuple[dict[str, Any], list[str]]:
    """Return the plain values of the description of a file, and the decisions made for the user, in one line each.

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
    size = max(128, 2 * path.stat().st_size // unpack.MEBIBYTE + 1)
    if _has_kernels(path):
        views = dict[str, list[int]]()
        settings, remarks = _describe_kernels(path, name, wishes, size)
    else:
        settings, views, remarks = _describe_table(path, wishes, size)
    reader: readers.AnyReader = TypeAdapter(readers.AnyReader).validate_python(settings)
    raw = readers.read(reader, {_file_name(path): path})
    labels = prepare.labels(raw.labels, reader)
    found = len(labels), int(np.unique(labels, return_counts=True)[1].min())
    if found[0] < wishes.least[0] or found[1] < wishes.least[1]:
        expected = "expected at least {} examples, and {} of each class".format(*wishes.least)
        few = f"got {found[0]} and {found[1]}: too few to compare methods on"
        raise DataError(f"{path}: {expected}, {few}; --positive and --negative may leave out a class")
    prepared = PreparedDataset(
        name=name, features=raw.features, labels=labels, orders=None, source={}, kernels=raw.kernels
    )
    described = {"name": _file_name(path), "path": relative_path, "sha256": sha256(path)}
    values = {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "n": len(labels),
        "d": raw.features.shape[1],
        "positives": 0 if reader.classes else int(np.count_nonzero(labels == 1)),
        "content": prepared.content,
        **({"views": {view: _ranges(columns) for view, columns in views.items()}} if views else {}),
        "sources": [{"kind": "file", "files": [described], "reader": settings}],
    }
    if not raw.kernels and (repeated := len(labels) - len({row.tobytes() for row in np.asarray(raw.features)})):
        twice = "an example that comes twice may be in training and test at once"
        remarks.append(f"rows that equal an earlier one in all features: {repeated}; {twice}")
    if raw.kernels:
        remarks += [*stored.remarks(raw.kernels), f"kernels: {', '.join(raw.kernels)}"]
    if views:
        remarks.append(f"views: {', '.join(f'{view} ({len(columns)})' for view, columns in views.items())}")
    hint = ", --impute keeps those with a label" * bool(raw.incomplete and not wishes.impute)
    remarks += [f"{key}: {text}{hint * (key == ROWS_USED)}" for key, text in raw.remarks().items()]
    return values, remarks


def _describe_table(
    path: Path, wishes: Wishes, mebibytes: int
) -> tuple[dict[str, Any], dict[str, list[int]], list[str]]:
    """Return the settings of the reader of a table, the features of each view, and the decisions made for the user."""
    form = SUFFIXES[suffix[1]] if (suffix := SUFFIX.search(path.name.lower())) else "csv"
    try:
        if form == "csv":
            file = _read(_read_text(path, mebibytes), wishes)
        else:
            file = _read_typed(path, form, mebibytes, wishes)
    except MalformedFileError as error:
        raise DataError("\n".join(f"{path}: {fault}" for fault in error.faults)) from None
    options = file.options() | {"mebibytes": mebibytes}
    views, views_faults = dict[str, list[int]](), list[str]()
    if wishes.views:
        views, without = _find_views(wishes.views, file, options["one_hot"], views_faults)
        # all methods are to learn from the same columns, those without kernels too
        if without and not views_faults:
            dropped = replace(wishes, drop=(*wishes.drop, *without))
            settings, views, remarks = _describe_table(path, dropped, mebibytes)
            return settings, views, [*remarks, f"left out, since in no view: {in_line(without, SHOWN)}"]
    if file.faults or views_faults:
        raise DataError("\n".join([*(f"{path}: {fault}" for fault in file.faults), *views_faults]))
    defaults = {key: option.default for key, option in TABLES[form].model_fields.items()}
    settings = {"format": form} | {key: value for key, value in options.items() if value != defaults[key]}
    return settings, views, file.remarks


def _file_name(path: Path) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", path.name).lstrip("._-") or "file"


def _has_kernels(path: Path) -> bool:
    """Return whether a file is one of those that stored kernels come in."""
    if path.suffix.lower() in stored.ARCHIVES:
        return True
    # a file that cannot be read is reported as one of separated values
    with suppress(DataError, *unpack.DAMAGED), unpack.opened(path, 1) as stream:
        return stored.LIBSVM.match(stream.read(1000)) is not None
    return False


def _describe_kernels(path: Path, name: str, wishes: Wishes, mebibytes: int) -> tuple[dict[str, Any], list[str]]:
    """Return the settings of the reader of a file of stored kernels, and the decisions made for the user."""
    place = _file_name(path)
    settings: dict[str, Any] = {"format": "kernels", "kernels": {name: place}, "mebibytes": mebibytes}
    asked = [key.replace("_", "-") for key in OF_COLUMNS if getattr(wishes, key)]
    faults = [f"--{option}: stored kernels have no columns" for option in asked]
    if path.suffix.lower() in stored.ARCHIVES:
        reader = stored.Kernels.model_validate(settings)
        with readers.report_faults(reader, {path.name: path}):
            arrays = stored.read_archive(reader, path)
        for option, array in (("--label", wishes.label), *(("--drop", array) for array in wishes.drop)):
            if array not in arrays:
                faults.append(f"{option}: {unknown_name('array', array, arrays)}")
        names = [array for array in arrays if array not in (wishes.label, *wishes.drop)]
        settings |= {"kernels": {array: f"{place}:{array}" for array in names}, "labels": f"{place}:{wishes.label}"}
        if not names:
            faults.append("expected kernel matrices beside the labels, got none")
        odd = [array for array in names if array != array.strip() or plain(array) != array]
        faults += [f"expected names without blanks at the ends, got {array!r}" for array in odd]
    elif wishes.label != "0":
        faults.append(f"--label {wishes.label}: expected 0, the column of the labels in LIBSVM's format")
    remarks = list[str]()
    if not faults:
        labels = readers.read(stored.Kernels.model_validate(settings), {place: path}).labels
        absent = tables.find_missing(labels, named=[*wishes.positive, *wishes.negative])
        if absent.any() and not wishes.negative:
            where = tables.locate(np.flatnonzero(absent).tolist(), ())
            leave_out = "name the labels of both classes (--positive, --negative), which leaves out such rows"
            faults.append(f"--label {wishes.label}: missing in {where}; {leave_out}")
        settings |= _name_labels(labels[~absent], wishes, faults, remarks)
    if faults:
        raise DataError("\n".join(f"{path}: {fault}" for fault in faults))
    return settings, remarks


def _read_text(path: Path, mebibytes: int) -> str:
    """Return the text of a file, which may be compressed."""
    try:
        with unpack.opened(path, mebibytes) as stream:
            content = stream.read()
    except unpack.DAMAGED as error:
        raise MalformedFileError([f"cannot be read ({getattr(error, 'strerror', None) or error})"]) from None
    return tables.decoded(content)


def _read(text: str, wishes: Wishes) -> "_File":
    """Return a file as its cells, with the separator, the header and the decimal sign that are asked for or found."""
    hint = tables.SEPARATOR_LINE.match(text)
    if LIBSVM.match(text):
        remedy = "describe it with `format: libsvm`, or `format: kernels` if it has kernel values (docs/datasets.md)"
        raise MalformedFileError([f"expected separated values, got features of LIBSVM's format; {remedy}"])
    separator = wishes.separator or (hint[1] if hint else tables.find_separator(text)) or ","
    skipped = int(hint is not None)
    first = list(itertools.islice(tables.rows(text, separator, strict=False), skipped, HEADER_ROWS))
    tables.refuse_one_column(text, separator, first[1:])  # before its header and quotes are doubted
    header = _has_header(first, wishes) if wishes.header is None else wishes.header
    table = tables.read_table(text, separator, skipped + header)
    faults = list(table.faults)
    decimal = wishes.decimal or _find_decimal(table.cells, faults)
    line = first[0][0] if first else 1
    naming = f"header in line {line}; --no-header reads it as data" if header else "no header; --header reads one"
    commas = "decimal commas, " if decimal == "," else ""
    remark = f"columns separated by {SEPARATORS.get(separator, repr(separator))}, {commas}{naming}"
    options = {"separator": separator, "header_lines": skipped + header, "decimal": decimal}
    return _File(table, wishes, options, faults, [remark])


def _read_typed(path: Path, form: str, mebibytes: int, wishes: Wishes) -> "_File":
    """Return a file of a format with names and types of columns as its cells."""
    reader = TABLES[form].model_validate({"format": form, "label": 0, "mebibytes": mebibytes})
    with readers.report_faults(reader, {path.name: path}):
        columns = reader.columns({path.name: path})
    faults = [f"--{key}: format {form} has none" for key in OF_TEXT if getattr(wishes, key) is not None]
    cells = np.array([tables.to_texts(column.tolist()) for column in columns.values()], dtype=object).T
    rows = enumerate([[*columns], *cells])
    faults += [f"row {row}: {fault}" if row else fault for row, texts in rows for fault in tables.check_texts(texts)]
    return _File(Table([*columns], cells, [], faults), wishes, {}, faults, [])


def _has_header(rows: Sequence[tuple[int, Sequence[str]]], wishes: Wishes) -> bool:
    """Return whether the first line names columns.

    It does if it has a name from the options, a text above a number, or fewer names than columns (as R writes it). In a
    file of texts, and below the whole numbers that pandas writes as names, it does if no column whose values recur has
    one like it.
    """
    if not rows:
        raise MalformedFileError(["expected rows, got none"])
    (line, first), *others = rows
    named = {column for column in (wishes.label, *wishes.drop) if not POSITION.fullmatch(column)}
    for (place, title), (_, below) in itertools.pairwise(others if not named.intersection(first) else ()):
        has_numbers = [any(tables.is_number(cell, ".,") for cell in row) for row in (title, below)]
        if named.intersection(title) and has_numbers == [False, True]:
            raise MalformedFileError([f"line {line}: expected the column names of line {place}; remove what is above"])
    if named.intersection(first) or (others and len(others[0][1]) == len(first) + 1):
        return True
    columns = list(zip(first, *(cells for _, cells in others if len(cells) == len(first)), strict=True))
    numeric = [[tables.is_number(cell, ".,") for cell in column[:2]] for column in columns]
    if any(kinds == [False, True] and cell not in tables.MISSING for cell, kinds in zip(first, numeric, strict=True)):
        return True
    numbers = [*map(str, range(len(first) + 1))]
    counted = list(first) in (numbers[:-1], numbers[1:], ["", *numbers[:-2]])  # the last with the rows' names before
    if not others or (any(kinds[0] for kinds in numeric) and not counted):
        return False
    new = {column[0] not in column[1:] for column in columns if 2 * len({*column[1:]}) < len(column)}
    if len(new) != 1 or (counted and new == {False}):
        expected = "expected the names of the columns, or data"
        raise MalformedFileError([f"line {line}: {expected}; --header or --no-header says"])
    return new == {True}


def _find_decimal(cells: NDArray[Any], faults: list[str]) -> str:
    """Return the decimal sign of the numbers, a comma if any has one and none has a point."""
    commas = [cell for cell in cells.flat if "," in cell and tables.COMMA.fullmatch(cell)]
    if not commas or any("." in cell and tables.is_number(cell) for cell in cells.flat):
        return "."
    if all(map(tables.THOUSANDS.fullmatch, commas)):
        faults.append(f"expected decimal points, got {commas[0]!r}: a decimal comma (--decimal comma), or thousands")
    return ","


@dataclass(frozen=True, slots=True)
class _File:
    """The cells of a file, and what is found out of them.

    Attributes
    ----------
    table : Table
        The cells.
    wishes : Wishes
        The options of the user.
    reading : dict
        The options of the reader that say how the text is read.
    faults, remarks : list of str
        What is wrong, and what was decided for the user, in one line each.
    dropped : dict
        The positions of the label and of the columns that are left out, in this order, as keys.
    incomplete : list of str
        The columns in which values are missing that are not to be filled.
    """

    table: Table
    wishes: Wishes
    reading: dict[str, Any]
    faults: list[str]
    remarks: list[str]
    dropped: dict[int | None, None] = field(default_factory=dict)
    incomplete: list[str] = field(default_factory=list)

    @property
    def decimal(self) -> str:
        """The decimal sign of the numbers."""
        return str(self.reading.get("decimal", "."))

    def options(self) -> dict[str, Any]:
        """Return the options of the reader."""
        cells, label = self.table.cells, self.find("--label", self.wishes.label)
        drop = [self.find("--drop", column) for column in self.wishes.drop]
        for position in range(cells.shape[1]):
            if not cells[:, position].any() and isinstance(self.name(position), int) and position != label:
                drop.append(position)
                self.remarks.append(f"column {position} has neither a name nor a value: left out")
        codes = [_to_label(code, tables.is_number(code)) for code in self.wishes.missing]
        self.dropped.update(dict.fromkeys((label, *drop)))
        self.check_joined()
        options, classes = dict[str, Any](), np.zeros(len(cells))
        if label is not None:
            named = [*self.wishes.positive, *self.wishes.negative]
            absent = tables.find_missing(cells[:, label], codes, named, self.decimal)
            self.report_missing(f"--label {self.wishes.label}", absent)
            self.ask_for_header(cells[:, label])
            labels = tables.to_labels(cells[~absent, label])
            options = _name_labels(labels, self.wishes, self.faults, self.remarks)
            classes = np.where(absent, -1, np.unique(cells[:, label], return_inverse=True)[1])
        one_hot = self.encode_features(codes, classes)
        return {
            **self.reading,
            **options,
            "label": self.name(label),
            "drop": [self.name(position) for position in self.dropped if position != label],
            "missing": codes,
            "drop_incomplete": self.wishes.drop_incomplete,
            "impute": self.wishes.impute,
            "minmax": self.wishes.minmax,
            "one_hot": one_hot,
            "numbers": bool(one_hot),
        }

    def check_joined(self) -> None:
        """Add a fault if two columns of one name have the same texts in another order: tables joined by position."""
        names = self.table.names
        for name in sorted({name for name in names if names.count(name) > 1}):
            places = [place for place, other in enumerate(names) if other == name and place not in self.dropped]
            for first, second in itertools.pairwise(places):
                texts = self.table.cells[:, [first, second]]
                texts = texts[(texts != "").all(axis=1)]
                rows, differing = [{*column} for column in texts.T], int((texts[:, 0] != texts[:, 1]).sum())
                if differing and len(rows[0]) == len(texts) < 2 * len(rows[0] & rows[1]):
                    got = f"they name the same examples, and differ in {differing} rows"
                    remedy = f"join tables by {name or 'it'}, or leave one out (--drop)"
                    self.faults.append(f"columns {first} and {second}, {name}: {got}; {remedy}")

    def ask_for_header(self, labels: NDArray[Any]) -> None:
        """Add a fault if the first line was taken for data, and alone has a label that no other line has."""
        values, counts = np.unique(labels, return_counts=True)
        if self.wishes.header is None and not self.table.names and [labels[0]] == values[counts == 1].tolist():
            asked = f"{labels[0]!r} is the label of no other line; --header or --no-header says if it names a column"
            self.faults.append(f"line {self.table.lines[0]}: {asked}")

    def name(self, position: int | None) -> Any:
        """Return the name of a column if it is unique, else its position."""
        name = self.table.names[position] if self.table.names and position is not None else ""
        return name if name and self.table.names.count(name) == 1 else position

    def find(self, option: str, column: str) -> int | None:
        """Return the position of a column that an option names; if there is none, add to the faults."""
        try:
            return self.position(column)
        except ConfigError as error:
            self.faults.append(f"{option} {column:.30}: {error}")
            return None

    def position(self, column: str) -> int:
        """Return the position of a column; raise ConfigError if there is none, or no single one."""
        width, names = int(self.table.cells.shape[1]), self.table.names
        if names.count(column) == 1:
            return names.index(column)
        if names.count(column) > 1:
            raise ConfigError(f"the header has it {names.count(column)} times; name its position")
        if POSITION.fullmatch(column):
            # A separator at the end of each line makes no column for those who count from the right.
            ends = width - (not self.table.cells[:, -1].any() and isinstance(self.name(width - 1), int))
            if len(column) <= DIGITS and -ends <= int(column) < width:
                return int(column) % ends if int(column) < 0 else int(column)
            raise ConfigError(f"expected a column from {-ends} to {width - 1}")
        if names:
            raise unknown_name("column", column, names)
        raise ConfigError(f"there is no header that names {width} columns; give a position, from 0")

    def report_missing(self, title: str, missing: NDArray[Any]) -> None:
        """Add a fault if values are missing, and are neither to be filled nor their rows to be left out."""
        is_feature = not title.startswith("--label")
        if is_feature and missing.all():
            self.faults.append(f"{title}: expected a value in some row, got none; leave the column out (--drop)")
        elif missing.any() and not self.wishes.drop_incomplete and not (is_feature and self.wishes.impute):
            where = tables.locate(np.flatnonzero(missing).tolist(), self.table.lines)
            other = " or the column (--drop), or fill them (--impute)" * is_feature
            self.incomplete.extend([title] * is_feature)
            if len(self.incomplete) <= SHOWN:
                self.faults.append(f"{title}: missing in {where}; leave out such rows (--drop-incomplete){other}")

    def encode_features(self, codes: Sequence[Label], classes: NDArray[Any]) -> dict[str, list[str]]:
        """Return the values of each nominal column, and leave out columns that tell the label if that is asked for."""
        one_hot, wishes, decimal = {}, self.wishes, self.decimal
        for position in sorted({*range(self.table.cells.shape[1])} - {*self.dropped}):
            column, title = self.table.cells[:, position], f"column {self.name(position)}"
            missing, numbers = tables.find_missing(column, codes, (), decimal), tables.to_numbers(column, decimal)
            rows = np.flatnonzero(np.isnan(numbers) & ~missing)
            present = ~missing & (classes >= 0)
            if leak := _find_leak((column if len(rows) else numbers)[present], classes[present]):
                option = "left out; --no-drop-leaks keeps it" if wishes.drop_leaks else "--drop-leaks leaves it out"
                self.remarks.append(f"{title} {leak}: {option}")
                if wishes.drop_leaks:
                    self.dropped[position] = None
                    continue
            known = all(tables.cause(text) != repr(text) for text in column[rows])
            is_few = not known and len(rows) <= STRAY * len(column)
            # Texts beside decimals are mistakes, however many they are: a nominal column has no decimals.
            if len(rows) and (known or is_few or (numbers[~np.isnan(numbers)] % 1).any()):
                end = "; correct it, or say it is missing (--missing)" if is_few else "; leave the column out (--drop)"
                for of_fault in rows[:, None].tolist() if is_few else [rows.tolist()]:
                    got = f"expected a number, got {tables.cause(column[of_fault[0]])}{end}"
                    self.faults.append(f"{tables.locate(of_fault, self.table.lines)}, {title}: {got}")
                continue
            self.report_missing(title, missing)
            if len(rows):
                values = sorted({*column[~missing]}) + [tables.MARK] * bool(wishes.impute and missing.any())
                one_hot[str(self.name(position))] = values
                self.remarks.append(f"{title}: a column of 0 and 1 for each of {', '.join(values[:10])}")
                if len(values) > MOST_VALUES:
                    got = f"got {len(values)}, such as {column[rows[0]]!r}; leave it out (--drop)"
                    self.faults.append(f"{title}: expected numbers, or at most {MOST_VALUES} different texts, {got}")
            else:
                self.remarks.extend(_find_code(title, numbers[~missing]))
        if len(self.incomplete) > SHOWN:
            self.faults.append(f"more columns lack values: {len(self.incomplete) - SHOWN}")
        return one_hot


def _find_code(title: str, numbers: NDArray[Any]) -> list[str]:
    """Return a remark for each number far from all others that looks like the code of a missing value."""
    others = numbers[~np.isin(numbers, CODES)]
    if not len(others):
        return []
    low, high, extent = others.min(), others.max(), np.ptp(others)
    codes = [code for code in np.intersect1d(numbers, CODES) if code < min(low - extent, 0) or code > high + extent]
    return [f"{title}: {code:g} may stand for a missing value; --missing {code:g} says so" for code in codes]


def _name_labels(raw: NDArray[Any], wishes: Wishes, faults: list[str], remarks: list[str]) -> dict[str, Any]:
    """Return the labels that become +1 and -1, or those of more classes; add to the faults and the remarks."""
    title, n, numeric = f"--label {wishes.label}", len(raw), raw.dtype.kind == "f"
    counts = Counter(_to_label(text, numeric) for text in map(str, raw.tolist()))
    labels = sorted(counts)
    positive, negative = ([_to_label(text, numeric) for text in x] for x in (wishes.positive, wishes.negative))
    shown = ", ".join(f"{label} ({count})" for label, count in counts.most_common(10))
    shown += ", ..." if len(counts) > 10 else ""
    if numeric:
        remarks += _find_code(title, np.array(labels))
    remarks.extend(f"{title}: only one row has {label}" for label, count in counts.items() if count == 1 < n)
    if not positive and not negative and len(labels) == 2:
        positive = [labels[1]]
        remarks.append(f"{positive[0]} becomes +1, {labels[0]} -1; --positive names another label")
    elif not positive and not negative and len(labels) > 2:
        kind = "a regression target" if numeric else "names of the rows"
        looks = f"{len(labels)} labels in {n} rows look like {kind}"
        if len(labels) > min(MOST_CLASSES, max(FEW_CLASSES, SHARE * n)):
            faults.append(f"{title}: expected at most {MOST_CLASSES} classes and a tenth of the rows; {looks}")
            return {}
        if len(labels) > SHARE * n or (numeric and any(label % 1 for label in labels)):
            remarks.append(f"{title}: {looks}")
        remarks.append(f"{len(labels)} classes: {', '.join(map(str, labels))}; --positive makes two of them")
        return {"classes": labels}
    for option, names in (("--positive", wishes.positive), ("--negative", wishes.negative)):
        unknown = [text for text in names if _to_label(text, numeric) not in counts]
        faults.extend(f"{option} {text}: no such label; there are {shown}" for text in unknown)
    if common := [label for label in positive if label in negative]:
        faults.append(f"--positive and --negative: expected different labels, got {common[0]} in both")
    others = [label for label in labels if label not in positive]
    if not negative and not (positive and others) and not faults:
        faults.append(f"{title}: expected two labels, got {shown}")
    elif not negative and (len(positive), len(others)) != (1, 1):
        negative = others
    sides = {"positive": positive, "negative": negative}
    return {side: names[0] if len(names) == 1 else names for side, names in sides.items()}


def _to_label(text: str, numeric: bool) -> Label:
    """Return a label as a number if all labels are numbers, written as 1 rather than 1.0."""
    number = tables.to_number(text) if numeric else float("nan")
    return text if np.isnan(number) else int(number) if number.is_integer() else number


def _find_leak(values: NDArray[Any], classes: NDArray[Any]) -> str:
    """Return in words why a column tells nothing, or the label by the order of the rows; "" if it does neither."""
    kinds, codes = np.unique(values, return_inverse=True)
    if len(kinds) < 2:
        return "is constant" if len(kinds) else "has no value"
    pairs = np.unique(np.column_stack([codes, classes]), axis=0)
    if len(values) < LEAST_ROWS:
        return ""
    if len(pairs) == len(kinds) == len(np.unique(classes)):
        return "equals the label"
    if len(kinds) < len(values):
        return ""
    if values.dtype.kind == "O":
        return "has another text in each row"
    whole, steps = not (values % 1).any(), np.diff(values)
    is_ordered = (steps > 0).all() or (steps < 0).all() or np.ptp(values) == len(values) - 1
    return "numbers the rows" if whole and is_ordered else ""


def _find_views(
    path: Path, file: _File, one_hot: dict[str, list[str]], faults: list[str]
) -> tuple[dict[str, list[int]], list[str]]:
    """Return the positions of the features of each view, in a file of columns and views, and the columns in none.

    Faults of the file are added to the faults.
    """
    try:
        text = _read_text(path, LARGEST_VIEWS)
        groups = tables.read_table(text, tables.find_separator(text) or ",", 0, one_column=True)
        if groups.faults or groups.cells.shape[1] != 2:
            raise MalformedFileError(groups.faults or ["expected a column of the data and its view in each line"])
    except MalformedFileError as error:
        faults += [f"{path}: {fault}" for fault in error.faults]
        return {}, []
    first, positions = 0, dict[int, range]()
    for kept in sorted({*range(file.table.cells.shape[1])} - {*file.dropped}):
        # a nominal column has become a feature for each of its values
        width = len(one_hot.get(str(file.name(kept)), ["number"]))
        positions[kept], first = range(first, first + width), first + width
    asked, without = {file.wishes.label, *file.wishes.drop}, dict.fromkeys(positions)
    views: dict[str, list[int]] = {}
    is_header = [cell.lower() for cell in groups.cells[0]] == ["column", "view"]
    for line, (column, view) in list(zip(groups.lines, groups.cells, strict=True))[is_header:]:
        try:
            position = file.position(column)
            if not view:
                raise ConfigError("expected the name of a view, got none")
            if position in positions:
                views.setdefault(view, []).extend(positions[position])
                without.pop(position, None)
            elif not file.wishes.drop_leaks or {column, str(position)} & asked:
                raise ConfigError("is the label or dropped, and is in no view")
        except ConfigError as error:
            header = "; a header would be column,view" * (line == groups.lines[0])
            faults.append(f"{path}: line {line}: {column}: {error}{header}")
    if not views and not faults:
        faults.append(f"{path}: expected a column of the data and its view in each line, got no column that is kept")
    return {view: sorted(set(columns)) for view, columns in views.items()}, [str(file.name(place)) for place in without]


def _ranges(positions: Sequence[int]) -> list[int | str]:
    """Return ascending positions with "5-9" in place of 5, 6, 7, 8 and 9."""
    runs = np.split(np.array(positions), np.flatnonzero(np.diff(positions) != 1) + 1)
    ranges = ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else run.tolist() for run in runs)
    return list(itertools.chain(*ranges))
