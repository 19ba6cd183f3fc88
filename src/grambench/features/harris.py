"""Corners and their scales: the simplified Harris-Laplace detector (Mikolajczyk and Schmid 2004, IJCV 60, Section 3).

A point is a corner of a scale if its Harris measure is a local maximum among the eight neighbours, and its absolute
Laplacian is larger than at the next finer and the next coarser scale. Derivatives are taken at 1 / sqrt(2) of the scale
at which they are averaged (the paper: 0.7). Both scales then lie on one ladder of four scales an octave (a factor of
1.19; the paper: 1.2). After each octave the image is halved.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats
from grambench.features.gaussian import blur

SCALES = 4  # an octave
OCTAVES = 3
FINEST = 1.0  # scale in pixels of the finest derivatives
CAMERA = 0.5  # scale of the blur of an input image (Lowe 2004, Section 3.3)
ALPHA = 0.04  # weight of the squared trace
SMALLEST_OCTAVE = 16  # least side in pixels of the image of an octave


@dataclass(frozen=True, slots=True)
class Level:
    """The corners of one scale.

    Attributes
    ----------
    image : ndarray of float32 (h, w)
        The image of the octave, smoothed for derivatives.
    points : ndarray of int (p, 2)
        Rows and columns of the corners in the image of the octave.
    sigma : float
        The scale, in pixels of the octave.
    pixel : int
        Side of a pixel of the octave, in pixels of the input image.
    """

    image: NDArray[np.float32]
    points: NDArray[np.int64]
    sigma: float
    pixel: int

    def heights(self, height: int) -> Floats:
        """Return the distances of the points from the top, as fractions of the height of the input image."""
        return (self.points[:, 0] * self.pixel + 0.5) / height


def detect(image: NDArray[np.float32], threshold: float) -> Iterator[Level]:
    """Yield the corners of an image, scale by scale.

    Parameters
    ----------
    image : ndarray of float32 (h, w)
        Grey levels from 0 to 255.
    threshold : float
        Least Harris measure, in grey levels to the fourth.

    Yields
    ------
    Level
        The corners of one scale, from the finest to the coarsest.
    """
    ladder = [FINEST * 2.0 ** (k / SCALES) for k in range(SCALES + 3)]
    first = blur(image, math.sqrt(FINEST**2 - CAMERA**2))
    for octave in range(OCTAVES):
        if min(first.shape) < SMALLEST_OCTAVE:
            return
        images = [first, *(blur(first, math.sqrt(sigma**2 - FINEST**2)) for sigma in ladder[1:])]
        for k in range(SCALES):
            corners = _maxima(*_moments(images[k], ladder[k], ladder[k + 2]), threshold)
            finer, current, coarser = (
                _laplacian(images[j], np.float32(ladder[j] ** 2), corners) for j in range(k + 1, k + 4)
            )
            points = corners[(current > finer) & (current > coarser)]
            yield Level(images[k], points, ladder[k + 2], 2**octave)
        first = np.ascontiguousarray(images[SCALES][::2, ::2])


def _moments(image: NDArray[np.float32], fine: float, coarse: float) -> list[NDArray[np.float32]]:
    """Return the second moments xx, xy and yy of the derivatives, (h, w) each."""
    products = np.empty((3, *image.shape), dtype=np.float32)
    _products(image, np.float32(fine**2), products)
    return [blur(product, coarse) for product in products]


@njit(cache=True)
def _products(image, factor, products):  # type: ignore[no-untyped-def]
    """Write the products of derivatives; they are zero at the border, where corners are not searched."""
    height, width = image.shape
    products[:, 0], products[:, height - 1] = 0.0, 0.0
    products[:, :, 0], products[:, :, width - 1] = 0.0, 0.0
    for y in range(1, height - 1):
        above, row, below = image[y - 1], image[y], image[y + 1]
        for x in range(1, width - 1):
            across = np.float32(0.5) * (row[x + 1] - row[x - 1])
            down = np.float32(0.5) * (below[x] - above[x])
            products[0, y, x] = factor * across * across
            products[1, y, x] = factor * across * down
            products[2, y, x] = factor * down * down


@njit(cache=True)
def _maxima(xx, xy, yy, threshold):  # type: ignore[no-untyped-def]
    """Return the local maxima of the Harris measure, (p, 2), row by row; among equal neighbours the last counts."""
    height, width = xx.shape
    # Harris measures of the last three rows.
    above, row, below = np.empty((3, width), dtype=np.float32)
    is_maximum = np.zeros(width, dtype=np.bool_)
    maxima = []
    for y in range(height):
        above, row, below = row, below, above
        _measure(xx[y], xy[y], yy[y], below)
        if y < 2:
            continue
        # Without branches the comparisons vectorise, which saves more than leaving some of them out.
        for x in range(1, width - 1):
            value = row[x]
            # Comparisons differ by side, so that of two equal neighbours exactly one is a maximum.
            is_maximum[x] = (
                (value >= threshold)
                & (value >= row[x - 1])
                & (value > row[x + 1])
                & (value >= above[x - 1])
                & (value >= above[x])
                & (value >= above[x + 1])
                & (value > below[x - 1])
                & (value > below[x])
                & (value > below[x + 1])
            )
        for x in range(1, width - 1):
            if is_maximum[x]:
                maxima.append((y - 1, x))
    points = np.empty((len(maxima), 2), dtype=np.int64)
    for p, (y, x) in enumerate(maxima):
        points[p, 0], points[p, 1] = y, x
    return points


@njit(cache=True)
def _measure(xx, xy, yy, measure):  # type: ignore[no-untyped-def]
    """Write the Harris measures det - ALPHA trace^2 of a row."""
    for x in range(measure.size):
        trace = xx[x] + yy[x]
        measure[x] = xx[x] * yy[x] - xy[x] * xy[x] - np.float32(ALPHA) * (trace * trace)


@njit(cache=True)
def _laplacian(image, factor, points):  # type: ignore[no-untyped-def]
    """Return the absolute Laplacians at points, times a factor, (p,)."""
    values = np.empty(len(points), dtype=np.float32)
    for p in range(len(points)):
        y, x = points[p]
        neighbours = image[y - 1, x] + image[y + 1, x] + image[y, x - 1] + image[y, x + 1]
        values[p] = factor * abs(neighbours - np.float32(4.0) * image[y, x])
    return values
