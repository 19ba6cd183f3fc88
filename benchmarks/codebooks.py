"""What the draw of DenseSift's codebook moves: accuracies on the test images of a base's tasks, codebook by codebook.

    OPENBLAS_NUM_THREADS=1 python benchmarks/codebooks.py results [BASE [CODEBOOKS, 2 or more]]

A machine on the chi-square kernel of the words, whole and in bands, at the C that cross-validation on the training
images takes. The first codebook is the study's, of which each C is shown, in parentheses how many of the study's
validation images are wrong. Ten of pascal07 take ten minutes of a core. Needs what `benchmarks/grids.py` needs.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from grambench.config import protocols
from grambench.config.load import read
from grambench.datasets import collection, store
from grambench.experiments.seeds import seeds
from grambench.experiments.splits import splits
from grambench.features import words
from grambench.features.descriptors import dense_sift
from grambench.features.images import decode
from grambench.kernels import chi_square
from grambench.pipeline.steps.codebook import IMAGES, POINTS

CONFIG = Path(__file__).parent.parent / "config"
SEED = read(CONFIG / "config.yaml")["seed"]
PROTOCOL = protocols.of(read(CONFIG / "studies/oks.yaml")["protocol"])
GRIDS = {"pascal07": (8, (4, 6, 8, 10)), "corel5k": (4, (4, 6, 8))}  # the study's


def codebook(described, training, count, base, number):
    """Return a codebook as the rule makes them, with other random numbers but for number 0."""
    rng = np.random.default_rng(seeds(SEED, f"{base}/dense_sift", number)[0])
    samples = []
    for place in np.sort(rng.permutation(training)[:IMAGES]):
        vectors = described[place].vectors
        samples.append(vectors[np.sort(rng.permutation(len(vectors))[:POINTS])])
    return words.codebook(np.concatenate(samples), count, rng)


def right(C, gram, labels, known, asked):
    """Return which of some images a machine gets right that has learned from others."""
    machine = SVC(C=C, kernel="precomputed").fit(gram[np.ix_(known, known)], labels[known])
    return machine.predict(gram[np.ix_(asked, known)]) == labels[asked]


def problem(task, bags):
    """Return the chi-square kernel of a task's images, their labels and the study's parts of them."""
    run = SimpleNamespace(seed=SEED, offline=PROTOCOL, repetitions=range(1))
    examples, _ = next(splits(run, task))
    distances = chi_square.pairwise(np.stack(bags).astype(float))
    gram = np.exp(-distances / distances[np.ix_(examples.train, examples.train)].mean())
    return gram, task.labels, examples


def accuracy(C, gram, labels, examples):
    """Return the accuracy on the test images, in percent."""
    return 100.0 * right(C, gram, labels, examples.train, examples.test).mean()


def wrong(C, gram, labels, examples):
    """Return how many of the study's validation images are wrong."""
    return np.sum(~right(C, gram, labels, examples.folds[0].train, examples.folds[0].validation))


def cross_validated(gram, labels, examples):
    """Return the C of cross-validation on the training images."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(SVC(kernel="precomputed"), {"C": PROTOCOL.values}, cv=folds)
    return search.fit(gram[np.ix_(examples.train, examples.train)], labels[examples.train]).best_params_["C"]


def main():
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    base = sys.argv[2] if len(sys.argv) > 2 else "pascal07"
    path = results / "images" / f"{base}.h5"
    known = collection.read(path)
    step, cells = GRIDS[base]
    parameters = dense_sift.Parameters(step=step, cells=cells)
    every = range(len(known.paths))
    described = {
        place: dense_sift.local(parameters, decode(data, known.paths[place]))
        for place, data in zip(every, collection.files(path, every), strict=True)
    }
    places = {image: place for place, image in enumerate(known.paths)}
    tasks = {each.stem: store.read(each) for each in sorted((results / "datasets").glob(f"{base}_*.h5"))}
    found = []
    print(f"{'codebook':12}", *(f"{task} (whole, bands)" for task in tasks))
    for number in range(int(sys.argv[3]) if len(sys.argv) > 3 else 10):
        book = codebook(described, np.flatnonzero(~known.test), parameters.words, base, number)
        bags = [words.bag(described[place], book) for place in every]
        problems = [
            problem(task, [bags[places[image]][layout] for image in task.images])
            for task in tasks.values()
            for layout in ("", "v3h1")
        ]
        found.append([accuracy(cross_validated(*each), *each) for each in problems])
        print(f"{number:<12}", *(f"{value:10.1f}" for value in found[-1]), flush=True)
        for C in PROTOCOL.values if number == 0 else ():
            print(
                f"  C = {C:<6g}", *(f"{accuracy(C, *each):5.1f} ({wrong(C, *each):2})" for each in problems), flush=True
            )
    for name, values in (("mean", np.mean(found, axis=0)), ("deviation", np.std(found, axis=0, ddof=1))):
        print(f"{name:12}", *(f"{value:10.1f}" for value in values))


if __name__ == "__main__":
    main()
