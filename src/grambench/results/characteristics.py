"""What tables and pages tell about a prepared data set: its size, classes, views and source, without its arrays."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grambench.datasets import store
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.results.reading import content_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Characteristics:
    """The characteristics of a prepared data set.

    Attributes
    ----------
    name : str
        Its name.
    n, d : int
        The numbers of examples and of features; d is 0 for images and stored kernels.
    classes : tuple of str
        The names of more than two classes; empty for -1 and +1.
    positives : int
        The number of examples of class +1; 0 of more than two classes.
    views : int
        The number of views; 0 of a single vector.
    nonzero : int
        The number of feature values that are not 0.
    orders : int
        The number of published permutations.
    source : dict
        The source that delivered the data: kind, origin, and the files with their sha256.
    content : str
        The checksum of the content; see `PreparedDataset.content`.
    """

    name: str
    n: int
    d: int
    classes: tuple[str, ...] = ()
    positives: int = 0
    views: int = 0
    nonzero: int = 0
    orders: int = 0
    source: dict[str, Any]
    content: str

    @classmethod
    def of(cls, dataset: PreparedDataset, content: str) -> "Characteristics":
        """Return the characteristics of a data set in memory, given the checksum of its content."""
        stored = dataset.features
        n, d = stored.shape
        return cls(
            name=dataset.name,
            n=n,
            d=d,
            classes=dataset.classes,
            positives=0 if dataset.classes else int(np.count_nonzero(dataset.labels > 0)),
            views=len(dataset.views) or len(dataset.columns),
            nonzero=int(np.count_nonzero(stored) if isinstance(stored, np.ndarray) else stored.count_nonzero()),
            orders=0 if dataset.orders is None else len(dataset.orders),
            source=dataset.source,
            content=content,
        )

    @property
    def origin(self) -> str:
        """Where the data came from, or the kind of their source; of a user's file its name, as pages are passed on."""
        origin, kind = (str(self.source.get(key) or "") for key in ("origin", "kind"))
        return Path(origin).name if kind == "file" else origin or kind


Prepared = dict[str, Characteristics | Unavailable]


def read(path: Path) -> Characteristics | Unavailable:
    """Return the characteristics of a prepared file; raise DataError if it is missing or damaged."""
    loaded = store.read(path)
    return loaded if isinstance(loaded, Unavailable) else Characteristics.of(loaded, content_of(path))
