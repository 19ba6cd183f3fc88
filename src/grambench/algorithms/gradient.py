"""Online gradient descent in the space of each kernel, one classifier for each (Kivinen, Smola and Williamson 2004).

    f_k <- f_k - eta l'(y f_k(x)) y K_k(x, .)     in every round

A classifier changes where its loss has a slope. On a pool, scores of all n examples are kept for each kernel; on
features, blocks of examples are learned by `grambench.algorithms.streaming.LinearClassifiers`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Work
from grambench.algorithms.scores import support_columns
from grambench.algorithms.streaming import LOSSES, step_length
from grambench.common.lazy_numba import njit
from grambench.common.parameters import POSITIVE, Checked
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool


# Without slots, so that a class can inherit from this one and another base.
@dataclass(frozen=True, kw_only=True)
class GradientParameters(Checked):
    """Parameters of online gradient descent.

    Attributes
    ----------
    eta : float
        Step size.
    loss : str
        "hinge" or "logistic", of the margin y f(x).
    """

    eta: Annotated[float, POSITIVE] = 0.2
    loss: Literal["hinge", "logistic"] = "hinge"


@dataclass(frozen=True, slots=True)
class KernelExpansions:
    """f(x) = sum_k weights_k sum_s dual_ks k_k(x_s, x).

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Weights of the kernels.
    support : ndarray of int32 (s,)
        Support vectors of all kernels.
    dual : ndarray of float64 (m, s)
        Their coefficients for each kernel.
    """

    weights: Floats
    support: NDArray[np.int32]
    dual: Floats

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,), added in the order of the pass."""
        total, grams = np.zeros(pool.shape[1]), pool.grams()
        for k in np.flatnonzero(self.weights).tolist():
            scores = np.zeros(len(total))
            for coefficient, column in zip(self.dual[k], support_columns(grams[k], self.support), strict=True):
                scores += coefficient * column
            total += self.weights[k] * scores
        return total


@dataclass(frozen=True, slots=True)
class GradientPass:
    """The classifiers of m kernels in a pass over T examples.

    Attributes
    ----------
    scores : ndarray of float64 (T, m)
        f_k(x) of each round's example, before its label was used.
    dual : ndarray of float64 (T, m)
        Coefficient of each round's example; 0 where a classifier did not change.
    """

    scores: Floats
    dual: Floats

    @property
    def updated(self) -> NDArray[np.bool_]:
        """Whether a round changed a classifier, (T, m)."""
        return np.asarray(self.dual != 0.0)

    def predictor(self, weights: Floats, order: Order) -> KernelExpansions:
        """Return the classifiers after the last round, with weights (m,) of the kernels."""
        changed = self.updated.any(axis=1)
        return KernelExpansions(weights, order[changed], np.ascontiguousarray(self.dual[changed].T))

    def work(self, n: int) -> Work:
        """Return the work of the pass: an update reads a row of n kernel values and adds it to the scores."""
        total = int(self.updated.sum())
        return Work(kernel_values=total * n, row_additions=total)


def gradient_pass(
    parameters: GradientParameters, pool: Pool, labels: Labels, order: Order, kernels: Iterable[int]
) -> GradientPass:
    """Run the classifiers of some kernels over an order, each by itself; others stay at 0."""
    shape, grams = (pool.shape[0], len(order)), pool.grams()
    scores, dual = np.zeros(shape), np.zeros(shape)
    for k in kernels:
        learn_kernel(grams[k], labels, order, LOSSES[parameters.loss], parameters.eta, scores[k], dual[k])
    return GradientPass(np.ascontiguousarray(scores.T), np.ascontiguousarray(dual.T))


@njit(cache=True)
def learn_kernel(gram, labels, order, loss, eta, scores, dual):  # type: ignore[no-untyped-def]
    """Run the classifier of one kernel over T rounds; write f(x) into `scores`, and coefficients into `dual`, (T,)."""
    values = np.zeros(len(gram))
    for t in range(order.size):
        i = order[t]
        scores[t] = values[i]
        length = step_length(loss, labels[i], scores[t])
        if length > 0.0:
            dual[t] = eta * length * labels[i]
            row = gram[i]
            for j in range(values.size):
                values[j] += dual[t] * row[j]
