"""Kernel stacking: an SVM on each kernel, and logistic regression on their decision values (late fusion, Wolpert 1992).

Each kernel has its own SVM, and a linear model weights their outputs. This is the control that a learned combination of
kernels should beat, since it trains no SVM on a combined kernel.

Formula
-------
    f(x) = Σ_k a_k g_k(x) + b,   g_k a C-SVC on kernel k

a and b are fitted to decision values of SVMs that were trained without the example, in cross-validation. The g_k are
then trained on all examples. No weight of a kernel is recorded, as no combined kernel exists and a_k may be negative.

Complexity
----------
m (folds + 1) SVMs, and a logistic regression on n examples of m features. They read O(m n²) kernel values.

Deviations
----------
The regression is scikit-learn's, with its default l2 penalty of C = 1. The folds are stratified and random. Without two
examples of each class, a and b are fitted to decision values of the SVMs on all examples.

References
----------
Wolpert (1992). Stacked generalization. Neural Networks 5, 241-259. DOI 10.1016/S0893-6080(05)80023-1
"""

import numpy as np

from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.on_features import check_both_classes
from grambench.algorithms.oracle import stratified_folds
from grambench.algorithms.per_kernel import PerKernel, cross_validated_scores, train_svm
from grambench.algorithms.settings import CrossValidated as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool, stacked
from grambench.solvers.combination import Combination


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train the SVMs and the regression."""
    # scikit-learn takes long to import.
    from sklearn.linear_model import LogisticRegression

    check_both_classes(labels)
    grams, C = stacked(pool), parameters.C
    work = Work(kernel_values=grams.size)
    trained = [train_svm(Combination.single(gram), labels, C, work) for gram in grams]
    dual, bias = np.stack([each.dual for each in trained]), np.array([each.bias for each in trained])
    n_folds = min(parameters.folds, *(int(np.count_nonzero(labels == label)) for label in (-1, 1)))
    if n_folds >= 2:
        folds = stratified_folds(labels, n_folds, rng)
        values = np.stack([cross_validated_scores(gram, labels, C, folds, work) for gram in grams], axis=1)
    else:
        values = np.stack([gram @ each.dual + each.bias for gram, each in zip(grams, trained, strict=True)], axis=1)
    model = LogisticRegression(max_iter=1000).fit(values, labels)
    share = float(model.intercept_[0]) / len(grams)
    factors = np.asarray(model.coef_[0], dtype=np.float64)
    predictor = PerKernel(np.ones(len(grams)), factors[:, None] * dual, factors * bias + share)
    return Fit(weights=np.zeros(len(grams)), predictor=predictor, work=work)
