"""Reads features, raw labels and permutations of a data set from its files."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from grambench.common.errors import DataError, reason
from grambench.common.files import open_regular
from grambench.datasets.formats.arrays import Hdf5, Idx, Mat, MatBlocks
from grambench.datasets.formats.batches import CsvRows, LandMask, Parquet
from grambench.datasets.formats.columns import Arff, Csv, IndicesReader, Libsvm, ParquetTable, Rda, Rdb
from grambench.datasets.formats.images import Folders, ImageSets, Numbered, WordLists
from grambench.datasets.formats.kernels import Kernels
from grambench.datasets.formats.reader import NUMBERS, ChunkedReader, Raw, Reader, stack
from grambench.datasets.tables import MalformedFileError

Arrays = Mat | MatBlocks | IndicesReader | Libsvm | Idx | Hdf5
Tables = Csv | Arff | ParquetTable | Rda | Rdb | Parquet | CsvRows
VectorReader = Arrays | Tables | LandMask | Kernels
AnyReader = Annotated[VectorReader | WordLists | ImageSets | Numbered | Folders, Field(discriminator="format")]


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
    by_file = reader.stacked and not getattr(reader, "side_by_side", False)
    parts = {name: {name: path} for name, path in files.items()} if by_file else {", ".join(files): files}
    raw = stack([*_alike((name, _read_part(reader, part)) for name, part in parts.items())])
    rows = _select_rows(reader, raw)
    features, labels = raw.features[rows], raw.labels[rows]
    _refuse_large(features, rows, ", ".join(files))
    if isinstance(features, np.ndarray):
        features = features.astype(np.float64, copy=False)
        if reader.minmax:
            low, high = np.nanmin(features, axis=0), np.nanmax(features, axis=0)
            features = 2 * (features - low) / np.where(high > low, high - low, 1.0) - 1
        features = np.hstack([features, np.zeros((len(features), reader.zero_columns))])
    elif reader.minmax or reader.unique or reader.zero_columns:
        raise DataError("minmax, unique and zero_columns: expected dense features, got sparse ones")
    test = rows >= len(raw.labels) - reader.test_rows if reader.test_rows else None
    kernels = {view: matrix[np.ix_(rows, rows)] for view, matrix in raw.kernels.items()}
    return Raw(features, labels, raw.orders, test, kernels, raw.incomplete, len(raw.labels) - len(labels))


def _read_part(reader: Reader, files: dict[str, Path]) -> Raw:
    """Return the content of files that are read together."""
    with report_faults(reader, files):
        raw = reader.read(files)
        if not len(raw.labels):
            raise MalformedFileError(["expected at least one row, got none"])
        if raw.features.shape[0] != len(raw.labels):
            got = f"{raw.features.shape[0]} rows and {len(raw.labels)} labels"
            raise MalformedFileError([f"expected as many labels as rows, got {got}"])
    return raw


@contextmanager
def report_faults(reader: Any, files: Mapping[str, Path]) -> Iterator[None]:
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
        if "allow_pickle" in str(error) or "Python objects" in str(error):
            fault = "it has an array of Python objects, which could run any code; save texts as `np.array(texts, str)`"
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
        # a missing value equals another one, but NaN does not
        features = np.where(np.isnan(raw.features[rows]), np.inf, raw.features[rows])
        _, first = np.unique(np.column_stack([features, numbers]), axis=0, return_index=True)
        rows = rows[np.sort(first)]
    n_train = len(raw.labels) - reader.test_rows
    return np.concatenate([rows[rows < n_train][: reader.rows], rows[rows >= n_train]])


def chunks(reader: ChunkedReader, files: dict[str, Path]) -> Iterator[Raw]:
    """Yield the rows of files chunk by chunk; raise DataError if a file does not fit."""

    def parts() -> Iterator[tuple[str, Raw]]:
        for name, path in files.items():
            with report_faults(reader, {name: path}):
                yield from ((name, raw) for raw in reader.chunks(path))

    for raw in _alike(parts()):
        rows = np.isin(raw.labels, labels) if (labels := reader.selected()) else slice(None)
        yield Raw(raw.features[rows], raw.labels[rows])
