"""Random images of coloured stripes and dots, for a demonstration that needs no download.

Each image depends only on a seed and its own number, and can be drawn alone.
"""

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grambench.datasets.formats.images import Listed

SIDE = 96  # pixels
WORDS = ("stripes", "dots")


def listed(train: int, test: int) -> Listed:
    """Return a list of training and test images, which have the two words in turn."""
    total = train + test
    paths = [f"{number:04d}.png" for number in range(total)]
    return Listed(paths, [frozenset([WORDS[number % 2]]) for number in range(total)], np.arange(total) >= train)


def draw(paths: Sequence[str], seed: int) -> dict[str, bytes]:
    """Return the images of some paths as PNG files."""
    from PIL import Image

    files = {}
    for path in paths:
        number = int(path.removesuffix(".png"))
        stream = io.BytesIO()
        Image.fromarray(_draw(WORDS[number % 2], np.random.default_rng([seed, number]))).save(stream, "png")
        files[path] = stream.getvalue()
    return files


def _draw(word: str, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return stripes, or dots on a grid, of a random period, direction, phase and pair of colours, with noise."""
    rows, columns = np.mgrid[:SIDE, :SIDE]
    angle, period, phase = rng.uniform(0, np.pi), rng.uniform(8, 20), rng.uniform(0, 2 * np.pi, 2)
    across = np.cos(2 * np.pi * (np.cos(angle) * columns + np.sin(angle) * rows) / period + phase[0])
    along = np.cos(2 * np.pi * (np.cos(angle) * rows - np.sin(angle) * columns) / period + phase[1])
    shape = across > 0.3 if word == "stripes" else across + along > 0.8
    colours = rng.uniform(0, 255, (2, 3))
    noise = rng.normal(0, 20, (SIDE, SIDE, 3))
    return np.clip(np.where(shape[..., None], *colours) + noise, 0, 255).astype(np.uint8)
