"""Joint histograms of three channels (Guillaumin et al. 2010, CVPR, Section 4), compiled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.features.images import Pixels

BINS = 16  # a channel, over the whole image
BAND_BINS, BANDS = 12, 3  # bins a channel, in each of the horizontal bands of the layout v3h1


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
    counts = {"": np.zeros(BINS**3, dtype=np.int32), "v3h1": np.zeros(BANDS * BAND_BINS**3, dtype=np.int32)}
    _count(channels, counts[""], counts["v3h1"])
    return counts


@njit(cache=True)
def _count(channels, counts, band_counts):  # type: ignore[no-untyped-def]
    height, width, _ = channels.shape
    for y in range(height):
        band = y * BANDS // height
        for x in range(width):
            # The band varies slowest in the vector, then the first channel.
            index, band_index = 0, band
            for c in range(3):
                value = int(channels[y, x, c])
                index = index * BINS + (value * BINS >> 8)
                band_index = band_index * BAND_BINS + (value * BAND_BINS >> 8)
            counts[index] += 1
            band_counts[band_index] += 1
