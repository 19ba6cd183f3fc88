"""lp-norm MKL beside a direct solver in C++ that was written for this comparison (`lp_smo.cpp`).

    python benchmarks/lp_smo.py [--rounds 5] [--p 1.1 1.3333 2]

breast_cancer (569 examples, 20 kernels) and two Gaussian classes (1500 examples, 15 kernels), C = 1 and 100. Both start
from the same stored Gram matrices and stop at a relative gap of 1e-3, which the certificate of this package confirms.
Ours ends well below it, so that the direct solver also runs until its certified gap is at most ours. Processor time of
one thread, medians of rounds run in turn. Ratios are the direct solver's time in relation to ours: above 1, ours is
faster. A C++ compiler is needed.
"""

import argparse
import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from problems import FEATURES, breast_cancer, fit, two_gaussians

from grambench.kernels import grams
from grambench.kernels.functions import Kernel
from grambench.solvers import certificates

GAP = 1e-3
MOST = 10_000_000
SPREAD = (0.5, 1.0, 2.0, 4.0, 8.0)  # widths of the Gaussians, in roots of the number of features
DOUBLES = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")


def synthetic(n, m, rng):
    """Return two Gaussian classes under m Gaussians of trace n: five widths on all features, then on single ones."""
    features, labels = two_gaussians(n, rng)
    subsets = [slice(None), *(slice(f, f + 1) for f in range(FEATURES))]
    pool = np.empty((m, n, n))
    for first in range(0, m, len(SPREAD)):
        part = features[:, subsets[first // len(SPREAD)]]
        kernels = [Kernel("gaussian", s * part.shape[1] ** 0.5) for s in SPREAD]
        pool[first : first + len(SPREAD)] = grams.compute(grams.inner_products(part), kernels)
    return pool, labels


def compiled(folder):
    """Return the direct solver; SystemExit without a compiler."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise SystemExit("there is no C++ compiler here: install g++ or clang++")
    library, source = Path(folder) / "lp_smo.so", Path(__file__).with_suffix(".cpp")
    subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library], check=True)
    solve = ctypes.CDLL(str(library)).lp_smo
    sizes, reals = [ctypes.c_long, ctypes.c_long], [ctypes.c_double] * 3
    solve.argtypes = [DOUBLES, DOUBLES, *sizes, *reals, ctypes.c_long, DOUBLES, DOUBLES, DOUBLES]
    solve.restype = ctypes.c_long
    return solve


def direct(solve, pool, labels, C, p, gap=GAP):
    """Return weights, coefficients and bias of the direct solver, which stops by its own measure of the gap."""
    m, n = pool.shape[:2]
    weights, dual, bias = np.empty(m), np.empty(n), np.empty(1)
    if solve(pool, labels.astype(np.float64), m, n, C, p, gap, MOST, weights, dual, bias) < 0:
        raise SystemExit(f"the direct solver took more than {MOST} steps")
    return weights, dual, float(bias[0])


def certified(solve, pool, labels, C, p, gap=GAP):
    """Return the certified gap of the direct solver."""
    return certificates.mkl(pool, labels, C, *direct(solve, pool, labels, C, p, gap), p=p).gap


def spent(function):
    """Return the processor seconds of a call."""
    begun = time.process_time()
    function()
    return time.process_time() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--p", type=float, nargs="+", default=[1.1, 4 / 3, 2.0])
    arguments = parser.parse_args()
    problems = {"breast_cancer": breast_cancer(), "two Gaussians": synthetic(1500, 15, np.random.default_rng(1))}
    head = "problem              n   m     C     p  ours/s    gap of ours  direct/s      gap  ratio"
    print(f"{head}  at our gap/s      gap  ratio")
    with tempfile.TemporaryDirectory() as folder:
        solve = compiled(folder)
        for name, (pool, labels) in problems.items():
            pool.flags.writeable = False
            for C in (1.0, 100.0):
                for p in arguments.p:
                    ours = partial(fit, "lp_mkl", {"C": C, "p": p, "gap": GAP}, pool, labels)
                    problem, gap, same = (solve, pool, labels, C, p), ours().certify().gap, GAP
                    while certified(*problem, same) > gap:
                        same /= 1.25
                    calls = ours, partial(direct, *problem), partial(direct, *problem, same)
                    rounds = [[spent(call) for call in calls] for _ in range(arguments.rounds + 1)][1:]
                    mine, loose, equal = np.median(rounds, axis=0)
                    row = f"{name:14} {pool.shape[1]:7} {pool.shape[0]:3} {C:5g} {p:5.2f} {mine:7.4f} {gap:14.1e}"
                    row += f" {loose:9.4f} {certified(*problem):8.1e} {loose / mine:6.2f}"
                    row += f" {equal:13.4f} {certified(*problem, same):8.1e} {equal / mine:6.2f}"
                    print(row, flush=True)


if __name__ == "__main__":
    main()
