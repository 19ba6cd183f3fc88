"""Joint histograms of three channels (Guillaumin et al. 2010, CVPR, Section 4), compiled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.features.images import Pixels

BINS_AND_BANDS = {"": (16, 1), "v3h1": (12, 3)}  # bins a channel and number of bands, by layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """No parameters."""


def histograms(channels: Pixels) -> dict[str, NDArray[np.int32]]:
    """Return the joint histogram of three channels, for each layout.

    Parameters
    ----------
    channels : ndarray of uint8 (h, w, 3)
        Any three channels.

    Returns
    -------
    dict of ndarray of int32
        "": (4096,), 16 bins a channel, the first channel slowest; "v3h1": (5184,), 12 bins in each of three bands.
    """
    counts = {}
    for layout, (bins, bands) in BINS_AND_BANDS.items():
        counts[layout] = np.zeros(bands * bins**3, dtype=np.int32)
        _count(channels, bins, bands, counts[layout])
    return counts


@njit(cache=True)
def _count(channels, bins, bands, counts):  # type: ignore[no-untyped-def]
    height, width, _ = channels.shape
    for y in range(height):
        band = y * bands // height
        for x in range(width):
            # The band varies slowest in the vector, then the first channel.
            index = band
            for c in range(3):
                index = index * bins + int(channels[y, x, c]) * bins // 256
            counts[index] += 1
