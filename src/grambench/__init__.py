"""A benchmark of online kernel selection and multiple-kernel learning: published numbers beside reproduced ones.

Its algorithms are scikit-learn estimators too, imported when they are asked for: `from grambench import
KernelClassifier`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grambench.estimators import (
        FeatureSubsets,
        KernelClassifier,
        MultipleKernelTransformer,
        RandomSubsets,
        check_grams,
    )

__all__ = ["FeatureSubsets", "KernelClassifier", "MultipleKernelTransformer", "RandomSubsets", "check_grams"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from grambench import estimators

        return getattr(estimators, name)
    if name == "__version__":
        from importlib.metadata import version

        return version("grambench")
    raise AttributeError(f"module 'grambench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
