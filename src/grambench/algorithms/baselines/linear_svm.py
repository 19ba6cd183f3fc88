"""Linear SVM: a linear classifier on the features, by LIBLINEAR (Fan et al. 2008, JMLR 9).

A linear classifier with the squared hinge loss shows what the features give without a kernel. It is scikit-learn's
LinearSVC, with its default squared loss and regularised bias.

Formula
-------
    minimise  1/2 ‖(w, b)‖² + C Σ_i max(0, 1 − y_i (w'x_i + b))²

No kernel is used, and no work is counted.

Complexity
----------
O(n d) for each product of the Hessian with a vector, with n examples of d features.

Deviations
----------
LinearSVC solves the primal by Newton steps in a trust region, which are deterministic and take features of any scale,
dense or sparse.

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
    """Train the SVM."""
    from sklearn.svm import LinearSVC

    return fit_model(LinearSVC(C=parameters.C, dual=False), pool, labels)
