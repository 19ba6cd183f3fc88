"""What the pools share that evaluate kernel functions: units, scales and the continuous family.

Units and scales come from the training examples alone, so that a fit learns nothing of the examples that it is tested
on: a pool between other examples and the training ones takes them from the pool of the training ones, its basis.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Self

from grambench.common.types import Floats, Grams
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Continuous, Pool

EQUAL = 1e-12  # a mean squared distance of unit vectors that rounding alone makes


class Scaled(Pool):
    """A pool that evaluates kernel functions.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels.
    basis : Scaled, optional
        The pool of the same kernels between the training examples, which provides units and scales; this pool itself
        if None.
    trace : float, optional
        The trace to which the Gram matrix of each kernel on the training examples is scaled; None for no scaling. A
        pool with a basis is scaled as the basis is.
    family : callable, optional
        Return the continuous family of the pool (see Pool) when it is asked for first, since its unit may take as long
        as a Gram matrix.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        *,
        basis: Self | None,
        trace: float | None,
        family: Callable[[], Continuous | None] | None,
    ) -> None:
        self.kernels, self._family = tuple(kernels), family
        self._basis = basis  # a pool has no reference to itself, which would keep its Gram matrices in memory
        self.trace: float | None = trace if basis is None else basis.trace

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
        """The factor of each kernel, of the pool of the training examples; from the diagonals alone."""
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

    def _scale(self, values: Grams, chosen: Sequence[int]) -> None:
        """Multiply the values of the chosen kernels, one array each, by their scales."""
        # Without a trace no product is formed: a pool that is not scaled costs nothing more.
        if self.trace is not None:
            for k, each in zip(chosen, values, strict=True):
                each *= self.basis.scales[k]


def mean_squared_distance(mean_square: float, centre: Floats, n: int) -> float:
    """Return the mean squared distance between different ones of n vectors, or 1 if rounding alone tells them apart.

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
