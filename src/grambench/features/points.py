"""What descriptors of points have in common: what they return, where a grid's points are, what may be set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from grambench.common.parameters import ABOVE_0, Checked, whole
from grambench.common.types import Floats

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
    heights: Floats

    @classmethod
    def join(cls, parts: Sequence["Local"]) -> "Local":
        """Return the points of all parts, of which there is at least one."""
        vectors, heights = [part.vectors for part in parts], [part.heights for part in parts]
        return cls(np.concatenate(vectors), np.concatenate(heights))


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseGrid(Checked):
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

    words: Annotated[int, whole(1)]
    step: Annotated[int, whole(1)] = 8
    cells: Sequence[int] = (4, 6, 8, 10)

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if not self.cells:
            raise ValueError("cells must have at least one side, got none")
        for cell in self.cells:
            if not (rule := whole(1, LARGEST_CELL)).holds(cell):
                raise ValueError(f"each of cells must {rule.requirement}, got {cell!r}")

    def describe(self, shape: tuple[int, ...], describe: Describe) -> Local:
        """Describe the patches in an image of a shape (h, w, ...): by cell, row by row."""
        parts = []
        for cell in self.cells:
            rows, columns = (starts(length, cell, self.step) for length in shape[:2])
            heights = (rows + 0.5 * reach(cell)) / shape[0]
            parts.append(Local(describe(rows, columns, cell), heights.repeat(len(columns))))
        return Local.join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corners(Checked):
    """Points that a detector of corners finds.

    Attributes
    ----------
    threshold : float
        Least Harris measure of a corner, in grey levels to the fourth.
    words : int
        Size of the codebook.
    """

    words: Annotated[int, whole(1)]
    threshold: Annotated[float, ABOVE_0] = 10.0


def reach(cell: int) -> int:
    """Return the pixels along a patch that count: four cells, of which each has a triangular window 2 cell - 1 wide."""
    return (CELLS + 1) * cell - 1


def starts(length: int, cell: int, step: int) -> NDArray[np.int64]:
    """Return the first pixels of the patches along a side, as many as fit, in its middle; none in a short one."""
    spare = length - reach(cell)
    return np.arange(spare % step // 2, spare + 1, step) if spare >= 0 else np.empty(0, dtype=np.int64)
