"""From the bytes of an image file to its pixels."""

import io
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from grambench.common.errors import DataError

Pixels = NDArray[np.uint8]  # (h, w, 3): red, green, blue
FORMATS = ("JPEG", "PNG")  # those of the data sets; Pillow hands others, as EPS, to programs such as Ghostscript
SMALLEST = 16  # pixels of a side
LARGEST = 50_000_000  # pixels, far beyond any photograph of the data sets: a decompression bomb


def decode(data: bytes, name: str) -> Pixels:
    """Decode an image; a grey one gets three equal channels, and a note that it is to be turned is not followed.

    Parameters
    ----------
    data : bytes
        The content of a JPEG or PNG file.
    name : str
        What errors call the image.

    Returns
    -------
    ndarray of uint8 (h, w, 3)
        Red, green, blue.

    Raises
    ------
    DataError
        If the bytes are not such an image or a part of one, or it is of other channels, too small or too large.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # below is a narrower limit
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError:
        raise DataError(f"{name}: expected at most {LARGEST} pixels, got more than Pillow opens") from None
    except Exception:  # a decoder may raise anything at bytes that are not its format's
        raise DataError(f"{name}: expected a JPEG or PNG image, got {len(data)} bytes of another kind") from None
    width, height = image.size
    if image.mode not in ("RGB", "L"):
        raise DataError(f"{name}: expected an image of mode RGB or L, got {image.mode}")
    if min(width, height) < SMALLEST:
        raise DataError(f"{name}: expected at least {SMALLEST} x {SMALLEST} pixels, got {width} x {height}")
    if width * height > LARGEST:
        raise DataError(f"{name}: expected at most {LARGEST} pixels, got {width} x {height}")
    try:
        return np.array(image.convert("RGB"))
    except Exception as error:
        raise DataError(f"{name}: expected a whole image, got a damaged one ({error})") from None


def grey(image: Pixels) -> NDArray[np.float32]:
    """Return the luma of an image (ITU-R BT.601) in grey levels, (h, w)."""
    red, green, blue = np.moveaxis(image.astype(np.int32), 2, 0)
    levels: NDArray[np.float32] = ((299 * red + 587 * green + 114 * blue) / 1000).astype(np.float32)
    return levels
