"""One pass of OMKC(D,D) against the least that any implementation by row additions must do.

The yardstick is a compiled loop that is given the updates of the pass and does nothing but add each Gram row to its
kernel's score vector. The second yardstick is the time in which the machine copies as many bytes as those rows hold.
"""

import argparse
import os
import time
from pathlib import Path
from statistics import median

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")

import numpy as np
from numba import njit
from problems import fit

from grambench.common import layout
from grambench.config.project import Configuration
from grambench.datasets import store
from grambench.experiments import online
from grambench.kernels import matrices


@njit(cache=True)
def add_rows(pool, labels, kernels, examples):
    scores = np.zeros((len(pool), labels.size))
    for u in range(kernels.size):
        row = pool[kernels[u]][examples[u]]
        y = labels[examples[u]]
        score = scores[kernels[u]]
        for j in range(score.size):
            score[j] += y * row[j]
    return scores


@njit(cache=True)
def updates_of(pool, labels, order):
    """List the updates (kernel, example) of a pass in their order."""
    m = len(pool)
    scores = np.zeros((m, labels.size))
    kernels, examples = np.empty(m * order.size, np.int32), np.empty(m * order.size, np.int32)
    count = 0
    for i in order:
        for k in range(m):
            if (scores[k, i] >= 0.0) != (labels[i] > 0):
                scores[k] += labels[i] * pool[k][i]
                kernels[count], examples[count] = k, i
                count += 1
    return kernels[:count].copy(), examples[:count].copy()


def seconds(function, *arguments, **keywords):
    start = time.perf_counter()
    function(*arguments, **keywords)
    return time.perf_counter() - start


def copy_bandwidth(rounds=7, size=2**28):
    """Bytes read and written in a second by a copy that does not fit any cache."""
    source, target = np.ones(size // 8), np.zeros(size // 8)
    return 2 * size / median(seconds(np.copyto, target, source) for _ in range(rounds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*", default=["svmguide1", "a3a", "spambase"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--results", type=Path, default=Path())
    arguments = parser.parse_args()
    bandwidth = copy_bandwidth()
    study = Configuration(Path("config")).study("omkc")
    print(f"copy bandwidth {bandwidth / 1e9:.1f} GB/s (read and write), {arguments.rounds} rounds, medians")
    print("data set      updates  OMKC(D,D)   row loop  ratio  bytes / bandwidth  ratio")
    for name in arguments.datasets:
        dataset = store.read(arguments.results / layout.PREPARED.format(dataset=name))
        paths = [layout.GRAM.format(dataset=name, kernel=kernel.name) for kernel in study.kernel_list()]
        # in memory, in both columns: what is measured is the pass, not the state of the page cache
        pool = tuple(np.array(matrices.open_matrix(arguments.results / path)) for path in paths)
        for gram in pool:
            gram.flags.writeable = False
        n = len(dataset.labels)
        order = online.draw_orders(dataset.orders, n, 1, 0, name).indices[0]
        kernels, examples = updates_of(pool, dataset.labels, order)
        passes, loops = [], []
        for turn in range(arguments.rounds + 1):
            passes.append(seconds(fit, "omkc_dd", {}, pool, dataset.labels, order))
            loops.append(seconds(add_rows, pool, dataset.labels, kernels, examples))
            if turn == 0:  # compilation
                passes.clear()
                loops.clear()
        ratio = median(a / b for a, b in zip(passes, loops, strict=True))
        floor = kernels.size * n * 8 / bandwidth
        print(
            f"{name:12} {kernels.size:8} {1e3 * median(passes):7.1f} ms {1e3 * median(loops):7.1f} ms {ratio:6.2f}"
            f" {1e3 * floor:15.1f} ms {median(passes) / floor:6.2f}"
        )


if __name__ == "__main__":
    main()
