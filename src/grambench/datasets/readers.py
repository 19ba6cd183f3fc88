"""Reads features, raw labels and permutations from the formats of data sets, with one function for each format.

Only the selected rows become float64: MNIST takes 47 MB as bytes and 376 MB as float64. Text formats become dense even
if most values are 0 (a3a, mushrooms, w5a: at most 24 MB), because Gram matrices are dense products. Only dorothea,
0.9 GB if dense and 99 percent zeros, stays sparse.
"""

import csv
import io
import itertools
import math
import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray
from scipy import sparse

from grambench.common.errors import DataError, reason
from grambench.common.files import open_regular
from grambench.common.types import Floats
from grambench.config import dataset as formats
from grambench.config.dataset import AnyReader, BatchReader, ColumnKey, Reader, TabularReader, listed
from grambench.datasets import tables, unpack
from grambench.datasets.tables import MalformedFileError

BATCH = 65536  # rows that formats with chunks read together, on which the points of a land mask depend
START = 2**20  # bytes at the start of a CSV file that have the names of its columns
MOST_SHOWN = 30  # the largest number of columns that a message lists
# What arrays hold in place of numbers, by the kind of their type
NO_NUMBERS = {"c": "complex numbers", "V": "records or complex numbers", "O": "texts or objects", "": "a group"}
NUMBERS = "biuf"  # the kinds of types of numbers, booleans among them
PAIR = r"\s*(\d+)\s+('[^']*'|\"[^\"]*\"|[^\s,{}'\"]+)\s*"  # index and value in a sparse row of ARFF
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
    by_file = isinstance(reader, STACKED) and not getattr(reader, "side_by_side", False)
    parts = {name: {name: path} for name, path in files.items()} if by_file else {", ".join(files): files}
    raw = _stack([*_alike((name, _read_part(reader, part)) for name, part in parts.items())])
    rows = _select_rows(reader, raw)
    features, labels = raw.features[rows], raw.labels[rows]
    _refuse_large(features, rows, ", ".join(files))
    if isinstance(features, np.ndarray):
        features = features.astype(np.float64, copy=False)
        if reader.minmax:
            low, high = features.min(axis=0), features.max(axis=0)
            features = 2 * (features - low) / np.where(high > low, high - low, 1.0) - 1
        features = np.hstack([features, np.zeros((len(features), reader.zero_columns))])
    elif reader.minmax or reader.unique or reader.zero_columns:
        raise DataError("minmax, unique and zero_columns: expected dense features, got sparse ones")
    test = rows >= len(raw.labels) - reader.test_rows if reader.test_rows else None
    return Raw(features, labels, raw.orders, test)


def _read_part(reader: Reader, files: dict[str, Path]) -> Raw:
    """Return the content of files that are read together."""
    with _report_faults(reader, files):
        raw = READERS[type(reader)](reader, files)
        if not len(raw.labels):
            raise MalformedFileError(["expected at least one row, got none"])
        if raw.features.shape[0] != len(raw.labels):
            raise MalformedFileError([f"{raw.features.shape[0]} rows of features, and {len(raw.labels)} labels"])
    return raw


@contextmanager
def _report_faults(reader: Any, files: Mapping[str, Path]) -> Iterator[None]:
    """Turn any exception of a parser into a DataError of one line that names the files; refuse pipes and devices."""
    try:
        for path in files.values():
            open_regular(path).close()
        yield
    # Parsers of damaged files raise almost any exception.
    except Exception as error:
        if isinstance(error, DataError):
            raise
        fault = getattr(error, "strerror", None) or f"it is damaged or has another format ({reason(error):.200})"
        fault = str(error) if isinstance(error, MalformedFileError) else fault
        raise DataError(f"{', '.join(files)}: cannot be read as {reader.format}: {fault}") from error


def _alike(parts: Iterable[tuple[str, Raw]]) -> Iterator[Raw]:
    """Yield the named parts of a data set; raise DataError if columns or the kind of labels change."""
    first: tuple[str, str] | None = None
    for name, raw in parts:
        kind = "numbers" if raw.labels.dtype.kind in NUMBERS else "texts"
        got = f"{raw.features.shape[1]} columns and labels that are {kind}"
        first = first or (name, got)
        if got != first[1]:
            raise DataError(f"{name}: expected {first[1]}, as in {first[0]}, got {got}, such as {raw.labels[0]!s}")
        yield raw


def _refuse_large(features: Any, rows: NDArray[np.intp], name: str) -> None:
    """Raise DataError for a finite value that 32-bit numbers do not hold: it hides all others, or becomes infinite."""
    largest = np.finfo(np.float32).max
    for beyond in (features > largest, features < -largest):
        for row, column in zip(*beyond.nonzero(), strict=True):
            if np.isfinite(value := features[row, column]):
                where = f"{name}: row {rows[row] + 1}, feature {column + 1}"
                got = f"got {value:g}; correct it or leave it out"
                raise DataError(f"{where}: expected a number within {largest:.2g}, {got}")


def _stack(parts: list[Raw]) -> Raw:
    """Return the rows of several dense files, stacked; a single file may be sparse and have orders."""
    if len(parts) == 1:
        return parts[0]
    features: list[Any] = [part.features for part in parts]
    return Raw(np.vstack(features), np.concatenate([part.labels for part in parts]))


def _select_rows(reader: Reader, raw: Raw) -> NDArray[np.intp]:
    """Return the indices of the rows that the reader's `classes`, `unique`, `rows` and `test_rows` select."""
    rows = np.arange(len(raw.labels))
    if labels := reader.selected():
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


def read_mat(reader: formats.Mat, files: dict[str, Path]) -> Raw:
    """Read a matrix, its labels and, if named, the permutations of the examples."""
    (path,) = files.values()
    variables = _mat_variables(reader, path, [name for name in (reader.data, reader.labels, reader.orders) if name])
    matrix: Any = _numeric(reader.data, variables[reader.data], 2)
    data = (matrix.toarray() if hasattr(matrix, "toarray") else matrix).astype(np.float64)
    data = data.T if reader.transposed else data
    orders = _numeric(reader.orders, variables[reader.orders], 2).astype(np.int64) - 1 if reader.orders else None
    if reader.labels:
        return Raw(data, _numeric(reader.labels, variables[reader.labels], 1).astype(np.float64), orders)
    return Raw(data[:, 1:], data[:, 0], orders)


def read_mat_blocks(reader: formats.MatBlocks, files: dict[str, Path]) -> Raw:
    """Stack feature matrices and label vectors, from variables or from text files."""
    (path,) = (path for path in files.values() if path.suffix == ".mat")
    variables = _mat_variables(reader, path, [*reader.features, *(name for name in reader.labels if name not in files)])
    blocks = [sparse.csr_array(_numeric(name, variables[name], 2), dtype=np.float64) for name in reader.features]
    labels = [
        _read_column(reader, files[name]) if name in files else _numeric(name, variables[name], 1)
        for name in reader.labels
    ]
    return Raw(sparse.csr_array(sparse.vstack(blocks)), np.concatenate(labels).astype(np.float64))


def _mat_variables(reader: Reader, path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Return variables of a MATLAB file; those of version 7.3, which is HDF5, have their axes in the opposite order."""
    import h5py

    if not h5py.is_hdf5(path):
        variables = {name: value for name, value in scipy.io.loadmat(path).items() if not name.startswith("__")}
        return {name: _member(variables, name, "variable") for name in names}
    with _open_hdf5(path, reader.mebibytes) as file:
        return {name: _mat_variable(name, _member(file, name, "variable")) for name in names}


def _mat_variable(name: str, item: Any) -> Any:
    """Return a variable of version 7.3, in which texts, tables and other objects are arrays of numbers too."""
    if not re.search("int|double|single|logical", kind := str(item.attrs.get("MATLAB_class", "double"))):
        raise MalformedFileError([f"{name}: expected numbers, got {kind.strip('b')}"])
    if "MATLAB_sparse" not in item.attrs:
        return item[()].T if hasattr(item, "dtype") else item
    return _compressed(name, item, sparse.csc_array, ("data", "ir", "jc"), int(item.attrs["MATLAB_sparse"]))


def _compressed(name: str, group: Any, kind: Any, parts: Sequence[str], rows: int, columns: int | None = None) -> Any:
    """Return a sparse matrix of a kind from its three arrays in a group of HDF5."""
    arrays = [_numeric(f"{name}/{part}", _member(group, part, "part"), 1) for part in parts]
    matrix = kind(tuple(arrays), shape=(rows, len(arrays[2]) - 1 if columns is None else columns))
    matrix.check_format()  # compiled code would read any memory by wrong indices
    return matrix


def _numeric(name: str, item: Any, axes: int) -> Any:
    """Return an array of numbers; raise MalformedFileError if there is none.

    Parameters
    ----------
    name : str
        Its name in the file.
    item : ndarray, sparse matrix, h5py.Dataset or anything else that a file may hold
        The array.
    axes : int
        The number of its dimensions. A vector may be a row or a column.
    """
    kind = getattr(getattr(item, "dtype", None), "kind", "")
    if kind not in [*NUMBERS]:
        raise MalformedFileError([f"{name}: expected numbers, got {NO_NUMBERS.get(kind, 'texts')}"])
    values: Any = item if isinstance(item, np.ndarray) or sparse.issparse(item) else item[()]
    if axes == 1 and max(values.shape, default=0) == values.size:
        return values.ravel()
    if values.ndim != axes:
        shape = " x ".join(map(str, values.shape)) or "no dimension"
        raise MalformedFileError([f"{name}: expected a {'matrix' if axes == 2 else 'vector'}, got an array of {shape}"])
    return values


def _member(items: Any, name: str, what: str, names: Iterable[str] | None = None) -> Any:
    """Return what a file holds under one of its names; raise MalformedFileError unless it has the name once."""
    names = items if names is None else names
    known = [*map(str, names)]
    # HDF5 has paths in it that it does not list.
    if name not in names or known.count(name) > 1:
        shown = f"{known.count(name)} of them" if known.count(name) > 1 else ", ".join(known[:MOST_SHOWN]) or "no names"
        raise MalformedFileError([f"expected a {what} {name!r}, got {shown}"])
    return items[name]


def read_indices(reader: formats.IndicesReader, files: dict[str, Path]) -> Raw:
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


def read_libsvm(reader: formats.Libsvm, files: dict[str, Path]) -> Raw:
    """Read lines of "label index:value ..." with indices from 1."""
    from sklearn.datasets import load_svmlight_file

    (path,) = files.values()
    content = _content(reader, path)
    serials = re.findall(rb"^[^\s#]+[ \t]+0:(\S+)", content, re.MULTILINE)
    if len(serials) > 1 and serials == [b"%d" % number for number in range(1, len(serials) + 1)]:
        raise MalformedFileError(["expected features, got kernel values (0:1, 0:2 ...); use their features"])
    features, labels = load_svmlight_file(io.BytesIO(content), n_features=reader.columns, zero_based=False)
    return Raw(features.toarray(), labels)


def read_idx(reader: formats.Idx, files: dict[str, Path]) -> Raw:
    """Stack arrays of images and of labels."""
    images = np.concatenate([_numeric(name, _idx(reader, name, files[name]), 2) for name in reader.features])
    labels = np.concatenate([_numeric(name, _idx(reader, name, files[name]), 1) for name in reader.labels])
    return Raw(images, labels.astype(np.float64))


def read_hdf5(reader: formats.Hdf5, files: dict[str, Path]) -> Raw:
    """Read a matrix, dense or sparse, and the labels of its rows."""
    (path,) = files.values()
    with _open_hdf5(path, reader.mebibytes) as file:
        matrix = _hdf5_matrix(reader.data, _member(file, reader.data, "matrix"))
        labels, missing = _hdf5_labels(reader, file)
    if missing.any() and not reader.drop_incomplete:
        where = tables.locate(np.flatnonzero(missing).tolist(), ())
        raise MalformedFileError([f"label: missing in {where}; drop_incomplete leaves such rows out"])
    return Raw(matrix[~missing] if len(labels) == matrix.shape[0] else matrix, labels[~missing])


@contextmanager
def _open_hdf5(path: Path, mebibytes: int) -> Iterator[Any]:
    """Open an HDF5 file; refuse data that are too large, and data in other files, which could be any file at all."""
    import h5py

    links: list[tuple[str, Any]] = []
    with h5py.File(path) as file:
        file.visititems_links(lambda *link: links.append(link))
        for name, link in links:
            is_outside = isinstance(link, h5py.ExternalLink)
            item = h5py.h5o.open(file.id, name.encode()) if isinstance(link, h5py.HardLink) else None
            if isinstance(item, h5py.h5d.DatasetID):
                properties = item.get_create_plist()
                is_outside = properties.get_external_count() > 0 or properties.get_layout() == h5py.h5d.VIRTUAL
                if not is_outside and math.prod((*item.shape, item.dtype.itemsize)) > mebibytes * unpack.MEBIBYTE:
                    raise unpack.too_large(name, mebibytes)
            if is_outside:
                raise MalformedFileError([f"{name}: expected data in the file itself, got a link to another file"])
        yield file


def _hdf5_matrix(name: str, item: Any) -> Any:
    """Return a dense matrix, or a sparse one from a group with its arrays, as AnnData stores it."""
    attributes = {key.removeprefix("h5sparse_"): value for key, value in item.attrs.items()}
    kind = str(attributes.get("encoding-type", attributes.get("format")))
    if hasattr(item, "dtype") or kind[:3] not in ("csr", "csc"):
        return _numeric(name, item, 2)
    build = sparse.csr_array if kind[:3] == "csr" else sparse.csc_array
    matrix = _compressed(name, item, build, ("data", "indices", "indptr"), *map(int, attributes["shape"]))
    return sparse.csr_array(matrix, dtype=np.float64)


def _hdf5_labels(reader: formats.Hdf5, file: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels and whether each is missing: plain values, values with a mask, or codes of categories."""
    table = _member(file, reader.table, "table")
    column = _member(table, reader.label, "column", table if hasattr(table, "keys") else table.dtype.names or ())
    parts, attributes = column if hasattr(column, "keys") else {}, getattr(column, "attrs", {})
    if "categories" in parts:
        categories = parts["categories"]
    elif "categories" in attributes:  # AnnData 0.7
        categories = file[attributes["categories"]]
    elif reader.names:
        categories = _member(file, reader.names, "list")
    else:
        labels = _texts_or_numbers(reader.label, parts.get("values", column))
        missing = tables.find_missing(labels, named=_label_texts(reader))
        return labels, missing | (parts["mask"][()].astype(np.bool_) if "mask" in parts else False)
    codes, texts = _numeric(reader.label, parts.get("codes", column), 1), _texts_or_numbers("categories", categories)
    if (wrong := np.flatnonzero((codes < -1) | (codes >= len(texts)) | (codes % 1 != 0))).size:
        expected, got = f"codes from -1 (missing) to {len(texts) - 1}", f"{codes[wrong[0]]} in row {wrong[0] + 1}"
        raise MalformedFileError([f"label: expected {expected}, got {got}"])
    return texts[codes.astype(np.intp)], codes == -1


def _texts_or_numbers(name: str, item: Any) -> NDArray[Any]:
    """Return an array of HDF5 or of a table as texts or as float64."""
    import h5py

    if h5py.check_string_dtype(getattr(item, "dtype", np.dtype("f8"))) is not None:
        return np.char.decode(item[()].astype(np.bytes_), "utf-8")
    return np.asarray(_numeric(name, item, 1), dtype=np.float64)


def read_csv(reader: formats.Csv, files: dict[str, Path]) -> Raw:
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
    titles = [f"{name}: " if one_column else "" for name in files]
    faults = [f"{title}{fault}" for title, part in zip(titles, parts, strict=True) for fault in part.faults]
    return _encoded(reader, columns, names, parts[0].lines, faults, reader.decimal)


def read_arff(reader: formats.Arff, files: dict[str, Path]) -> Raw:
    """Read Weka's format."""
    (path,) = files.values()
    records, _ = scipy.io.arff.loadarff(io.StringIO(_dense_arff(tables.decoded(_content(reader, path)))))
    columns: Columns = {}
    for name in records.dtype.names or ():
        column = records[name]
        if column.dtype.kind == "S":
            column = np.array([None if cell == b"?" else cell.decode() for cell in column], dtype=object)
        columns[name] = column
    return _encoded(reader, columns)


def _dense_arff(text: str) -> str:
    """Return a text with its sparse rows, `{index value, ...}`, made dense: with 0, or the first value of a nominal."""
    lines = text.split("\n")
    start = next((number for number, line in enumerate(lines, 1) if line.strip().lower() == "@data"), len(lines))
    nominal: list[Sequence[str] | None] = []
    for number in range(start, len(lines)):
        if (line := lines[number].strip()).startswith("{"):
            if not nominal:
                _, meta = scipy.io.arff.loadarff(io.StringIO("\n".join(lines[:start])))
                nominal = [meta[name][1] for name in meta.names()]
            pairs = {int(index): value.strip("'\"") for index, value in re.findall(PAIR, line)}
            if not re.fullmatch(rf"{{(?:{PAIR},)*{PAIR}}}|{{\s*}}", line) or max(pairs, default=0) >= len(nominal):
                expected = f"{{index value, ...}} with indices from 0 to {len(nominal) - 1}"
                raise MalformedFileError([f"line {number + 1}: expected {expected}, got {line:.60}"])
            cells = (pairs.get(index, values[0] if values else "0") for index, values in enumerate(nominal))
            # SciPy learns from the first row whether texts have quotes.
            quoted = (f"'{cell}'" if values else cell for cell, values in zip(cells, nominal, strict=True))
            lines[number] = ",".join(quoted)
    return "\n".join(lines)


def read_rda(reader: formats.Rda, files: dict[str, Path]) -> Raw:
    """Read a data frame of R."""
    # The import takes half a second, and only R's formats need it.
    import rdata

    (path,) = files.values()
    # rdata warns that it assumes ASCII if an old file names no encoding.
    with warnings.catch_warnings(action="ignore"):
        frame = _member(rdata.read_rda(io.BytesIO(_content(reader, path))), reader.table, "data frame")
    return _encoded(reader, _data_frame(frame))


def read_rdb(reader: formats.Rdb, files: dict[str, Path]) -> Raw:
    """Read a data frame of R's lazy-load database, as packages hold their data.

    The .rdx has the offset and length of each object in the .rdb. An object is stored as the size of its serialisation
    in four bytes, followed by the serialisation compressed with zlib (R's src/main/serialize.c, R_compress1).
    """
    import rdata

    (index,) = (path for name, path in files.items() if name.endswith(".rdx"))
    (database,) = (path for name, path in files.items() if name.endswith(".rdb"))
    with warnings.catch_warnings(action="ignore"):
        entries = rdata.read_rds(io.BytesIO(_content(reader, index)))["variables"]
        offset, length = _member(entries, reader.table, "data frame")
        entry = database.read_bytes()[offset : offset + length]
        unpacked = zlib.decompressobj().decompress(entry[4:], reader.mebibytes * unpack.MEBIBYTE)
        frame = rdata.read_rds(io.BytesIO(unpacked))
    return _encoded(reader, _data_frame(frame))


def chunks(reader: AnyReader, files: dict[str, Path]) -> Iterator[Raw]:
    """Yield the rows of files chunk by chunk, in a format of CHUNKED; raise DataError if a file does not fit."""

    def parts() -> Iterator[tuple[str, Raw]]:
        for name, path in files.items():
            with _report_faults(reader, {name: path}):
                yield from ((name, raw) for raw in CHUNKED[type(reader)](reader, path))

    for raw in _alike(parts()):
        rows = np.isin(raw.labels, labels) if (labels := reader.selected()) else slice(None)
        yield Raw(raw.features[rows], raw.labels[rows])


def read_parquet(reader: formats.Parquet, path: Path) -> Iterator[Raw]:
    """Yield the rows of a Parquet file in batches."""
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    names = _used_columns(reader, file.schema_arrow.names)
    yield from _batches(reader, file.iter_batches(BATCH, columns=names))


def read_csv_rows(reader: formats.CsvRows, path: Path) -> Iterator[Raw]:
    """Yield the rows of a CSV file in batches."""
    import pyarrow
    from pyarrow import csv as arrow

    def refuse(row: Any) -> str:
        faults.append(f"line {row.number}: expected {row.expected_columns} columns, got {row.actual_columns}")
        return "error"

    faults = list[str]()
    try:
        with unpack.opened(path, reader.mebibytes) as stream:
            header = tables.decoded(stream.read(START).partition(b"\n")[0])
            stream.seek(0)
            names = _used_columns(reader, next(csv.reader([header]), []))
            single, parsing = arrow.ReadOptions(use_threads=False), arrow.ParseOptions(invalid_row_handler=refuse)
            texts = dict.fromkeys(names, pyarrow.string())
            converting = arrow.ConvertOptions(include_columns=names, column_types=texts)
            rows = arrow.open_csv(pyarrow.PythonFile(stream, mode="r"), single, parsing, converting)
            yield from _batches(reader, _cleaned(reader, names, rows))
    except pyarrow.ArrowInvalid as error:
        raise MalformedFileError(faults or [str(error)]) from None


def _cleaned(reader: formats.CsvRows, names: list[str], batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the columns of batches of texts, with nulls for missing values, and labels as numbers if they are some.

    The first batch decides whether labels are numbers.
    """
    import pyarrow
    from pyarrow import compute

    label, row, is_numeric = reader.label, 0, reader.above is not None
    for batch in batches:
        columns = {}
        for name in names:
            column = compute.utf8_trim_whitespace(batch[name])
            cells = column.to_numpy(zero_copy_only=False)
            missing = tables.find_missing(cells, reader.missing, _label_texts(reader) if name == label else ())
            if name == label and row == 0:
                is_numeric = is_numeric or tables.to_labels(cells[~missing]).dtype.kind == "f"
            columns[name] = compute.if_else(~missing, column, None)
        if is_numeric:
            columns[label] = pyarrow.array(_decode(label, columns[label], row, is_text=False))
        yield columns
        row += len(batch)


def _used_columns(reader: BatchReader, known: Sequence[str]) -> list[str]:
    """Return the features' and the label's columns; raise MalformedFileError if the file lacks one."""
    return [_member({name: name}, name, "column", known) for name in (*reader.columns, reader.label)]


def _batches(reader: BatchReader, batches: Iterable[Any]) -> Iterator[Raw]:
    """Yield batches of rows as numbers, without incomplete ones if the reader says so."""
    import pandas

    # A label is a number or a text, but a number if it is compared with one.
    are_texts: dict[str, bool | None] = {name: name in reader.texts or name in reader.digits for name in reader.columns}
    are_texts |= {reader.label: None if reader.above is None else False}
    row = 0
    for batch in batches:
        columns = {name: _decode(name, batch[name], row, is_text=is_text) for name, is_text in are_texts.items()}
        missing = {name: pandas.isna(column) for name, column in columns.items()}
        for name, is_missing in missing.items():
            if is_missing.any() and not reader.drop_incomplete:
                first = row + int(is_missing.argmax()) + 1
                raise MalformedFileError([f"row {first}: expected a value in column {name}, got none"])
        complete = np.flatnonzero(~np.any([*missing.values()], axis=0))
        values = {name: column[complete] for name, column in columns.items()}
        features = [_batch_column(values[name], reader.digits.get(name), row + complete) for name in reader.columns]
        labels: Any = values[reader.label]
        labels = labels.astype(np.str_) if labels.dtype == object else labels
        if reader.above is not None:
            labels = np.where(labels > reader.above, 1.0, 0.0)
        row += len(columns[reader.label])
        if len(labels):
            yield Raw(np.hstack(features), labels)


def _decode(name: str, column: Any, row: int, *, is_text: bool | None) -> NDArray[Any]:
    """Return numbers, or texts and None; raise MalformedFileError for values that are neither.

    Parameters
    ----------
    name : str
        The column.
    column : pyarrow.Array
        Its values from a row on, of any type and encoding.
    row : int
        The number of rows before.
    is_text : bool or None
        Whether texts are expected rather than numbers; None for either.
    """
    import pyarrow

    column = column.storage if isinstance(column.type, pyarrow.BaseExtensionType) else column
    kind, wrong = column.type, column.is_valid().to_numpy(zero_copy_only=False)
    has_texts = any(text in str(kind) for text in ("string", "binary"))
    with suppress(pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        if is_text is None and pyarrow.types.is_integer(kind):
            return np.asarray(column.to_numpy(zero_copy_only=False))  # whole labels of any length
        if has_texts or pyarrow.types.is_decimal(kind):
            texts = column.cast(pyarrow.string()).to_numpy(zero_copy_only=False)
            if has_texts and is_text is not False:
                return np.asarray(texts)
            # By way of texts, decimals become the nearest floats.
            numbers = tables.to_numbers(texts)
            wrong = wrong & np.isnan(numbers)
        elif not (is_text and wrong.any()):
            return np.asarray(column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False))
        if not (is_text or wrong.any()):
            return numbers
    first = int(wrong.argmax())
    cell = column[first].as_py()
    expected, got = "a number (of dates, such as days)", f"{cell!s:.60}"
    if is_text:
        expected = "a text"
    elif has_texts:
        expected, got = "a number", f"{tables.cause(cell)}; `texts` takes columns of texts"
    raise MalformedFileError([f"row {row + first + 1}, column {name}: expected {expected}, got {got}"])


def _batch_column(values: NDArray[Any], digits: list[int] | None, rows: NDArray[np.intp]) -> Floats:
    """Return a column as numbers (b, 1), or (b, c) if its texts are cut into c numbers."""
    if values.dtype != object:
        return values.astype(np.float64)[:, None]
    if digits is None:
        # Three characters have 24 bits, as many as 32-bit numbers keep.
        texts = np.char.encode(values.astype(np.str_), "utf-8").astype("S4")
        numbers: Floats = (texts.view(">u4") >> 8).astype(np.float64)
        return numbers[:, None]
    for row, text in zip(rows, values, strict=True):
        if not re.fullmatch(f"[0-9]{{{sum(digits)}}}", text):
            raise MalformedFileError([f"row {row + 1}: expected {sum(digits)} digits, got {text!r}"])
    bounds = itertools.pairwise(np.cumsum([0, *digits]))
    return np.array([[float(text[start:end]) for text in values] for start, end in bounds]).T


def read_land_mask(reader: formats.LandMask, path: Path) -> Iterator[Raw]:
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
    formats.Parquet: read_parquet,
    formats.CsvRows: read_csv_rows,
    formats.LandMask: read_land_mask,
}


def _read_chunks(reader: Any, files: dict[str, Path]) -> Raw:
    """Return all chunks of a file together."""
    (path,) = files.values()
    if not (parts := list(CHUNKED[type(reader)](reader, path))):
        raise MalformedFileError(["expected at least one row, got none"])
    return _stack(parts)


READERS: dict[type[Reader], Callable[[Any, dict[str, Path]], Raw]] = {
    formats.Mat: read_mat,
    formats.MatBlocks: read_mat_blocks,
    formats.IndicesReader: read_indices,
    formats.Libsvm: read_libsvm,
    formats.Idx: read_idx,
    formats.Hdf5: read_hdf5,
    formats.Csv: read_csv,
    formats.Arff: read_arff,
    formats.Rda: read_rda,
    formats.Rdb: read_rdb,
    **dict.fromkeys(CHUNKED, _read_chunks),
}

# formats with several files of rows, each read by itself
STACKED = (formats.Libsvm, formats.Csv, formats.Arff, formats.Parquet, formats.CsvRows)


def _read_column(reader: Reader, path: Path) -> Floats:
    table = tables.read_table(tables.decoded(_content(reader, path)), " ", 0, one_column=True)
    if table.faults:
        raise MalformedFileError(table.faults)
    cells = table.cells[:, 0]
    return _numbers(cells, {}, np.zeros(len(cells), np.bool_), table.lines, ".")


def _content(reader: Reader, path: Path) -> bytes:
    with unpack.opened(path, reader.mebibytes) as stream:
        content: bytes = stream.read()
    return content


def _idx(reader: Reader, name: str, path: Path) -> NDArray[Any]:
    """Read an array: two zero bytes, the type, the number of axes, four bytes for the length of each, the values."""
    content = _content(reader, path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES:
        got = content[:4].hex(" ") or "nothing"
        raise MalformedFileError([f"{name}: expected two zero bytes and a type, got {got}"])
    kind, axes = content[2:4]
    lengths, values = content[4 : 4 + 4 * axes], content[4 + 4 * axes :]
    shape = np.frombuffer(lengths[: len(lengths) // 4 * 4], ">u4").tolist()
    expected = math.prod((*shape, np.dtype(IDX_TYPES[kind]).itemsize))
    if len(shape) != axes or len(values) != expected:
        raise MalformedFileError([f"{name}: expected {expected} bytes of {axes} axes, got {len(values)}"])
    array = np.frombuffer(values, IDX_TYPES[kind]).reshape(shape)
    return array.reshape(len(array), -1) if axes > 2 else array


def _data_frame(frame: Any) -> Columns:
    """Return the columns of a data frame of R; raise MalformedFileError for any other object."""
    # rdata has imported pandas already.
    from pandas import DataFrame

    if not isinstance(frame, DataFrame):
        raise MalformedFileError(["expected a data frame, got another object"])
    texts = frame.astype(object).where(frame.notna(), None)
    columns = {name: column if column.dtype.kind == "f" else texts[name] for name, column in frame.items()}
    return {str(name): column.to_numpy() for name, column in columns.items()}


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
        faults.append(f"label: missing in {tables.locate(np.flatnonzero(absent).tolist(), lines)}")
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
        got = f"{tables.cause(cells[unread[0]])} in {tables.locate(unread, lines)}"
        raise ValueError(f"expected numbers, got {got}; name its values in one_hot or codes, or drop the column")
    return numbers


def _indicators(column: NDArray[Any], values: list[str], missing: NDArray[Any]) -> Floats:
    """Return a column of 0 and 1 for each value of a nominal column, with NaN in the rows of missing values."""
    block = column[:, None] == np.array(values, dtype=object)
    if unknown := sorted({str(cell) for cell in column[~block.any(axis=1) & ~missing]}):
        raise ValueError(f"expected one of {', '.join(values)}, got {unknown[0]!r}")
    return np.where(missing[:, None], np.nan, block.astype(np.float64))
