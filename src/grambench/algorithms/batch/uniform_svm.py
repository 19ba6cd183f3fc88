"""Uniform SVM: an SVM on the uniform combination of the base kernels ("Unif" of Gai et al. 2010).

The paper starts every method at theta = e/m and calls this "the uniform combination"; the mean of the kernels gives its
numbers on splice, fourclass and wdbc, their sum those on ionosphere and sonar, and nothing gives both. The mean is the
default. With unit traces the two differ as C and m C do.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import Oracle
from grambench.algorithms.settings import Cost
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate
from grambench.solvers.svm import TOLERANCE


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
    oracle = Oracle(pool, labels)
    m = len(oracle.grams)
    weights = np.full(m, 1.0 / m if parameters.combination == "mean" else 1.0)
    svm = oracle.train_svm(weights, parameters.C, tolerance=TOLERANCE)
    oracle.record(svm.objective)

    def certify() -> Certificate:
        gram = np.tensordot(weights, oracle.grams, 1)
        return certificates.svm(gram, labels, parameters.C, svm.dual, svm.bias)

    return oracle.fit(weights, svm.dual, svm.bias, certify)
