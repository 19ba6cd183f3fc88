"""The problems that the benchmarks of kernel learning share, and their clock."""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

from grambench import algorithms
from grambench.algorithms.checks import learn
from grambench.common import layout
from grambench.common.shipped import located
from grambench.config.project import Configuration
from grambench.datasets import fetch, store
from grambench.datasets.prepare import prepare
from grambench.kernels import grams
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

WIDTHS = (0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20)
DEGREES = range(1, 11)
FEATURES = 32


def breast_cancer(widths=WIDTHS, degrees=DEGREES):
    """Return scikit-learn's breast_cancer under m kernels of trace 1, RKL's 20: Gram matrices (m, 569, 569), labels."""
    features, target = load_breast_cancer(return_X_y=True)
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    kernels = [Kernel("gaussian", s) for s in widths] + [Kernel("inhomogeneous", d) for d in degrees]
    pool = grams.compute(grams.inner_products(features), kernels)
    pool /= np.trace(pool, axis1=1, axis2=2)[:, None, None]
    return pool, np.where(target == 1, 1, -1).astype(np.int8)


def prepared(name, results=Path()):
    """Return a data set that is prepared in `results/`, or else from its source (GRAMBENCH_MIRROR)."""
    path = results / layout.PREPARED.format(dataset=name)
    if path.exists():
        return store.read(path)
    description = Configuration(Path("config")).dataset(name)
    mirrors = [Path(mirror) for mirror in os.environ.get("GRAMBENCH_MIRROR", "").split(os.pathsep) if mirror]
    kinds = ("bundled", "http", "debian")
    with tempfile.TemporaryDirectory() as folder:
        fetch.fetch(description, Path(folder), bundled=located(layout.BUNDLED), mirrors=mirrors, kinds=kinds)
        return prepare(description, Path(folder))


def two_gaussians(n, rng):
    """Return n examples of two Gaussian classes, a tenth of which no classifier gets right: (n, 32) and labels (n,)."""
    labels = rng.permutation(np.where(np.arange(n) % 2, 1, -1)).astype(np.int8)
    means = 1.0 / np.arange(1, FEATURES + 1)  # of length 1.27: features matter less and less
    return rng.standard_normal((n, FEATURES)) + labels[:, None] * means, labels


def noisy(n, rng):
    """Return n examples of two classes that no Gaussian SVM separates: (n, 6) and labels (n,)."""
    features = rng.standard_normal((n, 6))
    score = np.sin(2.0 * features[:, 0]) + features[:, 1] * features[:, 2] + 0.5 * rng.standard_normal(n)
    return features, np.where(score > 0.0, 1, -1).astype(np.int8)


def libsvm(gram, labels, C, tolerance=1e-3):
    """Return signed coefficients (n,) of the machine that scikit-learn trains."""
    machine = SVC(C=C, kernel="precomputed", tol=tolerance).fit(gram, labels)
    dual = np.zeros(len(labels))
    dual[machine.support_] = machine.dual_coef_[0]
    return dual


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turn(functions: list[Callable[[], object]], rounds: int):
    """Return the seconds, (functions, rounds), of functions run in turn, round by round, after a warm-up."""
    for function in functions:
        function()
    return np.array([[seconds(function) for function in functions] for _ in range(rounds)]).T


def fit(name, settings, grams, labels, order=None, seed=0):
    """Fit an algorithm to Gram matrices, under the contract as protocols do."""
    order = np.arange(len(labels), dtype=np.int32) if order is None else order
    parameters, rng = algorithms.parameters(name, settings), np.random.default_rng(seed)
    return learn(algorithms.load(name), parameters, Stored(grams), labels, order=order, rng=rng)
