"""Chi-square distances among histograms, against scikit-learn's additive kernel; processor time of one core.

Then nanoseconds a pair of one histogram and all, of distances and of inner products, and of a whole matrix.
"""

import argparse
import time
from functools import partial
from statistics import median

import numpy as np
from sklearn.metrics.pairwise import additive_chi2_kernel

from grambench.kernels import chi_square, pairs

ROWS = 20
SHAPES = ((1800, 1000, 1.0), (1800, 4096, 0.1))  # examples, features, share of features that are not zero


def taken(function, histograms):
    start = time.process_time()
    values = function(histograms)
    return time.process_time() - start, values


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    chi_square.pairwise(np.ones((2, 4)))  # compiles
    print("examples features not zero     ours scikit-learn  ratio  largest difference")
    for n, d, share in SHAPES:
        counts = rng.integers(1, 100, size=(n, d)) * (rng.random((n, d)) < share)
        histograms = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        times = []
        for _ in range(arguments.rounds):
            (ours, distances), (theirs, kernel) = (
                taken(function, histograms) for function in (chi_square.pairwise, additive_chi2_kernel)
            )
            times.append((ours, theirs))
        ours, theirs, ratio = (median(column) for column in zip(*((a, b, b / a) for a, b in times), strict=True))
        difference = np.abs(distances + kernel).max()
        print(f"{n:8} {d:8} {share:8.0%} {ours:6.2f} s {theirs:10.2f} s {ratio:6.1f} {difference:19.1e}")
        for name, base, power in (("distances", chi_square.DISTANCES, 1), ("products", pairs.PRODUCTS, 2)):
            examples = pairs.scaled(counts.astype(np.uint16), power)
            few = examples.of(np.arange(ROWS))
            pairs.matrix(base, few), one_and_all(base, few)  # compiles
            whole = taken(partial(pairs.matrix, base), examples)[0] / (n * (n + 1) / 2)
            single = median(taken(partial(one_and_all, base), examples)[0] / ROWS / n for _ in range(arguments.rounds))
            print(f"{name:>25}: {1e9 * single:.0f} ns a pair of one and all, {1e9 * whole:.0f} of all")


def one_and_all(base, examples):
    everything = np.arange(len(examples.scales))
    for row in range(ROWS):
        pairs.some(base, examples, examples, np.array([row]), everything)


if __name__ == "__main__":
    main()
