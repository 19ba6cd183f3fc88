"""The prepared data set: features or a list of images, labels of -1 and +1, published orders; one HDF5 file each.

A data set that no source could deliver is a file too, with `status` "unavailable" and what was tried, so that the
rest of a study goes on.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import plain
from grambench.common.files import check, sealed
from grambench.common.types import Floats, Labels

if TYPE_CHECKING:  # scipy.sparse takes long to import, and few data sets are sparse
    from scipy import sparse


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDataset:
    """A classification data set in memory.

    Attributes
    ----------
    name : str
        The data set's name.
    features : ndarray of float64 (n, d) or scipy.sparse.csr_array of float64
        One row an example; of images, which are described later, d is 0.
    labels : ndarray of int8 (n,)
        -1 or +1, or class numbers from 0.
    orders : ndarray of int32 (repetitions, n) or None
        The published orders of presentation, 0-based permutations of range(n), where the source has them.
    source : dict
        What delivered the data: kind, origin, and the files with their sha256.
    classes : tuple of str
        The names of more than two classes, by their numbers; none where there are two, -1 and +1.
    images : tuple of n str
        Their paths in the archives, where the examples are images.
    test : ndarray of bool (n,) or None
        Which examples are for the test, where the source says so.
    views : dict of ndarray (n, d)
        What describes images, by view: blocks of their pixels; or what comes from files of its own (grambench.features)
        and is put beside the rest by who reads it.
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

    @property
    def content(self) -> str:
        """SHA-256 of shape, features and labels in canonical form: equal for equal data, whatever the source.

        Of images, their paths and parts in the place of features: what they show is the archive's checksum to tell.
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
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A data set that could not be had, and why: one line for each source that was tried."""

    name: str
    reasons: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasons", tuple(map(plain, self.reasons)))

    def __str__(self) -> str:
        return f"{self.name} is unavailable: " + "; ".join(self.reasons or ("no source is configured",))


def write_unavailable(file: h5py.File, absent: Unavailable) -> None:
    """Write the note that there is nothing, and why, in the place of what a file should hold."""
    file.attrs["name"] = absent.name
    file.attrs["status"] = "unavailable"
    file.attrs["reasons"] = json.dumps(absent.reasons)


def unavailable(file: h5py.File) -> Unavailable | None:
    """Return the note of a file that holds nothing; None of one that does."""
    if "reasons" not in file.attrs:
        return None
    return Unavailable(str(file.attrs["name"]), tuple(json.loads(str(file.attrs["reasons"]))))


def write(path: Path, dataset: PreparedDataset | Unavailable, identity: str = "") -> None:
    """Write a prepared data set, or the note that it is unavailable, with what it is made from (`sealed`)."""
    with sealed(path, identity) as temporary, h5py.File(temporary, "w") as file:
        file.attrs["name"] = dataset.name
        if isinstance(dataset, Unavailable):
            write_unavailable(file, dataset)
            return
        file.attrs["status"] = "ok"
        file.attrs["content"] = dataset.content
        file.attrs["source"] = json.dumps(dataset.source)
        for view, values in dataset.views.items():
            file.create_dataset(f"views/{view}", data=values, compression="gzip", shuffle=True)
        if dataset.views:
            file["features"] = np.empty((len(dataset.labels), 0))  # which are the views' pixels once more
        elif isinstance(dataset.features, np.ndarray):
            file["features"] = dataset.features
        else:
            group = file.create_group("features")
            group.attrs["shape"] = dataset.features.shape
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(dataset.features, part)
        file["labels"] = dataset.labels
        for name in ("orders", "test"):
            if (values := getattr(dataset, name)) is not None:
                file[name] = values
        for name in ("images", "classes"):
            if texts := getattr(dataset, name):
                file[name] = list(texts)


def read(path: Path) -> PreparedDataset | Unavailable:
    """Read what `write` wrote.

    Raises
    ------
    DataError
        If the file is missing or damaged.
    """
    check(path)
    with h5py.File(path, "r") as file:
        name = str(file.attrs["name"])
        if absent := unavailable(file):
            return absent
        stored = file["features"]
        features = _sparse(stored) if isinstance(stored, h5py.Group) else stored[:]
        return PreparedDataset(
            name=name,
            features=features,
            labels=file["labels"][:],
            orders=file["orders"][:] if "orders" in file else None,
            source=json.loads(str(file.attrs["source"])),
            classes=tuple(file["classes"].asstr()[:]) if "classes" in file else (),
            images=tuple(file["images"].asstr()[:]) if "images" in file else (),
            test=file["test"][:] if "test" in file else None,
            views={view: values[:] for view, values in file["views"].items()} if "views" in file else {},
        )


def _sparse(stored: h5py.Group) -> "sparse.csr_array":
    from scipy import sparse

    return sparse.csr_array(
        (stored["data"][:], stored["indices"][:], stored["indptr"][:]), shape=tuple(stored.attrs["shape"])
    )
