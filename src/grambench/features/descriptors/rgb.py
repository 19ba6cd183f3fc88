"""RGB: a joint histogram of red, green and blue (Guillaumin et al. 2010, CVPR, Section 4).

Deviation: the paper does not say how many bins a channel has in three bands; 12 as in the features that its authors
published.
"""

import numpy as np
from numpy.typing import NDArray

from grambench.features.colours import Parameters as Parameters
from grambench.features.colours import histograms
from grambench.features.images import Pixels


def describe(parameters: Parameters, image: Pixels) -> dict[str, NDArray[np.int32]]:
    """Return the counts, see `grambench.features.colours`."""
    return histograms(image)
