"""Online gradient descent in the space of each kernel, one classifier for each (Kivinen, Smola and Williamson 2004).

    f_k <- f_k - eta l'(y f_k(x)) y K_k(x, .)     in every round

A classifier changes where its loss has a slope.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Supported
from grambench.algorithms.rows import RowClassifiers, SumRows
from grambench.algorithms.scores import support_columns
from grambench.common.parameters import POSITIVE, Checked
from grambench.common.types import Floats, Order
from grambench.kernels.pool import GramRows, Pool


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
class KernelExpansions(Supported):
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
        if len(self.support) == 0:
            return total
        for k in np.flatnonzero(self.weights).tolist():
            scores = np.zeros(len(total))
            for coefficient, column in zip(self.dual[k], support_columns(grams[k], self.support), strict=True):
                scores += coefficient * column
            total += self.weights[k] * scores
        return total


def gradient_classifiers(pool: Pool) -> RowClassifiers:
    """Return the classifiers of all kernels before a pass over a pool's examples."""
    return RowClassifiers(GramRows(pool.grams(), np.arange(pool.shape[1])), SumRows)


def expansions(weights: Floats, dual: Floats, order: Order) -> KernelExpansions:
    """Return the classifiers after a pass from the coefficients of its rounds, (T, m), with weights of the kernels."""
    changed = dual.any(axis=1)
    return KernelExpansions(weights, order[changed], np.ascontiguousarray(dual[changed].T))
