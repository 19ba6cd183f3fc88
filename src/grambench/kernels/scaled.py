"""The base class of pools that evaluate kernel functions: units, scales and the continuous family.

Units and scales come from the training examples alone, so no information leaks from the test examples into a fit. A
pool between test and training examples takes them from the pool of the training examples, its basis.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

from grambench.common.types import Floats, Grams
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Continuous, Pool

# Rounding alone gives equal unit vectors a mean squared distance up to this.
EQUAL = 1e-12


class Scaled(Pool):
    """A pool that evaluates kernel functions.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels.
    train : array (n, d), or mapping of arrays by view
        The training examples.
    test : array (t, d), or mapping of arrays by view, optional
        The t examples; by default the training examples.
    basis : Scaled, optional
        The pool of the same kernels between the training examples, which provides units and scales; by default the
        pool itself.
    trace : float, optional
        The trace to which the Gram matrix of each kernel on the training examples is scaled; by default no scaling. A
        pool with a basis has the trace of the basis.
    family : callable, optional
        Returns the continuous family of the pool (see Pool). It is called at the first access to the family, since its
        unit may take as long as a Gram matrix.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        train: Any,
        test: Any = None,
        *,
        basis: Self | None = None,
        trace: float | None = None,
        family: Callable[[], Continuous | None] | None = None,
    ) -> None:
        self.kernels, self.train, self.test, self._family = tuple(kernels), train, test, family
        # None stands for the pool itself: a reference to itself would keep its Gram matrices in memory.
        self._basis = basis
        self.trace: float | None = trace if basis is None else basis.trace
        self._bind()

    @abstractmethod
    def _bind(self) -> None:
        """Check the kernels and prepare the examples; the constructor's last step."""

    @property
    def basis(self) -> Self:
        """The pool that provides units and scales."""
        return self if self._basis is None else self._basis

    @cached_property
    def family(self) -> Continuous | None:  # type: ignore[override]
        """The continuous family between the same examples, or None."""
        return self._family() if self._family else None

    @cached_property
    def scales(self) -> list[float]:
        """The factor of each kernel, computed from the diagonals of the training examples."""
        if self.trace is None:
            return [1.0] * len(self.kernels)
        scales = []
        for k, kernel in enumerate(self.kernels):
            trace = self._unscaled_diagonal(k).sum()
            if not 0.0 < trace < float("inf"):
                raise ValueError(f"{kernel.name}: expected a trace that can be scaled, got {trace:g}")
            scales.append(float(self.trace / trace))
        return scales

    @abstractmethod
    def _unscaled_diagonal(self, k: int) -> Floats:
        """Return the values of one kernel of the training examples with themselves before scaling, (n,)."""

    def _scale(self, values: Grams, kernels: Sequence[int]) -> None:
        """Multiply the values of some kernels, one array each, by their scales."""
        # Without a trace no product is formed, so that a pool without scaling costs nothing more.
        if self.trace is not None:
            for k, array in zip(kernels, values, strict=True):
                array *= self.basis.scales[k]


def mean_squared_distance(mean_square: float, centre: Floats, n: int) -> float:
    """Return the mean squared distance between different ones of n vectors, or 1 if they are equal but for rounding.

    Parameters
    ----------
    mean_square : float
        The mean of the squared norms.
    centre : ndarray of float64 (d,)
        The mean of the vectors.
    n : int
        How many vectors.
    """
    spread = float(mean_square - centre @ centre)
    return 2.0 * n / (n - 1) * spread if spread > EQUAL else 1.0
