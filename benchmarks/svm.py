"""The support vector machine of this package against scikit-learn's SVC (LIBSVM), inside the MKL loop and alone.

    python benchmarks/svm.py [--rounds 5] [--sizes 1000 3000 5000] [--only loop|along|alone]

In the loop: every machine that SimpleMKL and RKL train on breast_cancer (569 examples, 20 kernels) is trained again, at
the same kernel weights, C and tolerance (1e-3): from nothing; from the dual of the machine before, as the loop does;
and by SVC on the combined Gram matrix. The first two combine the rows that they need, and their seconds count it; SVC's
are given with and without combining the matrix, by the same compiled loop. Along C: SVMs at ascending C
over four powers of ten, each ten times or twice the last one, on the mean kernel of breast_cancer and on one Gaussian
kernel: from nothing, from the dual at the last C, and from this dual with the coefficients at C, or all, made as much
larger as C. Alone: one Gaussian kernel, from nothing.
"Whole" is beside SVC, with the checks and copies of both; "solver" is beside the call of LIBSVM inside SVC, without
them. Medians of rounds run in turn on one thread; objectives are compared too.
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
from sklearn.svm import _libsvm  # SVC has no public way around its checks

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


def one_kernel(problem, n):
    """Return the Gaussian Gram matrix and the labels of n examples of a problem."""
    features, labels = problem(n, np.random.default_rng(n))
    return grams.compute(grams.inner_products(features), [Kernel("gaussian", WIDTHS[problem])])[0], labels


def processor_seconds(functions, rounds):
    """Return the processor seconds, (functions, rounds), of functions run in turn."""
    seconds = []
    for function in functions * rounds:
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return np.array(seconds).reshape(rounds, -1).T


STARTS = {  # of the SVM at `factor` times C from the dual v at C
    "cold": lambda v, C, factor: None,
    "last": lambda v, C, factor: v,
    "bounded": lambda v, C, factor: np.where(np.abs(v) == C, factor * v, v),
    "scaled": lambda v, C, factor: factor * v,
}


def train_along(gram, labels, costs, start_of):
    """Return the number of steps of SVMs at these C, each started from the one before."""
    combination, steps, start = Combination.single(gram), 0, None
    for C in costs:
        machine = svm.train(combination, labels, C, start=start)
        steps, start = steps + machine.steps, start_of(machine.dual, C, costs[1] / costs[0])
    return steps


def along(title, gram, labels, costs, rounds):
    """Print the steps of SVMs at ascending C by their start, and the ratios of steps and of time to cold starts."""
    functions = [partial(train_along, gram, labels, costs, start_of) for start_of in STARTS.values()]
    steps = np.array([function() for function in functions])
    times = np.median(processor_seconds(functions, rounds), axis=1)
    ratios = "".join(f" {cold:5.2f} {time:5.2f}" for cold, time in zip(steps[0] / steps, times[0] / times, strict=True))
    print(f"{title:20} {costs[1] / costs[0]:6g} {steps[0]:8} {ratios[12:]}", flush=True)


def libsvm_call(gram, labels, C):
    """Train with scikit-learn's binding of LIBSVM, as SVC does after its checks."""
    _libsvm.fit(gram, labels.astype(np.float64), kernel="precomputed", C=C, tol=1e-3, cache_size=200.0)


def alone(problem, n, C, rounds):
    """Time one SVM from nothing on n examples."""
    gram, labels = one_kernel(problem, n)
    checked = Combination.single(gram)

    def whole():
        return svm.train(Combination.single(gram), labels, C)

    difference = abs(whole().objective / objective(gram, libsvm(gram, labels, C)) - 1)
    theirs = [partial(function, gram, labels, C) for function in (libsvm, libsvm_call)]
    seconds = processor_seconds([whole, partial(svm.train, checked, labels, C), *theirs], rounds)
    milliseconds = "".join(f"{1e3 * value:9.1f}" for value in np.median(seconds, axis=1))
    ratios = "".join(f"{value:8.2f}" for value in np.median(seconds[2:] / seconds[:2], axis=1))
    print(f"{problem.__name__:14} {n:5} {C:6g}{milliseconds}{ratios} {agreement(difference)}", flush=True)


def loops(rounds):
    """Print what the SVMs take that SimpleMKL and RKL train."""
    pool, labels = breast_cancer()
    print("milliseconds a machine, medians over a sequence; ratios are medians of single ratios")
    print(f"{'':51}SVC and     cold /   warm /  warm / SVC  difference of")
    columns = "     cold     warm      SVC  combination        SVC      SVC    combined  objectives"
    print(f"{'in the loop':18} machines{columns}")
    for C in (100, 1000):
        for name, title in (("simple_mkl", "SimpleMKL"), ("rkl", "RKL l1")):
            sequence = visited(name, {"C": C, "gap": 0.01}, pool, labels)
            in_the_loop(f"{title} C={C}", sequence, pool, labels, rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 3000, 5000])
    parser.add_argument("--only", choices=("loop", "along", "alone"))
    arguments = parser.parse_args()
    only, rounds = arguments.only, arguments.rounds
    if only in (None, "loop"):
        loops(rounds)
    if only in (None, "along"):
        print("\nalong C, by processor time; ratios of steps and of time, above 1 faster than cold starts")
        print("problem              factor    cold steps   from the last    bounded scaled    all scaled")
        pool, labels = breast_cancer()
        for powers in (10.0 ** np.arange(5), 2.0 ** np.arange(14)):
            along("breast_cancer", pool.mean(axis=0), labels, 10.0 * powers, rounds)
            for problem in WIDTHS:
                along(f"{problem.__name__} 1000", *one_kernel(problem, 1000), 0.1 * powers, rounds)
    if only in (None, "alone"):
        print("\nalone, milliseconds of the processor; ratios above 1: this package is faster")
        print(f"problem {'n':>12} {'C':>6}    whole   solver      SVC     call   whole  solver   objectives")
        for problem in WIDTHS:
            for n in arguments.sizes:
                for C in (1.0, 100.0, 1000.0):
                    alone(problem, n, C, rounds)


if __name__ == "__main__":
    main()
