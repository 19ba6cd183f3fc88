"""The algorithms as scikit-learn estimators: a classifier, and the kernel that it learns for other estimators."""

from grambench.estimators.classifier import KernelClassifier
from grambench.estimators.kernels import check_grams
from grambench.estimators.transformer import MultipleKernelTransformer
from grambench.kernels.subsets import FeatureSubsets, RandomSubsets

__all__ = ["FeatureSubsets", "KernelClassifier", "MultipleKernelTransformer", "RandomSubsets", "check_grams"]
