"""A pool whose kernel values are made from features when they are asked for."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from grambench.kernels import grams
from grambench.kernels.functions import Kernel, Units
from grambench.kernels.pool import Continuous, Features, Floats, Grams, Indices, Pool, Stored, locked, read_only


class Computed(Pool):
    """Kernels that are functions of inner products, between t examples and n training ones.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels.
    train : ndarray of float64 (n, d)
        The training examples.
    others : ndarray of float64 (t, d), optional
        The other examples; the training ones themselves where there are none.
    basis : Computed, optional
        The pool of the training examples themselves, which gives the scales and the units; of the training examples
        alone, so that nothing of what is tested is known.
    trace : float, optional
        To which the Gram matrix of each kernel on the training examples is scaled.
    family
        See Pool.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        train: Floats,
        others: Floats | None = None,
        *,
        basis: "Computed | None" = None,
        trace: float | None = None,
        family: Continuous | None = None,
    ) -> None:
        self.kernels, self.train, self.others = kernels, train, others
        self.basis, self.trace, self.family = basis or self, trace, family
        self.features: Features = locked({"": train if others is None else others})
        self._grams: Grams | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        return len(self.kernels), len(self.features[""]), len(self.train)

    @cached_property
    def units(self) -> Units:
        """What relative kernels measure in."""
        return units_of(self.train)

    def _units(self) -> Units | None:
        return self.basis.units if any(kernel.relative for kernel in self.kernels) else None

    @cached_property
    def scales(self) -> list[float]:
        """What each kernel is multiplied by; of the training examples' pool."""
        self.grams()
        return self._scales

    def grams(self) -> Grams:
        """Return the Gram matrices, (m, t, n), made at the first call."""
        if self._grams is None:
            values = np.empty(self.shape)
            self._fill(values)
            self._grams = read_only(values)
            self.computed += values.size
        return self._grams

    def _fill(self, values: Floats) -> None:
        if self.others is None:
            grams.fill(self.train @ self.train.T, self.kernels, list(values), units=self._units())
            self._scales = [self.trace / np.trace(gram) if self.trace is not None else 1.0 for gram in values]
        else:
            inner = self.others @ self.train.T
            distances = np.empty_like(inner)
            rows, columns = (np.square(each).sum(axis=1) for each in (self.others, self.train))
            grams.squared_distances(inner, rows, columns, distances)
            for kernel, value in zip(self.kernels, values, strict=True):
                kernel.fill(inner, distances, value, self._units())
        if self.trace is not None:
            for scale, value in zip(
                self.basis.scales if self.others is not None else self._scales, values, strict=True
            ):
                value *= scale

    def rows(self, chosen: Indices) -> Floats:
        """Return the kernel values of b examples, (m, b, n)."""
        return np.asarray(self.grams())[:, chosen]

    def part(self, rows: Indices, columns: Indices) -> Stored:
        """Return a pool of copies of some rows and columns, scaled as this one."""
        return Stored(self.grams(), features=self.features, family=self.family).part(rows, columns)


def units_of(train: Floats) -> Units:
    """Return what relative kernels measure in, of training examples (n, d)."""
    inner = grams.inner_products(train)
    distances, norms = np.empty_like(inner), np.diagonal(inner).copy()
    grams.squared_distances(inner, norms, norms, distances)
    median = float(np.median(distances[np.triu_indices(len(inner), 1)])) if len(inner) > 1 else 0.0
    return Units(train.shape[1], median or 1.0)  # equal examples are no unit
