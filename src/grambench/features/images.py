"""Decoding of image files, and grey levels."""

import io
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from grambench.common.errors import DataError

Pixels = NDArray[np.uint8]  # an image (h, w, 3): red, green, blue; or another array of bytes
FORMATS = ("JPEG", "PNG")  # formats of the data sets; Pillow runs programs such as Ghostscript for others
SMALLEST_SIDE = 16  # pixels
MOST_PIXELS = 50_000_000  # more than any photograph of the data sets has: a decompression bomb


def decode(data: bytes, name: str) -> Pixels:
    """Decode an image; a grey image gets three equal channels, and orientation tags are ignored.

    Parameters
    ----------
    data : bytes
        The content of a JPEG or PNG file.
    name : str
        The name of the image in errors.

    Returns
    -------
    ndarray of uint8 (h, w, 3)
        Red, green, blue.

    Raises
    ------
    DataError
        If the bytes are not a complete JPEG or PNG image, or the image has other channels, or is too small or large.
    """
    try:
        with warnings.catch_warnings():
            # The limit below is narrower.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError:
        raise DataError(f"{name}: expected at most {MOST_PIXELS} pixels, got more than Pillow opens") from None
    # A decoder may raise any exception for bytes of another format.
    except Exception:
        raise DataError(f"{name}: expected a JPEG or PNG image, got {len(data)} bytes of another kind") from None
    width, height = image.size
    if image.mode not in ("RGB", "L"):
        raise DataError(f"{name}: expected an image of mode RGB or L, got {image.mode}")
    if min(width, height) < SMALLEST_SIDE:
        raise DataError(f"{name}: expected at least {SMALLEST_SIDE} x {SMALLEST_SIDE} pixels, got {width} x {height}")
    if width * height > MOST_PIXELS:
        raise DataError(f"{name}: expected at most {MOST_PIXELS} pixels, got {width} x {height}")
    try:
        return np.array(image.convert("RGB"))
    except Exception as error:
        raise DataError(f"{name}: expected a whole image, got a damaged one ({error})") from None


def grey(image: Pixels) -> NDArray[np.float32]:
    """Return the luma of an image (ITU-R BT.601) in grey levels, (h, w)."""
    red, green, blue = np.moveaxis(image.astype(np.int32), 2, 0)
    return np.asarray((299 * red + 587 * green + 114 * blue) / 1000, dtype=np.float32)
