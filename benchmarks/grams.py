"""The sixteen Gram matrices of OMKC on spambase: one shared pass against scikit-learn, kernel by kernel."""

import argparse
import os
import time
from pathlib import Path
from statistics import median

import numpy as np
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from grambench.common import layout
from grambench.config.project import Configuration
from grambench.datasets import store
from grambench.kernels import grams

THREADS = os.cpu_count() or 1  # scikit-learn's matrix products use them all too


def ours(features, kernels, out):
    grams.fill(grams.inner_products(features), kernels, list(out), threads=THREADS)


def scikit_learn(features, kernels, out):
    for kernel, gram in zip(kernels, out, strict=True):
        if kernel.family == "polynomial":
            gram[:] = polynomial_kernel(features, degree=int(kernel.parameter), gamma=1.0, coef0=0.0)
        else:
            gram[:] = rbf_kernel(features, gamma=1.0 / (2.0 * kernel.parameter**2))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", nargs="?", default="spambase")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=Path, default=Path())
    arguments = parser.parse_args()
    features = store.read(arguments.results / layout.PREPARED.format(dataset=arguments.dataset)).features
    kernels = Configuration(Path("config")).study("omkc").kernel_list()
    out = np.zeros((len(kernels), len(features), len(features)))
    times = {ours: [], scikit_learn: []}
    for _ in range(arguments.rounds):
        for function, taken in times.items():
            start = time.perf_counter()
            function(features, kernels, out)
            taken.append(time.perf_counter() - start)
    ratio = median(b / a for a, b in zip(times[ours], times[scikit_learn], strict=True))
    print(f"{arguments.dataset}, {len(kernels)} kernels, n = {len(features)}, {arguments.rounds} rounds, medians")
    print(
        f"one pass {median(times[ours]):.2f} s with {THREADS} threads, scikit-learn {median(times[scikit_learn]):.2f} s"
    )
    print(f"ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
