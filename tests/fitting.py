"""How tests fit an algorithm: as protocols do, its inputs read-only and its result held against the contract."""

import dataclasses
import itertools
import time

import numpy as np

from grambench import algorithms
from grambench.algorithms.checks import learn
from grambench.kernels.pool import Pool, Stored


def pool_of(grams):
    """Return a pool of Gram matrices; a pool as it is."""
    return grams if isinstance(grams, Pool) else Stored(grams)


def fit(name, grams, labels, order=None, *, seed=0, **settings):
    """Fit to a pool, or to Gram matrices; without an order the examples come as they stand."""
    algorithm = algorithms.load(name)
    order = np.arange(len(labels), dtype=np.int32) if order is None else order
    rng = np.random.default_rng(seed)
    return learn(algorithm, algorithm.parameters(**settings), pool_of(grams), labels, order=order, rng=rng)


def scores(fitted, grams):
    """Return what a fit's predictor says of the examples of a pool, or of Gram matrices with the training ones."""
    return fitted.predictor.scores(pool_of(grams))


UNSEEDED = {
    "numpy's own numbers": lambda before: np.random.random(),  # noqa: NPY002
    "what it has kept": lambda before: 1.0 / before,
    "the clock": lambda before: time.perf_counter() % 1.0,
}


def unsteady(name, source):
    """Return an algorithm whose weights hang on something beside its arguments; its trace, if any, does not."""
    right, before = algorithms.load(name), itertools.count(1)

    def fit(parameters, pool, labels, *, order, rng):
        found = right.fit(parameters, pool, labels, order=order, rng=rng)
        more = np.arange(len(found.weights)) * UNSEEDED[source](next(before))
        return dataclasses.replace(found, weights=found.weights + more)

    return dataclasses.replace(right, fit=fit)
