"""Corners and their scales: the simplified Harris-Laplace detector (Mikolajczyk and Schmid 2004, IJCV 60, Section 3).

A point is a corner of a scale if its Harris measure is a local maximum among the eight neighbours, and its absolute
Laplacian is larger than at the next finer and the next coarser scale. Derivatives are taken at 1 / sqrt(2) of the scale
at which they are averaged (the paper: 0.7). Both scales then lie on one ladder of four scales an octave (a factor of
1.19; the paper: 1.2). After each octave the image is halved.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats
from grambench.features.gaussian import blur

Singles = NDArray[np.float32]
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

    image: Singles
    points: NDArray[np.int64]
    sigma: float
    pixel: int

    def heights(self, height: int) -> Floats:
        """Return the distances of the points from the top, as fractions of the height of the input image."""
        return (self.points[:, 0] * self.pixel + 0.5) / height


def detect(image: Singles, threshold: float) -> Iterator[Level]:
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
            corners = _maxima(_measure(images[k], ladder[k], ladder[k + 2]), threshold)
            finer, current, coarser = (_laplacian(images[j], ladder[j], corners) for j in range(k + 1, k + 4))
            points = corners[(current > finer) & (current > coarser)]
            yield Level(images[k], points, ladder[k + 2], 2**octave)
        first = np.ascontiguousarray(images[SCALES][::2, ::2])


def _measure(image: Singles, fine: float, coarse: float) -> Singles:
    """Return the Harris measures det - ALPHA trace^2 of the second moments of the derivatives, (h, w)."""
    # Derivatives are taken as zero at the border, where corners are not searched.
    across, down = np.zeros_like(image), np.zeros_like(image)
    across[1:-1, 1:-1] = np.float32(0.5) * (image[1:-1, 2:] - image[1:-1, :-2])
    down[1:-1, 1:-1] = np.float32(0.5) * (image[2:, 1:-1] - image[:-2, 1:-1])
    factor, pairs = np.float32(fine**2), ((across, across), (across, down), (down, down))
    xx, xy, yy = (blur(factor * first * second, coarse) for first, second in pairs)
    trace = xx + yy
    return np.asarray(xx * yy - xy * xy - np.float32(ALPHA) * (trace * trace))


def _maxima(measure: Singles, threshold: float) -> NDArray[np.int64]:
    """Return the local maxima of the Harris measure, (p, 2), row by row."""
    height, width = measure.shape
    inner = measure[1:-1, 1:-1]
    is_maximum = inner >= np.float64(threshold)
    for y, x in itertools.product((-1, 0, 1), repeat=2):
        neighbours = measure[1 + y : height - 1 + y, 1 + x : width - 1 + x]
        # Of two equal neighbours, the last is a maximum.
        if (y, x) < (0, 0):
            is_maximum &= inner >= neighbours
        elif (y, x) > (0, 0):
            is_maximum &= inner > neighbours
    return np.argwhere(is_maximum) + 1


def _laplacian(image: Singles, sigma: float, points: NDArray[np.int64]) -> Singles:
    """Return the absolute Laplacians at points, times sigma^2, (p,)."""
    y, x = points.T
    neighbours = image[y - 1, x] + image[y + 1, x] + image[y, x - 1] + image[y, x + 1]
    return np.asarray(np.float32(sigma**2) * np.abs(neighbours - np.float32(4.0) * image[y, x]))
