"""Perceptron(u): the kernel Perceptron on the mean of all kernels (the baseline of OMKC, Section 5.1).

The algorithm gives all kernels the same weight and runs one Perceptron on their mean. It shows what a combination is
worth without learned weights.

Formula
-------
    f(x) = Σ_s y_s 1/m Σ_k K_k(x_s, x),   ŷ = sign f(x);   where ŷ ≠ y, (x, y) becomes a support vector

Complexity
----------
A mistake costs O(m n) kernel evaluations and additions, one row of every kernel; another round costs O(1).
With a budget B a round costs O(m B).

Deviations
----------
As in `perceptron`, the published numbers need sign(0) = +1 and the order of summation in `grambench.algorithms.rows`.

Chosen by published numbers: sign(0) = +1; additions in four lanes.

References
----------
Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bounded import BoundedClassifiers, PoolSource
from grambench.algorithms.budget import PerceptronBudget as Parameters
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Supported
from grambench.algorithms.rows import MeanRows, RowClassifiers
from grambench.algorithms.scores import PassClassifiers, lane_sum, one_classifier_fit, support_columns
from grambench.common.types import Floats, Indices, Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True)
class MeanPerceptron(Supported):
    """f(x) = sum_s dual_s mean_k k_k(x_s, x), of support vectors in their order of arrival, (s,) both."""

    support: NDArray[np.int32]
    dual: Floats

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        grams = pool.grams()
        total = np.zeros((len(self.support), pool.shape[1]))
        for gram in grams:
            total += support_columns(gram, self.support)
        total /= len(grams)
        return lane_sum(total, self.dual)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass."""
    rows, capacity, m = check_input(pool, labels, order), parameters.capacity(len(order)), pool.shape[0]

    def mean_values(_: int, rows: Indices, columns: Indices) -> Floats:
        """Return the mean over the kernels of their values, (b, c), added in the order of the kernels."""
        total = np.zeros((len(rows), len(columns)))
        for k in range(m):
            total += pool.values(k, rows, columns)
        return np.asarray(total / m)

    classifiers: PassClassifiers = RowClassifiers(rows, MeanRows)
    if capacity < len(order):
        classifiers = BoundedClassifiers(PoolSource(mean_values, 1), capacity, parameters.when_full)
    return one_classifier_fit(classifiers, np.full(m, 1.0 / m), MeanPerceptron, labels, order)
