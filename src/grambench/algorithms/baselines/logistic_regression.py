"""Logistic regression: a linear model of the log-odds, by LIBLINEAR (Fan et al. 2008, JMLR 9).

    minimise  1/2 ||(w, b)||^2 + C sum_i log(1 + exp(-y_i (w'x_i + b)))

scikit-learn's LogisticRegression with LIBLINEAR in place of L-BFGS, which needs scaled features to converge; the bias
is regularised with it. Dense or sparse. f(x) are the log-odds. No kernel is used, and no work is counted.
"""

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import check_both_classes, features_of, without_kernels
from grambench.algorithms.settings import Cost as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train the model."""
    from sklearn.linear_model import LogisticRegression

    check_both_classes(labels)
    model = LogisticRegression(C=parameters.C, solver="liblinear").fit(features_of(pool), labels)
    return without_kernels(pool, model.decision_function)
