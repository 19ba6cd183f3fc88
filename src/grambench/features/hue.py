"""Robust hue histograms of patches (van de Weijer and Schmid 2006, ECCV, Section 3), compiled.

The hue is the angle of the opponent colours O1 = (R - G) / sqrt(2) and O2 = (R + G - 2 B) / sqrt(6). It is the less
certain the less saturated a colour is, by just the inverse of the saturation, their length: so a pixel counts by its
saturation. Bins are centred on the hues of pure colours; weights are whole numbers, so that running sums are exact.

Deviation: the paper weights a patch by a Gaussian, here all its pixels count alike.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.features.images import Pixels

BINS = 36
FINE = 16  # units of saturation, in which it is counted


def hues(image: Pixels) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the bin of each pixel's hue and its saturation in units of 1 / FINE, (h, w) each."""
    bins, weights = np.empty(image.shape[:2], dtype=np.uint8), np.empty(image.shape[:2], dtype=np.int32)
    _hues(image, bins, weights)
    return bins, weights


def dense(
    bins: NDArray[np.uint8],
    weights: NDArray[np.int32],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    side: int,
) -> NDArray[np.uint8]:
    """Describe square patches on a grid.

    Parameters
    ----------
    bins, weights : ndarrays of int (h, w)
        Of `hues`.
    rows, columns : ndarray of int (a,), (b,)
        First rows and first columns of the patches, ascending.
    side : int
        Of a patch, in pixels.

    Returns
    -------
    ndarray of uint8 (a b, 36)
        Row by row; a histogram has length 255, or is zero where there is no colour.
    """
    vectors = np.empty((len(rows) * len(columns), BINS), dtype=np.uint8)
    _dense(bins, weights, rows, columns, side, vectors)
    return vectors


def at_points(
    bins: NDArray[np.uint8], weights: NDArray[np.int32], points: NDArray[np.int64], radius: int
) -> NDArray[np.uint8]:
    """Describe square patches, 2 radius + 1 wide, around p points (row, column), (p, 2): what lies in the image."""
    vectors = np.empty((len(points), BINS), dtype=np.uint8)
    _at_points(bins, weights, points, radius, vectors)
    return vectors


@njit(cache=True)
def _hues(image, bins, weights):  # type: ignore[no-untyped-def]
    height, width, _ = image.shape
    for y in range(height):
        for x in range(width):
            red, green, blue = float(image[y, x, 0]), float(image[y, x, 1]), float(image[y, x, 2])
            first, second = (red - green) / math.sqrt(2.0), (red + green - 2.0 * blue) / math.sqrt(6.0)
            # A whole turn is added below, since `int` rounds negative numbers up and others down.
            turns = math.atan2(first, second) / (2.0 * math.pi)
            bins[y, x] = int((turns + 1.0) * BINS + 0.5) % BINS
            weights[y, x] = int(FINE * math.sqrt(first * first + second * second) + 0.5)


@njit(cache=True)
def _dense(bins, weights, rows, columns, side, vectors):  # type: ignore[no-untyped-def]
    width = bins.shape[1]
    # Running sums of integers: what leaves a patch is subtracted exactly, and the cost does not depend on its side.
    strip = np.zeros((width, BINS), dtype=np.int32)
    begin = end = 0
    for a in range(rows.size):
        for y in range(end, rows[a] + side):
            for x in range(width):
                strip[x, bins[y, x]] += weights[y, x]
        for y in range(begin, rows[a]):
            for x in range(width):
                strip[x, bins[y, x]] -= weights[y, x]
        begin, end = rows[a], rows[a] + side
        histogram = np.zeros(BINS, dtype=np.int32)
        left = right = 0
        for b in range(columns.size):
            for x in range(right, columns[b] + side):
                histogram += strip[x]
            for x in range(left, columns[b]):
                histogram -= strip[x]
            left, right = columns[b], columns[b] + side
            _finish(histogram, vectors[a * columns.size + b])


@njit(cache=True)
def _at_points(bins, weights, points, radius, vectors):  # type: ignore[no-untyped-def]
    height, width = bins.shape
    for p in range(len(points)):
        row, column = points[p]
        histogram = np.zeros(BINS, dtype=np.int32)
        for y in range(max(row - radius, 0), min(row + radius + 1, height)):
            for x in range(max(column - radius, 0), min(column + radius + 1, width)):
                histogram[bins[y, x]] += weights[y, x]
        _finish(histogram, vectors[p])


@njit(cache=True)
def _finish(histogram, vector):  # type: ignore[no-untyped-def]
    square = 0.0
    for k in range(BINS):
        square += float(histogram[k]) ** 2
    scale = 255.0 / math.sqrt(square) if square > 0.0 else 0.0
    for k in range(BINS):
        vector[k] = int(histogram[k] * scale + 0.5)
