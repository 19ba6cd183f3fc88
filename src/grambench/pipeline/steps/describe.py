"""Rule `describe`: one descriptor of some of a base's images.

python -m grambench.pipeline.steps describe SPEC CODE OUTPUT IMAGES [CODEBOOK]
"""

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from grambench import features
from grambench.common.files import check
from grambench.common.provenance import made_from
from grambench.datasets import collection, views
from grambench.datasets.store import Unavailable
from grambench.datasets.views import Views
from grambench.features import words
from grambench.features.images import decode


def main(argv: list[str]) -> None:
    """Write the descriptions of one part of the images."""
    spec, output, path, *codebook = json.loads(argv[0]), *map(Path, argv[2:])
    identity = made_from(argv[0], argv[1], path, *codebook)
    known = collection.read(path)
    if isinstance(known, Unavailable):
        views.write(output, known, identity)
        return
    part, parts, name = spec["part"], spec["parts"], spec["descriptor"]
    if fault := features.fault(name):
        views.write(output, Unavailable(known.name, (f"descriptor {name} cannot be imported: {fault}",)), identity)
        return
    chosen = np.array_split(np.arange(len(known.paths)), parts)[part].tolist()
    paths = [known.paths[number] for number in chosen]
    descriptor, parameters = features.load(name), features.parameters(name, spec["settings"])
    book = _words(codebook[0]) if codebook else None
    described = []
    images = collection.files(path, chosen)
    for place, data in zip(tqdm(paths, desc=name, leave=False, disable=None), images, strict=True):
        image = decode(data, place)
        if book is None:
            described.append(descriptor.describe(parameters, image))
        else:
            described.append(words.bag(descriptor.local(parameters, image), book))
    found = {layout: np.stack([each[layout] for each in described]) for layout in described[0]}
    named = {f"{name}_{layout}" if layout else name: _small(values) for layout, values in found.items()}
    views.write(output, Views(known.name, paths, named), identity)


def _words(path: Path) -> NDArray[np.uint8]:
    check(path)
    with h5py.File(path, "r") as file:
        words: NDArray[np.uint8] = file["words"][:]
    return words


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Return counts as 16-bit numbers where they are such, and anything else in single precision."""
    if np.array_equal(values, np.clip(np.rint(values), 0, 2**16 - 1)):
        return values.astype(np.uint16)
    return values.astype(np.float32)
