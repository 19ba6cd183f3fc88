"""Joint histograms of three channels (Guillaumin et al. 2010, CVPR, Section 4)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Indices
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
    height = len(channels)
    bands = np.arange(height)[:, None] * BANDS // height
    return {"": _count(channels, BINS, 0, 1), "v3h1": _count(channels, BAND_BINS, bands, BANDS)}


def _count(channels: Pixels, bins: int, band: Indices | int, bands: int) -> NDArray[np.int32]:
    """Return a histogram in which the band varies slowest, then the first channel."""
    index: Any = band
    for c in range(3):
        index = index * bins + (channels[:, :, c].astype(np.int64) * bins >> 8)
    return np.bincount(index.ravel(), minlength=bands * bins**3).astype(np.int32)
