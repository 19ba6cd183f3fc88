"""Reads features, raw labels and permutations from the formats of data sets, with one function for each format.

Only the selected rows become float64: MNIST takes 47 MB as bytes and 376 MB as float64. Text formats become dense even
if most values are 0 (a3a, mushrooms, w5a: at most 24 MB), because Gram matrices are dense products. Only dorothea,
0.9 GB if dense and 99 percent zeros, stays sparse.
"""

import csv
import io
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    AnyReader,
    Arff,
    BatchReader,
    ColumnKey,
    Csv,
    CsvRows,
    Hdf5,
    Idx,
    IndicesReader,
    LandMask,
    Libsvm,
    Mat,
    MatBlocks,
    Parquet,
    Rda,
    Rdb,
    Reader,
    TabularReader,
    listed,
)
from grambench.datasets import tables, unpack
from grambench.datasets.tables import MalformedFileError

# The exceptions of parsers for files that are damaged or have another format
UNREADABLE = (*unpack.DAMAGED, TypeError, StopIteration, MatReadError)

BATCH = 65536  # rows that formats with chunks read together, on which the points of a land mask depend
START = 2**20  # bytes at the start of a CSV file that have the names of its columns
FEW = 0.1  # the largest share of numbers in a column of texts
MOST_SHOWN = 30  # the largest number of columns that a message lists
IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}

Columns = dict[str, NDArray[Any]]  # arrays of float64, or of str and None (missing)


@dataclass(frozen=True, slots=True)
class Raw:
    """The content of files before any check.

    Attributes
    ----------
    features : ndarray (n, d) or scipy.sparse.csr_array of float64
        One row per example; `read` returns float64.
    labels : ndarray of float64 or of str (n,)
        The labels in the file.
    orders : ndarray of int64 (repetitions, n) or None
        Permutations of the examples, 0-based.
    test : ndarray of bool (n,) or None
        Whether each row is in the test part of an official split.
    """

    features: NDArray[Any] | sparse.csr_array
    labels: NDArray[Any]
    orders: NDArray[np.int64] | None = None
    test: NDArray[np.bool_] | None = None


def read(reader: AnyReader, files: dict[str, Path]) -> Raw:
    """Read the files of a source.

    Parameters
    ----------
    reader : AnyReader
        The format and its options.
    files : dict
        The path of each file by its name, in the order of the description.

    Raises
    ------
    DataError
        If a file does not fit the reader, or lacks a class that the reader names.
    """
    read_files = READERS[type(reader)]
    by_file = isinstance(reader, STACKED) and not getattr(reader, "side_by_side", False)
    parts = [{name: path} for name, path in files.items()] if by_file else [files]
    try:
        raw = _stack([read_files(reader, part) for part in parts])
        if not len(raw.labels):
            raise ValueError("no rows")
        if raw.features.shape[0] != len(raw.labels):
            raise ValueError(f"{raw.features.shape[0]} rows of features, and {len(raw.labels)} labels")
    except UNREADABLE as error:
        message = str(error) if isinstance(error, MalformedFileError) else f"{type(error).__name__}: {error!s:.200}"
        raise DataError(
            f"{', '.join(files)}: cannot be read as {reader.format}: {' '.join(message.split())}"
        ) from error
    rows = _select_rows(reader, raw)
    features, labels = raw.features[rows], raw.labels[rows]
    if isinstance(features, np.ndarray):
        features = features.astype(np.float64, copy=False)
        if reader.minmax:
            low, high = features.min(axis=0), features.max(axis=0)
            features = 2 * (features - low) / np.where(high > low, high - low, 1.0) - 1
        features = np.hstack([features, np.zeros((len(features), reader.zero_columns))])
    test = rows >= len(raw.labels) - reader.test_rows if reader.test_rows else None
    return Raw(features, labels, raw.orders, test)


def _stack(parts: list[Raw]) -> Raw:
    """Return the rows of several dense files, stacked; a single file may be sparse and have orders."""
    if len(parts) == 1:
        return parts[0]
    features: list[Any] = [part.features for part in parts]
    return Raw(np.vstack(features), np.concatenate([part.labels for part in parts]))


def _select_rows(reader: Reader, raw: Raw) -> NDArray[np.intp]:
    """Return the indices of the rows that the reader's `classes`, `unique`, `rows` and `test_rows` select."""
    rows = np.arange(len(raw.labels))
    if reader.negative or reader.classes:
        labels = reader.classes or listed(reader.positive) + listed(reader.negative)
        present = np.unique(raw.labels).tolist()
        if absent := [label for label in labels if label not in present]:
            shown = ", ".join(map(repr, present[:30]))
            raise DataError(f"expected a class {absent[0]!r} among the labels, got {shown}")
        rows = rows[[label in labels for label in raw.labels.tolist()]]
    if reader.unique and isinstance(raw.features, np.ndarray):
        _, numbers = np.unique(raw.labels[rows], return_inverse=True)
        _, first = np.unique(np.column_stack([raw.features[rows], numbers]), axis=0, return_index=True)
        rows = rows[np.sort(first)]
    n_train = len(raw.labels) - reader.test_rows
    return np.concatenate([rows[rows < n_train][: reader.rows], rows[rows >= n_train]])


def read_mat(reader: Mat, files: dict[str, Path]) -> Raw:
    """Read a matrix, its labels and, if named, the permutations of the examples."""
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
    labels = [_read_column(reader, files[name]) if name in files else variables[name].ravel() for name in reader.labels]
    return Raw(sparse.csr_array(sparse.vstack(blocks)), np.concatenate(labels).astype(np.float64))


def read_indices(reader: IndicesReader, files: dict[str, Path]) -> Raw:
    """Read the rows of a 0-1 matrix from the indices of their ones."""
    texts = [tables.decoded(_content(reader, files[name])) for name in reader.features]
    rows = [cells for text in texts for _, cells in tables.rows(text, " ")]
    indices = tables.to_numbers(index for row in rows for index in row) - 1
    if (indices % 1 != 0).any():
        raise MalformedFileError(["expected whole numbers from 1 in each line, got something else"])
    indptr = np.cumsum([0, *map(len, rows)])
    features = sparse.csr_array((np.ones(len(indices)), indices.astype(np.int64), indptr), (len(rows), reader.columns))
    features.check_format()
    return Raw(features, np.concatenate([_read_column(reader, files[name]) for name in reader.labels]))


def read_libsvm(reader: Libsvm, files: dict[str, Path]) -> Raw:
    """Read lines of "label index:value ..." with indices from 1."""
    from sklearn.datasets import load_svmlight_file

    (path,) = files.values()
    content = io.BytesIO(_content(reader, path))
    features, labels = load_svmlight_file(content, n_features=reader.columns, zero_based=False)
    return Raw(features.toarray(), labels)


def read_idx(reader: Idx, files: dict[str, Path]) -> Raw:
    """Stack arrays of images and of labels."""
    images = np.concatenate([_idx(reader, files[name]) for name in reader.features])
    labels = np.concatenate([_idx(reader, files[name]) for name in reader.labels])
    return Raw(images.reshape(len(images), -1), labels.astype(np.float64))


def read_hdf5(reader: Hdf5, files: dict[str, Path]) -> Raw:
    """Read a matrix and labels, which a table has as numbers."""
    import h5py

    (path,) = files.values()
    with h5py.File(path) as file:
        names = file[reader.names].asstr()[:].astype(np.str_)
        return Raw(file[reader.data][:], names[file[reader.table][reader.label]])


def read_csv(reader: Csv, files: dict[str, Path]) -> Raw:
    """Read separated values; of several files, the columns side by side."""
    texts = [tables.decoded(_content(reader, path)) for path in files.values()]
    one_column, header = len(texts) > 1, reader.header_lines
    parts = [tables.read_table(text, reader.separator, header, one_column=one_column) for text in texts]
    counts = [len(part.cells) for part in parts]
    if len(set(counts)) > 1:
        rows = ", ".join(f"{name} has {count}" for name, count in zip(files, counts, strict=True))
        raise MalformedFileError([f"expected equally many rows in files side by side: {rows}"])
    columns = {str(position): cells for position, cells in enumerate(np.hstack([part.cells for part in parts]).T)}
    names = [name for part in parts for name in part.names] if all(part.names for part in parts) else []
    faults = [
        f"{name}: {fault}" if one_column else fault
        for name, part in zip(files, parts, strict=True)
        for fault in part.faults
    ]
    return _encoded(reader, columns, names, parts[0].lines, faults, reader.decimal)


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
    # The import takes half a second, and only R's formats need it.
    import rdata

    (path,) = files.values()
    # rdata warns that it assumes ASCII if an old file names no encoding.
    with warnings.catch_warnings(action="ignore"):
        frame = rdata.read_rda(io.BytesIO(_content(reader, path)))[reader.table]
    return _encoded(reader, _data_frame(frame))


def read_rdb(reader: Rdb, files: dict[str, Path]) -> Raw:
    """Read a data frame of R's lazy-load database, as packages hold their data.

    The .rdx has the offset and length of each object in the .rdb. An object is stored as the size of its serialisation
    in four bytes, followed by the serialisation compressed with zlib (R's src/main/serialize.c, R_compress1).
    """
    import rdata

    (index,) = (path for name, path in files.items() if name.endswith(".rdx"))
    (database,) = (path for name, path in files.items() if name.endswith(".rdb"))
    with warnings.catch_warnings(action="ignore"):
        offset, length = rdata.read_rds(io.BytesIO(_content(reader, index)))["variables"][reader.table]
        entry = database.read_bytes()[offset : offset + length]
        unpacked = zlib.decompressobj().decompress(entry[4:], reader.mebibytes * unpack.MEBIBYTE)
        frame = rdata.read_rds(io.BytesIO(unpacked))
    return _encoded(reader, _data_frame(frame))


def chunks(reader: AnyReader, files: dict[str, Path]) -> Iterator[Raw]:
    """Yield the rows of files chunk by chunk, in a format of CHUNKED; raise DataError if a file does not fit."""
    labels = reader.classes or (listed(reader.positive) + listed(reader.negative) if reader.negative else [])
    for name, path in files.items():
        try:
            for raw in CHUNKED[type(reader)](reader, path):
                rows = np.isin(raw.labels, labels) if labels else slice(None)
                yield Raw(raw.features[rows], raw.labels[rows])
        except UNREADABLE as error:
            raise DataError(
                f"{name}: cannot be read as {reader.format}: {' '.join(f'{error!s:.200}'.split())}"
            ) from None


def read_parquet(reader: Parquet, path: Path) -> Iterator[Raw]:
    """Yield the rows of a Parquet file in batches."""
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    names = _used_columns(reader, file.schema_arrow.names)
    yield from _batches(reader, file.iter_batches(BATCH, columns=names))


def read_csv_rows(reader: CsvRows, path: Path) -> Iterator[Raw]:
    """Yield the rows of a CSV file in batches."""
    import pyarrow.csv

    def refuse(row: Any) -> str:
        faults.append(f"line {row.number}: expected {row.expected_columns} columns, got {row.actual_columns}")
        return "error"

    faults = list[str]()
    try:
        with unpack.opened(path, reader.mebibytes) as stream:
            header = tables.decoded(stream.read(START).partition(b"\n")[0])
            stream.seek(0)
            names = _used_columns(reader, next(csv.reader([header]), []))
            rows = pyarrow.csv.open_csv(
                pyarrow.PythonFile(stream, mode="r"),
                read_options=pyarrow.csv.ReadOptions(use_threads=False),
                parse_options=pyarrow.csv.ParseOptions(invalid_row_handler=refuse),
                convert_options=pyarrow.csv.ConvertOptions(
                    include_columns=names, column_types=dict.fromkeys(names, pyarrow.string())
                ),
            )
            yield from _batches(reader, _typed(reader, names, rows))
    except pyarrow.ArrowInvalid as error:
        raise MalformedFileError(faults or [str(error)]) from None


def _typed(reader: CsvRows, names: list[str], batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches of texts with numbers in the columns that begin with numbers, and nulls for missing values."""
    import pyarrow
    from pyarrow import compute

    are_numbers, row = dict[str, bool](), 1
    for batch in batches:
        columns = []
        for name in names:
            texts = compute.utf8_trim_whitespace(batch[name])
            cells, is_label = texts.to_numpy(zero_copy_only=False), name == reader.label
            missing = tables.find_missing(cells, reader.missing, _label_texts(reader) if is_label else ())
            numeric, dates = (
                compute.match_substring_regex(texts, f"^({pattern.pattern})$").to_numpy(zero_copy_only=False)
                for pattern in (tables.NUMBER, tables.DATE)
            )
            if name not in are_numbers:
                numbers = bool(missing.all() or numeric.sum() > FEW * (~missing).sum())
                if is_label:
                    numbers = reader.above is not None or tables.to_labels(cells[~missing]).dtype.kind == "f"
                are_numbers[name] = numbers and name not in reader.digits
            if are_numbers[name]:
                bad = ~missing & ~numeric
                texts = compute.cast(
                    compute.if_else(~missing & numeric, compute.utf8_ltrim(texts, "+"), None), pyarrow.float64()
                )
            else:
                bad = dates & (not is_label and name not in reader.digits)
                texts = compute.if_else(~missing, texts, None)
            if bad.any():
                first = int(bad.argmax())
                got = tables.cause(cells[first])
                raise MalformedFileError([f"row {row + first}, column {name}: expected a number, got {got}"])
            columns.append(texts)
        yield pyarrow.RecordBatch.from_arrays(columns, names)
        row += len(batch)


def _used_columns(reader: BatchReader, known: Sequence[str]) -> list[str]:
    """Return the features' and the label's columns; raise MalformedFileError if the file lacks one."""
    columns = [*reader.columns, reader.label]
    if missing := [name for name in columns if list(known).count(name) != 1]:
        count = f"{known.count(missing[0])} of them" if missing[0] in known else ", ".join(known) or "no names"
        raise MalformedFileError([f"expected a column {missing[0]!r}, got {count}"])
    return columns


def _batches(reader: BatchReader, batches: Iterable[Any]) -> Iterator[Raw]:
    """Yield batches of rows as numbers, without incomplete ones if the reader says so."""
    row = 0
    for batch in batches:
        incomplete = np.zeros(len(batch), dtype=np.bool_)
        for name in [*reader.columns, reader.label]:
            is_null = batch[name].is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
            if is_null.any() and not reader.drop_incomplete:
                first = row + int(np.argmax(is_null)) + 1
                raise MalformedFileError([f"row {first}: expected a value in column {name}, got none"])
            incomplete |= is_null
        complete, rows = batch.filter(~incomplete), row + np.flatnonzero(~incomplete)
        features = [_batch_column(complete[name], reader.digits.get(name), rows) for name in reader.columns]
        labels = complete[reader.label].to_numpy(zero_copy_only=False)
        if reader.above is not None:
            labels = np.where(labels > reader.above, 1.0, 0.0)
        row += len(batch)
        if len(labels):
            yield Raw(np.hstack(features), labels)


def _batch_column(column: Any, digits: list[int] | None, rows: NDArray[np.intp]) -> Floats:
    """Return a column as numbers (b, 1), or (b, c) if its texts are cut into c numbers."""
    values = column.to_numpy(zero_copy_only=False)
    if values.dtype != object:
        return np.asarray(values, dtype=np.float64)[:, None]
    try:
        texts = values.astype(np.bytes_)
    except UnicodeEncodeError:
        texts = np.char.encode(values.astype(np.str_), "utf-8")
    if digits is None:
        # Three characters have 24 bits, as many as 32-bit numbers keep.
        numbers: Floats = (texts.astype("S4").view(">u4") >> 8).astype(np.float64)
        return numbers[:, None]
    wrong = np.flatnonzero((np.char.str_len(texts) != sum(digits)) | ~np.char.isdigit(texts))
    if wrong.size:
        raise MalformedFileError([f"row {rows[wrong[0]] + 1}: expected {sum(digits)} digits, got {values[wrong[0]]!r}"])
    ends = np.cumsum(digits)
    places = texts.astype(f"S{ends[-1]}").view("S1").reshape(len(texts), ends[-1]).astype(np.float64)
    return np.stack(
        [
            places[:, end - width : end] @ 10.0 ** np.arange(width - 1, -1, -1)
            for width, end in zip(digits, ends, strict=True)
        ],
        axis=1,
    )


def read_land_mask(reader: LandMask, path: Path) -> Iterator[Raw]:
    """Yield points of the unit sphere, drawn uniformly, with 1 on land and 0 on the sea.

    The file is a NumPy archive with an array `mask`, true on the sea, whose rows go from north to south and whose
    columns go east from 180 degrees west. It is unpacked row by row to one bit a cell.
    """
    with zipfile.ZipFile(path) as archive, archive.open("mask.npy") as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("expected an array of NumPy's format 1.0")
        (height, width), by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
        if by_columns or dtype != np.bool_:
            raise ValueError(f"expected rows of booleans, got {dtype}")
        sea = np.empty((height, -(-width // 8)), dtype=np.uint8)
        for row in range(height):
            sea[row] = np.packbits(np.frombuffer(stream.read(width), dtype=np.bool_, count=width))
    rng = np.random.default_rng(reader.seed)
    for start in range(0, reader.rows, BATCH):
        z, turn = rng.uniform(-1.0, 1.0, BATCH), rng.uniform(0.0, 1.0, BATCH)
        rows = np.minimum((height * np.arccos(z) / np.pi).astype(np.intp), height - 1)
        columns = (width * turn).astype(np.intp)
        is_sea = sea[rows, columns // 8] >> (7 - columns % 8) & 1
        radius, longitude = np.sqrt(1.0 - z * z), 2.0 * np.pi * (turn - 0.5)
        # Rounded, because the last bits of sines differ between platforms.
        points = np.column_stack([radius * np.cos(longitude), radius * np.sin(longitude), z]).round(6)
        count = min(BATCH, reader.rows - start)
        yield Raw(points[:count], 1.0 - is_sea[:count])


CHUNKED: dict[type[Reader], Callable[[Any, Path], Iterator[Raw]]] = {
    Parquet: read_parquet,
    CsvRows: read_csv_rows,
    LandMask: read_land_mask,
}


def _read_chunks(reader: Any, files: dict[str, Path]) -> Raw:
    """Return all chunks of a file together."""
    (path,) = files.values()
    if not (parts := list(CHUNKED[type(reader)](reader, path))):
        raise ValueError("expected at least one row, got none")
    return _stack(parts)


READERS: dict[type[Reader], Callable[[Any, dict[str, Path]], Raw]] = {
    Mat: read_mat,
    MatBlocks: read_mat_blocks,
    IndicesReader: read_indices,
    Libsvm: read_libsvm,
    Idx: read_idx,
    Hdf5: read_hdf5,
    Csv: read_csv,
    Arff: read_arff,
    Rda: read_rda,
    Rdb: read_rdb,
    **dict.fromkeys(CHUNKED, _read_chunks),
}

STACKED = (Libsvm, Csv, Arff, Parquet, CsvRows)  # formats with several files of rows, each read by itself


def _read_column(reader: Reader, path: Path) -> Floats:
    table = tables.read_table(tables.decoded(_content(reader, path)), " ", 0, one_column=True)
    numbers = tables.to_numbers(table.cells[:, 0])
    faults = [*table.faults, *(f"line {table.lines[k]}: expected a number" for k in np.flatnonzero(np.isnan(numbers)))]
    if faults:
        raise MalformedFileError(faults)
    return numbers


def _content(reader: Reader, path: Path) -> bytes:
    with unpack.opened(path, reader.mebibytes) as stream:
        content: bytes = stream.read()
    return content


def _idx(reader: Reader, path: Path) -> NDArray[Any]:
    """Read an array: two zero bytes, the type, the number of axes, four bytes for the length of each, the values."""
    content = _content(reader, path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES:
        raise ValueError(f"expected two zero bytes and a type, got {content[:4].hex(' ') or 'nothing'}")
    kind, axes = content[2:4]
    shape = np.frombuffer(content, ">u4", count=axes, offset=4)
    return np.frombuffer(content, IDX_TYPES[kind], offset=4 + 4 * axes).reshape(shape)


def _data_frame(frame: Any) -> Columns:
    """Return the columns of a data frame of R; raise TypeError for any other object."""
    # rdata has imported pandas already.
    from pandas import DataFrame

    if not isinstance(frame, DataFrame):
        raise TypeError(f"expected a data frame, got {type(frame).__name__}")
    texts = frame.astype(object).where(frame.notna(), None)
    return {
        str(name): (column if column.dtype.kind == "f" else texts[name]).to_numpy() for name, column in frame.items()
    }


def _encoded(
    reader: TabularReader,
    columns: Columns,
    names: Sequence[str] = (),
    lines: Sequence[int] = (),
    faults: Sequence[str] = (),
    decimal: str = ".",
) -> Raw:
    """Return columns as numbers, encoded as the reader says.

    Parameters
    ----------
    reader : TabularReader
        The options of the format.
    columns : dict
        The columns by their names in the format.
    names : sequence of str
        Alternative names of all columns, or none.
    lines : sequence of int
        The line of each row in the file, if the format has lines.
    faults : sequence of str
        Faults that were found before.
    decimal : str
        The decimal sign of texts.

    Raises
    ------
    MalformedFileError
        If anything is wrong, with all faults.
    """
    faults, unknown, keys = list(faults), list[str](), list(columns)
    titles = dict(zip(keys, names or keys, strict=True))
    counts = Counter(titles.values())
    keys_by_name = {key: key for key in keys} | {title: key for key, title in titles.items() if counts[title] == 1}

    def find_key(option: str, column: ColumnKey) -> str | None:
        if isinstance(column, str) and column in keys_by_name:
            return keys_by_name[column]
        if isinstance(column, int) and -len(keys) <= column < len(keys):
            return keys[column]
        shown = ", ".join(titles.values()) if len(keys) <= MOST_SHOWN else f"{len(keys)} columns"
        bounds = f"{-len(keys)} to {len(keys) - 1}"
        unknown.append(f"{option}: expected one of {shown}, or a number from {bounds}, got {column!r}")
        return None

    label = find_key("label", reader.label)
    dropped = {label, *(find_key("drop", column) for column in reader.drop)}
    values = {find_key("one_hot", name): texts for name, texts in reader.one_hot.items()}
    blocks = []
    # If an option names an unknown column, it is unclear which columns are features.
    for key in keys if not unknown else ():
        if key in dropped or (values and key not in values and not reader.numbers):
            continue
        try:
            missing = tables.find_missing(columns[key], reader.missing, values.get(key, reader.codes))
            if key in values:
                blocks.append(_indicators(columns[key], values[key], missing))
            else:
                blocks.append(_numbers(columns[key], reader.codes, missing, lines, decimal)[:, None])
        except ValueError as error:
            faults.append(f"column {titles[key]}: {error}")
    absent = tables.find_missing(columns[label], reader.missing, _label_texts(reader)) if label else np.zeros(0, bool)
    if absent.any() and not reader.drop_incomplete:
        faults.append(f"label: missing in {_locate(np.flatnonzero(absent).tolist(), lines)}")
    if faults or unknown or label is None or not blocks:
        raise MalformedFileError([*faults, *unknown] or ["expected columns beside the label's, got none"])
    features = np.hstack(blocks)
    complete = np.isfinite(features).all(axis=1) & ~absent if reader.drop_incomplete else slice(None)
    return Raw(features[complete], tables.to_labels(columns[label][complete]))


def _label_texts(reader: Reader) -> set[str]:
    """Return the labels that a reader names, as texts."""
    return {str(label) for label in (*reader.classes, *listed(reader.positive), *listed(reader.negative))}


def _numbers(
    column: NDArray[Any], codes: dict[str, float | None], missing: NDArray[Any], lines: Sequence[int], decimal: str
) -> Floats:
    """Return a column as numbers, NaN where values are missing without a code."""
    if column.dtype.kind != "O":
        return np.where(missing, np.nan, column.astype(np.float64))
    texts = [cell if isinstance(cell, str) else repr(float(cell or 0)) for cell in column]
    cells = np.where(missing, "?", texts).tolist()
    codes = {"?": None, **codes}
    values = (codes[cell] if cell in codes else tables.to_number(cell, decimal) for cell in cells)
    numbers = np.array(list(values), dtype=np.float64)
    if unread := [row for row in np.flatnonzero(np.isnan(numbers)).tolist() if cells[row] not in codes]:
        raise ValueError(
            f"expected numbers, got {tables.cause(cells[unread[0]])} in {_locate(unread, lines)}; "
            "name its values in one_hot or codes, or drop the column"
        )
    return numbers


def _locate(rows: Sequence[int], lines: Sequence[int]) -> str:
    """Return the line of the first of some rows, or its number if there are no lines, and the number of the others."""
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    return (f"line {lines[rows[0]]}" if lines else f"row {rows[0] + 1}") + more


def _indicators(column: NDArray[Any], values: list[str], missing: NDArray[Any]) -> Floats:
    """Return a column of 0 and 1 for each value of a nominal column, with NaN in the rows of missing values."""
    block = column[:, None] == np.array(values, dtype=object)
    if unknown := sorted({str(cell) for cell in column[~block.any(axis=1) & ~missing]}):
        raise ValueError(f"expected one of {', '.join(values)}, got {unknown[0]!r}")
    return np.where(missing[:, None], np.nan, block.astype(np.float64))
