"""Random points of the sphere, on land or on the sea."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from grambench.datasets.formats.reader import BATCH, ChunkedReader, Raw


class LandMask(ChunkedReader):
    """Points of the unit sphere, drawn at random, and whether they are on land (1) or on the sea (0).

    The file is a NumPy archive with an array `mask` on a grid of latitudes and longitudes, true on the sea.

    Attributes
    ----------
    rows : int
        The number of points.
    seed : int
        The seed of the points.
    """

    format: Literal["land_mask"]
    rows: Annotated[int, Field(ge=2)]
    seed: Annotated[int, Field(ge=0)]

    def chunks(self, path: Path) -> Iterator[Raw]:
        """Yield points of the unit sphere, drawn uniformly, with 1 on land and 0 on the sea.

        The file is a NumPy archive with an array `mask`, true on the sea, whose rows go from north to south and whose
        columns go east from 180 degrees west. It is unpacked row by row to one bit a cell.
        """
        with zipfile.ZipFile(path) as archive, archive.open("mask.npy") as stream:
            if np.lib.format.read_magic(stream) != (1, 0):
                raise ValueError("expected an array of NumPy's format 1.0")
            (height, width), by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
            if by_columns or dtype != np.bool_:
                raise ValueError(f"expected rows of booleans, got {dtype}")
            sea = np.empty((height, -(-width // 8)), dtype=np.uint8)
            for row in range(height):
                sea[row] = np.packbits(np.frombuffer(stream.read(width), dtype=np.bool_, count=width))
        rng = np.random.default_rng(self.seed)
        for start in range(0, self.rows, BATCH):
            z, turn = rng.uniform(-1.0, 1.0, BATCH), rng.uniform(0.0, 1.0, BATCH)
            rows = np.minimum((height * np.arccos(z) / np.pi).astype(np.intp), height - 1)
            columns = (width * turn).astype(np.intp)
            is_sea = sea[rows, columns // 8] >> (7 - columns % 8) & 1
            radius, longitude = np.sqrt(1.0 - z * z), 2.0 * np.pi * (turn - 0.5)
            # Rounded, because the last bits of sines differ between platforms.
            points = np.column_stack([radius * np.cos(longitude), radius * np.sin(longitude), z]).round(6)
            count = min(BATCH, self.rows - start)
            yield Raw(points[:count], 1.0 - is_sea[:count])
