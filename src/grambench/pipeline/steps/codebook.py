"""Rule `codebook`: the words of a local descriptor, from training images alone.

Input: the images of a base.
"""

import h5py
import numpy as np
from tqdm import tqdm

from grambench import features
from grambench.common import memory
from grambench.common.files import sealed
from grambench.datasets import collection
from grambench.datasets.store import Unavailable
from grambench.experiments.seeds import seeds
from grambench.features import words
from grambench.features.images import decode
from grambench.pipeline.job import Job

# the largest numbers of images, and of points of each image, that the words are computed from
IMAGES, POINTS = 300, 700


def main(job: Job) -> None:
    """Write the codebook; an empty file if the images are unavailable."""
    memory.keep_freed()
    spec, path = job.settings, job.input[0]
    name, images = spec["descriptor"], collection.read(path)
    with sealed(job.output[0], job.made_from) as temporary, h5py.File(temporary, "w") as file:
        if isinstance(images, Unavailable):
            return
        rng = np.random.default_rng(seeds(spec["seed"], f"{images.name}/{name}", 0)[0])
        descriptor, parameters = features.load(name), features.parameters(name, spec["settings"])
        train = np.flatnonzero(~images.test)
        selected = np.sort(rng.permutation(train)[:IMAGES])
        files, samples = collection.files(path, selected.tolist()), []
        for index, data in zip(tqdm(selected, desc=name, leave=False, disable=None), files, strict=True):
            vectors = descriptor.local(parameters, decode(data, images.paths[index])).vectors
            samples.append(vectors[np.sort(rng.permutation(len(vectors))[:POINTS])])
        file["words"] = words.codebook(np.concatenate(samples), parameters.words, rng)
