"""What describes the images of a base: one HDF5 file a descriptor, one row an image, one array a view."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError
from grambench.common.files import check, sealed
from grambench.datasets.store import Unavailable, unavailable, write_unavailable


@dataclass(frozen=True, slots=True)
class Views:
    """Descriptions in memory.

    Attributes
    ----------
    name : str
        The base's.
    paths : list of N str
        Of the images, in the archives.
    views : dict of ndarray (N, d)
        One row an image.
    """

    name: str
    paths: list[str]
    views: Mapping[str, NDArray[Any]]

    def of(self, paths: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return the rows of some images; raise DataError where one is not described."""
        place = {path: number for number, path in enumerate(self.paths)}
        if missing := [path for path in paths if path not in place]:
            raise DataError(f"{self.name}: {missing[0]} is not described; describe the images again")
        rows = [place[path] for path in paths]
        return {view: values[rows] for view, values in self.views.items()}


def write(path: Path, described: Views | Unavailable, identity: str = "") -> None:
    """Write descriptions, or the note that there are none, with what they are made from (`sealed`)."""
    with sealed(path, identity) as temporary, h5py.File(temporary, "w") as file:
        if isinstance(described, Unavailable):
            write_unavailable(file, described)
            return
        file.attrs["name"] = described.name
        file["paths"] = described.paths
        for view, values in described.views.items():
            file.create_dataset(f"views/{view}", data=values, compression="gzip", shuffle=True)


def read(path: Path) -> Views | Unavailable:
    """Read what `write` wrote; DataError where the file is missing or damaged."""
    check(path)
    with h5py.File(path, "r") as file:
        if absent := unavailable(file):
            return absent
        views = {view: values[:] for view, values in file["views"].items()}
        return Views(str(file.attrs["name"]), [str(each) for each in file["paths"].asstr()[:]], views)


def joined(parts: Sequence[Views]) -> Views:
    """Return the descriptions of all images from those of parts of them."""
    first = parts[0]
    paths = [path for part in parts for path in part.paths]
    together = {view: np.concatenate([part.views[view] for part in parts]) for view in first.views}
    return Views(first.name, paths, together)
