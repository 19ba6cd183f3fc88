"""A pass of OMKC from raw features, kernels included: all Gram matrices first, against rows on demand.

Two problems of 3000 examples under the 16 kernels of config/studies/omkc.yaml: Hastie's ten Gaussian features
(scikit-learn's make_hastie_10_2) and as many examples of spambase, prepared in `results/`, or else fetched as
config/datasets/spambase.yaml says (GRAMBENCH_MIRROR). Both ways get the same order and draws, and must give the same
scores to the last bit. Seconds are the processor's.
"""

import argparse
import os
import time
from pathlib import Path
from statistics import median

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")

import numpy as np
from problems import prepared
from sklearn.datasets import make_hastie_10_2

from grambench import algorithms
from grambench.algorithms.checks import learn
from grambench.config.project import Configuration
from grambench.kernels.pools import BoundKernels

EXAMPLES = 3000
NAMES = ("omkc_dd", "omkc_ds", "omkc_sd", "omkc_ss")


def hastie():
    features, labels = make_hastie_10_2(n_samples=EXAMPLES, random_state=0)
    return features, labels.astype(np.int8)


def spambase(results):
    """Return 3000 examples of spambase, drawn with a seed."""
    dataset = prepared("spambase", results)
    chosen = np.random.default_rng(0).permutation(len(dataset.labels))[:EXAMPLES]
    return dataset.features[chosen], dataset.labels[chosen]


def run(name, kernels, features, labels, order, *, first):
    """Return processor seconds from features to a fit, the fit, and the kernel values that were made."""
    algorithm, rng = algorithms.load(name), np.random.default_rng(1)
    start = time.process_time()
    pool = BoundKernels(kernels, features).train()
    if first:
        pool.grams()
    fit = learn(algorithm, algorithm.parameters(), pool, labels, order=order, rng=rng)
    return time.process_time() - start, fit, pool.computed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--results", type=Path, default=Path())
    arguments = parser.parse_args()
    configuration = Configuration(Path("config"))
    kernels = configuration.study("omkc").kernel_list()
    print(f"{EXAMPLES} examples, {len(kernels)} kernels, {arguments.rounds} rounds, medians of processor seconds")
    print("problem   algorithm  matrices  on demand  ratio    values made of all  mistakes")
    for problem, (features, labels) in (
        ("hastie", hastie()),
        ("spambase", spambase(arguments.results)),
    ):
        order = np.random.default_rng(0).permutation(EXAMPLES).astype(np.int32)
        for name in NAMES:
            matrices, rows = [], []
            for turn in range(arguments.rounds + 1):
                before, expected, all_values = run(name, kernels, features, labels, order, first=True)
                after, fit, values = run(name, kernels, features, labels, order, first=False)
                if turn:  # the first compiles
                    matrices.append(before)
                    rows.append(after)
            if not np.array_equal(fit.trace.scores, expected.trace.scores):
                raise SystemExit(f"{problem}, {name}: the two ways give other scores")
            ratio = median(b / a for a, b in zip(matrices, rows, strict=True))
            mistakes = f"{expected.trace.mistakes.sum()} {fit.trace.mistakes.sum()}"
            print(
                f"{problem:9} {algorithms.title(name):10} {median(matrices):8.3f} {median(rows):10.3f} {ratio:6.2f}"
                f" {values:12} {values / all_values:6.1%}  {mistakes}",
                flush=True,
            )


if __name__ == "__main__":
    main()
