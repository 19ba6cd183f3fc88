"""Uniform SVM: an SVM on the uniform combination of the base kernels ("Unif" of Gai et al. 2010).

All kernels get the same weight, and an SVM is trained on their mean. It is the baseline that learned weights should
beat.

Formula
-------
    K = 1/m Σ_k K_k,   then a C-SVC on K

Notes
-----
MKLpy calls this algorithm AverageMKL, and CA's paper calls it DU on a grid of a continuous family.

Complexity
----------
One SVM; a row of K costs O(m n) when the solver first reads it, in all at most O(m n²), and a step of the solver O(n).

Deviations
----------
The paper starts every method at θ = e/m and calls this "the uniform combination". The mean of the kernels gives its
numbers on splice, fourclass and wdbc, their sum those on ionosphere, and no combination gives both. The mean
is the default. With unit traces the two differ as C and m C do.

References
----------
Gai, Chen and Zhang (2010). Learning kernels with radiuses of minimum enclosing balls. Advances in Neural Information
Processing Systems 23.

Cortes and Vapnik (1995). Support-vector networks. Machine Learning 20, 273-297. DOI 10.1007/BF00994018
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import Oracle
from grambench.algorithms.settings import Cost
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

LEARNS_FROM_SUMS = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Cost):
    """Parameters of the uniform SVM.

    Attributes
    ----------
    combination : str
        "mean" of the kernels, or their "sum".
    """

    combination: Literal["mean", "sum"] = "mean"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train the SVM."""
    oracle, m = Oracle(pool, labels, sums=True), pool.shape[0]
    return oracle.fit_svm(np.full(m, 1.0 / m if parameters.combination == "mean" else 1.0), parameters.C)
