"""HDF5, and the files of AnnData in it."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from grambench.datasets import tables, unpack
from grambench.datasets.formats.reader import Raw, Reader, label_texts, member, numeric
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
        return Raw(matrix[~missing] if len(labels) == matrix.shape[0] else matrix, labels[~missing])


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
                if not is_outside and math.prod((*item.shape, item.dtype.itemsize)) > mebibytes * unpack.MEBIBYTE:
                    raise unpack.too_large(name, mebibytes)
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
