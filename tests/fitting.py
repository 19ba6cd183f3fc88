"""How tests fit an algorithm: as protocols do, its inputs read-only and its result held against the contract."""

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


def same(first, second):
    """Say whether two fits, traces or other records of one kind are equal, bit for bit, in all their fields."""
    if isinstance(first, np.random.Generator):
        return first.bit_generator.state == second.bit_generator.state
    if callable(first):  # a certificate that is yet to be computed
        return callable(second) and same(first(), second())
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()
    if hasattr(first, "__dataclass_fields__"):
        names = first.__dataclass_fields__
        return type(first) is type(second) and all(same(getattr(first, n), getattr(second, n)) for n in names)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    return type(first) is type(second) and first == second
