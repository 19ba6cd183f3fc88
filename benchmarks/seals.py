"""What it costs that every run reads a Gram matrix whole before it is used, beside making it and adding it up.

    python benchmarks/seals.py

The file is in memory; from a disk, the disk decides.
"""

import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from grambench.common.files import check
from grambench.kernels import grams, matrices
from grambench.kernels.functions import Kernel

N, D, ROUNDS = 5000, 50, 5


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main():
    inner = grams.inner_products(np.random.default_rng(0).normal(size=(N, D)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gram.h5"
        ways = {
            "made and written": lambda: matrices.write_gram(path, inner, Kernel("gaussian", 1.0)),
            "checked": lambda: check(path),
            "checked and added up": lambda: matrices.open_matrix(path).sum(),
        }
        times = {name: [] for name in ways}
        for _ in range(ROUNDS):  # in turn
            for name, way in ways.items():
                times[name].append(seconds(way))
        size = path.stat().st_size / 1e9
    checked = median(times["checked"])
    print(f"n = {N}, {size:.2f} GB: checked in {checked:.3f} s, {checked / size:.2f} s a gigabyte")
    for name, measured in times.items():
        print(f"{name:20} {median(measured) / checked:5.2f} times the check")


if __name__ == "__main__":
    main()
