"""The kernel that an algorithm learns, for estimators that take a precomputed one."""

from contextlib import closing
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from grambench.algorithms.fit import mixture
from grambench.common.types import Floats
from grambench.estimators.base import KernelEstimator, one_line


class MultipleKernelTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Learns a combination of kernels; transforms examples to its values with the training ones.

    For other estimators' `kernel="precomputed"`, such as in `make_pipeline(MultipleKernelTransformer("cka"),
    SVC(kernel="precomputed"))`. The learned kernel has a mean diagonal of 1 on the training examples. Of more than two
    classes it is the mean of those of each class (one-vs-rest).

    Parameters
    ----------
    algorithm, kernels, scale, shuffle, random_state, verbose, **parameters
        See KernelClassifier.

    Attributes
    ----------
    classes_, kernels_, kernel_weights_, certificate_, n_features_in_, feature_names_in_
        See KernelClassifier.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Learn a kernel from examples (n, d), or what `kernels` makes of them, and their classes (n,)."""
        self._prepare(X, y)
        fits, self._parts = [], []
        with one_line(), closing(self._fits()) as found:
            for fit, sample in found:
                if not fit.weights.any():
                    raise ValueError(f"{self.algorithm}: expected an algorithm that learns a kernel, got one without")
                fits.append(fit)
                scale = len(sample.labels) / float(np.trace(fit.gram(sample.pool)))
                self._parts.append((scale * fit.weights, fit.thetas))
        self._n_features_out = len(self._numbers)
        self._keep(fits)
        return self

    def transform(self, X: Any) -> Floats:
        """Return the learned kernel between examples and the training ones, (t, n)."""
        check_is_fitted(self, "kernel_weights_")
        examples = self._examples(X)
        with one_line():
            pool = self._bound.between(examples)
            total = sum(mixture(pool, weights, thetas) for weights, thetas in self._parts)
        return np.asarray(total / len(self._parts))
