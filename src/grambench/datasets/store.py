"""The HDF5 file of a prepared data set: features or a list of images, labels, published permutations.

A data set that no source delivered has a file too, with the `status` "unavailable" and the reasons. The rest of a study
can thereby go on.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import one_line, plain
from grambench.common.files import check, sealed
from grambench.common.types import Floats, Labels

# scipy.sparse takes long to import, and few data sets are sparse.
if TYPE_CHECKING:
    from scipy import sparse

Content = TypeVar("Content")

logger = logging.getLogger("grambench")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDataset:
    """A classification data set in memory.

    Attributes
    ----------
    name : str
        The data set's name.
    features : ndarray of float64 (n, d) or scipy.sparse.csr_array of float64
        One row per example; d is 0 for images, whose descriptors have files of their own. Those of a stream are
        float32 and, as its labels, mapped into memory.
    labels : ndarray of int8 (n,)
        -1 or +1, or class numbers from 0.
    orders : ndarray of int32 (repetitions, n) or None
        The published permutations of range(n), if the source has them.
    source : dict
        The source that delivered the data: kind, origin, and the files with their sha256.
    classes : tuple of str
        The names of the classes in a multi-class task, by their numbers; empty for -1 and +1.
    images : tuple of n str
        The paths of the images in the archives; empty if the examples are no images.
    test : ndarray of bool (n,) or None
        Whether each example is in the test part, if the source has an official split.
    views : dict of ndarray (n, d)
        The features of images by view: blocks of pixels from this file, or descriptors (grambench.features) that the
        reader adds from their own files.
    columns : dict of ndarray of int64
        Groups of features by view: their positions. These views are not in `views`.
    kernels : dict of ndarray of float64 (n, n)
        Stored kernels by view, mapped into memory; d is 0 then.
    pairs : dict of ndarray of float64 (n, n)
        The inner products or distances of all pairs of examples by view and base (grambench.kernels.bases), which the
        reader adds where many runs share them; empty if kernels compute what they need.
    """

    name: str
    features: "Floats | sparse.csr_array"
    labels: Labels
    orders: NDArray[np.int32] | None
    source: dict[str, Any]
    classes: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    test: NDArray[np.bool_] | None = None
    views: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    columns: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    kernels: Mapping[str, Floats] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], Floats] = field(default_factory=dict)

    @property
    def is_stream(self) -> bool:
        """Whether the examples are mapped, to be read chunk by chunk."""
        return isinstance(self.features, np.memmap)

    @property
    def content(self) -> str:
        """SHA-256 of shape, features and labels in canonical form, which is equal for equal data from any source.

        For images, the paths and the split take the place of features. Their pixels are covered by the checksum of the
        archive. Stored kernels count with the names of their views.
        """
        from scipy import sparse

        matrix = sparse.csr_array(self.features, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        digest = hashlib.sha256(repr(matrix.shape).encode())
        for part, kind in ((matrix.indptr, "<i8"), (matrix.indices, "<i8"), (matrix.data, "<f8"), (self.labels, "<i1")):
            digest.update(np.ascontiguousarray(part, dtype=kind).tobytes())
        if self.images:
            digest.update("\n".join(self.images).encode())
        if self.test is not None:
            digest.update(self.test.astype("<i1").tobytes())
        # a job gets its settings with sorted keys
        for view, values in sorted(self.kernels.items()):
            digest.update(view.encode() + np.ascontiguousarray(values, dtype="<f8").tobytes())
        return digest.hexdigest()

    def save(self, file: h5py.File) -> None:
        """Write the data set to a file."""
        file.attrs.update(name=self.name, status="ok", content=self.content, source=json.dumps(self.source))
        for view, values in self.views.items():
            file.create_dataset(f"views/{view}", data=values, compression="gzip", shuffle=True)
        save_columns(file, self.columns)
        save_columns(file, self.kernels, "kernels")
        if self.views:
            # The features are the pixels of the views and are not stored twice.
            file["features"] = np.empty((len(self.labels), 0))
        elif isinstance(self.features, np.ndarray):
            file["features"] = self.features
        else:
            group = file.create_group("features")
            group.attrs["shape"] = self.features.shape
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(self.features, part)
        file["labels"] = self.labels
        for name in ("orders", "test"):
            if (values := getattr(self, name)) is not None:
                file[name] = values
        for name in ("images", "classes"):
            if texts := getattr(self, name):
                file[name] = list(texts)


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A data set that no source delivered, with the failure of each source in one line."""

    name: str
    reasons: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasons", tuple(map(plain, self.reasons)))

    def save(self, file: h5py.File) -> None:
        """Write the note to a file."""
        file.attrs.update(name=self.name, status="unavailable", reasons=json.dumps(self.reasons))

    def __str__(self) -> str:
        return f"{self.name} is unavailable: " + "; ".join(self.reasons or ("no source is configured",))


def read_or_note(path: Path, load: Callable[[h5py.File], Content]) -> Content | Unavailable:
    """Read a sealed HDF5 file with `load`, or the note that its content is unavailable.

    Raises
    ------
    DataError
        If the file is missing or damaged.
    """
    check(path)
    with h5py.File(path, "r") as file:
        if "reasons" in file.attrs:
            return Unavailable(str(file.attrs["name"]), tuple(json.loads(str(file.attrs["reasons"]))))
        return load(file)


class Storable(Protocol):
    """A prepared data set, a stream that is prepared while it is stored, images, or a note that there are none."""

    def save(self, file: h5py.File) -> None:
        """Write the content to a file; raise DataError if it does not fit its description."""


def write(path: Path, content: Storable, identity: str = "") -> None:
    """Write a sealed HDF5 file with the identity of its inputs (`sealed`).

    Raises
    ------
    DataError
        If a stream does not fit its description; see Stream.save. No file is left then.
    """
    with sealed(path, identity) as temporary, h5py.File(temporary, "w") as file:
        content.save(file)


def write_or_note(path: Path, name: str, make: Callable[[], Storable], identity: str) -> None:
    """Write what `make` returns, or a note of its failure, with a warning: the rest of a study goes on without it."""
    try:
        content = make()
        write(path, content, identity)
    # A fault of the machine, such as a full disk, is not that of the data.
    except (OSError, MemoryError):
        raise
    except Exception as error:
        content = Unavailable(name, (one_line(error),))
        write(path, content, identity)
    if isinstance(content, Unavailable):
        logger.warning("%s", content)


def read(path: Path) -> PreparedDataset | Unavailable:
    """Read a file of `write`; raise DataError if it is missing or damaged."""
    return read_or_note(path, _load)


def save_columns(file: h5py.File, columns: Mapping[str, Any], group: str = "columns") -> None:
    """Write an array of each view under a number, since HDF5 takes a slash or a point in a name for a path."""
    for number, (view, positions) in enumerate(columns.items()):
        file[f"{group}/{number}"] = positions
        file[f"{group}/{number}"].attrs["view"] = view


def _load(file: h5py.File) -> PreparedDataset:
    features = file["features"]
    is_stream = isinstance(features, h5py.Dataset) and features.dtype == np.float32
    read = _load_sparse if isinstance(features, h5py.Group) else _map if is_stream else np.asarray
    return PreparedDataset(
        name=str(file.attrs["name"]),
        features=read(features),
        labels=_map(file["labels"]) if is_stream else file["labels"][:],
        orders=file["orders"][:] if "orders" in file else None,
        source=json.loads(str(file.attrs["source"])),
        classes=tuple(file["classes"].asstr()[:]) if "classes" in file else (),
        images=tuple(file["images"].asstr()[:]) if "images" in file else (),
        test=file["test"][:] if "test" in file else None,
        views={view: values[:] for view, values in file["views"].items()} if "views" in file else {},
        columns={str(part.attrs.get("view", key)): part[:] for key, part in file.get("columns", {}).items()},
        kernels={str(part.attrs["view"]): _map(part).view(np.ndarray) for part in file.get("kernels", {}).values()},
    )


def _map(array: h5py.Dataset) -> Any:
    return np.memmap(array.file.filename, array.dtype, "r", array.id.get_offset(), array.shape)


def _load_sparse(group: h5py.Group) -> "sparse.csr_array":
    from scipy import sparse

    parts = (group["data"][:], group["indices"][:], group["indptr"][:])
    return sparse.csr_array(parts, shape=tuple(group.attrs["shape"]))
