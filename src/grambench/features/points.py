"""What descriptors of points have in common: what they return, where a grid's points are, what may be set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAGNIFICATION = 3.0  # side of a cell of SIFT by the scale of its point (Lowe 2004, IJCV 60, Section 6)
CELLS = 4  # along a patch
Describe = Callable[[NDArray[np.int64], NDArray[np.int64], int], NDArray[np.uint8]]
LARGEST_CELL = 24  # pixels: sums of larger ones would overflow, see `grambench.features.sift`


@dataclass(frozen=True, slots=True)
class Local:
    """Descriptors of p points of an image.

    Attributes
    ----------
    vectors : ndarray of uint8 (p, D)
        One row a point.
    heights : ndarray of float64 (p,)
        Centres of the points from the top, by the image's height, in [0, 1).
    """

    vectors: NDArray[np.uint8]
    heights: NDArray[np.float64]

    @classmethod
    def join(cls, parts: Sequence["Local"]) -> "Local":
        """Return the points of all parts, of which there is at least one."""
        vectors, heights = [part.vectors for part in parts], [part.heights for part in parts]
        return cls(np.concatenate(vectors), np.concatenate(heights))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Points of a grid.

    Attributes
    ----------
    step : int
        Pixels from one point to the next, down and across.
    cells : sequence of int
        Sides in pixels of the cells, of which a patch has 4 x 4: each gives a grid of its own.
    words : int
        Size of the codebook.
    """

    words: int
    step: int = 8
    cells: Sequence[int] = (4, 6, 8, 10)

    def __post_init__(self) -> None:
        check_whole("words", self.words, 1)
        check_whole("step", self.step, 1)
        if not self.cells:
            raise ValueError("cells must have at least one side, got none")
        for cell in self.cells:
            check_whole("each of cells", cell, 1, LARGEST_CELL)

    def describe(self, shape: tuple[int, ...], describe: Describe) -> Local:
        """Describe the patches in an image of a shape (h, w, ...): by cell, row by row."""
        parts = []
        for cell in self.cells:
            rows, columns = (starts(length, cell, self.step) for length in shape[:2])
            heights = (rows + 0.5 * reach(cell)) / shape[0]
            parts.append(Local(describe(rows, columns, cell), heights.repeat(len(columns))))
        return Local.join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corners:
    """Points that a detector of corners finds.

    Attributes
    ----------
    threshold : float
        Least Harris measure of a corner, in grey levels to the fourth.
    words : int
        Size of the codebook.
    """

    words: int
    threshold: float = 10.0

    def __post_init__(self) -> None:
        check_whole("words", self.words, 1)
        if not self.threshold > 0.0:
            raise ValueError(f"threshold must be positive, got {self.threshold}")


def check_whole(name: str, value: int, least: int, most: int | None = None) -> None:
    """Raise ValueError unless a parameter is a whole number within its limits."""
    if not isinstance(value, int) or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be a whole number {limits}, got {value!r}")


def reach(cell: int) -> int:
    """Return the pixels along a patch that count: four cells, of which each has a triangular window 2 cell - 1 wide."""
    return (CELLS + 1) * cell - 1


def starts(length: int, cell: int, step: int) -> NDArray[np.int64]:
    """Return the first pixels of the patches along a side, as many as fit, in its middle; none in a short one."""
    spare = length - reach(cell)
    return np.arange(spare % step // 2, spare + 1, step) if spare >= 0 else np.empty(0, dtype=np.int64)
