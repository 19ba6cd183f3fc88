"""Images with their words, and the classification tasks that are made of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Labels
from grambench.datasets.formats.reader import Label


@dataclass(frozen=True, slots=True)
class Listed:
    """N images with their words, the training images first.

    Attributes
    ----------
    paths : list of str
        The paths of the images in the archives.
    words : list of frozenset of str
        The words or classes of each image.
    test : ndarray of bool (N,)
        Whether each image is in the test part of the split.
    """

    paths: list[str]
    words: list[frozenset[str]]
    test: NDArray[np.bool_]

    def among(self, groups: Sequence[Sequence[Label]]) -> "TaskImages":
        """Return the images with words of exactly one group, labelled by the numbers of the groups."""
        matches = [[number for number, group in enumerate(groups) if words & set(group)] for words in self.words]
        rows = [row for row, numbers in enumerate(matches) if len(numbers) == 1]
        labels = np.array([matches[row][0] for row in rows], dtype=np.int8)
        return TaskImages([self.paths[row] for row in rows], labels, self.test[rows])


@dataclass(frozen=True, slots=True)
class TaskImages:
    """The images of a task: their paths in the archives, their labels, and whether they are in the test part."""

    paths: list[str]
    labels: Labels
    test: NDArray[np.bool_]
