"""DenseHue: robust hue histograms on grids of several scales (van de Weijer and Schmid 2006, ECCV, Section 3).

The points are those of `dense_sift`, and so are the patches, four cells wide. Deviation: see `grambench.features.hue`.
"""

from dataclasses import dataclass

import numpy as np

from grambench.common.types import Indices
from grambench.features import hue
from grambench.features.images import Pixels
from grambench.features.points import CELLS, DenseGrid, Local


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(DenseGrid):
    """Parameters of DenseHue."""

    words: int = 100


def local(parameters: Parameters, image: Pixels) -> Local:
    """Describe the points of all grids."""
    bins, weights = hue.hues(image)

    def describe(rows: Indices, columns: Indices, cell: int) -> Pixels:
        corners = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=2).reshape(-1, 2)
        return np.asarray(hue.patches(bins, weights, corners + cell // 2, CELLS * cell))

    return parameters.describe(image.shape, describe)
