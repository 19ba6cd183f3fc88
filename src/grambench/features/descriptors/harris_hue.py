"""HarrisHue: robust hue histograms at Harris-Laplace corners (van de Weijer and Schmid 2006, ECCV, Section 3).

Points and patches are those of `harris_sift`. Deviations: see `grambench.features.harris` and `grambench.features.hue`.
"""

from dataclasses import dataclass

from grambench.features import harris, hue
from grambench.features.images import Pixels, grey
from grambench.features.points import CELLS, MAGNIFICATION, Corners, Local


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Corners):
    """Parameters of HarrisHue."""

    words: int = 100


def local(parameters: Parameters, image: Pixels) -> Local:
    """Describe the corners, from the finest scale to the coarsest."""
    bins, weights = hue.hues(image)
    parts = []
    for level in harris.detect(grey(image), parameters.threshold):
        radius = round(0.5 * CELLS * MAGNIFICATION * level.sigma * level.pixel)
        vectors = hue.patches(bins, weights, level.points * level.pixel - radius, 2 * radius + 1)
        parts.append(Local(vectors, level.heights(len(image))))
    return Local.join(parts)
