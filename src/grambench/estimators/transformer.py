"""The kernel that an algorithm learns, as input of estimators with precomputed kernels."""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from grambench.algorithms.fit import Fit, mixture
from grambench.common.threads import one_thread
from grambench.common.types import Floats
from grambench.estimators.base import KernelEstimator, one_line
from grambench.experiments.training import Examples
from grambench.kernels.pool import Pool


class MultipleKernelTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Learns a combination of kernels, and transforms examples to its values with the training examples.

    The output is for estimators with `kernel="precomputed"`, such as in
    `make_pipeline(MultipleKernelTransformer("cka"), SVC(kernel="precomputed"))`. The learned kernel has a mean diagonal
    of 1 on the training examples. For more than two classes it is the mean of the kernels of each class (one-vs-rest).

    Parameters
    ----------
    algorithm, kernels, views, scale, center, shuffle, random_state, verbose, **parameters
        See KernelClassifier.

    Attributes
    ----------
    classes_, kernels_, kernel_weights_, certificate_, n_features_in_, feature_names_in_
        See KernelClassifier.

    Examples
    --------
    >>> from grambench import MultipleKernelTransformer
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> MultipleKernelTransformer("cka").fit(X, y).transform(X[:4]).shape
    (4, 150)
    >>> make_pipeline(MultipleKernelTransformer("cka"), SVC(kernel="precomputed")).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Learn a kernel from examples (n, d), or other X that `kernels` requires, and their classes (n,)."""
        self._prepare(X, y)
        _, self._learned = self._learn(self._kernel)
        self._n_features_out = len(self._numbers)
        return self

    def _kernel(self, fit: Fit, sample: Examples) -> tuple[float, Callable[[Pool], Floats]]:
        """Return the factor that scales a learned kernel to a mean diagonal of 1, and the kernel."""
        if not fit.weights.any():
            raise ValueError(f"{self.algorithm}: expected an algorithm that learns a kernel, got one without")
        # A product of powers, as GMKL's, is the kernel of its predictor.
        kernel = getattr(fit.predictor, "gram", partial(mixture, weights=fit.weights, thetas=fit.thetas))
        return len(sample.labels) / float(np.trace(kernel(sample.pool))), kernel

    def transform(self, X: Any) -> Floats:
        """Return the learned kernel between examples and the training examples, (t, n)."""
        check_is_fitted(self, "kernels_")
        examples = self._examples(X)
        with one_line(), one_thread(examples.size * len(self._numbers)):
            pool = self._bound.between(examples)
            total = sum(scale * kernel(pool) for scale, kernel in self._learned)
        return np.asarray(total / len(self._learned))
