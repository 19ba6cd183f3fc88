"""Kernels centred in their feature spaces: their feature vectors have the mean zero over the training examples.

With phi the feature map of a kernel and mu the mean of phi(x_i) over the training examples, the centred kernel is

    k(x, x') - <phi(x), mu> - <mu, phi(x')> + <mu, mu>        (Cortes, Mohri and Rostamizadeh 2012, JMLR 13, Section 2)

An SVM with an offset ignores the difference, but a learned combination does not: the constant part of a kernel takes a
share of its trace, and so of its weight.
"""

import numpy as np

from grambench.common.types import Floats
from grambench.kernels.pool import Pool, Stored


class Centring:
    """The centring, and the scaling to a trace, of the kernels of a pool by its training examples.

    Parameters
    ----------
    pool : Pool
        The kernels among the n training examples, neither centred nor scaled.
    trace : float, optional
        The trace to which each centred Gram matrix is scaled; by default they are not scaled. A kernel that is constant
        on the training examples tells nothing apart and has no trace to scale: it becomes 0 everywhere.
    """

    def __init__(self, pool: Pool, trace: float | None) -> None:
        grams = pool.grams()
        self._means: list[Floats] = [gram.mean(axis=0) for gram in grams]
        self._scales = [1.0] * len(grams)
        if trace is not None:
            for k, mean in enumerate(self._means):
                diagonal = np.diagonal(grams[k])
                size = float((diagonal - 2.0 * mean + mean.mean()).sum())
                is_constant = not size > 1e-12 * abs(float(diagonal.sum()))
                self._scales[k] = 0.0 if is_constant else trace / size
        self.train = self._stored(pool, self._means)

    def between(self, pool: Pool) -> Pool:
        """Return the centred kernels of a pool between other examples and the training ones."""
        return self._stored(pool, [gram.mean(axis=1) for gram in pool.grams()])

    def among(self, pool: Pool, between: Pool) -> Pool:
        """Return the centred kernels of a pool of other examples, given that between them and the training ones."""
        means = [gram.mean(axis=1) for gram in between.grams()]
        return self._stored(pool, means, means)

    def _stored(self, pool: Pool, rows: list[Floats], columns: list[Floats] | None = None) -> Pool:
        """Return the centred values of a pool, given <phi(x), mu> of its rows and of its columns."""
        _, t, n = pool.shape
        values = np.empty((len(rows), t, n))
        for k, gram in enumerate(pool.grams()):
            column = self._means[k] if columns is None else columns[k]
            np.subtract(gram, rows[k][:, None], out=values[k])
            values[k] -= column
            values[k] += self._means[k].mean()
            values[k] *= self._scales[k]
        stored = Stored(values, features=pool.features, family=pool.family)
        stored.computed = pool.computed
        return stored
