"""OBSCURE, Pegasos and multi-class OM-2 on scikit-learn's digits: time, steps to the optimum, cost by size.

    OPENBLAS_NUM_THREADS=1 python benchmarks/obscure.py

Eight kernels on unit vectors, 1000 digits for training and 797 for the test. Steps: examples looked at until the
objective (9) is within so many percent of a lower bound of the optimum, which a dual solver gives. Medians of processor
time. MNIST is a study, `obscure_mnist`.
"""

import time
from statistics import median

import numpy as np
from group_norm_dual import solve
from sklearn.datasets import load_digits

from grambench import algorithms
from grambench.algorithms.group_norm import dual_norm
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored
from grambench.kernels.pools import BoundKernels

KERNELS = [Kernel("polynomial", 1), Kernel("unitpolynomial", 2), Kernel("unitpolynomial", 3)]
KERNELS += [Kernel("meangaussian", value) for value in (0.05, 0.1, 0.2, 0.5, 1.0)]
RUNS = 7
NEAR = (100, 50, 20, 10, 5, 2, 1)  # percent above the optimum
PASSES = 5000  # of which the first stage of OBSCURE makes 20
SIZES = (200, 400, 800, 1600)
CLASSES, OF_CLASSES = (2, 3, 5, 10), 300


def problem(n, classes=10):
    """Return the pools of n digits of some classes for training and of the others, and both labels."""
    x, y = load_digits(return_X_y=True)
    x, y = x[y < classes], y[y < classes]
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:n], order[n:]
    bound = BoundKernels(KERNELS, x[train], unit_rows=True)
    pool, between = bound.train(), bound.between(x[test])
    stored = (Stored(np.stack(list(each.grams()))) for each in (pool, between))
    return (*stored, y[train].astype(np.int8), y[test])


def fitted(name, pool, labels, **settings):
    algorithm = algorithms.load(name)
    order = np.arange(len(labels), dtype=np.int32)
    return algorithm.fit(algorithm.parameters(**settings), pool, labels, order=order, rng=np.random.default_rng(0))


def timed(name, pool, labels, **settings):
    """Return a fit and the median of its processor seconds."""
    fitted(name, pool, labels, **settings)  # compiles
    seconds = []
    for _ in range(RUNS):
        start = time.process_time()
        fit = fitted(name, pool, labels, **settings)
        seconds.append(time.process_time() - start)
    return fit, median(seconds)


def steps_to(fit, lower, percent):
    """Return after how many examples the objective was first so near to the optimum, as kept states tell."""
    near = [state.rounds for state in fit.states if state.objective <= (1.0 + percent / 100.0) * lower]
    return f"{near[0]:8}" if near else 7 * " " + "-"


def main():
    pool, between, labels, truth = problem(1000)
    print("1000 digits, 8 kernels: processor seconds, test accuracy")
    for name, settings in (
        ("obscure", {"p": 1.05, "C": 100}),
        ("obscure", {"p": 1.25, "C": 100}),
        ("pegasos", {"p": 1.25, "C": 100}),
        ("om2_multiclass", {}),
    ):
        fit, seconds = timed(name, pool, labels, **settings)
        right = np.mean(fit.predictor.scores(between).argmax(axis=1) == truth)
        passes = "1 pass" if name == "om2_multiclass" else "10 passes"
        print(f"  {name:15} {settings!s:24} {passes:9} {seconds:7.4f} s   {100 * right:5.1f} %")
    print(f"examples looked at until within {', '.join(map(str, NEAR))} % of the optimum, p = 1.05, {PASSES} passes")
    grams = np.stack(list(pool.grams()))
    for C in (1, 10, 100, 1000):
        lower = solve(grams, labels, 1.0 / (C * 1000), dual_norm(1.05), passes=1000).lower
        for name, settings in (("obscure", {"online": 20, "batch": PASSES - 20}), ("pegasos", {"epochs": PASSES})):
            fit = fitted(name, pool, labels, p=1.05, C=C, **settings)
            print(f"  C = {C:4} {name:8}", *(steps_to(fit, lower, percent) for percent in NEAR))
    print("processor seconds of 5 + 5 passes, p = 1.05, C = 100, by the number of digits")
    seconds, added = [], []
    for n in SIZES:
        pool, _, labels, _ = problem(n)
        fit, taken = timed("obscure", pool, labels, p=1.05, C=100)
        seconds.append(taken)
        added.append(fit.work.row_additions)
        each = 1e9 * taken / added[-1] / n
        print(f"  {n:5} {taken:8.4f} s  {added[-1]:7} rows of n numbers added, {each:.2f} ns a number")
    for what, values in (("seconds", seconds), ("rows", added)):
        print(f"  exponent of {what} {np.polyfit(np.log(SIZES), np.log(values), 1)[0]:.2f}")
    print(f"the same by the number of classes, {OF_CLASSES} digits")
    seconds = []
    for classes in CLASSES:
        pool, _, labels, _ = problem(OF_CLASSES, classes)
        fit, taken = timed("obscure", pool, labels, p=1.05, C=100)
        seconds.append(taken)
        print(f"  {classes:5} {taken:8.4f} s  {fit.work.row_additions:7} rows")
    print(f"  exponent of seconds {np.polyfit(np.log(CLASSES), np.log(seconds), 1)[0]:.2f}")


if __name__ == "__main__":
    main()
