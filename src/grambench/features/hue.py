"""Robust hue histograms of patches (van de Weijer and Schmid 2006, ECCV, Section 3), compiled.

The hue is the angle of the opponent colours O1 = (R - G) / sqrt(2) and O2 = (R + G - 2 B) / sqrt(6), and the saturation
is their length. The uncertainty of a hue is inverse to its saturation, so each pixel is weighted by its saturation.
Bins are centred on the hues of pure colours. Weights are integers, so that sums are exact.

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
def patches(bins: Pixels, weights: Indices, corners: Indices, side: int) -> Pixels:
    """Return the hue histograms of square patches, clipped to the image.

    Parameters
    ----------
    bins, weights : ndarrays of int (h, w)
        Bins and weights of the pixels, from `hues`.
    corners : ndarray of int (p, 2)
        First row and first column of each patch, which may lie outside of the image.
    side : int
        Side of a patch in pixels.

    Returns
    -------
    ndarray of uint8 (p, 36)
        A histogram has norm 255, or is zero for a patch without colour.
    """
    height, width = bins.shape
    vectors = np.empty((len(corners), BINS), dtype=np.uint8)
    for p in range(len(corners)):
        top, left = corners[p]
        histogram = np.zeros(BINS, dtype=np.int32)
        for y in range(max(top, 0), min(top + side, height)):
            for x in range(max(left, 0), min(left + side, width)):
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
