"""Whether other grids would make DenseSift's words better: accuracies within the training images of OKS's tasks.

    python benchmarks/grids.py results [BASE]

For each step and cells: four times five-fold cross-validation of a machine on the chi-square kernel of the words, whole
and in bands, at the best of four values of C; the mean over the tasks of a base. No test image is looked at, so that a
better grid could be taken. Needs `results/images` and `results/datasets`, such as `snakemake --config 'studies=[oks]'`
leaves them.
"""

import sys
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

from grambench.datasets import collection, store
from grambench.experiments.seeds import seeds
from grambench.features import words
from grambench.features.descriptors import dense_sift
from grambench.features.images import decode
from grambench.kernels import chi_square
from grambench.pipeline.steps.codebook import IMAGES, POINTS

GRIDS = {  # the study's first
    "pascal07": [(8, (4, 6, 8, 10)), (8, (4, 8, 12, 16)), (8, (4, 6, 8, 12, 16)), (6, (4, 6, 8, 10))],
    "corel5k": [(4, (4, 6, 8)), (4, (4, 8, 12)), (4, (4, 6, 8, 10)), (3, (4, 6, 8))],
}
COSTS = (1, 4, 16, 64)


def tasks(results, base, known):
    """Yield the name of each task of a base, the places of its training images and their labels."""
    places = {path: place for place, path in enumerate(known.paths)}
    for path in sorted((results / "datasets").glob(f"{base}_*.h5")):
        dataset = store.read(path)
        training = np.flatnonzero(~dataset.test)
        yield path.stem, [places[dataset.images[i]] for i in training], dataset.labels[training]


def described(parameters, images, training, base):
    """Return the bags of words of the training images by place; the words as rule `codebook` makes them."""
    rng = np.random.default_rng(seeds(1, f"{base}/dense_sift", 0)[0])
    samples = []
    for place in np.sort(rng.permutation(training)[:IMAGES]):
        vectors = dense_sift.local(parameters, images[place]).vectors
        samples.append(vectors[np.sort(rng.permutation(len(vectors))[:POINTS])])
    book = words.codebook(np.concatenate(samples), parameters.words, rng)
    return {place: words.bag(dense_sift.local(parameters, images[place]), book) for place in training}


def accuracy(histograms, labels):
    """Return the accuracy in cross-validation at the best of COSTS, in percent."""
    distances = chi_square.pairwise(histograms)
    gram = np.exp(-distances / distances.mean())
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    found = (cross_val_score(SVC(C=C, kernel="precomputed"), gram, labels, cv=folds).mean() for C in COSTS)
    return 100.0 * max(found)


def main():
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    for base in sys.argv[2:] or GRIDS:
        path = results / "images" / f"{base}.h5"
        known = collection.read(path)
        training = np.flatnonzero(~known.test)
        files = collection.files(path, range(len(known.paths)))
        images = {place: decode(files[place], known.paths[place]) for place in training}
        for step, cells in GRIDS[base]:
            begun = time.process_time()
            bags = described(dense_sift.Parameters(step=step, cells=cells), images, training, base)
            taken = 1000.0 * (time.process_time() - begun) / len(training)
            found = [
                accuracy(np.stack([bags[place][layout] for place in places]).astype(float), labels)
                for _, places, labels in tasks(results, base, known)
                for layout in ("", "v3h1")
            ]
            each = " ".join(f"{value:.1f}" for value in found)
            print(
                f"{base} step {step}, cells {cells}: {np.mean(found):.2f} ({each}), {taken:.0f} ms an image", flush=True
            )


if __name__ == "__main__":
    main()
