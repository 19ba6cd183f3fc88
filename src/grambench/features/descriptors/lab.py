"""Lab: a joint histogram of CIE L*, a* and b* (Guillaumin et al. 2010, CVPR, Section 4).

Pixels are taken as sRGB under D65 (IEC 61966-2-1). L* from 0 to 100 becomes a whole number from 0 to 255, a* and b*
are rounded and moved by 128, the usual eight bits. Deviation: as in `rgb`.
"""

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.features.colours import Parameters as Parameters
from grambench.features.colours import histograms
from grambench.features.images import Pixels

SRGB = np.arange(256) / 255.0
LINEAR = np.where(SRGB <= 0.04045, SRGB / 12.92, ((SRGB + 0.055) / 1.055) ** 2.4)
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
TO_XYZ /= TO_XYZ.sum(axis=1, keepdims=True)  # by the white of D65
LINEAR_PART = (6.0 / 29.0) ** 3  # below which the cube root is replaced by a line


def describe(parameters: Parameters, image: Pixels) -> dict[str, NDArray[np.int32]]:
    """Return the counts, see `grambench.features.colours`."""
    return histograms(convert(image))


def convert(image: Pixels) -> Pixels:
    """Return L*, a* and b* as eight bits each, (h, w, 3)."""
    out = np.empty_like(image)
    _convert(image, LINEAR, TO_XYZ, out)
    return out


@njit(cache=True)
def _convert(image, linear, to_xyz, out):  # type: ignore[no-untyped-def]
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            red, green, blue = linear[image[y, x, 0]], linear[image[y, x, 1]], linear[image[y, x, 2]]
            first = _root(to_xyz[0, 0] * red + to_xyz[0, 1] * green + to_xyz[0, 2] * blue)
            second = _root(to_xyz[1, 0] * red + to_xyz[1, 1] * green + to_xyz[1, 2] * blue)
            third = _root(to_xyz[2, 0] * red + to_xyz[2, 1] * green + to_xyz[2, 2] * blue)
            # The whole parts are the eight bits.
            out[y, x, 0] = int((116.0 * second - 16.0) * 2.55 + 0.5)
            out[y, x, 1] = int(500.0 * (first - second) + 128.5)
            out[y, x, 2] = int(200.0 * (second - third) + 128.5)


@njit(cache=True)
def _root(part):  # type: ignore[no-untyped-def]
    return np.cbrt(part) if part > LINEAR_PART else part / (3.0 * (6.0 / 29.0) ** 2) + 4.0 / 29.0
