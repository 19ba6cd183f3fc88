"""SIFT descriptors of upright patches (Lowe 2004, IJCV 60, Section 6), on a grid and at points, compiled.

A patch has 4 x 4 cells, and a cell has a histogram of gradients over 8 orientations. Each gradient is distributed by
linear interpolation over two orientations and up to four cells, so the window of a cell is a triangle down and across,
twice as wide as the cell. On a grid, a triangle is the convolution of two boxes, and a sum over it is a second
difference of running sums of running sums. Its cost does not depend on the side of a cell (the idea of vl_dsift;
Vedaldi and Fulkerson 2008). Gradients on a grid are integers, so that these sums are exact. The Gaussian weight of a
patch (two cells wide) is taken at the centre of each cell.
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
_GAUSSIAN = np.outer(_PROFILE, _PROFILE)
WEIGHTS = np.repeat(_GAUSSIAN, ORIENTATIONS)  # of the orientations of each cell
LEAST = CONTRAST * sum(_GAUSSIAN.ravel().tolist())  # sum of weighted cells, by the sum of one grey level over a cell


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
    if len(vectors):
        _dense(_sum_down(*_gradients(image)), rows, columns, cell, WEIGHTS, vectors)
    return vectors


def at_points(image: NDArray[np.float32], points: Indices, cell: float) -> NDArray[np.uint8]:
    """Return the descriptors, as `dense` does, of patches around p points (row, column), (p, 2).

    The side of a cell need not be an integer. Gradients outside of the image are 0.
    """
    vectors = np.empty((len(points), SIZE), dtype=np.uint8)
    if len(vectors):
        _at_points(*_gradients(image), points, cell, WEIGHTS, vectors)
    return vectors


# Python's error model would check each division, and the loop over pixels would not vectorise.
@njit(cache=True, error_model="numpy")
def _gradients(image):  # type: ignore[no-untyped-def]
    """Return the lower orientations, the magnitudes that they get, and those that the upper ones get, each (h, w)."""
    height, width = image.shape
    lowers = np.empty((height, width), dtype=np.int32)
    rests, uppers = np.empty_like(image), np.empty_like(image)
    padded = np.empty(width + 2, dtype=np.float32)
    for y in range(height):
        # The outermost pixels are repeated beyond the border, so that the loop needs no bounds.
        for x in range(width):
            padded[x + 1] = image[y, x]
        padded[0], padded[width + 1] = image[y, 0], image[y, width - 1]
        before, after, above, below = padded[:-2], padded[2:], image[max(y - 1, 0)], image[min(y + 1, height - 1)]
        for x in range(width):
            right, up = np.float32(0.5) * (after[x] - before[x]), np.float32(0.5) * (above[x] - below[x])
            # A polynomial gives the angle in the first eighth of a turn; reflections give the others. It is faster
            # than atan2.
            long, short = max(abs(right), abs(up)), min(abs(right), abs(up))
            angle = _arctangent(short / max(long, TINY))
            angle = angle if abs(up) <= abs(right) else np.float32(2.0) - angle
            angle = angle if right >= np.float32(0.0) else np.float32(4.0) - angle
            angle = angle if up >= np.float32(0.0) else np.float32(8.0) - angle
            lower = np.int32(angle)
            magnitude = np.sqrt(right * right + up * up)
            upper = magnitude * (angle - np.float32(lower))
            lowers[y, x], rests[y, x], uppers[y, x] = lower % ORIENTATIONS, magnitude - upper, upper
    return lowers, rests, uppers


@njit(cache=True)
def _arctangent(ratio):  # type: ignore[no-untyped-def]
    """Return the angle of a tangent from 0 to 1, in eighths of a turn, within 2e-5 (Abramowitz and Stegun, 4.4.49)."""
    square = ratio * ratio
    value = SERIES[-1]
    for k in range(len(SERIES) - 2, -1, -1):
        value = value * square + SERIES[k]
    return value * ratio


@njit(cache=True)
def _sum_down(lowers, rests, uppers):  # type: ignore[no-untyped-def]
    """Return running sums of running sums down the image, (h + 2, 8 w), by orientation, in 1 / GRADIENT_UNITS.

    Row y has the sum, over all y' < y, of the gradients above row y'. In a tall image it may wrap around at 2^32, and
    second differences below 2^31 are still exact.
    """
    height, width = lowers.shape
    sums = np.zeros(ORIENTATIONS * width, dtype=np.int32)
    twice = np.zeros((height + 2, ORIENTATIONS * width), dtype=np.int32)
    unit, half = np.float32(GRADIENT_UNITS), np.float32(0.5)
    for y in range(height):
        lower, rest, upper = lowers[y], rests[y], uppers[y]
        for x in range(width):
            sums[ORIENTATIONS * x + lower[x]] += np.int32(unit * rest[x] + half)
            sums[ORIENTATIONS * x + (lower[x] + 1) % ORIENTATIONS] += np.int32(unit * upper[x] + half)
        before, after = twice[y + 1], twice[y + 2]
        for k in range(sums.size):
            after[k] = before[k] + sums[k]
    return twice


@njit(cache=True)
def _dense(twice, rows, columns, cell, weights, vectors):  # type: ignore[no-untyped-def]
    """Write the descriptors of a grid from the result of `_sum_down`."""
    size, side = twice.shape[1], ORIENTATIONS * cell
    down = np.zeros(size + ORIENTATIONS, dtype=np.int32)
    # Down and across are runs over whole rows, in which the orientations of a pixel are neighbours: both vectorise.
    once, across = np.zeros(size + 2 * ORIENTATIONS, dtype=np.int64), np.zeros(size + 2 * ORIENTATIONS, dtype=np.int64)
    cells = np.empty((columns.size, SIZE))
    for a in range(rows.size):
        for i in range(4):
            y = rows[a] + i * cell
            first, second, third = twice[y], twice[y + cell], twice[y + 2 * cell]
            for k in range(size):
                down[k] = (third[k] - second[k]) - (second[k] - first[k])
            for k in range(size + ORIENTATIONS):
                across[k + ORIENTATIONS] = across[k] + once[k]
                once[k + ORIENTATIONS] = once[k] + down[k]
            for b in range(columns.size):
                for j in range(4):
                    x = ORIENTATIONS * (columns[b] + j * cell)
                    for o in range(ORIENTATIONS):
                        middle = across[x + side + o]
                        cells[b, ORIENTATIONS * (4 * i + j) + o] = (across[x + 2 * side + o] - middle) - (
                            middle - across[x + o]
                        )
        part = vectors[a * columns.size : (a + 1) * columns.size]
        _finish(cells, weights, GRADIENT_UNITS * float(cell) ** 4, part)


@njit(cache=True)
def _at_points(lowers, rests, uppers, points, cell, weights, vectors):  # type: ignore[no-untyped-def]
    """Write the descriptors of points from the result of `_gradients`."""
    height, width = lowers.shape
    radius = math.ceil(2.5 * cell) - 1
    # A pixel's shares in a cell and the next one across depend on its distance from the point only.
    cells, shares = np.empty(2 * radius + 1, dtype=np.int64), np.empty((2, 2 * radius + 1))
    for k in range(2 * radius + 1):
        across = (k - radius) / cell + 1.5
        j = min(math.floor(across), 3)
        cells[k], shares[0, k], shares[1, k] = j + 1, 1.0 - abs(across - j), 1.0 - abs(across - (j + 1))
    raw = np.empty((len(points), SIZE))
    for p in range(len(points)):
        row, column = points[p, 0], points[p, 1]
        # A cell on either side, whose sums are not used, saves the comparisons of the innermost loop.
        sums = np.zeros((4, 6, ORIENTATIONS))
        start, stop = max(column - radius, 0), min(column + radius + 1, width)
        offset = start - column + radius
        for y in range(max(row - radius, 0), min(row + radius + 1, height)):
            lower, rest, upper = lowers[y, start:stop], rests[y, start:stop], uppers[y, start:stop]
            down = (y - row) / cell + 1.5
            for i in range(max(math.floor(down), 0), min(math.floor(down) + 1, 3) + 1):
                share = 1.0 - abs(down - i)
                for x in range(stop - start):
                    k = cells[x + offset]
                    left, right = share * shares[0, x + offset], share * shares[1, x + offset]
                    low, high = lower[x], (lower[x] + 1) % ORIENTATIONS
                    sums[i, k, low] += left * rest[x]
                    sums[i, k, high] += left * upper[x]
                    sums[i, k + 1, low] += right * rest[x]
                    sums[i, k + 1, high] += right * upper[x]
        for i in range(4):
            for j in range(4):
                for o in range(ORIENTATIONS):
                    raw[p, ORIENTATIONS * (4 * i + j) + o] = sums[i, j + 1, o]
    _finish(raw, weights, cell**2, vectors)


@njit(cache=True)
def _finish(raw, weights, unit, vectors):  # type: ignore[no-untyped-def]
    """Weight the cells, normalise, clip, normalise again and round; `unit` is the sum of one grey level over a cell."""
    count = len(raw)
    # The transpose lets sums, whose order of additions is fixed, vectorise over patches.
    weighted = np.empty((SIZE, count))
    for p in range(count):
        for k in range(SIZE):
            weighted[k, p] = raw[p, k] * weights[k]
    total, square, clipped, most = np.zeros(count), np.zeros(count), np.zeros(count), np.empty(count)
    for k in range(SIZE):
        for p in range(count):
            total[p] += weighted[k, p]
            square[p] += weighted[k, p] ** 2
    for p in range(count):
        most[p] = CLIP * math.sqrt(square[p])
    for k in range(SIZE):
        for p in range(count):
            clipped[p] += min(weighted[k, p], most[p]) ** 2
    # Normalising a patch without contrast would amplify its noise.
    for p in range(count):
        scale = SCALE / math.sqrt(clipped[p]) if total[p] >= LEAST * unit else 0.0
        for k in range(SIZE):
            vectors[p, k] = min(int(min(weighted[k, p], most[p]) * scale + 0.5), 255)
