"""Gist: mean energies of Gabor filters in 4 x 4 blocks (Oliva and Torralba 2001, IJCV 42, Section 4).

Filters and contrast normalisation are those of the authors' LMgist as they describe them: log intensities, less their
local mean, by their local deviation (low-pass of 4 cycles an image); transfer functions
exp(-3.5 (f / f_s - 1)^2 - 2 pi theta^2), f_s = 0.3 / 1.85^s cycles a pixel. Deviations: the image is resized to a
square, not cropped; borders are mirrored by a sixteenth of its side; responses of coarse scales are computed of every
second or fourth pixel.
"""

import functools
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import fft

from grambench.common.parameters import Checked, whole
from grambench.common.types import Floats
from grambench.features.images import Pixels

Singles = NDArray[np.float32]
SCALES, ORIENTATIONS, BLOCKS = 4, 8, 4
FREQUENCY, RATIO = 0.3, 1.85  # frequency of the finest filter in cycles a pixel, and its ratio between scales
EVERY = (1, 1, 2, 4)  # subsampling of each scale; its filters pass at most 1e-4 of the frequencies that are lost
LOW_PASS = 4.0  # cycles an image at which the low-pass is one half
DEVIATION = 0.2  # added to the local deviation of log intensities, so that flat regions stay flat


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of Gist.

    Attributes
    ----------
    size : int
        Side in pixels to which an image is resized, a multiple of 64.
    """

    size: Annotated[int, whole(64, 1024)] = 256

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if self.size % 64:
            raise ValueError(f"size must be a multiple of 64, got {self.size}")


def describe(parameters: Parameters, image: Pixels) -> dict[str, Floats]:
    """Return the mean magnitudes, (512,): scale by scale from the finest, orientation by orientation, block by block.

    The first orientation is that of vertical stripes; the others follow as the wave's direction turns clockwise.
    """
    size, margin = parameters.size, parameters.size // 16
    resized = Image.fromarray(image).convert("L").resize((size, size), Image.Resampling.BILINEAR)
    padded = np.pad(np.log1p(np.asarray(resized, dtype=np.float32)), margin, mode="symmetric")
    low_pass, filters = _filters(len(padded), LOW_PASS * len(padded) / size)
    padded -= _smooth(padded, low_pass)
    padded /= np.float32(DEVIATION) + np.sqrt(np.abs(_smooth(padded**2, low_pass)))
    spectrum = fft.fft2(padded)
    energies = []
    for every, transfers in zip(EVERY, filters, strict=True):
        low, edge, side = _frequencies(len(padded), every), margin // every, size // BLOCKS // every
        passed = spectrum if every == 1 else spectrum[np.ix_(low, low)]
        # One filter after the other, since the arrays of all would not stay in a core's cache.
        for transfer in transfers:
            response = fft.ifft2(passed * transfer, overwrite_x=True)
            inside = np.abs(response[edge:-edge, edge:-edge]).reshape(BLOCKS, side, BLOCKS, side)
            energies.append(inside.mean(axis=(1, 3), dtype=np.float64).ravel())
    return {"": np.concatenate(energies)}


@functools.cache
def _filters(size: int, cycles: float) -> tuple[Singles, list[Singles]]:
    """Return the transfer functions of the low-pass, for real images, and of the filters, (8, n, n) a scale."""
    radius, _ = _polar(size, 1)
    low_pass = np.exp(-np.log(2.0) * (radius[:, : size // 2 + 1] * size / cycles) ** 2)
    filters = []
    for s, every in enumerate(EVERY):
        radius, angle = _polar(size, every)
        turned = angle - np.arange(ORIENTATIONS)[:, None, None] * (np.pi / ORIENTATIONS)
        theta = (turned + np.pi) % (2.0 * np.pi) - np.pi
        transfer = np.exp(-3.5 * (radius * RATIO**s / FREQUENCY - 1.0) ** 2 - 2.0 * np.pi * theta**2)
        # The mean of an image has no orientation.
        transfer[:, 0, 0] = 0.0
        filters.append((transfer / every**2).astype(np.float32))
    return low_pass.astype(np.float32), filters


def _frequencies(size: int, every: int) -> NDArray[np.int64]:
    """Return the indices in a spectrum of the frequencies that an image of every `every`-th pixel has."""
    return np.rint(fft.fftfreq(size // every, every / size)).astype(np.int64)


def _polar(size: int, every: int) -> tuple[Floats, Floats]:
    """Return the length, in cycles a pixel, and the angle of the frequencies of `_frequencies`, (n, n)."""
    x, y = np.meshgrid(*2 * [_frequencies(size, every) / size])
    return np.hypot(x, y), np.arctan2(y, x)


def _smooth(image: Singles, low_pass: Singles) -> Singles:
    return np.asarray(fft.irfft2(fft.rfft2(image) * low_pass, s=image.shape))
