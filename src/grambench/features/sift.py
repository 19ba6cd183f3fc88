"""SIFT descriptors of upright patches (Lowe 2004, IJCV 60, Section 6), on a grid and at points, compiled.

A patch has 4 x 4 cells, and a cell has a histogram of gradients over 8 orientations. Each gradient is distributed by
linear interpolation over two orientations and up to four cells, so the window of a cell is a triangle down and across,
twice as wide as the cell. On a grid, a triangle is the convolution of two boxes, and sums over boxes are running sums.
Their cost does not depend on the side of a cell (the idea of vl_dsift; Vedaldi and Fulkerson 2008). Gradients on a grid
are integers, so that running sums are exact. The Gaussian weight of a patch (two cells wide) is taken at the centre of
each cell.
"""

import math

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.types import Indices

ORIENTATIONS = 8
SIZE = 128  # 4 x 4 x 8
GRADIENT_UNITS = 16  # integer units per grey level: 181 GRADIENT_UNITS LARGEST_CELL^4 lies below 2^31
CLIP = 0.2
SCALE = 512.0
CONTRAST = 0.5  # grey levels a pixel; the descriptor of a patch with a smaller mean gradient is zero
TINY = np.float32(1e-30)
ARCTANGENT = (0.9998660, -0.3302995, 0.1801410, -0.0851330, 0.0208351)
SERIES = tuple(np.float32(coefficient * 4.0 / math.pi) for coefficient in ARCTANGENT)  # in eighths of a turn

_PROFILE = np.exp(-0.5 * (np.array([-1.5, -0.5, 0.5, 1.5]) / 2.0) ** 2)
WEIGHTS = np.outer(_PROFILE, _PROFILE)  # Gaussian weights of the cells


def dense(image: NDArray[np.float32], rows: Indices, columns: Indices, cell: int) -> NDArray[np.uint8]:
    """Return the descriptors of patches on a grid.

    Parameters
    ----------
    image : ndarray of float32 (h, w)
        Grey levels from 0 to 255.
    rows, columns : ndarray of int (a,), (b,)
        First rows and first columns of the patches, see `grambench.features.points.reach`.
    cell : int
        Side of a cell in pixels.

    Returns
    -------
    ndarray of uint8 (a b, 128)
        Patches row by row. A vector has the cells row by row, and the orientations of a cell anticlockwise from the
        right.
    """
    vectors = np.empty((len(rows) * len(columns), SIZE), dtype=np.uint8)
    if not len(vectors):
        return vectors
    height, width = image.shape
    maps = _orientations(image).reshape(height, width * ORIENTATIONS)
    down = _boxes(_boxes(maps, cell), cell).reshape(-1, width, ORIENTATIONS)
    _gather(down, rows, columns, cell, WEIGHTS, vectors)
    return vectors


def at_points(image: NDArray[np.float32], points: Indices, cell: float) -> NDArray[np.uint8]:
    """Return the descriptors, as `dense` does, of patches around p points (row, column), (p, 2).

    The side of a cell need not be an integer. Gradients outside of the image are 0.
    """
    vectors = np.empty((len(points), SIZE), dtype=np.uint8)
    _at_points(image, points, cell, WEIGHTS, vectors)
    return vectors


@njit(cache=True)
def _gradient(image, y, x):  # type: ignore[no-untyped-def]
    """Return the magnitude in grey levels a pixel, the lower orientation and the upper one's share of the magnitude."""
    height, width = image.shape
    right = np.float32(0.5) * (image[y, min(x + 1, width - 1)] - image[y, max(x - 1, 0)])
    up = np.float32(0.5) * (image[max(y - 1, 0), x] - image[min(y + 1, height - 1), x])
    # A polynomial gives the angle in the first eighth of a turn; reflections give the others. It is faster than atan2.
    long, short = max(abs(right), abs(up)), min(abs(right), abs(up))
    angle = _arctangent(short / max(long, TINY))
    angle = angle if abs(up) <= abs(right) else np.float32(2.0) - angle
    angle = angle if right >= np.float32(0.0) else np.float32(4.0) - angle
    angle = angle if up >= np.float32(0.0) else np.float32(8.0) - angle
    lower = int(angle)
    magnitude = np.sqrt(right * right + up * up)
    return magnitude, lower % ORIENTATIONS, magnitude * (angle - np.float32(lower))


@njit(cache=True)
def _arctangent(ratio):  # type: ignore[no-untyped-def]
    """Return the angle of a tangent from 0 to 1, in eighths of a turn, within 2e-5 (Abramowitz and Stegun, 4.4.49)."""
    square = ratio * ratio
    value = SERIES[-1]
    for k in range(len(SERIES) - 2, -1, -1):
        value = value * square + SERIES[k]
    return value * ratio


@njit(cache=True)
def _orientations(image):  # type: ignore[no-untyped-def]
    """Return the gradients by orientation, int32 (h, w, 8), in units of 1 / GRADIENT_UNITS."""
    height, width = image.shape
    maps = np.zeros((height, width, ORIENTATIONS), dtype=np.int32)
    for y in range(height):
        for x in range(width):
            magnitude, lower, upper = _gradient(image, y, x)
            maps[y, x, lower] = int(np.float32(GRADIENT_UNITS) * (magnitude - upper) + np.float32(0.5))
            maps[y, x, (lower + 1) % ORIENTATIONS] = int(np.float32(GRADIENT_UNITS) * upper + np.float32(0.5))
    return maps


@njit(cache=True)
def _boxes(values, side):  # type: ignore[no-untyped-def]
    """Return the sums of each `side` successive rows, (n - side + 1, m) of (n, m)."""
    count, width = values.shape[0] - side + 1, values.shape[1]
    out = np.zeros((count, width), dtype=np.int32)
    for k in range(side):
        for x in range(width):
            out[0, x] += values[k, x]
    for y in range(1, count):
        target, before, entering, leaving = out[y], out[y - 1], values[y + side - 1], values[y - 1]
        # The difference comes first, so that no intermediate sum reaches 2^31.
        for x in range(width):
            target[x] = before[x] + (entering[x] - leaving[x])
    return out


@njit(cache=True)
def _gather(down, rows, columns, cell, weights, vectors):  # type: ignore[no-untyped-def]
    """Write the descriptors from gradients that are already summed down the windows of cells."""
    raw = np.empty((columns.size, 4, 4, ORIENTATIONS))
    for a in range(rows.size):
        for i in range(4):
            across = _boxes(_boxes(down[rows[a] + i * cell], cell), cell)
            for b in range(columns.size):
                for j in range(4):
                    for o in range(ORIENTATIONS):
                        raw[b, i, j, o] = across[columns[b] + j * cell, o]
        for b in range(columns.size):
            _finish(raw[b], weights, GRADIENT_UNITS * float(cell) ** 4, vectors[a * columns.size + b])


@njit(cache=True)
def _at_points(image, points, cell, weights, vectors):  # type: ignore[no-untyped-def]
    height, width = image.shape
    raw = np.empty((4, 4, ORIENTATIONS))
    for p in range(len(points)):
        row, column = points[p]
        raw[:] = 0.0
        for y in range(max(math.ceil(row - 2.5 * cell), 0), min(math.floor(row + 2.5 * cell), height - 1) + 1):
            for x in range(max(math.ceil(column - 2.5 * cell), 0), min(math.floor(column + 2.5 * cell), width - 1) + 1):
                magnitude, lower, upper = _gradient(image, y, x)
                high = (lower + 1) % ORIENTATIONS
                down, across = (y - row) / cell + 1.5, (x - column) / cell + 1.5
                for i in range(max(math.floor(down), 0), min(math.floor(down) + 1, 3) + 1):
                    for j in range(max(math.floor(across), 0), min(math.floor(across) + 1, 3) + 1):
                        share = (1.0 - abs(down - i)) * (1.0 - abs(across - j))
                        raw[i, j, lower] += share * (magnitude - upper)
                        raw[i, j, high] += share * upper
        _finish(raw, weights, cell**2, vectors[p])


@njit(cache=True)
def _finish(raw, weights, unit, vector):  # type: ignore[no-untyped-def]
    """Weight the cells, normalise, clip, normalise again and round; `unit` is the sum of one grey level over a cell."""
    total, square = 0.0, 0.0
    for i in range(4):
        for j in range(4):
            for o in range(ORIENTATIONS):
                raw[i, j, o] *= weights[i, j]
                total += raw[i, j, o]
                square += raw[i, j, o] ** 2
    # Normalising a patch without contrast would amplify its noise.
    if total < CONTRAST * unit * weights.sum():
        vector[:] = 0
        return
    most = CLIP * math.sqrt(square)
    clipped = 0.0
    for value in raw.flat:
        clipped += min(value, most) ** 2
    scale = SCALE / math.sqrt(clipped)
    for k, value in enumerate(raw.flat):
        vector[k] = min(int(min(value, most) * scale + 0.5), 255)
