"""HSV: a joint histogram of hue, saturation and value (Guillaumin et al. 2010, CVPR, Section 4).

Each channel is a whole number from 0 to 255, as Pillow converts it; grey has hue 0. Deviation: as in `rgb`.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from grambench.features.colours import Parameters as Parameters
from grambench.features.colours import histograms
from grambench.features.images import Pixels


def describe(parameters: Parameters, image: Pixels) -> dict[str, NDArray[np.int32]]:
    """Return the counts, see `grambench.features.colours`."""
    return histograms(np.asarray(Image.fromarray(image).convert("HSV")))
