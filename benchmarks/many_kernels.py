"""lp-norm MKL with up to 1e5 Gaussian kernels that are never stored: python benchmarks/many_kernels.py [--rounds 3].

Kernels are Gaussians on random subsets of 3 features with 20 widths; features are standardised, C = 10. Sonar and
spambase are prepared in `results/`, or else come from their sources (GRAMBENCH_MIRROR). Processor seconds of one
thread, after a first fit that compiles.

- Fits of 1e4 and 1e5 kernels: seconds, iterations, certified gap and peak memory so far, beside the memory of all Gram
  matrices.
- Fits of few kernels beside lp_mkl on stored matrices, in turn: the ratio of seconds (below 1, ours is faster), and the
  relative difference of the objectives. The seconds of the stored matrices do not count.
- Squared distances by sums over subsets beside a dense product of the subsets' indicators with all squared differences:
  above 1, the sums are faster.
"""

import argparse
import os
import resource
import time
from pathlib import Path
from statistics import median

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from numba import njit
from problems import fit, prepared

from grambench import algorithms
from grambench.algorithms.checks import learn
from grambench.kernels import subset_sums
from grambench.kernels.pools import BoundKernels
from grambench.kernels.subsets import RandomSubsets

C = 10.0
LARGE = (  # data set, examples, subsets, p
    ("sonar", 208, 500, 4 / 3),
    ("sonar", 208, 5000, 4 / 3),
    ("sonar", 208, 5000, 2.0),
    ("spambase", 500, 5000, 4 / 3),
    ("spambase", 500, 5000, 2.0),
    ("spambase", 1000, 500, 4 / 3),
    ("spambase", 1000, 5000, 4 / 3),
)
SMALL = (("sonar", 208, 15), ("sonar", 208, 50), ("sonar", 208, 100), ("spambase", 500, 15), ("spambase", 500, 50))
DISTANCES = ((208, 60, 3), (500, 57, 3), (500, 57, 8), (500, 57, 20))  # examples, features, size of a subset


def problem(name, n, results):
    """Return n standardised examples of a data set, drawn with a seed, and their labels."""
    dataset = prepared(name, results)
    chosen = np.random.default_rng(0).permutation(len(dataset.labels))[:n]
    features = np.asarray(dataset.features, dtype=np.float64)
    spread = features.std(axis=0)
    standard = (features - features.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    return standard[chosen], dataset.labels[chosen]


def learned(pool, labels, **settings):
    """Return a fit of lp_mkl to a pool, under the contract as protocols do."""
    parameters, order = algorithms.parameters("lp_mkl", {"C": C} | settings), np.arange(len(labels), dtype=np.int32)
    return learn(algorithms.load("lp_mkl"), parameters, pool, labels, order=order, rng=np.random.default_rng(0))


def peak():
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def large(results):
    start = peak()
    print(f"data      n    kernels     p   seconds  iterations    gap  peak MB (before: {start:.0f})  stored GB")
    for name, n, n_subsets, p in LARGE:
        features, labels = problem(name, n, results)
        begun = time.process_time()
        pool = BoundKernels(RandomSubsets(n_subsets), features).train()
        model = learned(pool, labels, p=p, gap=1e-2)
        seconds, m = time.process_time() - begun, pool.shape[0]
        cost = f"{seconds:9.2f} {len(model.steps):11} {model.certify().gap:6.4f} {peak():8.0f}"
        print(f"{name:9} {n:4} {m:7} {p:5.2f} {cost} {8 * m * n * n / 1e9:26.1f}", flush=True)


def small(rounds, results):
    print("data      n    kernels  gap    not stored s  stored s  ratio  objectives differ by")
    for name, n, n_subsets in SMALL:
        features, labels = problem(name, n, results)
        pool = BoundKernels(RandomSubsets(n_subsets), features).train()
        stored = np.stack(list(pool.grams()))
        for gap in (1e-2, 1e-3):
            seconds = []
            for _ in range(rounds):
                begun = time.process_time()
                ours = learned(BoundKernels(RandomSubsets(n_subsets), features).train(), labels, p=4 / 3, gap=gap)
                middle = time.process_time()
                theirs = fit("lp_mkl", {"C": C, "p": 4 / 3, "gap": gap}, stored, labels)
                seconds.append((middle - begun, time.process_time() - middle))
            a, b = median(first for first, _ in seconds), median(second for _, second in seconds)
            ratio, values = median(x / y for x, y in seconds), (ours.steps[-1].objective, theirs.steps[-1].objective)
            difference = values[0] / values[1] - 1.0
            print(
                f"{name:9} {n:4} {len(stored):6} {gap:8g} {a:11.3f} {b:10.3f} {ratio:7.2f} {difference:12.1e}",
                flush=True,
            )


@njit
def sums(columns, around, gaussians, tile, per_tile):
    """Compute the distances of all pairs tile by tile, and their exponentials."""
    n_rows = columns.shape[1] // 2
    for s in range(gaussians.rates.size):
        for first in range(0, n_rows, per_tile):
            stop = min(first + per_tile, n_rows)
            subset_sums._write_tile(columns, around, True, first, stop, s, gaussians, tile)


def product(columns, gaussians):
    """Compute the distances of all pairs by dense products, in blocks of pairs."""
    indicators = np.zeros((len(gaussians.rates), len(columns)), dtype=np.float32)
    for s, (start, stop) in enumerate(zip(gaussians.starts[:-1], gaussians.starts[1:], strict=True)):
        indicators[s, gaussians.features[start:stop]] = 1.0
    first, second = np.triu_indices(columns.shape[1], 1)
    for block in range(0, len(first), 2048):
        pairs = slice(block, block + 2048)
        np.matmul(indicators, np.square(columns[:, first[pairs]] - columns[:, second[pairs]]))


def distances(rounds):
    print("examples  features  size  sums and exponentials s  dense product s  ratio")
    for n, d, size in DISTANCES:
        pool = BoundKernels(RandomSubsets(1000, size=size), np.random.default_rng(0).standard_normal((n, d))).train()
        columns = pool._columns(pool.train)
        tile = np.empty(subset_sums._length_of_tile(n), dtype=np.float32)
        seconds = []
        for turn in range(rounds + 1):
            begun = time.process_time()
            sums(columns, subset_sums._around(columns), pool.gaussians, tile, subset_sums._rows_of_tile(n))
            middle = time.process_time()
            product(columns, pool.gaussians)
            if turn:  # the first compiles
                seconds.append((middle - begun, time.process_time() - middle))
        a, b = median(first for first, _ in seconds), median(second for _, second in seconds)
        print(f"{n:8} {d:9} {size:5} {a:24.3f} {b:16.3f} {median(y / x for x, y in seconds):6.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=Path())
    arguments = parser.parse_args()
    features, labels = problem("sonar", 60, arguments.results)
    pool = BoundKernels(RandomSubsets(15), features).train()
    learned(pool, labels, gap=0.1)
    fit("lp_mkl", {}, np.stack(list(pool.grams())), labels)
    large(arguments.results)
    small(arguments.rounds, arguments.results)
    distances(arguments.rounds)


if __name__ == "__main__":
    main()
