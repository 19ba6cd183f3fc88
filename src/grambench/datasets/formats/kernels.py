"""Stored kernel matrices of other packages: NumPy's, MATLAB's and LIBSVM's files."""

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from grambench.common.types import Floats
from grambench.datasets import tables, unpack
from grambench.datasets.formats.arrays import mat_variables
from grambench.datasets.formats.columns import read_column
from grambench.datasets.formats.reader import Raw, Reader, member, numeric, read_content
from grambench.datasets.tables import MalformedFileError

# Share of the largest entry that rounding may change: that of 32-bit numbers, and of texts with seven digits.
ROUNDING = 1e-6
ARCHIVES = (".npz", ".mat")  # files with several arrays by name
LIBSVM = re.compile(rb"[^\s#]+[ \t]+0:1[ \t]+1:")  # of precomputed kernels, where a file of it begins
Place = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*(:.+)?$")]
View = Annotated[str, Field(pattern=r"^\S([^\x00-\x1f\x7f-\x9f]*\S)?$")]


class Kernels(Reader):
    """Kernel values between all examples, one matrix a view; such a data set has no features.

    A place is `FILE:ARRAY` in files .npz and .mat, and `FILE` otherwise. Files .npy hold one array. Any other file with
    kernel values has LIBSVM's format of precomputed kernels, `label 0:i 1:k(i,1) 2:k(i,2) ...`.

    Attributes
    ----------
    kernels : dict of str
        The place of each matrix by the name of its view.
    labels : str or None
        The place of the labels, also a text file with a number a line; None if they are in LIBSVM's files.
    """

    format: Literal["kernels"]
    kernels: Annotated[dict[View, Place], Field(min_length=1)]
    labels: Place | None = None

    @model_validator(mode="after")
    def _refuse_options_of_features(self) -> Self:
        if self.minmax or self.unique or self.zero_columns:
            raise ValueError("minmax, unique and zero_columns: expected features, got stored kernels")
        return self

    def read(self, files: dict[str, Path]) -> Raw:
        """Read the matrices and the labels; matrices that are symmetric up to rounding become symmetric."""
        kernels, stored = dict[str, Floats](), list[Floats]()
        for view, place in self.kernels.items():
            item, labels = _read_matrix(self, place, files)
            kernels[view] = _checked(view, item)
            stored += [] if labels is None else [labels]
        sizes = {view: len(matrix) for view, matrix in kernels.items()}
        if len({*sizes.values()}) > 1:
            got = ", ".join(f"{view} {size}" for view, size in sizes.items())
            raise MalformedFileError([f"expected kernels of the same examples, got rows: {got}"])
        if self.labels:
            stored = [_read_labels(self, self.labels, files)]
        if not stored:
            raise MalformedFileError(["expected `labels`, the place of the labels, which only LIBSVM's files have"])
        n = next(iter(sizes.values()))
        if any(not np.array_equal(stored[0], other) for other in stored[1:]):
            raise MalformedFileError(["expected the same labels in each file, got others in another file"])
        return Raw(np.empty((n, 0)), stored[0], kernels=kernels)


def read_archive(reader: Reader, path: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return the arrays of a file .npz or .mat that have these names, or all of them."""
    if path.suffix.lower() == ".mat":
        return mat_variables(reader, path, names)
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            unpack.check_size(entry.filename, entry.file_size, reader.mebibytes)
    # Objects are pickles, which could run any code.
    with np.load(path, allow_pickle=False) as arrays:
        return {name: member(arrays, name, "variable") for name in names or arrays.files}


def remarks(kernels: Mapping[str, Floats]) -> list[str]:
    """Return what is unusual in kernel matrices, in one line each; none of it keeps them from being used."""
    found = []
    for view, matrix in kernels.items():
        diagonal = np.diagonal(matrix)
        if (rows := np.flatnonzero(diagonal <= 0.0)).size:
            got = f"{diagonal[rows[0]]:g} in {tables.locate(rows.tolist(), ())}"
            found.append(f"kernel {view}: expected a positive diagonal, got {got}")
        elif not _is_positive(matrix):
            found.append(f"kernel {view}: has negative eigenvalues; an SVM on it may have several solutions, or none")
    return found


def _is_positive(matrix: Floats) -> bool:
    """Return whether a matrix is positive semidefinite, up to rounding."""
    try:
        np.linalg.cholesky(matrix + ROUNDING * np.trace(matrix) * np.eye(len(matrix)))
    except np.linalg.LinAlgError:
        return False
    return True


def _read_matrix(reader: Kernels, place: str, files: dict[str, Path]) -> tuple[Any, Floats | None]:
    """Return a matrix from its place, and the labels of a file in LIBSVM's format."""
    path = member(files, place.partition(":")[0], "file")
    return (_read_array(reader, place, path), None) if _has_arrays(path) else _read_libsvm(reader, path)


def _read_labels(reader: Kernels, place: str, files: dict[str, Path]) -> NDArray[Any]:
    """Return labels from their place, as texts or as float64."""
    path = member(files, place.partition(":")[0], "file")
    if not _has_arrays(path):
        return read_column(reader, path)
    labels = _read_array(reader, place, path)
    kind = getattr(getattr(labels, "dtype", None), "kind", "")
    if kind in ("U", "S"):
        return np.char.decode(labels.ravel(), "utf-8") if kind == "S" else np.array(labels.ravel())
    return np.array(numeric(place, labels, 1), dtype=np.float64)


def _has_arrays(path: Path) -> bool:
    return path.suffix.lower() in (".npy", *ARCHIVES)


def _read_array(reader: Reader, place: str, path: Path) -> Any:
    """Return an array of a file .npy, or the one that the place names in a file .npz or .mat."""
    name, _, array = place.partition(":")
    is_archive = path.suffix.lower() in ARCHIVES
    if is_archive != bool(array):
        expected = f"{name}:ARRAY, for one of several arrays" if is_archive else f"{name}, for the only array"
        raise MalformedFileError([f"expected the place {expected}, got {place}"])
    if is_archive:
        return read_archive(reader, path, [array])[array]
    unpack.check_size(path.name, path.stat().st_size, reader.mebibytes)
    # A header that promises more than the file has is refused before any memory is taken.
    return np.load(path, mmap_mode="r", allow_pickle=False)


def _read_libsvm(reader: Reader, path: Path) -> tuple[Floats, Floats]:
    """Return kernel values and labels from LIBSVM's format of precomputed kernels."""
    from sklearn.datasets import load_svmlight_file

    content = read_content(reader, path)
    if not LIBSVM.match(content):
        expected = "a file .npy, .npz or .mat, or LIBSVM's precomputed kernels, `label 0:1 1:value ...`"
        raise MalformedFileError([f"expected {expected}, got {content[:30]!r}"])
    values, labels = load_svmlight_file(io.BytesIO(content), zero_based=True)
    serials = values[:, [0]].toarray().ravel()
    if (wrong := np.flatnonzero(serials != np.arange(1, len(serials) + 1))).size:
        row = int(wrong[0])
        got = f"0:{serials[row]:g} in row {row + 1}"
        raise MalformedFileError([f"expected all examples in their order, 0:1, 0:2 and so on, got {got}"])
    return values[:, 1:].toarray(), labels


def _checked(view: str, item: Any) -> Floats:
    """Return a kernel matrix; raise MalformedFileError unless it is square, finite and symmetric up to rounding."""
    values = numeric(f"kernel {view}", item, 2)
    matrix = np.asarray(values if isinstance(values, np.ndarray) else values.toarray(), dtype=np.float64)
    if matrix.shape[0] != matrix.shape[1]:
        got = f"{matrix.shape[0]} x {matrix.shape[1]}; leave out what is no kernel; features come as CSV"
        raise MalformedFileError([f"kernel {view}: expected a square matrix, values between all examples, got {got}"])
    limit = np.finfo(np.float32).max
    if (wrong := np.argwhere(~(np.abs(matrix) <= limit))).size:
        (row, column), more = wrong[0], f" and {len(wrong) - 1} more" * (len(wrong) > 1)
        got = f"{matrix[row, column]:g} in row {row + 1}, column {column + 1}{more}"
        raise MalformedFileError([f"kernel {view}: expected numbers within {limit:.2g}, got {got}"])
    differences = np.abs(matrix - matrix.T)
    if differences.max(initial=0.0) > ROUNDING * np.abs(matrix).max(initial=0.0):
        row, column = np.unravel_index(differences.argmax(), matrix.shape)
        got = f"{matrix[row, column]:g} and {matrix[column, row]:g} in rows {row + 1} and {column + 1}"
        raise MalformedFileError([f"kernel {view}: expected a symmetric matrix, got {got}"])
    return (matrix + matrix.T) / 2.0
