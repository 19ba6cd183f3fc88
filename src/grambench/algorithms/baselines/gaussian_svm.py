"""Gaussian SVM: one Gaussian kernel whose width cross-validation selects, by LIBSVM (Chang and Lin 2011, ACM TIST 2).

This is what a user does without kernel learning: one Gaussian kernel, whose width cross-validation selects from a few.
C itself is selected by the protocol.

Formula
-------
    k(x, x') = exp(−‖x − x'‖² / (2 (s d)²)),   s ∈ `widths`

d is the root of the median squared distance between two training examples. The s with the fewest errors in a stratified
cross-validation at this C is selected; of equals, the narrower.

Complexity
----------
O(n² d) for the distances of d features, and len(widths) · folds + 1 SVMs. LIBSVM does not report its steps, so no work
is counted.

Deviations
----------
A class with fewer examples than folds reduces the number of folds; with a single fold, the middle width is selected.
The algorithm computes its own kernels and uses none of the pool. Features may be dense or sparse.

References
----------
Chang and Lin (2011). LIBSVM: a library for support vector machines. ACM Transactions on Intelligent Systems and
Technology 2. DOI 10.1145/1961189.1961199
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import check_both_classes, features_of, without_kernels
from grambench.algorithms.oracle import stratified_folds
from grambench.algorithms.settings import WIDTHS, Cost
from grambench.common.parameters import at_least
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Cost):
    """Parameters of the Gaussian SVM.

    Attributes
    ----------
    widths : sequence of float
        To choose from, in units of the median distance.
    folds : int
        Of the cross-validation.
    """

    widths: Annotated[tuple[float, ...], WIDTHS] = (0.25, 0.5, 1.0, 2.0, 4.0)
    folds: Annotated[int, at_least(2)] = 3


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select the width and train the SVM on all examples."""
    from sklearn.metrics.pairwise import euclidean_distances
    from sklearn.svm import SVC

    check_both_classes(labels)
    features, widths = features_of(pool), sorted(parameters.widths)
    n = len(labels)
    squared = euclidean_distances(features, squared=True)
    unit = float(np.median(squared[np.triu_indices(n, 1)])) or 1.0  # equal examples are no unit
    folds = min(parameters.folds, int(np.count_nonzero(labels == 1)), int(np.count_nonzero(labels == -1)))
    best = widths[len(widths) // 2]
    if folds >= 2 and len(widths) > 1:
        validation_folds = stratified_folds(labels, folds, rng)
        n_correct = np.zeros(len(widths), dtype=np.int64)
        for w, width in enumerate(widths):
            gram = np.exp(squared / (-2.0 * width**2 * unit))
            for validation in validation_folds:
                train = np.setdiff1d(np.arange(n), validation)
                svm = SVC(C=parameters.C, kernel="precomputed").fit(gram[np.ix_(train, train)], labels[train])
                n_correct[w] += np.count_nonzero(svm.predict(gram[np.ix_(validation, train)]) == labels[validation])
        best = widths[int(np.argmax(n_correct))]
    model = SVC(C=parameters.C, kernel="rbf", gamma=0.5 / (best**2 * unit)).fit(features, labels)
    return without_kernels(pool, model.decision_function)
