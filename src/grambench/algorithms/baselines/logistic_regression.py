"""Logistic regression: a linear model of the log-odds, by LIBLINEAR (Fan et al. 2008, JMLR 9).

A linear model of the log-odds shows what the features give without a kernel. f(x) are the log-odds.

Formula
-------
    minimise  1/2 ‖(w, b)‖² + C Σ_i log(1 + exp(−y_i (w'x_i + b)))

No kernel is used, and no work is counted.

Complexity
----------
O(n d) for each product of the Hessian with a vector, with n examples of d features.

Deviations
----------
This is scikit-learn's LogisticRegression with LIBLINEAR in place of L-BFGS, which needs scaled features to converge;
LIBLINEAR regularises the bias too. Features may be dense or sparse.

References
----------
Fan, Chang, Hsieh, Wang and Lin (2008). LIBLINEAR: a library for large linear classification. Journal of Machine
Learning Research 9, 1871-1874.
"""

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import fit_model
from grambench.algorithms.settings import Cost as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train the model."""
    from sklearn.linear_model import LogisticRegression

    return fit_model(LogisticRegression(C=parameters.C, solver="liblinear"), pool, labels)
