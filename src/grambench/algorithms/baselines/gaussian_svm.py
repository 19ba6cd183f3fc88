"""Gaussian SVM: one Gaussian kernel whose width cross-validation chooses, by LIBSVM (Chang and Lin 2011, ACM TIST 2).

What a user does without kernel learning: k(x, x') = exp(-||x - x'||^2 / (2 (s d)^2)), where d is the root of the median
squared distance between two training examples, and s, of `widths`, the one with the fewest errors in a stratified
cross-validation at this C; the narrower of equals. C itself is the protocol's to choose.

Where a class has fewer examples than there are folds there are fewer folds, and with a single one no choice: the middle
one of the widths is taken. Its kernels are its own, none of the pool is used; LIBSVM does not tell its steps, so that
no work is counted. Dense features or sparse.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.fit import Fit, Labels, Order
from grambench.algorithms.on_features import check_classes, features_of, without_kernels
from grambench.algorithms.oracle import check_loss_weight, stratified_folds
from grambench.kernels.pool import Pool

NEEDS = "features"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of the Gaussian SVM.

    Attributes
    ----------
    C : float
        Weight of the hinge loss.
    widths : sequence of float
        To choose from, in units of the median distance.
    folds : int
        Of the cross-validation.
    """

    C: float = 1.0
    widths: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)
    folds: int = 3

    def __post_init__(self) -> None:
        check_loss_weight(self.C)
        if not self.widths or not all(0.0 < width < np.inf for width in self.widths):
            raise ValueError(f"widths must be positive and finite, at least one, got {self.widths}")
        if self.folds < 2:
            raise ValueError(f"folds must be at least 2, got {self.folds}")


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Choose the width and train the machine on all examples."""
    from sklearn.metrics.pairwise import euclidean_distances
    from sklearn.svm import SVC

    check_classes(labels)
    features, widths = features_of(pool), sorted(parameters.widths)
    n = len(labels)
    squared = euclidean_distances(features, squared=True)
    unit = float(np.median(squared[np.triu_indices(n, 1)])) or 1.0  # equal examples are no unit
    folds = min(parameters.folds, int(np.count_nonzero(labels == 1)), int(np.count_nonzero(labels == -1)))
    best = widths[len(widths) // 2]
    if folds >= 2 and len(widths) > 1:
        held_out = stratified_folds(labels, folds, rng)
        right = np.zeros(len(widths), dtype=np.int64)
        for w, width in enumerate(widths):
            gram = np.exp(squared / (-2.0 * width**2 * unit))
            for fold in held_out:
                kept = np.setdiff1d(np.arange(n), fold)
                machine = SVC(C=parameters.C, kernel="precomputed").fit(gram[np.ix_(kept, kept)], labels[kept])
                right[w] += np.count_nonzero(machine.predict(gram[np.ix_(fold, kept)]) == labels[fold])
        best = widths[int(np.argmax(right))]
    model = SVC(C=parameters.C, kernel="rbf", gamma=0.5 / (best**2 * unit)).fit(features, labels)
    return without_kernels(pool, model.decision_function)
