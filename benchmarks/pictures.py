"""Draw what each descriptor sees: an image with its points, its histogram, and the images nearest by it.

    python benchmarks/pictures.py docs/features

The images are the repository's own drawings, since those of the data sets may not be passed on. Distances are
chi-square ones of histograms with a sum of 1.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grambench import features
from grambench.datasets import drawings
from grambench.features import harris, words
from grambench.features.images import decode, grey
from grambench.features.points import reach, starts
from grambench.kernels import chi_square

COUNT, SEED, SHOWN, NEAREST = 90, 12, 1, 5
SETTINGS = {
    "dense_sift": {"words": 50, "cells": [4, 8]},
    "harris_sift": {"words": 50},
    "dense_hue": {"words": 30, "cells": [4, 8]},
    "harris_hue": {"words": 30},
}


def described(name, images):
    """Return the histograms of all images, in the first layout; of PHOG, in that of the second level."""
    descriptor, parameters = features.load(name), features.parameters(name, SETTINGS.get(name, {}))
    if not features.has_words(name):
        layout = "1" if name == "phog" else ""
        return np.stack([descriptor.describe(parameters, image)[layout] for image in images])
    points = [descriptor.local(parameters, image) for image in images]
    book = words.codebook(np.concatenate([each.vectors for each in points]), parameters.words, np.random.default_rng(0))
    return np.stack([words.bag(each, book)[""] for each in points])


def points_of(name, image):
    """Return (row, column, radius) of the points of a local descriptor: corners and scales, or the finest grid."""
    if not features.has_words(name):
        return []
    parameters = features.parameters(name, SETTINGS[name])
    if name.startswith("harris"):
        levels = harris.detect(grey(image), parameters.threshold)
        return [(*(level.pixel * point), level.pixel * level.sigma) for level in levels for point in level.points]
    cell = parameters.cells[0]
    rows, columns = (starts(length, cell, parameters.step) + reach(cell) / 2 for length in image.shape[:2])
    return [(row, column, 0.5) for row in rows for column in columns]


def draw(name, images, folder):
    """Draw one descriptor."""
    histograms = described(name, images).astype(np.float64)
    distances = chi_square.pairwise(histograms[[SHOWN]], histograms)[0]
    nearest = np.argsort(distances, kind="stable")[1 : NEAREST + 1]
    canvas = Figure(figsize=(9.3, 1.7), layout="constrained")
    axes = canvas.subplots(1, 2 + NEAREST, width_ratios=[1, 2.4, *[1] * NEAREST])
    axes[0].imshow(images[SHOWN])
    for row, column, radius in points_of(name, images[SHOWN]):
        axes[0].add_patch(Circle((column, row), radius, fill=False, color="#D55E00", linewidth=0.6))
    axes[0].set_title("image", fontsize=8)
    axes[1].vlines(np.arange(histograms.shape[1]), 0, histograms[SHOWN], color="#0072B2", linewidth=1.0)
    axes[1].set_title(f"{name}: {histograms.shape[1]} numbers", fontsize=8)
    axes[1].tick_params(labelsize=6)
    for place, other in zip(axes[2:], nearest, strict=True):
        place.imshow(images[other])
        place.set_title(f"{distances[other]:.2f}", fontsize=8)
    for place in [axes[0], *axes[2:]]:
        place.set_axis_off()
    canvas.savefig(folder / f"{name}.png", dpi=72)


def main(folder):
    """Draw all descriptors."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = drawings.listed(COUNT, 0).paths
    files = drawings.draw(paths, SEED)
    images = [decode(files[path], path) for path in paths]
    for name in features.names():
        draw(name, images, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
