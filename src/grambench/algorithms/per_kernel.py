"""An SVM on each kernel of the pool by itself, for algorithms that select one kernel or combine decision values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Work
from grambench.common.types import Floats, Labels
from grambench.kernels.pool import Pool
from grambench.solvers import svm
from grambench.solvers.combination import Combination

SMALL = 1e-3  # below this, the solver's Kv has too large a relative error


@dataclass(frozen=True, slots=True)
class PerKernel:
    """s(x, y) = sum_f weights_f (sum_i dual_fiy k_f(x, x_i) + bias_fy); without classes, f(x) is the same without y.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Weights of the kernels.
    dual : ndarray of float64 (m, n, C) or (m, n)
        Signed coefficients of each kernel's SVMs.
    bias : ndarray of float64 (m, C) or (m,)
        Offsets of each kernel's SVMs.
    """

    weights: Floats
    dual: Floats
    bias: Floats

    @property
    def support(self) -> NDArray[np.intp]:
        """The support vectors of all kernels with a weight."""
        return np.flatnonzero(self.dual.reshape(*self.dual.shape[:2], -1).any(axis=(0, 2)))

    def scores(self, pool: Pool) -> Floats:
        """Return s(x, y), (t, C), or f(x), (t,)."""
        grams, used = pool.grams(), np.flatnonzero(self.weights).tolist()
        return np.asarray(sum(self.weights[f] * (grams[f] @ self.dual[f] + self.bias[f]) for f in used))


def train_svm(combination: Combination, labels: Labels, C: float, work: Work, **options: Any) -> svm.SVM:
    """Train an SVM, and count its work; for the options see `grambench.solvers.svm.train`."""
    trained = svm.train(combination, labels, C, **options)
    work.svm_calls += 1
    work.count_steps(trained.steps)
    return trained


def cross_validated_scores(
    gram: Floats, labels: Labels, C: float, folds: Sequence[NDArray[np.int64]], work: Work
) -> Floats:
    """Return the decision value of each example by an SVM that was trained on the other folds, (n,)."""
    combination, scores = Combination.single(gram), np.empty(len(labels))
    for validation in folds:
        examples = np.ones(len(labels), dtype=np.bool_)
        examples[validation] = False
        trained = train_svm(combination, labels, C, work, examples=examples)
        image = trained.image[validation]
        if np.abs(image).max(initial=0.0) < SMALL:
            image = gram[validation] @ trained.dual
        scores[validation] = image + trained.bias
    return scores
