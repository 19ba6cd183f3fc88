"""Files of MATLAB, of version 7.3 too, which is HDF5."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from grambench.datasets.formats.columns import read_column
from grambench.datasets.formats.hdf5 import compressed, open_hdf5
from grambench.datasets.formats.reader import Raw, Reader, member, numeric
from grambench.datasets.tables import MalformedFileError


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
        variables = _mat_variables(self, path, [name for name in (self.data, self.labels, self.orders) if name])
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
        variables = _mat_variables(self, path, [*self.features, *(name for name in self.labels if name not in files)])
        blocks = [sparse.csr_array(numeric(name, variables[name], 2), dtype=np.float64) for name in self.features]
        labels = [
            read_column(self, files[name]) if name in files else numeric(name, variables[name], 1)
            for name in self.labels
        ]
        return Raw(sparse.csr_array(sparse.vstack(blocks)), np.concatenate(labels).astype(np.float64))


def _mat_variables(reader: Reader, path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Return variables of a MATLAB file; those of version 7.3, which is HDF5, have their axes in the opposite order."""
    import h5py
    import scipy.io

    if not h5py.is_hdf5(path):
        variables = {name: value for name, value in scipy.io.loadmat(path).items() if not name.startswith("__")}
        return {name: member(variables, name, "variable") for name in names}
    with open_hdf5(path, reader.mebibytes) as file:
        return {name: _mat_variable(name, member(file, name, "variable")) for name in names}


def _mat_variable(name: str, item: Any) -> Any:
    """Return a variable of version 7.3, in which texts, tables and other objects are arrays of numbers too."""
    if not re.search("int|double|single|logical", kind := str(item.attrs.get("MATLAB_class", "double"))):
        raise MalformedFileError([f"{name}: expected numbers, got {kind.strip('b')}"])
    if "MATLAB_sparse" not in item.attrs:
        return item[()].T if hasattr(item, "dtype") else item
    from scipy import sparse

    return compressed(name, item, sparse.csc_array, ("data", "ir", "jc"), int(item.attrs["MATLAB_sparse"]))
