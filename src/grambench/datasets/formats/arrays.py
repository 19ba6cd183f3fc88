"""Binary files of arrays: HDF5 with AnnData's, MATLAB's of all versions, and MNIST's IDX."""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from grambench.datasets import tables, unpack
from grambench.datasets.formats.columns import read_column
from grambench.datasets.formats.reader import FileName, Raw, Reader, label_texts, member, numeric, read_content
from grambench.datasets.tables import MalformedFileError


class Hdf5(Reader):
    """HDF5 with a matrix, dense or sparse, and a table with the labels of its rows, as in AnnData's files (.h5ad).

    Attributes
    ----------
    data : str
        The matrix.
    table, label : str
        The table, and its column of labels: texts, numbers, or codes from 0, of which -1 is a missing label.
    names : str or None
        The labels in the order of their codes; None if the column has plain values, or its own categories, as in files
        of AnnData since version 0.7.
    drop_incomplete : bool
        Whether rows without a label are left out. Otherwise they are an error.
    """

    format: Literal["hdf5"]
    data: str = "X"
    table: str = "obs"
    label: str
    names: str | None = None
    drop_incomplete: bool = False

    def read(self, files: dict[str, Path]) -> Raw:
        """Read a matrix, dense or sparse, and the labels of its rows."""
        (path,) = files.values()
        with open_hdf5(path, self.mebibytes) as file:
            matrix = _hdf5_matrix(self.data, member(file, self.data, "matrix"))
            labels, missing = _hdf5_labels(self, file)
        if missing.any() and not self.drop_incomplete:
            where = tables.locate(np.flatnonzero(missing).tolist(), ())
            raise MalformedFileError([f"label: missing in {where}; drop_incomplete leaves such rows out"])
        matrix = matrix[~missing] if len(labels) == matrix.shape[0] else matrix
        return Raw(matrix, labels[~missing], incomplete=int(missing.sum()))


@contextmanager
def open_hdf5(path: Path, mebibytes: int) -> Iterator[Any]:
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
                if not is_outside:
                    unpack.check_size(name, math.prod((*item.shape, item.dtype.itemsize)), mebibytes)
            if is_outside:
                raise MalformedFileError([f"{name}: expected data in the file itself, got a link to another file"])
        yield file


def compressed(name: str, group: Any, kind: Any, parts: Sequence[str], rows: int, columns: int | None = None) -> Any:
    """Return a sparse matrix of a kind from its three arrays in a group of HDF5."""
    arrays = [numeric(f"{name}/{part}", member(group, part, "part"), 1) for part in parts]
    matrix = kind(tuple(arrays), shape=(rows, len(arrays[2]) - 1 if columns is None else columns))
    matrix.check_format()  # compiled code would read any memory by wrong indices
    return matrix


def _hdf5_matrix(name: str, item: Any) -> Any:
    """Return a dense matrix, or a sparse one from a group with its arrays, as AnnData stores it."""
    from scipy import sparse

    attributes = {key.removeprefix("h5sparse_"): value for key, value in item.attrs.items()}
    kind = str(attributes.get("encoding-type", attributes.get("format")))
    if hasattr(item, "dtype") or kind[:3] not in ("csr", "csc"):
        return numeric(name, item, 2)
    build = sparse.csr_array if kind[:3] == "csr" else sparse.csc_array
    matrix = compressed(name, item, build, ("data", "indices", "indptr"), *map(int, attributes["shape"]))
    return sparse.csr_array(matrix, dtype=np.float64)


def _hdf5_labels(reader: Hdf5, file: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels and whether each is missing: plain values, values with a mask, or codes of categories."""
    table = member(file, reader.table, "table")
    column = member(table, reader.label, "column", table if hasattr(table, "keys") else table.dtype.names or ())
    parts, attributes = column if hasattr(column, "keys") else {}, getattr(column, "attrs", {})
    if "categories" in parts:
        categories = parts["categories"]
    elif "categories" in attributes:  # AnnData 0.7
        categories = file[attributes["categories"]]
    elif reader.names:
        categories = member(file, reader.names, "list")
    else:
        labels = _texts_or_numbers(reader.label, parts.get("values", column))
        missing = tables.find_missing(labels, named=label_texts(reader))
        return labels, missing | (parts["mask"][()].astype(np.bool_) if "mask" in parts else False)
    codes, texts = numeric(reader.label, parts.get("codes", column), 1), _texts_or_numbers("categories", categories)
    if (wrong := np.flatnonzero((codes < -1) | (codes >= len(texts)) | (codes % 1 != 0))).size:
        expected, got = f"codes from -1 (missing) to {len(texts) - 1}", f"{codes[wrong[0]]} in row {wrong[0] + 1}"
        raise MalformedFileError([f"label: expected {expected}, got {got}"])
    return texts[codes.astype(np.intp)], codes == -1


def _texts_or_numbers(name: str, item: Any) -> NDArray[Any]:
    """Return an array of HDF5 or of a table as texts or as float64."""
    import h5py

    if h5py.check_string_dtype(getattr(item, "dtype", np.dtype("f8"))) is not None:
        return np.char.decode(item[()].astype(np.bytes_), "utf-8")
    return np.asarray(numeric(name, item, 1), dtype=np.float64)


class Mat(Reader):
    """MATLAB file with a matrix, made dense; the defaults fit files of OMKC's authors, with labels in the first column.

    Attributes
    ----------
    data : str
        The variable that holds the matrix.
    labels : str or None
        The variable that holds the labels; None if they are the first column of the matrix.
    transposed : bool
        Whether each column of the matrix is an example.
    orders : str or None
        The variable with one 1-based permutation of the examples in each row.
    """

    format: Literal["mat"]
    data: str = "data"
    labels: str | None = None
    transposed: bool = False
    orders: str | None = None

    def read(self, files: dict[str, Path]) -> Raw:
        """Read a matrix, its labels and, if named, the permutations of the examples."""
        (path,) = files.values()
        variables = mat_variables(self, path, [name for name in (self.data, self.labels, self.orders) if name])
        matrix: Any = numeric(self.data, variables[self.data], 2)
        data = (matrix.toarray() if hasattr(matrix, "toarray") else matrix).astype(np.float64)
        data = data.T if self.transposed else data
        orders = numeric(self.orders, variables[self.orders], 2).astype(np.int64) - 1 if self.orders else None
        if self.labels:
            return Raw(data, numeric(self.labels, variables[self.labels], 1).astype(np.float64), orders)
        return Raw(data[:, 1:], data[:, 0], orders)


class MatBlocks(Reader):
    """MATLAB file with several feature matrices to be stacked; stays sparse.

    Attributes
    ----------
    features : list of str
        The variables to stack.
    labels : list of str
        Variables, or names of text files of the same source with one label per line.
    """

    format: Literal["mat_blocks"]
    features: Annotated[list[str], Field(min_length=1)]
    labels: Annotated[list[str], Field(min_length=1)]

    def read(self, files: dict[str, Path]) -> Raw:
        """Stack feature matrices and label vectors, from variables or from text files."""
        from scipy import sparse

        (path,) = (path for path in files.values() if path.suffix == ".mat")
        variables = mat_variables(self, path, [*self.features, *(name for name in self.labels if name not in files)])
        blocks = [sparse.csr_array(numeric(name, variables[name], 2), dtype=np.float64) for name in self.features]
        labels = [
            read_column(self, files[name]) if name in files else numeric(name, variables[name], 1)
            for name in self.labels
        ]
        return Raw(sparse.csr_array(sparse.vstack(blocks)), np.concatenate(labels).astype(np.float64))


def mat_variables(reader: Reader, path: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return variables of a MATLAB file, by default all.

    Those of version 7.3, which is HDF5, have their axes in the opposite order.
    """
    import h5py
    import scipy.io

    if not h5py.is_hdf5(path):
        variables = {name: value for name, value in scipy.io.loadmat(path).items() if not name.startswith("__")}
        return {name: member(variables, name, "variable") for name in names or variables}
    with open_hdf5(path, reader.mebibytes) as file:
        # names that begin with # hold what cells and texts refer to
        names = names or [name for name in file if not name.startswith("#")]
        return {name: _mat_variable(name, member(file, name, "variable")) for name in names}


def _mat_variable(name: str, item: Any) -> Any:
    """Return a variable of version 7.3, in which texts, tables and other objects are arrays of numbers too."""
    if not re.search("int|double|single|logical", kind := str(item.attrs.get("MATLAB_class", "double"))):
        raise MalformedFileError([f"{name}: expected numbers, got {kind.strip('b')}"])
    if "MATLAB_sparse" not in item.attrs:
        return item[()].T if hasattr(item, "dtype") else item
    from scipy import sparse

    return compressed(name, item, sparse.csc_array, ("data", "ir", "jc"), int(item.attrs["MATLAB_sparse"]))


IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


class Idx(Reader):
    """MNIST's binary format: arrays with their shape; an image becomes a row of pixels.

    Attributes
    ----------
    features, labels : list of str
        Names of files to be stacked; label files have one label per image.
    """

    format: Literal["idx"]
    features: Annotated[list[FileName], Field(min_length=1)]
    labels: Annotated[list[FileName], Field(min_length=1)]

    def read(self, files: dict[str, Path]) -> Raw:
        """Stack arrays of images and of labels."""
        images = np.concatenate([numeric(name, _idx(self, name, files[name]), 2) for name in self.features])
        labels = np.concatenate([numeric(name, _idx(self, name, files[name]), 1) for name in self.labels])
        return Raw(images, labels.astype(np.float64))


def _idx(reader: Reader, name: str, path: Path) -> NDArray[Any]:
    """Read an array: two zero bytes, the type, the number of axes, four bytes for the length of each, the values."""
    content = read_content(reader, path)
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
