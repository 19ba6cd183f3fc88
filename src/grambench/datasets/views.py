"""Descriptors of the images of a base: an HDF5 file per descriptor, an array per view, a row per image."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError
from grambench.datasets.store import PreparedDataset, Unavailable, read_or_note


@dataclass(frozen=True, slots=True)
class DescribedImages:
    """A descriptor of N images.

    Attributes
    ----------
    name : str
        The name of the base.
    paths : list of N str
        The paths of the images in the archives.
    views : dict of ndarray (N, d)
        The features by view, with one row per image.
    """

    name: str
    paths: list[str]
    views: Mapping[str, NDArray[Any]]

    def of(self, paths: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return the rows of some images by view; raise DataError if an image has none."""
        row_of = {path: row for row, path in enumerate(self.paths)}
        if missing := [path for path in paths if path not in row_of]:
            raise DataError(f"{self.name}: {missing[0]} is not described; describe the images again")
        rows = [row_of[path] for path in paths]
        return {view: values[rows] for view, values in self.views.items()}

    def save(self, file: h5py.File) -> None:
        """Write the described images to a file."""
        file.attrs["name"] = self.name
        file["paths"] = self.paths
        for view, values in self.views.items():
            file.create_dataset(f"views/{view}", data=values, compression="gzip", shuffle=True)


def read(path: Path) -> DescribedImages | Unavailable:
    """Read described images; raise DataError if the file is missing or damaged."""
    return read_or_note(path, _load)


def _load(file: h5py.File) -> DescribedImages:
    views = {view: values[:] for view, values in file["views"].items()}
    return DescribedImages(str(file.attrs["name"]), list(map(str, file["paths"].asstr()[:])), views)


def joined(parts: Sequence[DescribedImages]) -> DescribedImages:
    """Return the described images of all parts together."""
    paths = [path for part in parts for path in part.paths]
    views = {view: np.concatenate([part.views[view] for part in parts]) for view in parts[0].views}
    return DescribedImages(parts[0].name, paths, views)


def with_views(dataset: PreparedDataset, files: Sequence[Path]) -> PreparedDataset | Unavailable:
    """Return a data set of images with the views of its images, which are read from files of `write`."""
    tables: dict[str, Any] = {}
    for path in files:
        content = read(path)
        if isinstance(content, Unavailable):
            return content
        tables |= content.of(dataset.images)
    return replace(dataset, views=tables)
