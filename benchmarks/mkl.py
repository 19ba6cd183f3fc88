"""Optimality and speed of the kernel-learning algorithms on breast_cancer: 569 examples, the 20 kernels of RKL.

    python benchmarks/mkl.py [--rounds 9] [--starts 10] [--only optimality|speed]

Optimality: values recomputed with NumPy from the fits beside given ones, and RKL's beside the best of a plain
projected gradient from random weights. Speed: median seconds of a fit, run in turn with one scikit-learn SVC fit of the
machine that it returns (RKL: C / r^2; KL-C: K + I/C without bounds). Limits and the seconds of others (a C++ toolbox,
Octave programs) are given, not measured. The share of Gram combination is what the same fit, which takes the same steps
each time, saves when all rows of all its combined matrices are at hand from an earlier run. All on one thread.
"""

import argparse
import os
from typing import ClassVar, NamedTuple
from unittest.mock import patch

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from problems import breast_cancer, in_turn, libsvm
from problems import fit as fitted

from grambench import algorithms
from grambench.solvers import meb, svm
from grambench.solvers.combination import Combination

GIVEN_J = {100: 10386.890, 1000: 30840.411, 10000: 31400.147}
GIVEN_LP = {4 / 3: 16.9968, 2.0: 14.46131}
EXACT = 1e-6  # tolerance of machine and ball where none of the loop's should be seen


class Case(NamedTuple):
    """A fit to be timed; its limit and the seconds of a C++ toolbox and an Octave program, where given."""

    name: str
    settings: dict
    limit: float | None = None
    cpp: float | None = None
    octave: float | None = None
    trace: float = 1.0

    @property
    def title(self):
        """Name, C at trace 1, and what else tells cases apart."""
        told = ("norm", "p", "gap") if self.name == "lp_mkl" else ("norm",)
        special = [f"{key}={self.settings[key]:{'.3g' if key == 'p' else ''}}" for key in told if key in self.settings]
        return " ".join([algorithms.title(self.name), f"C={self.settings['C'] * self.trace:g}", *special])


def speed_cases(n):
    limits = {100: (0.08, 0.080, 0.90), 1000: (0.3, 0.315, 5.6), 10000: (0.3, 0.315, 8.4)}
    for C, (limit, cpp, octave) in limits.items():
        yield Case("simple_mkl", {"C": C, "gap": 0.01}, limit, cpp, octave)
        yield Case("silp", {"C": C, "gap": 0.01}, limit, cpp)
    yield Case("lp_mkl", {"C": 100 / n, "p": 2.0, "gap": 1e-5}, 0.05, 0.092, trace=n)
    for p in (1.0, 1.1, 4 / 3, 2.0, 3.0):
        yield Case("lp_mkl", {"C": 100 / n, "p": p, "gap": 1e-3}, trace=n)
    for norm in ("l1", "l2", "none"):
        yield Case("rkl", {"C": 100, "norm": norm, "gap": 0.01}, 0.5, None, 3.8)
    for norm in ("l1", "l2"):
        yield Case("klc", {"C": 100, "norm": norm, "gap": 0.01})


def forms(pool, vector):
    """Return v'K_m v of every kernel, with NumPy."""
    support = np.flatnonzero(vector)
    return np.array([vector[support] @ gram[np.ix_(support, support)] @ vector[support] for gram in pool])


class Rkl:
    """RKL's objective and gradient, solved exactly whatever the fit's own tolerance (its eq. 16, 17, 21 and 22)."""

    def __init__(self, pool, labels, C):
        self.pool, self.labels, self.C = pool, labels, C
        self.combination, self.centre, self.dual = Combination(pool), None, None

    def value(self, weights):
        """Return g(theta)."""
        self.combination.reweight(weights)
        ball = meb.enclose(self.combination, start=self.centre, tolerance=EXACT)
        self.centre, self.radius = ball.dual, ball.squared_radius
        C = self.C / self.radius
        machine = svm.train(self.combination, self.labels, C, start=self.dual, tolerance=EXACT)
        self.dual = machine.dual
        return self.radius * machine.objective

    def gradient(self, weights):
        """Return the gradient where the value was asked for last."""
        q = forms(self.pool, self.dual)
        radii = np.diagonal(self.pool, axis1=1, axis2=2) @ self.centre - forms(self.pool, self.centre)
        return -0.5 * self.radius * q + 0.5 * (weights @ q) * radii


def nearest(vector):
    """Return the nearest point of the simplex, by bisection on the shift."""
    low, high = vector.max() - 1.0, vector.max()
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.maximum(vector - middle, 0.0).sum() > 1.0 else (low, middle)
    point = np.maximum(vector - low, 0.0)
    return point / point.sum()


def projected_gradient(problem, weights, iterations):
    """Return the last value of a descent on the simplex; its step is halved until Armijo's rule holds, then doubled."""
    value = problem.value(weights)
    gradient = problem.gradient(weights)
    step = 1.0 / np.abs(gradient).max()
    for _ in range(iterations):
        for _ in range(40):
            trial = nearest(weights - step * gradient)
            found = problem.value(trial)
            if found <= value + 0.1 * gradient @ (trial - weights):
                break
            step *= 0.5
        else:
            return value
        weights, value, step = trial, found, 2.0 * step
        gradient = problem.gradient(weights)
    return value


def optimality(pool, labels, starts, iterations):
    print("optimality                         value       given   relative  certificate")
    for C, given in GIVEN_J.items():
        fit = fitted("simple_mkl", {"C": C, "gap": 1e-4}, pool, labels)
        value = np.abs(fit.predictor.dual).sum() - 0.5 * fit.weights @ forms(pool, fit.predictor.dual)
        line(f"SimpleMKL C={C}", value, given, fit, 1e-4)
    n = len(labels)
    for p, given in GIVEN_LP.items():
        fit = fitted("lp_mkl", {"C": 100 / n, "p": p, "gap": 1e-5}, n * pool, labels)
        value = np.abs(fit.predictor.dual).sum() - 0.5 * np.linalg.norm(
            forms(n * pool, fit.predictor.dual), p / (p - 1)
        )
        line(f"lp-norm MKL p={p:.4g} (dual)", value, given, fit, 1e-5)
    rng = np.random.default_rng(0)
    problem = Rkl(pool, labels, 100.0)
    found = [projected_gradient(problem, rng.dirichlet(np.ones(len(pool))), iterations) for _ in range(starts)]
    for norm in ("l1", "l2", "none"):  # one problem, by Propositions 2 and 3
        fit = fitted("rkl", {"C": 100, "norm": norm, "gap": 1e-4}, pool, labels)
        value = problem.value(fit.weights)
        no_worse = value - min(found) <= 1e-4 * value
        line(f"RKL C=100 {norm}", value, min(found), fit, 1e-4, "" if no_worse else "  WORSE than a random start")
    print(f"given for RKL: the best of {starts} random starts, {min(found):.5f} to {max(found):.5f}")


def line(title, value, given, fit, asked, remark=""):
    relative = (value - given) / given
    gap = fit.certify().gap
    remark += "  gap not reached" if gap > 2 * asked else ""  # the certificate sees the machine's tolerance too
    print(f"{title:28} {value:11.5f} {given:11.5f} {relative:10.1e} {gap:12.1e}{remark}", flush=True)


class AtHand(Combination):
    """A combination that keeps every row of all weights that it has ever had, and finds them ready the next time."""

    kept: ClassVar[dict] = {}

    def reweight(self, weights):
        """Take all rows from what was kept, if these weights were."""
        key = weights.tobytes()
        if key not in self.kept:
            super().reweight(weights)
            self.product(np.ones(len(self.rows.diagonal)))  # combines all rows
            self.kept[key] = self.rows._replace(cache=self.rows.cache.copy())
        self.rows = self.kept[key]


def machine(case, fit, pool):
    """Return Gram matrix and C of the machine that a fit returned."""
    gram, C = np.tensordot(fit.weights, pool, 1), case.settings["C"]
    if case.name == "klc":
        return gram + np.eye(len(gram)) / C, 100.0 * np.abs(fit.predictor.dual).max()
    if case.name == "rkl":
        combination = Combination.single(gram)
        return gram, C / meb.enclose(combination, tolerance=EXACT).squared_radius
    return gram, C


def speed(pool, labels, rounds):
    print("speed                             seconds  limit    C++  Octave   SVC fit  ratio  SVM  MEB  combination")
    for case in speed_cases(len(labels)):
        scaled = case.trace * pool
        fit = fitted(case.name, case.settings, scaled, labels)
        gram, C = machine(case, fit, scaled)

        def plain(case=case, scaled=scaled):
            fitted(case.name, case.settings, scaled, labels)

        def at_hand(case=case, scaled=scaled):
            with patch("grambench.algorithms.oracle.Combination", AtHand):
                fitted(case.name, case.settings, scaled, labels)

        AtHand.kept.clear()
        ours, uncombined, svc = in_turn([plain, at_hand, lambda g=gram, C=C: libsvm(g, labels, C)], rounds)
        given = " ".join(
            f"{value:{width}}" if value else " " * (width - 1) + "-"
            for value, width in ((case.limit, 6), (case.cpp, 6), (case.octave, 7))
        )
        share, ratio = 1 - np.median(uncombined / ours), np.median(ours / svc)
        ours, svc = np.median(ours), np.median(svc)
        over = case.limit is not None and ours > case.limit
        print(
            f"{case.title:32} {ours:8.3f} {given} {1e3 * svc:6.2f} ms {ratio:6.1f} {fit.work.svm_calls:4}"
            f" {fit.work.meb_calls:4} {100 * share:10.0f} %{'  OVER' if over else ''}",
            flush=True,
        )
    AtHand.kept.clear()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=300, help="of the projected gradient")
    parser.add_argument("--only", choices=["optimality", "speed"])
    arguments = parser.parse_args()
    pool, labels = breast_cancer()
    if arguments.only != "speed":
        optimality(pool, labels, arguments.starts, arguments.iterations)
    if arguments.only != "optimality":
        speed(pool, labels, arguments.rounds)


if __name__ == "__main__":
    main()
