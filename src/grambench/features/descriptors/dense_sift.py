"""DenseSift: SIFT on grids of several scales (Lowe 2004, IJCV 60; Guillaumin et al. 2010, CVPR, Section 4).

The image is smoothed for each side of cells by a sixth of it, as in PHOW (Bosch et al. 2007, as VLFeat has it).
Deviations: patches are upright; those of no contrast are zeros, and so one word (see `grambench.features.sift`).
"""

from dataclasses import dataclass

from grambench.features import sift
from grambench.features.gaussian import blur
from grambench.features.images import Pixels, grey
from grambench.features.points import DenseGrid, Local

SMOOTHING = 6.0  # side of a cell by the standard deviation


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(DenseGrid):
    """Parameters of DenseSift."""

    words: int = 1000


def local(parameters: Parameters, image: Pixels) -> Local:
    """Describe the points of all grids."""
    levels = grey(image)
    return parameters.describe(
        image.shape, lambda rows, columns, cell: sift.dense(blur(levels, cell / SMOOTHING), rows, columns, cell)
    )
