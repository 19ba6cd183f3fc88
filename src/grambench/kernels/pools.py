"""Pools that belong to the same training examples: of these among themselves, and between others and these.

Scales and units are those of the training examples alone, so that test examples cannot influence a fit. Experiments
and estimators compute all their kernels here.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from grambench.common.types import Floats
from grambench.kernels.computed import Computed, units_of
from grambench.kernels.dictionary import Dictionary
from grambench.kernels.functions import Kernel, Units
from grambench.kernels.pixels import ByPixels
from grambench.kernels.pool import Continuous, Grid, Pool
from grambench.kernels.views import Viewed


class VectorPools:
    """Pools of kernels on vectors, of a continuous family, or of both.

    Parameters
    ----------
    kernels : sequence of m Kernels
        Without any, the pools are the grid of the dictionary.
    train : ndarray of float64 (n, d)
        The training examples.
    dictionary : Dictionary, optional
        The continuous family.
    trace : float, optional
        The trace to which the Gram matrix of each kernel on the training examples is scaled.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        train: Floats,
        dictionary: Dictionary | None = None,
        trace: float | None = None,
    ) -> None:
        if not kernels and dictionary is None:
            raise ValueError("expected kernels or a dictionary, got neither")
        self.kernels, self.dictionary = kernels, dictionary
        self._train, self._trace = train, trace
        # The basis only holds scales and units, so that a fitted estimator does not keep the Gram matrices of a fit.
        self._basis = Computed(kernels, train, trace=trace)

    def train(self) -> Pool:
        """Return a new pool of the training examples."""
        if not self.kernels:
            return self._grid(self._train)
        pool = Computed(self.kernels, self._train, trace=self._trace, family=self._family)
        if any(kernel.relative for kernel in self.kernels):
            pool.units = self._basis.units = self._units
        self._basis.scales = pool.scales
        return pool

    def between(self, others: Floats) -> Pool:
        """Return the pool between other examples (t, d) and the training ones."""
        if not self.kernels:
            return self._grid(others, others)
        family = partial(self._family, others=others)
        return Computed(self.kernels, self._train, others, basis=self._basis, trace=self._trace, family=family)

    def among(self, others: Floats) -> Pool:
        """Return the pool of other examples (t, d) among themselves."""
        if not self.kernels:
            return self._grid(others, train=others)
        family = partial(self._family, train=others)
        return Computed(self.kernels, others, others, basis=self._basis, trace=self._trace, family=family)

    @cached_property
    def _units(self) -> Units:
        return units_of(self._train)

    @cached_property
    def unit(self) -> float:
        """The unit of the dictionary's parameter."""
        if self.dictionary is None or self.dictionary.unit is None:
            return 1.0
        return self.dictionary.unit_of(self._units)

    def _family(self, others: Floats | None = None, train: Floats | None = None) -> Continuous | None:
        if self.dictionary is None:
            return None
        return self.dictionary.between(self._train if train is None else train, others, self.unit)

    def _grid(self, rows: Floats, others: Floats | None = None, train: Floats | None = None) -> Grid:
        family = self._family(others, train)
        assert family is not None  # one of both is there
        return Grid(family, {"": rows})


class ViewPools:
    """Pools of kernels on views of examples: vectors at norm 1, descriptors of images or blocks of their pixels.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels.
    train : mapping of array (n, d)
        The training examples by view.
    dictionary : Dictionary, optional
        A continuous family on the view "" of vectors.
    trace : float, optional
        The trace to which the Gram matrix of each kernel on the training examples is scaled.
    pixels : bool
        Whether views are blocks of pixels, whose Gram matrices are never kept.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        train: Mapping[str, Any],
        dictionary: Dictionary | None = None,
        trace: float | None = None,
        *,
        pixels: bool = False,
    ) -> None:
        self._kernels, self._train, self._dictionary, self._trace = kernels, train, dictionary, trace
        self._kind: type[Viewed] | type[ByPixels] = ByPixels if pixels else Viewed
        self._basis: Any = self._kind(kernels, train, trace=trace, family=self._family)

    def train(self) -> Pool:
        """Return the pool of the training examples, the same one every time."""
        basis: Pool = self._basis
        return basis

    def between(self, others: Mapping[str, Any]) -> Pool:
        """Return the pool between other examples and the training ones."""
        return self._pool(self._train, others, partial(self._family, others))

    def among(self, others: Mapping[str, Any]) -> Pool:
        """Return the pool of other examples among themselves."""
        return self._pool(others, others, partial(self._family, train=others))

    def _pool(self, train: Mapping[str, Any], others: Mapping[str, Any], family: Any) -> Pool:
        return self._kind(self._kernels, train, others, basis=self._basis, trace=self._trace, family=family)

    @cached_property
    def _unit(self) -> float:
        return self._dictionary.unit_of(self._train[""]) if self._dictionary else 1.0

    def _family(
        self, others: Mapping[str, Any] | None = None, train: Mapping[str, Any] | None = None
    ) -> Continuous | None:
        if self._dictionary is None or "" not in self._train:
            return None
        rows = (self._train if train is None else train)[""]
        return self._dictionary.between(rows, None if others is None else others[""], self._unit)
