"""HarrisSift: SIFT at Harris-Laplace corners (Mikolajczyk and Schmid 2004; Lowe 2004; both IJCV 60).

A cell is three times the scale of its point wide; gradients are those of the image in which the corner was found.
Deviations: patches are upright; otherwise see `grambench.features.harris` and `grambench.features.sift`.
"""

from dataclasses import dataclass

from grambench.features import harris, sift
from grambench.features.images import Pixels, grey
from grambench.features.points import MAGNIFICATION, Corners, Local


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Corners):
    """Parameters of HarrisSift."""

    words: int = 1000


def local(parameters: Parameters, image: Pixels) -> Local:
    """Describe the corners, from the finest scale to the coarsest."""
    parts = [
        Local(sift.at_points(level.image, level.points, MAGNIFICATION * level.sigma), level.heights(len(image)))
        for level in harris.detect(grey(image), parameters.threshold)
    ]
    return Local.join(parts)
