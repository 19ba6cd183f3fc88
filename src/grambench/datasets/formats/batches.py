"""Formats that are read in batches of rows: Parquet, CSV with names of columns, and points of a land mask."""

import itertools
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from grambench.common.types import Floats
from grambench.datasets import tables, unpack
from grambench.datasets.formats.reader import BATCH, ChunkedReader, LabelList, Raw, label_texts, member
from grambench.datasets.tables import MalformedFileError


class BatchReader(ChunkedReader):
    """Base of the formats with named columns that are read in batches of rows.

    Attributes
    ----------
    columns : list of str
        The columns that become features, in this order.
    texts : list of str
        Columns of texts. Each becomes one number, that of the first three characters in alphabetical order. All columns
        but these and those of `digits` must have numbers.
    digits : dict
        Columns of texts of digits that are cut into numbers, and how many digits each of these has: a text 10312359
        becomes 1031 and 2359 with [4, 4].
    label : str
        The column of the labels.
    above : float or None
        A number in the column of the labels above which the label is 1, and else 0.
    drop_incomplete : bool
        Whether rows that lack a value in one of these columns are left out. Otherwise they are an error.
    """

    stacked: ClassVar[bool] = True

    columns: Annotated[list[str], Field(min_length=1)]
    texts: list[str] = []
    digits: dict[str, Annotated[list[Annotated[int, Field(ge=1, le=15)]], Field(min_length=1)]] = {}
    label: str
    above: float | None = None
    drop_incomplete: bool = False

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        columns = [*self.columns, self.label]
        if len(set(columns)) < len(columns):
            raise ValueError(f"expected different columns and another label, got {', '.join(columns)}")
        for option, names in (("texts", self.texts), ("digits", self.digits)):
            if unknown := [name for name in names if name not in self.columns]:
                raise ValueError(f"{option}: expected one of {', '.join(self.columns)}, got {unknown[0]!r}")
        return self


class Parquet(BatchReader):
    """Apache Parquet."""

    format: Literal["parquet"]

    def chunks(self, path: Path) -> Iterator[Raw]:
        """Yield the rows of a Parquet file in batches."""
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(path)
        names = _used_columns(self, file.schema_arrow.names)
        yield from _batches(self, file.iter_batches(BATCH, columns=names))


class CsvRows(BatchReader):
    """Text (UTF-8) with values between commas, and the names of the columns in its first line.

    A column that begins with numbers has numbers in all rows. Any other has texts: a column of dates is refused, and so
    is a text among numbers. grambench.datasets.tables has the rule for numbers and missing values.

    Attributes
    ----------
    missing : list of float or str
        Codes of missing values, such as -9.
    """

    format: Literal["csv_rows"]
    missing: LabelList = []

    def chunks(self, path: Path) -> Iterator[Raw]:
        """Yield the rows of a CSV file in batches."""
        with unpack.opened(path, self.mebibytes) as stream:
            yield from _batches(self, self._columns(tables.rows(tables.lines(stream), ",")))

    def _columns(self, rows: Iterator[tuple[int, list[str]]]) -> Iterator[dict[str, Any]]:
        """Yield the columns of each batch, with null for missing values, and labels as numbers if they are some.

        The first batch with a label decides whether labels are numbers.
        """
        import pyarrow

        _, header = next(rows, (1, list[str]()))
        names, row, is_numeric = _used_columns(self, header), 0, None if self.above is None else True
        while batch := list(itertools.islice(rows, BATCH)):
            for line, cells in batch:
                if len(cells) != len(header):
                    raise MalformedFileError([f"line {line}: expected {len(header)} columns, got {len(cells)}"])
            table = np.array([cells for _, cells in batch], dtype=object)
            columns = {}
            for name in names:
                column = table[:, header.index(name)]
                missing = tables.find_missing(column, self.missing, label_texts(self) if name == self.label else ())
                if name == self.label and is_numeric is None and not missing.all():
                    is_numeric = tables.to_labels(column[~missing]).dtype.kind == "f"
                columns[name] = pyarrow.array(column, pyarrow.string(), mask=missing)
            if is_numeric:
                columns[self.label] = pyarrow.array(_decode(self.label, columns[self.label], row, is_text=False))
            yield columns
            row += len(batch)


def _used_columns(reader: BatchReader, known: Sequence[str]) -> list[str]:
    """Return the features' and the label's columns; raise MalformedFileError if the file lacks one."""
    return [member({name: name}, name, "column", known) for name in (*reader.columns, reader.label)]


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
        is_complete = ~np.any([*missing.values()], axis=0)
        complete = np.flatnonzero(is_complete)
        values = {name: column[complete] for name, column in columns.items()}
        features = [_batch_column(values[name], reader.digits.get(name), row + complete) for name in reader.columns]
        labels: Any = values[reader.label]
        labels = labels.astype(np.str_) if labels.dtype == object else labels
        if reader.above is not None:
            labels = np.where(labels > reader.above, 1.0, 0.0)
        row += len(columns[reader.label])
        if len(labels):
            yield Raw(np.hstack(features), labels, incomplete=len(is_complete) - len(labels))


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
    from pyarrow import float64, types

    kind = column.type
    if is_text is None and types.is_integer(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False))  # whole labels of any length
    if not is_text and (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        return np.asarray(column.cast(float64(), safe=False).to_numpy(zero_copy_only=False))
    cells = column.to_pylist()
    texts, is_known = tables.to_texts(cells), column.is_valid().to_numpy(zero_copy_only=False)
    if is_text is not False and all(isinstance(cell, str | bytes | None) for cell in cells):
        texts[~is_known] = None
        return texts
    # By way of texts, decimals become the nearest floats.
    numbers = tables.to_numbers(texts)
    wrong = is_known & (np.isnan(numbers) | bool(is_text))
    if wrong.any():
        first = int(wrong.argmax())
        number = f"expected a number, got {tables.cause(texts[first])}; `texts` takes columns of texts"
        fault = f"expected a text, got {texts[first]}" if is_text else number
        raise MalformedFileError([f"row {row + first + 1}, column {name}: {fault}"])
    return numbers


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


class LandMask(ChunkedReader):
    """Points of the unit sphere, drawn at random, and whether they are on land (1) or on the sea (0).

    The file is a NumPy archive with an array `mask` on a grid of latitudes and longitudes, true on the sea.

    Attributes
    ----------
    rows : int
        The number of points.
    seed : int
        The seed of the points.
    """

    format: Literal["land_mask"]
    rows: Annotated[int, Field(ge=2)]
    seed: Annotated[int, Field(ge=0)]

    def chunks(self, path: Path) -> Iterator[Raw]:
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
        rng = np.random.default_rng(self.seed)
        for start in range(0, self.rows, BATCH):
            z, turn = rng.uniform(-1.0, 1.0, BATCH), rng.uniform(0.0, 1.0, BATCH)
            rows = np.minimum((height * np.arccos(z) / np.pi).astype(np.intp), height - 1)
            columns = (width * turn).astype(np.intp)
            is_sea = sea[rows, columns // 8] >> (7 - columns % 8) & 1
            radius, longitude = np.sqrt(1.0 - z * z), 2.0 * np.pi * (turn - 0.5)
            # Rounded, because the last bits of sines differ between platforms.
            points = np.column_stack([radius * np.cos(longitude), radius * np.sin(longitude), z]).round(6)
            count = min(BATCH, self.rows - start)
            yield Raw(points[:count], 1.0 - is_sea[:count])
