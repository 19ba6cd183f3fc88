"""What all formats share: the options of a reader, its result, and the checks of arrays.

Only the selected rows become float64: MNIST takes 47 MB as bytes and 376 MB as float64. Text formats become dense even
if most values are 0 (a3a, mushrooms, w5a: at most 24 MB), because Gram matrices are dense products. Only dorothea,
0.9 GB if dense and 99 percent zeros, stays sparse.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from grambench.common.models import ConfigModel
from grambench.datasets import unpack
from grambench.datasets.tables import MalformedFileError

# scipy.sparse takes long to import, and a plan reads no data.
if TYPE_CHECKING:
    from scipy import sparse


BATCH = 65536  # rows that formats with chunks read together, on which the points of a land mask depend
ROWS_USED, MISSING_VALUES = "rows used", "missing values"  # keys of remarks on what was read
MOST_SHOWN = 30  # the largest number of columns that a message lists


# What arrays hold in place of numbers, by the kind of their type
NO_NUMBERS = {"c": "complex numbers", "V": "records or complex numbers", "O": "texts or objects", "": "a group"}
NUMBERS = "biuf"  # the kinds of types of numbers, booleans among them
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]


def _refuse_booleans(value: Any) -> Any:
    """Return a text, a list of texts or a mapping with texts as keys; raise ValueError for a boolean in their place.

    YAML reads some words that a data file may hold as booleans.
    """
    texts = [*value] if isinstance(value, list | dict) else [value]
    if isinstance(value, dict):
        texts += itertools.chain(*(values for values in value.values() if isinstance(values, list)))
    if any(isinstance(text, bool) for text in texts):
        raise ValueError("YAML reads yes, no, on, off, true and false without quotes as booleans; quote it: 'yes'")
    return value


NoBoolean = BeforeValidator(_refuse_booleans)
ColumnKey = Annotated[int | str, NoBoolean]  # by position (negative from the right) or by name
ColumnKeys = Annotated[list[int | str], NoBoolean]
Label = float | str
LabelList = Annotated[list[Label], NoBoolean]
OneOrMoreLabels = Annotated[Label | list[Label], NoBoolean]


def listed(labels: OneOrMoreLabels) -> list[Label]:
    """Return a label, or a list of labels, as a list."""
    return labels if isinstance(labels, list) else [labels]


def check_sides(positive: OneOrMoreLabels, negative: OneOrMoreLabels) -> None:
    """Raise ValueError if a label is to become both +1 and -1, or if several become +1 and none is named for -1."""
    if common := [label for label in listed(positive) if label in listed(negative)]:
        raise ValueError(f"a label becomes either +1 or -1, got {common[0]!r} as both")
    if len(listed(positive)) > 1 and not listed(negative):
        raise ValueError("where several labels become +1, negative must name those that become -1")


class Reader(ConfigModel):
    """How the files of a source become features and labels; each format has a subclass.

    Files of formats csv, indices, libsvm and idx may be compressed (gzip, bzip2, xz). Several files of formats csv,
    arff and libsvm are stacked in the order of the description.

    Attributes
    ----------
    positive : float, str or list
        The label or labels that become +1; empty in a base, whose tasks name the labels.
    negative : float, str or list
        The labels that become -1. Rows with any other label are left out. If empty, all rows without a label of
        `positive` must have the same label.
    classes : list of float or str
        The labels that become 0, 1, 2 ... in a multi-class task, in place of `positive` and `negative`. Rows with any
        other label are left out.
    test_rows : int
        The number of rows at the end that are the test part of an official split; `rows` does not count them.
    unique : bool
        Whether rows that equal an earlier row, label included, are left out; for dense formats only.
    rows : int or None
        The number of rows to keep, from the top, after all other rows are left out.
    zero_columns : int
        The number of columns of zeros to append (LIBSVM files may count features that never occur).
    minmax : bool
        Whether each column is mapped linearly to [-1, 1].
    mebibytes : int
        The largest size of a file, both as downloaded and unpacked.
    """

    stacked: ClassVar[bool] = False  # whether each of several files has rows of its own

    positive: OneOrMoreLabels = []
    negative: OneOrMoreLabels = []
    classes: LabelList = []
    test_rows: Annotated[int, Field(ge=0)] = 0
    unique: bool = False
    rows: Annotated[int, Field(ge=1)] | None = None
    zero_columns: Annotated[int, Field(ge=0)] = 0
    minmax: bool = False
    mebibytes: Annotated[int, Field(ge=1)] = 128

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        check_sides(self.positive, self.negative)
        return self

    def read(self, files: dict[str, Path]) -> "Raw":
        """Return the content of files, by their names, that are read together."""
        raise NotImplementedError

    def selected(self) -> list[Label]:
        """Return the labels whose rows are kept; empty if those of any label are."""
        return self.classes or (listed(self.positive) + listed(self.negative) if listed(self.negative) else [])

    def groups(self) -> list[list[Label]]:
        """Return the labels of each class of a multi-class task, or else the labels of +1 and those of -1."""
        return [[label] for label in self.classes] or [listed(self.positive), listed(self.negative)]


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
    kernels : dict of ndarray of float64 (n, n)
        Stored kernels by view; the examples then have no features.
    incomplete, others : int
        The numbers of rows that were left out for missing values, and for other reasons.
    """

    features: "NDArray[Any] | sparse.csr_array"
    labels: NDArray[Any]
    orders: NDArray[np.int64] | None = None
    test: NDArray[np.bool_] | None = None
    kernels: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    incomplete: int = 0
    others: int = 0

    def remarks(self) -> dict[str, str]:
        """Return in words which rows are used if not all are, and how many values are missing if any are."""
        n, remarks = len(self.labels), dict[str, str]()
        if left_out := self.incomplete + self.others:
            lacking = f"; {self.incomplete} {'lacks' if self.incomplete == 1 else 'lack'} a value"
            remarks[ROWS_USED] = f"{n} of {n + left_out}{lacking if self.incomplete else ''}"
        if isinstance(self.features, np.ndarray) and (missing := int(np.isnan(self.features).sum())):
            fill = "each split fills them by medians of its training examples"
            remarks[MISSING_VALUES] = f"{missing} of {self.features.size}; {fill}"
        return remarks


class ChunkedReader(Reader):
    """Base of the formats that are read in chunks of rows."""

    def chunks(self, path: Path) -> Iterator[Raw]:
        """Yield the rows of a file chunk by chunk."""
        raise NotImplementedError

    def read(self, files: dict[str, Path]) -> Raw:
        """Return all chunks of a file together."""
        (path,) = files.values()
        return stack([*self.chunks(path)])


def stack(parts: list[Raw]) -> Raw:
    """Return the rows of several dense parts, stacked; a single part may be sparse and have orders."""
    if not parts:
        raise MalformedFileError(["expected at least one row, got none"])
    if len(parts) == 1:
        return parts[0]
    features: list[Any] = [part.features for part in parts]
    incomplete = sum(part.incomplete for part in parts)
    return Raw(np.vstack(features), np.concatenate([part.labels for part in parts]), incomplete=incomplete)


def numeric(name: str, item: Any, axes: int) -> Any:
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
    from scipy import sparse

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


def member(items: Any, name: str, what: str, names: Iterable[str] | None = None) -> Any:
    """Return what a file holds under one of its names; raise MalformedFileError unless it has the name once."""
    names = items if names is None else names
    known = [*map(str, names)]
    # HDF5 has paths in it that it does not list.
    if name not in names or known.count(name) > 1:
        shown = f"{known.count(name)} of them" if known.count(name) > 1 else ", ".join(known[:MOST_SHOWN]) or "no names"
        raise MalformedFileError([f"expected a {what} {name!r}, got {shown}"])
    return items[name]


def read_content(reader: Reader, path: Path) -> bytes:
    """Return the content of a file, unpacked if it is compressed."""
    with unpack.opened(path, reader.mebibytes) as stream:
        content: bytes = stream.read()
    return content


def label_texts(reader: Reader) -> set[str]:
    """Return the labels that a reader names, as texts."""
    return {str(label) for label in (*reader.classes, *listed(reader.positive), *listed(reader.negative))}
