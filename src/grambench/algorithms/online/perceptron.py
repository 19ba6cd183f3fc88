"""Perceptron: the kernel Perceptron with one fixed kernel (Rosenblatt 1958; the baseline of OMKC, Section 5.1).

The algorithm predicts the sign of a sum over its support vectors. It adds every misclassified example as a support
vector.

Formula
-------
    f(x) = Σ_s y_s k(x_s, x),   ŷ = sign f(x);   where ŷ ≠ y, (x, y) becomes a support vector

The published numbers need the linear kernel, which is the first of the pool.

Complexity
----------
A mistake costs O(n) kernel evaluations and additions, since the scores of all n examples are kept; another round costs
O(1). M mistakes cost O(M n). With a budget B a round costs O(B).

Deviations
----------
OMKC's Algorithm 1, line 8, counts y f(x) ≤ 0 as a mistake. The published numbers need sign(0) = +1, so a score of
exactly 0 is a mistake on a negative example only. They also need the order of summation in
`grambench.algorithms.rows`.

Chosen by published numbers: sign(0) = +1; additions in four lanes; the linear kernel.

References
----------
Rosenblatt (1958). The perceptron: a probabilistic model for information storage and organization in the brain.
Psychological Review 65, 386-408. DOI 10.1037/h0042519

Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.budget import PerceptronBudget
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit
from grambench.algorithms.scores import single_kernel_fit
from grambench.algorithms.settings import OneKernel
from grambench.algorithms.streaming import Basis, OneClassifier, OnlineState, kernel_count, perceptrons
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(OneKernel, PerceptronBudget):
    """Parameters of the Perceptron.

    Attributes
    ----------
    kernel : int
        Index of its kernel in the pool; 0 is the linear kernel of OMKC's pool.
    """


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass.

    Raises
    ------
    ValueError
        If the pool has no kernel of that index.
    """
    rows = check_input(pool, labels, order)
    return single_kernel_fit(pool, rows, parameters.among(len(rows.values)), parameters, labels, order)


def start(parameters: Parameters, basis: Basis, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example; see `grambench.algorithms.streaming`."""
    kernel = parameters.among(kernel_count(basis))
    return OneClassifier(perceptrons(basis, parameters, [kernel]), kernel)
