"""Texts of numbers and formats with columns: separated values, Weka's, R's and LIBSVM's."""

import io
import lzma
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from grambench.common.types import Floats
from grambench.datasets import tables, unpack
from grambench.datasets.formats.reader import (
    MOST_SHOWN,
    ColumnKey,
    ColumnKeys,
    FileName,
    LabelList,
    NoBoolean,
    Raw,
    Reader,
    label_texts,
    member,
    read_content,
)
from grambench.datasets.tables import MalformedFileError

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
# a column of ARFF, with its values if it is nominal
ATTRIBUTE = rf"(?i)@attribute\s+(?P<name>{QUOTED}|[^\s{{'\"]+)\s*(?P<kind>\{{(?P<values>.*)\}}\s*(?:%.*)?|\s[^\s{{].*)"
PAIR = rf"\s*(\d+)\s+({QUOTED}|[^\s,{{}}'\"]+)\s*"  # index and value in a sparse row of ARFF
LZMA = ({"id": lzma.FILTER_LZMA2, "preset": 9},)  # of R; a larger preset reads smaller ones
Columns = dict[str, NDArray[Any]]  # arrays of float64, or of texts


class TabularReader(Reader):
    """Base of the formats with columns.

    Attributes
    ----------
    label : int or str
        The column of the labels, by its position (from 0, or from -1 at the right) or its name.
    drop : list of int or str
        The columns to leave out.
    codes : dict
        The number of each value of nominal columns, or null for a missing value. All other values must be numbers.
    one_hot : dict
        The values of each nominal column. Each value becomes an indicator column, with columns in the order of the
        file and values in the order of the list. Columns without an entry are left out.
    numbers : bool
        Whether columns without an entry in `one_hot` are kept as numbers.
    drop_incomplete : bool
        Whether rows with missing values are left out. Otherwise they are an error unless `codes` or `one_hot` name "?",
        which stands for every missing value.
    impute : bool
        Whether missing numbers are kept, which each split fills by medians of its training examples. Of rows that lack
        a value, `drop_incomplete` then leaves out those without a label alone.
    missing : list of float or str
        Codes of missing values, such as -9, beside those of grambench.datasets.tables. A text that `codes`,
        `one_hot` or the labels name is not missing.
    """

    label: ColumnKey
    drop: ColumnKeys = []
    codes: Annotated[dict[str, float | None], NoBoolean] = {}
    one_hot: Annotated[dict[str, list[str]], NoBoolean] = {}
    numbers: bool = False
    drop_incomplete: bool = False
    impute: bool = False
    missing: LabelList = []

    def columns(self, files: dict[str, Path]) -> Columns:
        """Return all columns of files that are read together, by their names."""
        raise NotImplementedError

    def read(self, files: dict[str, Path]) -> Raw:
        """Return the columns as numbers."""
        return _encoded(self, self.columns(files))


class Csv(TabularReader):
    """Text (UTF-8) with one row per line; grambench.datasets.tables has the rule for numbers and missing values.

    Columns are named by their position, "0", "1" ..., or by the last line of the header.

    Attributes
    ----------
    separator : str
        The character between columns; a blank stands for any run of blanks.
    header_lines : int
        The number of lines to skip at the top.
    side_by_side : bool
        Whether several files have columns of the same examples. Otherwise they have rows. Positions count through.
    decimal : str
        The decimal sign of all numbers, a point or a comma.
    """

    stacked: ClassVar[bool] = True

    format: Literal["csv"]
    separator: Annotated[str, Field(min_length=1, max_length=1)] = ","
    header_lines: Annotated[int, Field(ge=0)] = 0
    side_by_side: bool = False
    decimal: Literal[".", ","] = "."

    def read(self, files: dict[str, Path]) -> Raw:
        """Read separated values; of several files, the columns side by side."""
        texts = [tables.decoded(read_content(self, path)) for path in files.values()]
        one_column, header = len(texts) > 1, self.header_lines
        parts = [tables.read_table(text, self.separator, header, one_column=one_column) for text in texts]
        counts = [len(part.cells) for part in parts]
        if len(set(counts)) > 1:
            rows = ", ".join(f"{name} has {count}" for name, count in zip(files, counts, strict=True))
            raise MalformedFileError([f"expected equally many rows in files side by side: {rows}"])
        columns = {str(position): cells for position, cells in enumerate(np.hstack([part.cells for part in parts]).T)}
        names = [name for part in parts for name in part.names] if all(part.names for part in parts) else []
        titles = [f"{name}: " if one_column else "" for name in files]
        faults = [f"{title}{fault}" for title, part in zip(titles, parts, strict=True) for fault in part.faults]
        return _encoded(self, columns, names, parts[0].lines, faults, self.decimal)


class Arff(TabularReader):
    """Weka's format, made dense."""

    stacked: ClassVar[bool] = True

    format: Literal["arff"]

    def columns(self, files: dict[str, Path]) -> Columns:
        """Read numbers, and texts of all other types; a sparse row has 0, or the first value, where it names none."""
        (path,) = files.values()
        values, rows, in_data = dict[str, list[str] | None](), list[list[str]](), False
        for number, line in enumerate(map(str.strip, tables.decoded(read_content(self, path)).split("\n")), 1):
            if in_data and line and not line.startswith("%"):
                rows.append(_arff_cells(line, values, f"line {number}"))
            elif attribute := re.fullmatch(ATTRIBUTE, line):
                name = _unquoted(attribute["name"])
                if name in values:
                    raise MalformedFileError([f"line {number}: expected another name than that of a column before"])
                is_number = attribute["kind"].strip().lower() in ("numeric", "real", "integer")
                values[name] = _split(attribute["values"]) if attribute["values"] else [] if is_number else None
            elif line.lower().startswith("@attribute"):
                raise MalformedFileError([f"line {number}: expected @attribute, a name and a type, got {line:.60}"])
            in_data = in_data or line.lower() == "@data"
        if not rows:
            raise MalformedFileError(["expected attributes, @data and rows, got none"])
        columns = zip(values.items(), np.array(rows, dtype=object).T, strict=True)
        return {name: column if named != [] else tables.to_numbers(column) for (name, named), column in columns}


class ParquetTable(TabularReader):
    """Apache Parquet, read as a whole with the options of a table; format `parquet` is for large files of numbers."""

    stacked: ClassVar[bool] = True

    format: Literal["parquet_table"]

    def columns(self, files: dict[str, Path]) -> Columns:
        """Read all columns as texts."""
        import pyarrow.parquet

        (path,) = files.values()
        table = pyarrow.parquet.ParquetFile(io.BytesIO(read_content(self, path))).read()
        if len(set(table.column_names)) < table.num_columns:
            raise MalformedFileError([f"expected different columns, got {', '.join(table.column_names)}"])
        kinds = pyarrow.types
        bytes_of = (kinds.is_binary, kinds.is_large_binary, kinds.is_fixed_size_binary)
        expected = "expected numbers, booleans, decimals, dictionaries or texts"
        if faults := [
            f"column {field.name}: {expected}, got {field.type}; save the file without it"
            for field in table.schema
            if any(refuses(field.type) for refuses in (kinds.is_nested, kinds.is_duration, *bytes_of))
        ]:
            raise MalformedFileError(faults)
        return {name: tables.to_texts(table[name].to_pylist()) for name in table.column_names}


class Rda(TabularReader):
    """R's format.

    Attributes
    ----------
    table : str
        The data frame's name.
    """

    format: Literal["rda"]
    table: str

    def columns(self, files: dict[str, Path]) -> Columns:
        """Read a data frame of R."""
        # The import takes half a second, and only R's formats need it.
        import rdata

        (path,) = files.values()
        # rdata warns that it assumes ASCII if an old file names no encoding.
        with warnings.catch_warnings(action="ignore"):
            frame = member(rdata.read_rda(io.BytesIO(read_content(self, path))), self.table, "data frame")
        return _data_frame(frame)


class Rdb(TabularReader):
    """R's lazy-load database: a file .rdb with objects and its index, a file .rdx.

    Attributes
    ----------
    table : str
        The data frame's name.
    """

    format: Literal["rdb"]
    table: str

    def columns(self, files: dict[str, Path]) -> Columns:
        """Read a data frame of R's lazy-load database, as packages hold their data.

        The .rdx has the offset and length of each object in the .rdb. An object is stored as the size of its
        serialisation in four bytes, followed by the serialisation compressed with zlib, or by a Z and the serialisation
        compressed with LZMA (R's src/main/serialize.c, R_compress1 and R_compress3).
        """
        import rdata

        (index,) = (path for name, path in files.items() if name.endswith(".rdx"))
        (database,) = (path for name, path in files.items() if name.endswith(".rdb"))
        with warnings.catch_warnings(action="ignore"):
            entries = rdata.read_rds(io.BytesIO(read_content(self, index)))["variables"]
            offset, length = member(entries, self.table, "data frame")
            entry = database.read_bytes()[offset : offset + length]
            limit = self.mebibytes * unpack.MEBIBYTE
            if entry[4:5] == b"Z":
                unpacked = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=LZMA).decompress(entry[5:], limit)
            else:
                unpacked = zlib.decompressobj().decompress(entry[4:], limit)
            frame = rdata.read_rds(io.BytesIO(unpacked))
        return _data_frame(frame)


def _split(line: str) -> list[str]:
    """Return the values in a line of ARFF, between commas or tabs and with quotes of either kind."""
    separator = "," if "," in line else "\t"
    cells = re.findall(rf" *({QUOTED}|[^{separator}]*?) *{separator}", line + separator)
    return [_unquoted(cell) for cell in cells]


def _unquoted(text: str) -> str:
    """Return a name or a value of ARFF without quotes around it and their escapes."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if re.fullmatch(QUOTED, text) else text


def _arff_cells(line: str, values: dict[str, list[str] | None], where: str) -> list[str]:
    """Return the cells of a row of ARFF, given the values of each attribute: none of a number, None of any text."""
    if line.startswith("{"):
        pairs = {int(index): _unquoted(value) for index, value in re.findall(PAIR, line)}
        if not re.fullmatch(rf"{{(?:{PAIR},)*{PAIR}}}|{{\s*}}", line) or max(pairs, default=0) >= len(values):
            expected = f"{{index value, ...}} with indices from 0 to {len(values) - 1}"
            raise MalformedFileError([f"{where}: expected {expected}, got {line:.60}"])
        cells = [pairs.get(index, named[0] if named else "0") for index, named in enumerate(values.values())]
    elif len(cells := _split(line)) != len(values):
        raise MalformedFileError([f"{where}: expected {len(values)} columns, got {len(cells)}"])
    for (name, named), cell in zip(values.items(), cells, strict=True):
        if named is not None and cell not in (*named, tables.MARK) and not (named == [] and tables.is_number(cell)):
            expected = f"one of {', '.join(named)}" if named else "a number"
            raise MalformedFileError([f"{where}, column {name}: expected {expected}, got {cell!r:.60}"])
    return cells


def _data_frame(frame: Any) -> Columns:
    """Return the columns of a data frame of R; raise MalformedFileError for any other object."""
    # rdata has imported pandas already.
    from pandas import DataFrame

    if not isinstance(frame, DataFrame):
        raise MalformedFileError(["expected a data frame, got another object"])
    texts = frame.astype(object).where(frame.notna(), None)
    return {
        str(name): column.to_numpy() if column.dtype.kind == "f" else tables.to_texts(texts[name])
        for name, column in frame.items()
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
            missing = tables.find_missing(columns[key], reader.missing, values.get(key, reader.codes), decimal)
            if key in values:
                blocks.append(_indicators(columns[key], values[key], missing))
            else:
                blocks.append(_numbers(columns[key], reader.codes, missing, lines, decimal)[:, None])
        except ValueError as error:
            faults.append(f"column {titles[key]}: {error}")
    absent = np.zeros(0, dtype=np.bool_)
    if label:
        absent = tables.find_missing(columns[label], reader.missing, label_texts(reader), decimal)
    if absent.any() and not reader.drop_incomplete:
        faults.append(f"label: missing in {tables.locate(np.flatnonzero(absent).tolist(), lines)}")
    if faults or unknown or label is None or not blocks:
        raise MalformedFileError([*faults, *unknown] or ["expected columns beside the label's, got none"])
    features = np.hstack(blocks)
    incomplete = absent if reader.impute else absent | ~np.isfinite(features).all(axis=1)
    kept = ~(incomplete & reader.drop_incomplete)
    labels = tables.to_labels(columns[label][kept])
    return Raw(features[kept], labels, incomplete=int(np.count_nonzero(~kept)))


def _numbers(
    column: NDArray[Any], codes: dict[str, float | None], missing: NDArray[Any], lines: Sequence[int], decimal: str
) -> Floats:
    """Return a column as numbers, NaN where values are missing without a code."""
    if column.dtype.kind != "O":
        return np.where(missing, np.nan, column.astype(np.float64))
    cells = np.where(missing, tables.MARK, column).tolist()
    codes = {tables.MARK: None, **codes}
    values = (codes[cell] if cell in codes else tables.to_number(cell, decimal) for cell in cells)
    numbers = np.array(list(values), dtype=np.float64)
    if unread := [row for row in np.flatnonzero(np.isnan(numbers)).tolist() if cells[row] not in codes]:
        got = f"{tables.cause(cells[unread[0]])} in {tables.locate(unread, lines)}"
        raise ValueError(f"expected numbers, got {got}; name its values in one_hot or codes, or drop the column")
    return numbers


def _indicators(column: NDArray[Any], values: list[str], missing: NDArray[Any]) -> Floats:
    """Return a column of 0 and 1 for each value of a nominal column.

    Rows of missing values have a 1 in the column of "?"; without such a column, they are NaN.
    """
    block = np.where(missing, tables.MARK, column)[:, None] == np.array(values, dtype=object)
    missing = missing & (tables.MARK not in values)
    if unknown := sorted({str(cell) for cell in column[~block.any(axis=1) & ~missing]}):
        raise ValueError(f"expected one of {', '.join(values)}, got {unknown[0]!r}")
    return np.where(missing[:, None], np.nan, block.astype(np.float64))


def read_column(reader: Reader, path: Path) -> Floats:
    """Return the numbers of a file with one number in each line."""
    table = tables.read_table(tables.decoded(read_content(reader, path)), " ", 0, one_column=True)
    if table.faults:
        raise MalformedFileError(table.faults)
    cells = table.cells[:, 0]
    return _numbers(cells, {}, np.zeros(len(cells), np.bool_), table.lines, ".")


class IndicesReader(Reader):
    """Text files with the 1-based indices of the non-zero (one) features, one example per line; stays sparse.

    Attributes
    ----------
    columns : int
        The number of features.
    features, labels : list of str
        Names of files to be stacked; label files have one label per line.
    """

    format: Literal["indices"]
    columns: Annotated[int, Field(ge=1)]
    features: Annotated[list[FileName], Field(min_length=1)]
    labels: Annotated[list[FileName], Field(min_length=1)]

    def read(self, files: dict[str, Path]) -> Raw:
        """Read the rows of a 0-1 matrix from the indices of their ones."""
        from scipy import sparse

        texts = [tables.decoded(read_content(self, files[name])) for name in self.features]
        rows = [cells for text in texts for _, cells in tables.rows(text, " ")]
        indices = tables.to_numbers(index for row in rows for index in row) - 1
        if (indices % 1 != 0).any():
            raise MalformedFileError(["expected whole numbers from 1 in each line, got something else"])
        indptr = np.cumsum([0, *map(len, rows)])
        features = sparse.csr_array(
            (np.ones(len(indices)), indices.astype(np.int64), indptr), (len(rows), self.columns)
        )
        features.check_format()
        return Raw(features, np.concatenate([read_column(self, files[name]) for name in self.labels]))


class Libsvm(Reader):
    """LIBSVM text, made dense.

    Attributes
    ----------
    columns : int
        The number of features.
    """

    stacked: ClassVar[bool] = True

    format: Literal["libsvm"]
    columns: Annotated[int, Field(ge=1)]

    def read(self, files: dict[str, Path]) -> Raw:
        """Read lines of "label index:value ..." with indices from 1."""
        from sklearn.datasets import load_svmlight_file

        (path,) = files.values()
        content = read_content(self, path)
        serials = re.findall(rb"^[^\s#]+[ \t]+0:(\S+)", content, re.MULTILINE)
        if len(serials) > 1 and serials == [b"%d" % number for number in range(1, len(serials) + 1)]:
            remedy = "describe it with `format: kernels`"
            raise MalformedFileError([f"expected features, got kernel values (0:1, 0:2 ...); {remedy}"])
        features, labels = load_svmlight_file(io.BytesIO(content), n_features=self.columns, zero_based=False)
        return Raw(features.toarray(), labels)
