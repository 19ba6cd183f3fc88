"""Images as lists name them, and the tasks of two classes that are made of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.config.dataset import Label


@dataclass(frozen=True, slots=True)
class Listed:
    """What the lists say, of N images, those for training first.

    Attributes
    ----------
    paths : list of str
        Members of the archives.
    words : list of frozenset of str
        Words or classes.
    test : ndarray of bool (N,)
        Whether the image is in the test part of the split.
    """

    paths: list[str]
    words: list[frozenset[str]]
    test: NDArray[np.bool_]

    def task(self, positive: Sequence[Label], negative: Sequence[Label]) -> "Task":
        """Return the images with words of one side only."""
        sides = [(bool(words & set(positive)), bool(words & set(negative))) for words in self.words]
        chosen = np.array([one != other for one, other in sides], dtype=np.bool_)
        labels = np.array([1 if one else -1 for one, _ in sides], dtype=np.int8)
        paths = [path for path, wanted in zip(self.paths, chosen, strict=True) if wanted]
        return Task(paths, labels[chosen], self.test[chosen])


@dataclass(frozen=True, slots=True)
class Task:
    """Images of two classes: members of the archives, labels of -1 and +1, and which are in the test part."""

    paths: list[str]
    labels: NDArray[np.int8]
    test: NDArray[np.bool_]
