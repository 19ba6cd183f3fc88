"""Results, grids and parameters that descriptors of points share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from grambench.common.parameters import ABOVE_0, Checked, whole
from grambench.common.types import Floats, Indices

MAGNIFICATION = 3.0  # side of a SIFT cell in units of the scale of its point (Lowe 2004, IJCV 60, Section 6)
CELLS = 4  # cells along a side of a patch
LARGEST_CELL = 24  # side in pixels; sums over larger cells would overflow, see `grambench.features.sift`


@dataclass(frozen=True, slots=True)
class Local:
    """Descriptors of p points of an image.

    Attributes
    ----------
    vectors : ndarray of uint8 (p, D)
        The descriptor of each point.
    heights : ndarray of float64 (p,)
        Distance of each point from the top, as a fraction of the image's height, in [0, 1).
    """

    vectors: NDArray[np.uint8]
    heights: Floats

    @classmethod
    def join(cls, parts: Sequence["Local"]) -> "Local":
        """Return the points of all parts, which are at least one."""
        return cls(np.concatenate([part.vectors for part in parts]), np.concatenate([part.heights for part in parts]))


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseGrid(Checked):
    """Parameters of a grid of points.

    Attributes
    ----------
    step : int
        Distance in pixels between neighbouring points, down and across.
    cells : sequence of int
        Sides in pixels of a cell, one for each grid; a patch has 4 x 4 cells.
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

    def describe(self, shape: tuple[int, ...], describe: Callable[[Indices, Indices, int], NDArray[np.uint8]]) -> Local:
        """Return the descriptors of the patches of all grids in an image (h, w, ...), grid by grid, row by row."""
        parts = []
        for cell in self.cells:
            rows, columns = (starts(length, cell, self.step) for length in shape[:2])
            heights = (rows + 0.5 * reach(cell)) / shape[0]
            parts.append(Local(describe(rows, columns, cell), heights.repeat(len(columns))))
        return Local.join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corners(Checked):
    """Parameters of points from a corner detector.

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
    """Return the side in pixels of a patch: four cells, each with a triangular window of width 2 cell - 1."""
    return (CELLS + 1) * cell - 1


def starts(length: int, cell: int, step: int) -> NDArray[np.int64]:
    """Return the first pixels of the patches along a side of an image: as many as fit, centred."""
    margin = length - reach(cell)
    return np.arange(margin % step // 2, margin + 1, step) if margin >= 0 else np.empty(0, dtype=np.int64)
