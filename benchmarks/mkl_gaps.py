"""Machines that SimpleMKL and others train to smaller and smaller gaps, and what SimpleMKL's are spent on.

    python benchmarks/mkl_gaps.py [--C 1000] [--gap 1e-4]

The l1 problem on breast_cancer (569 examples) with 40 kernels of trace 1, of which neighbours are nearly alike: 20
Gaussian widths from 0.5 to 20 in geometric sequence, polynomials of degree 1 to 20. First table: SVMs trained to
each gap, by SimpleMKL, SILP and lp-norm MKL with p = 1, with the kernels in use and the certificate. Second table, at
one gap: SimpleMKL with line searches of other precision (the share of the slope at which they end; 0.5 is ours), with
machines 100 times as precise, and RKL's gradient projection on the same objective, whose step is the spectral one. Last
the curvatures of the objective at the optimum along the kernels that are left: steepest descent needs iterations in
proportion to the largest over the smallest. All on one thread.
"""

import argparse
import os
from unittest.mock import patch

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from problems import breast_cancer, fit

from grambench import algorithms
from grambench.algorithms.batch import simple_mkl
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.kernels.pool import Stored
from grambench.solvers import gradient_projection, svm
from grambench.solvers.combination import Combination
from grambench.solvers.projections import simplex

WIDTHS, DEGREES = np.geomspace(0.5, 20.0, 20), range(1, 21)
GAPS = (1e-1, 1e-2, 1e-3, 1e-4)
ENTRIES = {"simple_mkl": {"iterations": 5000}, "silp": {"iterations": 5000}, "lp_mkl": {"p": 1.0}}
STEP = 1e-5  # of finite differences
EXACT = 1e-9  # tolerance of the machines in them


def by_gap(pool, labels, C):
    print(f"C = {C:g}       gap  machines  iterations  kernels  certificate")
    for gap in GAPS:
        for name, settings in ENTRIES.items():
            found = fit(name, {"C": C, "gap": gap} | settings, pool, labels)
            used = int((found.weights > 1e-4 * found.weights.max()).sum())
            line(algorithms.title(name), gap, found.work.svm_calls, len(found.steps), used, found.certify().gap)


def line(title, gap, machines, iterations, used, certificate):
    print(f"{title:12} {gap:7.0e} {machines:9} {iterations:11} {used:8} {certificate:12.1e}", flush=True)


def variants(pool, labels, C, gap):
    print(f"\nto a gap of {gap:g}                       machines  iterations")
    for flat in (0.9, 0.5, 0.1, 0.01):
        with patch.object(simple_mkl, "FLAT", flat):
            found = fit("simple_mkl", {"C": C, "gap": gap, "iterations": 5000}, pool, labels)
        print(f"line search to {flat:4g} of the slope     {found.work.svm_calls:9} {len(found.steps):11}", flush=True)
    with patch.object(simple_mkl, "PRECISION", 0.01 * PRECISION):
        found = fit("simple_mkl", {"C": C, "gap": gap, "iterations": 5000}, pool, labels)
    print(f"machines 100 times as precise      {found.work.svm_calls:9} {len(found.steps):11}", flush=True)
    oracle = spectral(pool, labels, C, gap)
    print(f"gradient projection, spectral step {oracle.work.svm_calls:9} {len(oracle.steps):11}")


def spectral(pool, labels, C, gap):
    """Minimise SimpleMKL's objective by RKL's descent; return the oracle, which has counted."""
    oracle = Oracle(Stored(pool), labels)

    def evaluate(weights):
        machine = oracle.train_svm(weights, C, tolerance=PRECISION * gap)

        def slope():
            forms = oracle.combination.quadratic_forms(machine.dual)
            distance = 0.5 * float(forms.max() - weights @ forms) / machine.objective
            return gradient_projection.Slope(-0.5 * forms, distance)

        return gradient_projection.Value(machine.objective, slope)

    start = np.full(len(pool), 1.0 / len(pool))
    gradient_projection.minimise(evaluate, simplex, start, gap=gap, iterations=5000, record=oracle.record)
    return oracle


def curvatures(pool, labels, C):
    """Print the curvatures of J within the sum, along the kernels of weight, by differences of its gradient."""
    found = fit("silp", {"C": C, "gap": 1e-5, "iterations": 5000}, pool, labels)
    kept = np.flatnonzero(found.weights > 1e-3)
    weights = found.weights[kept] / found.weights[kept].sum()
    combination = Combination(np.ascontiguousarray(pool[kept]))

    def gradient(theta):
        combination.reweight(theta)
        machine = svm.train(combination, labels, C, start=found.predictor.dual, tolerance=EXACT)
        return -0.5 * combination.quadratic_forms(machine.dual)

    axes = STEP * np.eye(len(kept))
    second = np.array([gradient(weights + axis) - gradient(weights - axis) for axis in axes]) / (2.0 * STEP)
    within = np.linalg.svd(np.ones((1, len(kept))))[2][1:].T  # an orthonormal basis of the sums of 0
    values = np.linalg.eigvalsh(within.T @ (0.5 * (second + second.T)) @ within)
    ratio = values[-1] / values[0]
    print(f"\ncurvatures along {len(kept)} kernels: {values[0]:.3g} to {values[-1]:.3g}, {ratio:.0f} times as much")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--C", type=float, default=1000.0)
    parser.add_argument("--gap", type=float, default=1e-4, help="of the second table")
    arguments = parser.parse_args()
    pool, labels = breast_cancer(WIDTHS, DEGREES)
    by_gap(pool, labels, arguments.C)
    variants(pool, labels, arguments.C, arguments.gap)
    curvatures(pool, labels, arguments.C)


if __name__ == "__main__":
    main()
