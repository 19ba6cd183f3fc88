"""PHOG: pyramid histograms of the orientations of edges (Bosch et al. 2007, CIVR, Section 2).

Edges are pixels whose gradient is largest among their neighbours along it; each counts with its magnitude, shared by
linear interpolation between two orientations, in the cells of 1 x 1, 2 x 2, 4 x 4 and 8 x 8 cells of an image. The
layout of a level has all cells down to it. Deviation: of Canny's edge detector, only the suppression of non-maxima and
one threshold are used, without tracking of weaker edges.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.parameters import ABOVE_0, Checked, whole
from grambench.features.gaussian import blur
from grambench.features.images import Pixels, grey

LEVELS = 4
SMOOTHING = 1.0  # standard deviation in pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of PHOG.

    Attributes
    ----------
    bins : int
        Orientations, over 360 degrees.
    threshold : float
        Least gradient of an edge, in grey levels a pixel.
    """

    bins: Annotated[int, whole(2, 360)] = 40
    threshold: Annotated[float, ABOVE_0] = 4.0


def describe(parameters: Parameters, image: Pixels) -> dict[str, NDArray[np.float32]]:
    """Return the histogram of each level, of size bins (1 + 4 + ... + 4^level), coarse cells first, row by row."""
    side = 2 ** (LEVELS - 1)
    finest = np.zeros((side, side, parameters.bins))
    _count(blur(grey(image), SMOOTHING), np.float32(parameters.threshold), finest)
    pyramid = []
    for level in range(LEVELS):
        cells, width = 2**level, side // 2**level
        pyramid.append(finest.reshape(cells, width, cells, width, -1).sum(axis=(1, 3)).ravel())
    return {str(level): np.concatenate(pyramid[: level + 1]).astype(np.float32) for level in range(LEVELS)}


@njit(cache=True)
def _count(image, threshold, cells):  # type: ignore[no-untyped-def]
    """Add the gradient of each edge pixel to its cell, (s, s, bins)."""
    height, width = image.shape
    side, bins = cells.shape[0], cells.shape[2]
    across, down = np.zeros_like(image), np.zeros_like(image)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            across[y, x] = np.float32(0.5) * (image[y, x + 1] - image[y, x - 1])
            down[y, x] = np.float32(0.5) * (image[y + 1, x] - image[y - 1, x])
    magnitude = np.sqrt(across * across + down * down)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            strength = magnitude[y, x]
            if strength < threshold:
                continue
            dx, dy = int(np.rint(across[y, x] / strength)), int(np.rint(down[y, x] / strength))
            # Thinning across the edge: of two equal neighbours exactly one is kept.
            if strength < magnitude[y + dy, x + dx] or strength <= magnitude[y - dy, x - dx]:
                continue
            position = np.arctan2(down[y, x], across[y, x]) / (2.0 * np.pi) % 1.0 * bins
            lower = int(position) % bins
            cell = cells[y * side // height, x * side // width]
            cell[lower] += strength * (1.0 - position % 1.0)
            cell[(lower + 1) % bins] += strength * (position % 1.0)
