"""The algorithms as scikit-learn estimators: a classifier, and the kernel that it learns for other estimators."""

from grambench.estimators.classifier import KernelClassifier
from grambench.estimators.kernels import check_grams
from grambench.estimators.transformer import MultipleKernelTransformer

__all__ = ["KernelClassifier", "MultipleKernelTransformer", "check_grams"]
