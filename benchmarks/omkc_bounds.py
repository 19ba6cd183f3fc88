"""Mistakes and updates of OMKC against the bounds of its Theorems 1 to 3 and Corollary 1, at the beta that they name.

    python benchmarks/omkc_bounds.py results [DATASET ...]

The study's 13 Gaussians, for which k(x, x) <= 1 as the theorems assume (of its polynomials it is not), on the 20
permutations. For Theorem 1, which holds for every sequence, the most mistakes of all permutations, and inequality (5),
which is sharper than the theorem's last display; for the others, which are in expectation, means. F, the smallest |f|^2
+ twice the hinge loss of all kernels, is the dual's value that L-BFGS finds, so that no bound is too large. The claims
of the study judge the same theorems at the beta of its runs, with the kernels' own mistakes for F.
"""

import sys
from pathlib import Path

import numpy as np
from oks_bounds import smallest_loss

from grambench.algorithms.online import omkc_dd, omkc_ds, omkc_sd
from grambench.config.project import Configuration
from grambench.datasets import store
from grambench.kernels.pools import BoundKernels

SMALL = ["ionosphere", "wdbc", "diabetes", "fourclass", "splice", "svmguide3"]
DELTAS = (0.01, 1.0)  # of the paper's runs, and uniform draws


def passes(algorithm, parameters, pool, dataset):
    """Return the mean mistakes, the mean updates of all kernels, and the most mistakes over the permutations."""
    counts = []
    for number, order in enumerate(dataset.orders):
        rng = np.random.default_rng(number)
        trace = algorithm.fit(parameters, pool, dataset.labels, order=order, rng=rng).trace
        counts.append((trace.mistakes.sum(), trace.updates.sum()))
    return *np.mean(counts, axis=0), np.max(counts, axis=0)[0]


def row(results, study, name):
    """Return the line of one data set."""
    dataset = store.read(results / f"datasets/{name}.h5")
    kernels = [kernel for kernel in study.kernel_list() if kernel.family == "gaussian"]
    pool = BoundKernels(kernels, dataset.features).train()
    T, m, labels = len(dataset.labels), len(kernels), dataset.labels.astype(np.float64)
    beta = np.sqrt(T) / (np.sqrt(T) + np.sqrt(np.log(m)))
    loss = min(2.0 * smallest_loss(gram, labels, 1.0) for gram in pool.grams())
    half = (1.0 + np.sqrt(np.log(m) / T)) * loss + np.log(m) + np.sqrt(T * np.log(m))
    sharper = 2.0 / (1.0 - beta) * (np.log(1.0 / beta) * loss + np.log(m))  # inequality (5)
    pairs = [(passes(omkc_dd, omkc_dd.Parameters(beta=beta), pool, dataset)[2], sharper)]
    pairs += [(passes(omkc_ds, omkc_ds.Parameters(beta=beta), pool, dataset)[0], 2.0 * half)]
    drawn = [passes(omkc_sd, omkc_sd.Parameters(beta=beta, delta=delta), pool, dataset) for delta in DELTAS]
    pairs += [(mistakes, 2.0 * m / delta * half) for (mistakes, *_), delta in zip(drawn, DELTAS, strict=True)]
    pairs += [(updates, (1.0 - d) * m / d * half + d * T) for (_, updates, _), d in zip(drawn, DELTAS, strict=True)]
    return f"{name:12}{T:6}" + "".join(f"{count:9.1f}{bound:10.0f}" for count, bound in pairs)


def main(results, names):
    """Print a line a data set."""
    study = Configuration(Path("config")).study("omkc")
    columns = ["Theorem 1, (5)", "Theorem 2", "3, delta .01", "3, delta 1", "C. 1, .01", "C. 1, 1"]
    print(f"{'here, bound':12}{'T':>6}" + "".join(f"{column:>19}" for column in columns))
    for name in names or SMALL:
        print(row(results, study, name), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
