"""Reads the formats that data sets come in: one function a format, from files to features, raw labels and orders.

Features become float64, but only those of the rows that are wanted: MNIST takes 47 MB as it comes, 376 MB as float64.
Text formats become dense even where they are sparse (a3a, mushrooms, w5a: at most 24 MB), because dense products are
what Gram matrices are made of; dorothea, 0.9 GB dense and 99 percent zeros, stays sparse.
"""

import io
import lzma
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray
from scipy import sparse
from scipy.io.matlab import MatReadError

from grambench.common.errors import DataError
from grambench.common.types import Floats
from grambench.config.dataset import (
    Arff,
    Column,
    Csv,
    Idx,
    Indices,
    Libsvm,
    Mat,
    MatBlocks,
    Rda,
    Rdb,
    Reader,
    Table,
    listed,
)
from grambench.datasets import separated, unpack
from grambench.datasets.separated import Faults

# what the parsers of damaged or other files raise
UNREADABLE = (
    ValueError,
    LookupError,
    OSError,
    EOFError,
    TypeError,
    NotImplementedError,
    StopIteration,
    RecursionError,
    MemoryError,
    MatReadError,
    lzma.LZMAError,
    zlib.error,
)

MOST_SHOWN = 30  # columns that a message names
IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}

Columns = dict[str, NDArray[Any]]  # float64, or object holding str and None (missing)


@dataclass(frozen=True, slots=True)
class Raw:
    """What a file holds, before any check.

    Attributes
    ----------
    features : ndarray (n, d) or scipy.sparse.csr_array of float64
        One row an example; float64 as `read` returns it.
    labels : ndarray of float64 or of str (n,)
        As the file has them.
    orders : ndarray of int64 (repetitions, n) or None
        0-based orders of presentation.
    test : ndarray of bool (n,) or None
        Which rows are the test part of an official split.
    """

    features: NDArray[Any] | sparse.csr_array
    labels: NDArray[Any]
    orders: NDArray[np.int64] | None = None
    test: NDArray[np.bool_] | None = None


def read(reader: Reader, files: dict[str, Path]) -> Raw:
    """Read one source's files.

    Parameters
    ----------
    reader : Reader
        Format and options.
    files : dict
        Name to path, in the order of the description.

    Raises
    ------
    DataError
        If a file is not what the reader says, or lacks a class that the reader names.
    """
    function = READERS[type(reader)]
    parts = [{name: path} for name, path in files.items()] if isinstance(reader, STACKED) else [files]
    try:
        raw = _stacked([function(reader, part) for part in parts])
        if not len(raw.labels):
            raise ValueError("no rows")
        if (rows := raw.features.shape[0]) != len(raw.labels):
            raise ValueError(f"{rows} rows of features, and {len(raw.labels)} labels")
    except UNREADABLE as error:
        what = str(error) if isinstance(error, Faults) else f"{type(error).__name__}: {error!s:.200}"
        kind = type(reader).__name__.lower()
        raise DataError(f"{', '.join(files)}: cannot be read as {kind}: {' '.join(what.split())}") from error
    chosen = _chosen(reader, raw)
    features, labels = raw.features[chosen], raw.labels[chosen]
    if isinstance(features, np.ndarray):
        features = features.astype(np.float64, copy=False)
        if reader.minmax:
            low, high = features.min(axis=0), features.max(axis=0)
            features = 2 * (features - low) / np.where(high > low, high - low, 1.0) - 1
        features = np.hstack([features, np.zeros((len(features), reader.zero_columns))])
    test = chosen >= len(raw.labels) - reader.test_rows if reader.test_rows else None
    return Raw(features, labels, raw.orders, test)


def _stacked(parts: list[Raw]) -> Raw:
    """Return the rows of several files below each other; a file alone may be sparse and have orders."""
    if len(parts) == 1:
        return parts[0]
    features: list[Any] = [part.features for part in parts]
    return Raw(np.vstack(features), np.concatenate([part.labels for part in parts]))


def _chosen(reader: Reader, raw: Raw) -> NDArray[np.intp]:
    """Return the numbers of the rows to keep: of the classes named, none twice, and no more than asked for."""
    rows = np.arange(len(raw.labels))
    if reader.negative or reader.classes:
        named = reader.classes or listed(reader.positive) + listed(reader.negative)
        present = np.unique(raw.labels).tolist()
        if absent := [label for label in named if label not in present]:
            shown = ", ".join(map(repr, present[:30]))
            raise DataError(f"expected a class {absent[0]!r} among the labels, got {shown}")
        rows = rows[[label in named for label in raw.labels.tolist()]]
    if reader.unique and isinstance(raw.features, np.ndarray):
        _, numbers = np.unique(raw.labels[rows], return_inverse=True)
        _, first = np.unique(np.column_stack([raw.features[rows], numbers]), axis=0, return_index=True)
        rows = rows[np.sort(first)]
    above = len(raw.labels) - reader.test_rows
    return np.concatenate([rows[rows < above][: reader.rows], rows[rows >= above]])


def read_mat(reader: Mat, files: dict[str, Path]) -> Raw:
    """Read a matrix and its labels, and the orders beside them."""
    (path,) = files.values()
    variables = scipy.io.loadmat(path)
    data = variables[reader.data].astype(np.float64)
    if reader.transposed:
        data = data.T
    if reader.labels:
        data = np.column_stack([variables[reader.labels].ravel(), data])
    orders = variables[reader.orders].astype(np.int64) - 1 if reader.orders else None
    return Raw(data[:, 1:], data[:, 0], orders)


def read_mat_blocks(reader: MatBlocks, files: dict[str, Path]) -> Raw:
    """Stack feature matrices and label vectors, from variables or from text files."""
    (path,) = (path for path in files.values() if path.suffix == ".mat")
    variables = scipy.io.loadmat(path)
    blocks = [sparse.csr_array(variables[name], dtype=np.float64) for name in reader.features]
    labels = [_column(reader, files[name]) if name in files else variables[name].ravel() for name in reader.labels]
    return Raw(sparse.csr_array(sparse.vstack(blocks)), np.concatenate(labels).astype(np.float64))


def read_indices(reader: Indices, files: dict[str, Path]) -> Raw:
    """Read rows given as the indices of their ones."""
    rows = [line.split() for name in reader.features for line in _lines(reader, files[name])]
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([int(index) - 1 for row in rows for index in row])
    features = sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(rows), reader.columns))
    features.check_format()
    return Raw(features, np.concatenate([_column(reader, files[name]) for name in reader.labels]))


def read_libsvm(reader: Libsvm, files: dict[str, Path]) -> Raw:
    """Read lines of "label index:value ..." with indices from 1."""
    (path,) = files.values()
    lines = [line.split() for line in _lines(reader, path)]
    features = np.zeros((len(lines), reader.columns))
    for row, (_, *pairs) in zip(features, lines, strict=True):
        for pair in pairs:
            index, value = pair.split(":")
            if not 1 <= int(index) <= reader.columns:
                raise ValueError(f"expected indices from 1 to {reader.columns}, got {index}")
            row[int(index) - 1] = float(value)
    return Raw(features, _labels(np.array([line[0] for line in lines], dtype=object)))


def read_idx(reader: Idx, files: dict[str, Path]) -> Raw:
    """Stack arrays of images and of labels."""
    images = np.concatenate([_idx(reader, files[name]) for name in reader.features])
    labels = np.concatenate([_idx(reader, files[name]) for name in reader.labels])
    return Raw(images.reshape(len(images), -1), labels.astype(np.float64))


def read_csv(reader: Csv, files: dict[str, Path]) -> Raw:
    """Read separated values."""
    (path,) = files.values()
    sheet = separated.sheet(separated.decoded(_content(reader, path)), reader.separator, reader.header_lines)
    columns = {str(position): column for position, column in enumerate(sheet.cells.T)}
    return _encoded(reader, columns, names=sheet.names, lines=sheet.lines, faults=sheet.faults)


def read_arff(reader: Arff, files: dict[str, Path]) -> Raw:
    """Read Weka's format."""
    (path,) = files.values()
    records, _ = scipy.io.arff.loadarff(path)
    columns: Columns = {}
    for name in records.dtype.names or ():
        column = records[name]
        if column.dtype.kind == "S":
            column = np.array([None if cell == b"?" else cell.decode() for cell in column], dtype=object)
        columns[name] = column
    return _encoded(reader, columns)


def read_rda(reader: Rda, files: dict[str, Path]) -> Raw:
    """Read a data frame of R."""
    import rdata  # half a second, and only this format needs it

    (path,) = files.values()
    with warnings.catch_warnings(action="ignore"):  # rdata assumes ASCII where an old file names no encoding
        frame = rdata.read_rda(io.BytesIO(_content(reader, path)))[reader.table]
    return _encoded(reader, _data_frame(frame))


def read_rdb(reader: Rdb, files: dict[str, Path]) -> Raw:
    """Read a data frame of R's lazy-load database, as packages hold their data.

    The .rdx has each object's offset and length in the .rdb. What lies there is the size of the serialised object in
    four bytes, and the object compressed with zlib (R's src/main/serialize.c, R_compress1).
    """
    import rdata

    (index,) = (path for name, path in files.items() if name.endswith(".rdx"))
    (database,) = (path for name, path in files.items() if name.endswith(".rdb"))
    with warnings.catch_warnings(action="ignore"):  # as above
        offset, length = rdata.read_rds(io.BytesIO(_content(reader, index)))["variables"][reader.table]
        entry = database.read_bytes()[offset : offset + length]
        unpacked = zlib.decompressobj().decompress(entry[4:], reader.mebibytes * unpack.MEBIBYTE)
        frame = rdata.read_rds(io.BytesIO(unpacked))
    return _encoded(reader, _data_frame(frame))


READERS: dict[type[Reader], Callable[[Any, dict[str, Path]], Raw]] = {
    Mat: read_mat,
    MatBlocks: read_mat_blocks,
    Indices: read_indices,
    Libsvm: read_libsvm,
    Idx: read_idx,
    Csv: read_csv,
    Arff: read_arff,
    Rda: read_rda,
    Rdb: read_rdb,
}

STACKED = (Libsvm, Csv, Arff)  # of several files each is read by itself


def _column(reader: Reader, path: Path) -> Floats:
    return np.array([float(line) for line in _lines(reader, path)])


def _lines(reader: Reader, path: Path) -> list[str]:
    return [line for line in separated.decoded(_content(reader, path)).splitlines() if line.strip()]


def _content(reader: Reader, path: Path) -> bytes:
    with unpack.opened(path, reader.mebibytes) as stream:
        content: bytes = stream.read()
    return content


def _idx(reader: Reader, path: Path) -> NDArray[Any]:
    """Read two zero bytes, the type, the number of axes, their lengths as four bytes each, and the values."""
    content = _content(reader, path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES:
        raise ValueError(f"expected two zero bytes and a type, got {content[:4].hex(' ') or 'nothing'}")
    kind, axes = content[2:4]
    shape = np.frombuffer(content, ">u4", count=axes, offset=4)
    return np.frombuffer(content, IDX_TYPES[kind], offset=4 + 4 * axes).reshape(shape)


def _data_frame(frame: Any) -> Columns:
    """Return the columns of what should be a data frame of R."""
    from pandas import DataFrame  # rdata has loaded it

    if not isinstance(frame, DataFrame):
        raise TypeError(f"expected a data frame, got {type(frame).__name__}")
    columns: Columns = {}
    for name, column in frame.items():
        if column.dtype.kind == "f":
            columns[str(name)] = column.to_numpy()
        else:
            text = column.astype(object)
            columns[str(name)] = text.where(column.notna(), None).to_numpy()
    return columns


def _encoded(
    reader: Table,
    columns: Columns,
    names: Sequence[str] = (),
    lines: Sequence[int] = (),
    faults: Sequence[str] = (),
) -> Raw:
    """Turn columns into numbers as the reader says, or say all that is wrong.

    Parameters
    ----------
    reader : Table
        What to do with which column.
    columns : dict
        By the names that the format gives them.
    names : sequence of str
        Other names of all columns, or none.
    lines : sequence of int
        The line of the file of each row, where it has lines.
    faults : sequence of str
        What is wrong already.
    """
    found, stray, keys = list(faults), list[str](), list(columns)
    called = dict(zip(keys, names, strict=True)) if names else {key: key for key in keys}
    counted = Counter(called.values())
    known = {key: key for key in keys} | {name: key for key, name in called.items() if counted[name] == 1}

    def key(what: str, column: Column) -> str | None:
        if isinstance(column, str) and column in known:
            return known[column]
        if isinstance(column, int) and -len(keys) <= column < len(keys):
            return keys[column]
        shown = ", ".join(called.values()) if len(keys) <= MOST_SHOWN else f"{len(keys)} columns"
        last = len(keys) - 1
        stray.append(f"{what}: expected one of {shown}, or a number from {-last - 1} to {last}, got {column!r}")
        return None

    label = key("label", reader.label)
    left_out = {label, *(key("drop", column) for column in reader.drop)}
    values = {key("one_hot", name): texts for name, texts in reader.one_hot.items()}
    blocks = []
    for name in keys if not stray else ():  # or what is meant to be left out would be complained about
        if name in left_out or (values and name not in values and not reader.numbers):
            continue
        try:
            coded = columns[name]
            blocks.append(
                _indicators(coded, values[name]) if name in values else _numbers(coded, reader.codes, lines)[:, None]
            )
        except ValueError as error:
            found.append(f"column {called[name]}: {error}")
    absent = [row for row, cell in enumerate(columns[label]) if cell is None] if label else []
    if absent and not reader.drop_incomplete:
        found.append(f"label: missing in {_place(absent[0], lines)}" + _more(absent))
    if found or stray or label is None or not blocks:
        raise Faults([*found, *stray] or ["expected columns beside the label's, got none"])
    features, labels = np.hstack(blocks), columns[label]
    if reader.drop_incomplete:
        complete = np.asarray(np.isfinite(features).all(axis=1))
        complete[absent] = False
        features, labels = features[complete], labels[complete]
    return Raw(features, _labels(labels))


def _numbers(column: NDArray[Any], codes: dict[str, float | None], lines: Sequence[int] = ()) -> Floats:
    """Return a column as numbers, missing values as NaN."""
    if column.dtype.kind != "O":
        return column.astype(np.float64)
    known = {"?": None} | codes
    cells = ["?" if cell is None else cell for cell in column]
    try:
        return np.array([known[cell] if cell in known else float(cell) for cell in cells], dtype=np.float64)
    except ValueError:
        texts = [row for row, cell in enumerate(cells) if cell not in known and not is_number(cell)]
        raise ValueError(
            f"expected numbers, got {cells[texts[0]]!r} in {_place(texts[0], lines)}{_more(texts)}; "
            "name its values in one_hot or codes, or drop the column"
        ) from None


def _place(row: int, lines: Sequence[int]) -> str:
    return f"line {lines[row]}" if lines else f"row {row + 1}"


def _more(rows: Sequence[int]) -> str:
    return f" and {len(rows) - 1} more" if len(rows) > 1 else ""


def is_number(text: str) -> bool:
    """Return whether a cell is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _indicators(column: NDArray[Any], values: list[str]) -> Floats:
    """Return a column of 0 and 1 for each value of a nominal column, NaN in all of them where it is missing."""
    missing = np.array([cell is None for cell in column])
    block = column[:, None] == np.array(values, dtype=object)
    if stray := sorted({str(cell) for cell in column[~block.any(axis=1) & ~missing]}):
        raise ValueError(f"expected one of {', '.join(values)}, got {stray[0]!r}")
    return np.where(missing[:, None], np.nan, block.astype(np.float64))


def _labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels as numbers where all of them are, else as text."""
    try:
        return labels.astype(np.float64)
    except ValueError:
        return labels.astype(np.str_)
