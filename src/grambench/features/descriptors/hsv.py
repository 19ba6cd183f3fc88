"""HSV: a joint histogram of hue, saturation and value (Guillaumin et al. 2010, CVPR, Section 4).

Each channel is a whole number from 0 to 255, as Pillow converts it; grey has hue 0. Deviation: as in `rgb`.
"""

import functools

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from grambench.common.lazy_numba import njit
from grambench.features.colours import Parameters as Parameters
from grambench.features.colours import histograms
from grambench.features.images import Pixels


def describe(parameters: Parameters, image: Pixels) -> dict[str, NDArray[np.int32]]:
    """Return the counts, see `grambench.features.colours`."""
    channels = np.empty_like(image)
    _convert(image, *_tables(), channels)
    return histograms(channels)


@functools.cache
def _tables() -> tuple[Pixels, Pixels]:
    """Return Pillow's hues by R - G + 255 and G - B + 255, (511, 511), and its saturations by max and min, (256, 256).

    The hue depends on differences of channels alone, and the saturation on the largest and the smallest channel.
    """
    # One colour for each pair of differences; where a channel exceeds 255, no colour has them.
    red_less_green, blue_less_green = np.mgrid[-255:256, 255:-256:-1]
    green = np.maximum(np.maximum(-red_less_green, -blue_less_green), 0)
    colours = np.stack((green + red_less_green, green, green + blue_less_green), axis=2).astype(np.uint8)
    largest, smallest = np.mgrid[:256, :256].astype(np.uint8)
    greens = np.stack((smallest, largest, smallest), axis=2)
    hues, saturations = (np.asarray(Image.fromarray(table).convert("HSV")) for table in (colours, greens))
    return np.ascontiguousarray(hues[:, :, 0]), np.ascontiguousarray(saturations[:, :, 1])


@njit(cache=True)
def _convert(image, hues, saturations, channels):  # type: ignore[no-untyped-def]
    height, width, _ = image.shape
    for y in range(height):
        for x in range(width):
            red, green, blue = np.int32(image[y, x, 0]), np.int32(image[y, x, 1]), np.int32(image[y, x, 2])
            largest = max(red, green, blue)
            channels[y, x, 0] = hues[red - green + 255, green - blue + 255]
            channels[y, x, 1] = saturations[largest, min(red, green, blue)]
            channels[y, x, 2] = largest
