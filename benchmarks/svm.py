"""The support vector machine of this package against scikit-learn's SVC (LIBSVM), inside the MKL loop and alone.

    python benchmarks/svm.py [--rounds 5]

In the loop: every machine that SimpleMKL and RKL train on breast_cancer (569 examples, 20 kernels) is trained again, at
the same kernel weights, C and tolerance (1e-3): from nothing; from the dual of the machine before, as the loop does;
and by SVC on the combined Gram matrix. The first two combine the rows that they need, and their seconds count it; SVC's
are given with and without combining the matrix, by the same compiled loop. Alone: one Gaussian kernel, from nothing.
Medians of rounds run in turn on one thread; objectives are compared too.
"""

import argparse
import os
import time
from functools import partial
from unittest.mock import patch

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from problems import breast_cancer, fit, in_turn, libsvm, noisy, two_gaussians

from grambench.algorithms.oracle import Oracle
from grambench.kernels import grams
from grambench.kernels.functions import Kernel
from grambench.solvers import svm
from grambench.solvers.combination import Combination

WIDTHS = {two_gaussians: 32**0.5, noisy: 1.5}  # of the Gaussian kernel, by problem
AGREE = 1e-4  # relative difference of objectives


def visited(name, settings, pool, labels):
    """Return the (weights, C) of all machines that a fit trains."""
    sequence, machine = [], Oracle.train_svm

    def note(oracle, weights, C, **others):
        sequence.append((weights.copy(), C))
        return machine(oracle, weights, C, **others)

    with patch.object(Oracle, "train_svm", note):
        fit(name, settings, pool, labels)
    return sequence


def objective(gram, dual):
    return np.abs(dual).sum() - 0.5 * dual @ gram @ dual


class Replay:
    """One machine of a sequence, trained in each way from the base Gram matrices."""

    def __init__(self, combination, labels, weights, C):
        self.combination, self.labels, self.weights, self.C = combination, labels, weights, C
        self.gram = self.combine().copy()

    def forget(self):
        """Drop all combined rows."""
        self.combination.reweight(np.zeros(len(self.weights)))
        self.combination.reweight(self.weights)

    def combine(self):
        """Return the combined Gram matrix."""
        self.forget()
        self.combination.product(np.ones(len(self.labels)))
        return self.combination.rows.cache

    def train(self, start=None):
        """Return our machine."""
        self.forget()
        return svm.train(self.combination, self.labels, self.C, start=start)

    def libsvm(self):
        """Return LIBSVM's coefficients."""
        return libsvm(self.gram, self.labels, self.C)


def in_the_loop(title, sequence, pool, labels, rounds):
    """Time each machine of a sequence, and print the medians over the sequence."""
    combination = Combination(pool)
    taken, differences, last = [], [], None
    for weights, C in sequence:
        replay = Replay(combination, labels, weights, C)
        cold, machine = replay.train(), replay.train(last)
        theirs = objective(replay.gram, replay.libsvm())
        differences += [abs(ours.objective / theirs - 1) for ours in (cold, machine)]
        if last is not None:  # the first cannot start warm
            functions = [replay.train, partial(replay.train, last), replay.libsvm, replay.combine]
            taken.append(np.median(in_turn(functions, rounds), axis=1))
        last = machine.dual
    cold, warm, svc, combining = np.array(taken).T
    milliseconds = [1e3 * np.median(column) for column in (cold, warm, svc, combining + svc)]
    ratios = [np.median(column) for column in (cold / svc, warm / svc, warm / (combining + svc))]
    print(
        f"{title:18} {len(taken):8} "
        + "".join(f"{value:{width}.2f}" for value, width in zip(milliseconds, (9, 9, 9, 13), strict=True))
        + "".join(f"{value:{width}.2f}" for value, width in zip(ratios, (11, 9, 12), strict=True))
        + agreement(max(differences)),
        flush=True,
    )


def agreement(difference):
    return f"{difference:12.1e}{'' if difference <= AGREE else '  DIFFERENT'}"


def alone(problem, n, C, rounds):
    """Time one SVM from nothing on n examples, by processor time."""
    features, labels = problem(n, np.random.default_rng(n))
    width = WIDTHS[problem]
    gram = grams.compute(grams.inner_products(features), [Kernel("gaussian", width)])[0]

    def ours():
        return svm.train(Combination.single(gram), labels, C)

    difference = abs(ours().objective / objective(gram, libsvm(gram, labels, C)) - 1)
    seconds = []
    for _ in range(rounds):
        for function in (ours, partial(libsvm, gram, labels, C)):
            start = time.process_time()
            function()
            seconds.append(time.process_time() - start)
    mine, svc = np.array(seconds).reshape(rounds, 2).T
    milliseconds = "".join(f" {1e3 * np.median(values):10.1f}" for values in (mine, svc))
    ratio = np.median(svc / mine)
    print(f"{problem.__name__:14} {n:5} {C:6g}{milliseconds} {ratio:7.2f} {agreement(difference)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 3000, 5000])
    arguments = parser.parse_args()
    pool, labels = breast_cancer()
    print("milliseconds a machine, medians over a sequence; ratios are medians of single ratios")
    print(f"{'':51}SVC and     cold /   warm /  warm / SVC  difference of")
    columns = "     cold     warm      SVC  combination        SVC      SVC    combined  objectives"
    print(f"{'in the loop':18} machines{columns}")
    for C in (100, 1000):
        for name, title in (("simple_mkl", "SimpleMKL"), ("rkl", "RKL l1")):
            sequence = visited(name, {"C": C, "gap": 0.01}, pool, labels)
            in_the_loop(f"{title} C={C}", sequence, pool, labels, arguments.rounds)
    print("\nalone, by processor time; above 1 this package is faster")
    print("problem            n      C    ours ms     SVC ms SVC/ours objectives")
    for problem in WIDTHS:
        for n in arguments.sizes:
            for C in (1.0, 100.0, 1000.0):
                alone(problem, n, C, arguments.rounds)


if __name__ == "__main__":
    main()
