"""Robust hue histograms of patches (van de Weijer and Schmid 2006, ECCV, Section 3), compiled.

The hue is the angle of the opponent colours O1 = (R - G) / sqrt(2) and O2 = (R + G - 2 B) / sqrt(6), and the saturation
is their length. The uncertainty of a hue is inverse to its saturation, so each pixel is weighted by its saturation.
Bins are centred on the hues of pure colours. Weights are integers, so that running sums are exact.

Deviation: the paper weights the pixels of a patch by a Gaussian; here all pixels have equal weight.
"""

import math

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.types import Indices
from grambench.features.images import Pixels

BINS = 36
SATURATION_UNITS = 16  # integer units per unit of saturation


@njit(cache=True)
def hues(image: Pixels) -> tuple[Pixels, NDArray[np.int32]]:
    """Return the bin of each pixel's hue and its saturation in units of 1 / SATURATION_UNITS, (h, w) each."""
    height, width, _ = image.shape
    bins, weights = np.empty((height, width), dtype=np.uint8), np.empty((height, width), dtype=np.int32)
    for y in range(height):
        for x in range(width):
            # A hue does not change if the same is subtracted from all channels, here green.
            green = np.int32(image[y, x, 1])
            red, blue = float(np.int32(image[y, x, 0]) - green), float(np.int32(image[y, x, 2]) - green)
            first, second = red / math.sqrt(2.0), (red - 2.0 * blue) / math.sqrt(6.0)
            # A whole turn is added below, since `int` rounds negative numbers up and others down.
            turns = math.atan2(first, second) / (2.0 * math.pi)
            bins[y, x] = int((turns + 1.0) * BINS + 0.5) % BINS
            weights[y, x] = int(SATURATION_UNITS * math.sqrt(first * first + second * second) + 0.5)
    return bins, weights


@njit(cache=True)
def dense(bins: Pixels, weights: Indices, rows: Indices, columns: Indices, side: int) -> Pixels:
    """Return the hue histograms of square patches on a grid.

    Parameters
    ----------
    bins, weights : ndarrays of int (h, w)
        Bins and weights of the pixels, from `hues`.
    rows, columns : ndarray of int (a,), (b,)
        First rows and first columns of the patches, ascending.
    side : int
        Side of a patch in pixels.

    Returns
    -------
    ndarray of uint8 (a b, 36)
        Patches row by row. A histogram has norm 255, or is zero for a patch without colour.
    """
    width = bins.shape[1]
    vectors = np.empty((len(rows) * len(columns), BINS), dtype=np.uint8)
    # Running sums of integers: what leaves a patch is subtracted exactly, and the cost does not depend on its side.
    strip = np.zeros((width, BINS), dtype=np.int32)
    # Sums of the columns of the strip left of each column. They may wrap around, but their differences do not.
    sums = np.zeros((width + 1, BINS), dtype=np.int32)
    # The flat views add all bins in one loop, which vectorises.
    flat_strip, flat_sums = strip.ravel(), sums.ravel()
    histogram = np.empty(BINS, dtype=np.int32)
    begin = end = 0
    for a in range(rows.size):
        for y in range(end, rows[a] + side):
            for x in range(width):
                strip[x, bins[y, x]] += weights[y, x]
        for y in range(begin, rows[a]):
            for x in range(width):
                strip[x, bins[y, x]] -= weights[y, x]
        begin, end = rows[a], rows[a] + side
        for i in range(flat_strip.size):
            flat_sums[i + BINS] = flat_sums[i] + flat_strip[i]
        for b in range(columns.size):
            left, right = sums[columns[b]], sums[columns[b] + side]
            for k in range(BINS):
                histogram[k] = right[k] - left[k]
            _normalise(histogram, vectors[a * columns.size + b])
    return vectors


@njit(cache=True)
def at_points(bins: Pixels, weights: Indices, points: Indices, radius: int) -> Pixels:
    """Return the hue histograms of patches of side 2 radius + 1, clipped to the image, around points (p, 2)."""
    height, width = bins.shape
    vectors = np.empty((len(points), BINS), dtype=np.uint8)
    for p in range(len(points)):
        row, column = points[p]
        histogram = np.zeros(BINS, dtype=np.int32)
        for y in range(max(row - radius, 0), min(row + radius + 1, height)):
            for x in range(max(column - radius, 0), min(column + radius + 1, width)):
                histogram[bins[y, x]] += weights[y, x]
        _normalise(histogram, vectors[p])
    return vectors


@njit(cache=True)
def _normalise(histogram, vector):  # type: ignore[no-untyped-def]
    """Write a histogram with norm 255, rounded."""
    # Integers may be added in any order, so the sum vectorises. It is below 2^53, thus exact as a float.
    square = np.int64(0)
    for k in range(BINS):
        square += np.int64(histogram[k]) * np.int64(histogram[k])
    scale = 255.0 / math.sqrt(square) if square > 0 else 0.0
    for k in range(BINS):
        vector[k] = int(histogram[k] * scale + 0.5)
