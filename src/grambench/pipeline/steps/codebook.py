"""Rule `codebook`: the words of a local descriptor, from training images only.

python -m grambench.pipeline.steps codebook SPEC CODE OUTPUT IMAGES
"""

import json
from pathlib import Path

import h5py
import numpy as np
from tqdm import tqdm

from grambench import features
from grambench.common.files import sealed
from grambench.common.provenance import made_from
from grambench.datasets import collection
from grambench.datasets.store import Unavailable
from grambench.experiments.seeds import seeds
from grambench.features import words
from grambench.features.images import decode

IMAGES, POINTS = 300, 700  # at most, and of each of them, that words are made of


def main(argv: list[str]) -> None:
    """Write the codebook; an empty file of that name where the images are not to be had."""
    spec, output, path = json.loads(argv[0]), Path(argv[2]), Path(argv[3])
    name, known = spec["descriptor"], collection.read(path)
    with sealed(output, made_from(argv[0], argv[1], path)) as temporary, h5py.File(temporary, "w") as file:
        if isinstance(known, Unavailable):
            return
        rng = np.random.default_rng(seeds(spec["seed"], f"{known.name}/{name}", 0)[0])
        descriptor, parameters = features.load(name), features.parameters(name, spec["settings"])
        training = np.flatnonzero(~known.test)
        chosen = np.sort(rng.permutation(training)[:IMAGES])
        files, samples = collection.files(path, chosen.tolist()), []
        for number, data in zip(tqdm(chosen, desc=name, leave=False, disable=None), files, strict=True):
            vectors = descriptor.local(parameters, decode(data, known.paths[number])).vectors
            samples.append(vectors[np.sort(rng.permutation(len(vectors))[:POINTS])])
        file["words"] = words.codebook(np.concatenate(samples), parameters.words, rng)
