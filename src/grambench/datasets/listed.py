"""Images as lists name them, and the tasks of two classes or many that are made of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Labels
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

    def among(self, groups: Sequence[Sequence[Label]]) -> "Task":
        """Return the images with words of exactly one of some groups of words, and the numbers of these groups."""
        numbers = [[place for place, group in enumerate(groups) if words & set(group)] for words in self.words]
        chosen = np.array([len(own) == 1 for own in numbers], dtype=np.bool_)
        paths = [path for path, wanted in zip(self.paths, chosen, strict=True) if wanted]
        return Task(paths, np.array([own[0] for own in numbers if len(own) == 1], dtype=np.int8), self.test[chosen])


@dataclass(frozen=True, slots=True)
class Task:
    """Images of some groups: members of the archives, numbers of groups, and which are in the test part."""

    paths: list[str]
    labels: Labels
    test: NDArray[np.bool_]
