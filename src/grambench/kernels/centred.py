"""Kernels centred in their feature spaces: their feature vectors have the mean zero over the training examples.

With phi the feature map of a kernel and mu the mean of phi(x_i) over the training examples, the centred kernel is

    k(x, x') - <phi(x), mu> - <mu, phi(x')> + <mu, mu>        (Cortes, Mohri and Rostamizadeh 2012, JMLR 13, Section 2)

An SVM with an offset ignores the difference, but a learned combination does not: the constant part of a kernel takes a
share of its trace, and so of its weight.
"""

from typing import Any

import numpy as np

from grambench.common.types import Floats
from grambench.kernels.pool import Pool, Stored


class CentredKernels:
    """Kernels that are centred on their training examples and scaled to a trace, with the methods of BoundKernels.

    `train` has to be called before the pools of other examples.

    Parameters
    ----------
    bound : BoundKernels or KernelMatrices
        The kernels, not scaled.
    trace : float, optional
        The trace to which each centred Gram matrix is scaled; by default they are not scaled. A kernel that is constant
        on the training examples tells nothing apart, and its trace is a rounding error: it becomes 0 everywhere.
    """

    def __init__(self, bound: Any, trace: float | None) -> None:
        self._bound, self._trace = bound, trace
        self.names, self.family = bound.names, bound.family

    def train(self) -> Pool:
        """Return the pool of the training examples."""
        pool = self._bound.train()
        grams = pool.grams()
        self._means: list[Floats] = [gram.mean(axis=0) for gram in grams]
        self._scales = list[float]()
        for gram, mean in zip(grams, self._means, strict=True):
            diagonal = np.diagonal(gram)
            size = float((diagonal - 2.0 * mean + mean.mean()).sum())
            is_constant = not size > 1e-12 * abs(float(diagonal.sum()))
            self._scales.append(0.0 if is_constant else 1.0 if self._trace is None else self._trace / size)
        return self._stored(pool, self._means, self._means)

    def between(self, test: Any) -> Pool:
        """Return the pool between test examples and the training examples."""
        pool = self._bound.between(test)
        return self._stored(pool, [gram.mean(axis=1) for gram in pool.grams()], self._means)

    def among(self, test: Any) -> Pool:
        """Return the pool of test examples among themselves."""
        means = [gram.mean(axis=1) for gram in self._bound.between(test).grams()]
        return self._stored(self._bound.among(test), means, means)

    def _stored(self, pool: Pool, rows: list[Floats], columns: list[Floats]) -> Pool:
        """Return the centred values of a pool, given <phi(x), mu> of its rows and of its columns."""
        values = np.empty(pool.shape)
        for k, gram in enumerate(pool.grams()):
            np.subtract(gram, rows[k][:, None], out=values[k])
            values[k] -= columns[k]
            values[k] += self._means[k].mean()
            values[k] *= self._scales[k]
        stored = Stored(values, features=pool.features, family=pool.family)
        stored.computed = pool.computed
        return stored
