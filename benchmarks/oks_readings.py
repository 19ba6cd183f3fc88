"""What the kernels of OKS could mean: test accuracy of each form of the four, on the whole-image descriptors.

    python benchmarks/oks_readings.py results [TASK ...]

The paper (Yang et al. 2012) says linear, polynomial of order 2, chi-square and Gaussian, and no more. For each form:
the mean over descriptors and tasks of the accuracy of a machine whose C (2^-10 ... 2^10) is chosen by a tenth of the
training examples; that of the best descriptor, in the mean over tasks; and how often words of SIFT are the best. The
study's own forms come first.
"""

import sys
from pathlib import Path

import numpy as np

from grambench import features
from grambench.common.errors import SolverError
from grambench.datasets import store, views
from grambench.kernels import chi_square
from grambench.solvers import svm
from grambench.solvers.combination import Combination

PASCAL = ["pascal07_animal_vehicle", "pascal07_animal_person", "pascal07_person_vehicle"]
COSTS = 2.0 ** np.arange(-10, 11)
SHARE = 0.1


def scaled(counts, norm):
    """Return rows of norm 1 or 2, or as they are divided by one number for all (norm 0), so that C means the same."""
    if norm == 0:
        return counts / np.sqrt(np.square(counts).sum(axis=1).mean())
    sums = np.linalg.norm(counts, norm, axis=1, keepdims=True)
    return counts / np.where(sums > 0.0, sums, 1.0)


def squared(rows, known):
    """Return squared distances by their mean over the known examples."""
    norms = np.square(rows).sum(axis=1)
    distances = np.maximum(norms[:, None] + norms - 2.0 * rows @ rows.T, 0.0)
    return distances / distances[np.ix_(known, known)].mean()


def chi(rows, known):
    """Return chi-square distances by their mean over the known examples."""
    distances = chi_square.pairwise(rows)
    return distances / distances[np.ix_(known, known)].mean()


FORMS = {
    "linear, cosine": lambda x, known: scaled(x, 2) @ scaled(x, 2).T,
    "linear, L1": lambda x, known: unit(scaled(x, 1) @ scaled(x, 1).T, known),
    "linear, counts": lambda x, known: scaled(x, 0) @ scaled(x, 0).T,
    "polynomial, ((1 + cosine) / 2)^2": lambda x, known: ((1.0 + scaled(x, 2) @ scaled(x, 2).T) / 2.0) ** 2,
    "polynomial, cosine^2": lambda x, known: (scaled(x, 2) @ scaled(x, 2).T) ** 2,
    "polynomial, (1 + counts)^2": lambda x, known: unit((1.0 + scaled(x, 0) @ scaled(x, 0).T) ** 2, known),
    "chi-square, exp(-d / mean d)": lambda x, known: np.exp(-chi(x, known)),
    "chi-square, exp(-d / 2 mean d)": lambda x, known: np.exp(-chi(x, known) / 2.0),
    "chi-square, additive, 1 - d / 2": lambda x, known: 1.0 - chi_square.pairwise(x) / 2.0,
    "Gaussian, exp(-d2 / mean d2), L2": lambda x, known: np.exp(-squared(scaled(x, 2), known)),
    "Gaussian, exp(-d2 / mean d2), L1": lambda x, known: np.exp(-squared(scaled(x, 1), known)),
    "Gaussian, exp(-d2 / mean d2), counts": lambda x, known: np.exp(-squared(x, known)),
}


def unit(gram, known):
    """Return a Gram matrix whose diagonal is 1 in the mean over the known examples."""
    return gram / np.diagonal(gram)[known].mean()


def machines(gram, labels, train):
    """Yield C and the decision function of each machine that can be trained."""
    combination, start = Combination.single(np.ascontiguousarray(gram[np.ix_(train, train)])), None
    for C in COSTS:
        try:
            machine = svm.train(combination, labels[train], C, start=start, max_steps=100_000)
        except SolverError:
            return
        start = machine.dual
        yield C, lambda rows, machine=machine: gram[np.ix_(rows, train)] @ machine.dual + machine.bias


def accuracy(gram, dataset, rng):
    """Return the test accuracy in percent at the C that the validation examples choose, the first of the best."""
    labels, train, test = dataset.labels, np.flatnonzero(~dataset.test), np.flatnonzero(dataset.test)
    drawn = rng.permutation(train)
    held, known = drawn[: round(SHARE * len(train))], np.sort(drawn[round(SHARE * len(train)) :])

    def right(values, rows):
        return float(np.mean((values >= 0.0) == (labels[rows] > 0)))

    best = max(machines(gram, labels, known), key=lambda found: right(found[1](held), held))[0]
    last = [decide for C, decide in machines(gram, labels, train) if best >= C][-1]
    return 100.0 * right(last(test), test)


def main(results, tasks):
    """Print a line a form."""
    named = features.names()
    found = {}
    for task in tasks or PASCAL:
        dataset, base = store.read(results / f"datasets/{task}.h5"), task.split("_")[0]
        known = np.flatnonzero(~dataset.test)
        for descriptor in named:
            counts = views.read(results / f"features/{base}/{descriptor}.h5").of(dataset.images)[descriptor]
            for form, kernel in FORMS.items():
                gram = kernel(counts.astype(np.float64), known)
                found[form, descriptor, task] = accuracy(gram, dataset, np.random.default_rng(0))
    print(f"{'form':40} {'mean':>6} {'best descriptor':>24} {'SIFT best':>10}")
    for form in FORMS:
        table = np.array([[found[form, name, task] for task in tasks or PASCAL] for name in named])
        best = int(table.mean(axis=1).argmax())
        sift = sum("sift" in named[place] for place in table.argmax(axis=0))
        print(f"{form:40} {table.mean():6.1f} {named[best]:>17} {table[best].mean():6.1f} {sift:7} of {table.shape[1]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
