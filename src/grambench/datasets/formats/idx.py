"""MNIST's binary format."""

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from grambench.datasets.formats.reader import FileName, Raw, Reader, numeric, read_content
from grambench.datasets.tables import MalformedFileError

IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


class Idx(Reader):
    """MNIST's binary format: arrays with their shape; an image becomes a row of pixels.

    Attributes
    ----------
    features, labels : list of str
        Names of files to be stacked; label files have one label per image.
    """

    format: Literal["idx"]
    features: Annotated[list[FileName], Field(min_length=1)]
    labels: Annotated[list[FileName], Field(min_length=1)]

    def read(self, files: dict[str, Path]) -> Raw:
        """Stack arrays of images and of labels."""
        images = np.concatenate([numeric(name, _idx(self, name, files[name]), 2) for name in self.features])
        labels = np.concatenate([numeric(name, _idx(self, name, files[name]), 1) for name in self.labels])
        return Raw(images, labels.astype(np.float64))


def _idx(reader: Reader, name: str, path: Path) -> NDArray[Any]:
    """Read an array: two zero bytes, the type, the number of axes, four bytes for the length of each, the values."""
    content = read_content(reader, path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES:
        got = content[:4].hex(" ") or "nothing"
        raise MalformedFileError([f"{name}: expected two zero bytes and a type, got {got}"])
    kind, axes = content[2:4]
    lengths, values = content[4 : 4 + 4 * axes], content[4 + 4 * axes :]
    shape = np.frombuffer(lengths[: len(lengths) // 4 * 4], ">u4").tolist()
    expected = math.prod((*shape, np.dtype(IDX_TYPES[kind]).itemsize))
    if len(shape) != axes or len(values) != expected:
        raise MalformedFileError([f"{name}: expected {expected} bytes of {axes} axes, got {len(values)}"])
    array = np.frombuffer(values, IDX_TYPES[kind]).reshape(shape)
    return array.reshape(len(array), -1) if axes > 2 else array
