"""Rule `describe`: one descriptor of one part of a base's images.

Input: the images of the base, and the codebook of a local descriptor.
"""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from grambench import features
from grambench.common import memory
from grambench.common.files import check
from grambench.datasets import collection, store
from grambench.datasets.store import Unavailable
from grambench.datasets.views import DescribedImages
from grambench.features import words
from grambench.features.images import decode
from grambench.pipeline.job import Job


def main(job: Job) -> None:
    """Write the descriptions of one part of the images, or why there are none."""
    memory.keep_freed()
    spec, output, made_from, (path, *codebook) = job.settings, job.output[0], job.made_from, job.input
    base = collection.read(path)
    if isinstance(base, Unavailable):
        store.write(output, base, made_from)
        return
    part, parts, name = spec["part"], spec["parts"], spec["descriptor"]
    if fault := features.fault(name):
        store.write(output, Unavailable(base.name, (f"descriptor {name} cannot be imported: {fault}",)), made_from)
        return
    indices = np.array_split(np.arange(len(base.paths)), parts)[part].tolist()
    paths = [base.paths[index] for index in indices]
    descriptor, parameters = features.load(name), features.parameters(name, spec["settings"])
    codewords = _read_words(codebook[0]) if codebook else None
    descriptions = []
    files = collection.files(path, indices)
    for image_path, data in zip(tqdm(paths, desc=name, leave=False, disable=None), files, strict=True):
        image = decode(data, image_path)
        if codewords is None:
            descriptions.append(descriptor.describe(parameters, image))
        else:
            descriptions.append(words.bag(descriptor.local(parameters, image), codewords))
    tables = {
        f"{name}_{layout}" if layout else name: _compress(np.stack([item[layout] for item in descriptions]))
        for layout in descriptions[0]
    }
    store.write(output, DescribedImages(base.name, paths, tables), made_from)


def _read_words(path: Path) -> NDArray[np.uint8]:
    """Return the words of a codebook."""
    with h5py.File(check(path), "r") as file:
        words: NDArray[np.uint8] = file["words"][:]
    return words


def _compress(values: NDArray[Any]) -> NDArray[Any]:
    """Return counts as 16-bit integers, and any other values in single precision."""
    if np.array_equal(values, np.clip(np.rint(values), 0, 2**16 - 1)):
        return values.astype(np.uint16)
    return values.astype(np.float32)
