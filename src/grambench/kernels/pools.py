"""Pools that share training examples: among the training examples, between test and training examples, among test ones.

Scales and units come from the training examples alone, so that test examples cannot influence a fit. Experiments and
estimators compute all their kernels here.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from grambench.common.types import Floats, Indices
from grambench.kernels.computed import Computed, units_of
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import Kernel, Units
from grambench.kernels.pool import Continuous, GridPool, Pool
from grambench.kernels.scaled import Scaled
from grambench.kernels.subsets import FeatureSubsets, RandomSubsets, SubsetPool


class BasePools:
    """Pools of the same kernels on the same training examples.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels.
    train : array (n, d), or mapping of array (n, d) by view
        The training examples.
    dictionary : FamilyRange, optional
        A continuous family of kernels on vectors.
    trace : float, optional
        The trace to which the Gram matrix of each kernel on the training examples is scaled.
    """

    _kind: type[Scaled] = Computed
    _basis: Any  # the pool that provides scales and units

    def __init__(
        self, kernels: Sequence[Kernel], train: Any, dictionary: FamilyRange | None = None, trace: float | None = None
    ) -> None:
        self._kernels, self._train, self._dictionary, self._trace = kernels, train, dictionary, trace

    def between(self, test: Any) -> Pool:
        """Return the pool between test examples and the training examples."""
        return self._pool(self._train, test, partial(self._family, self._train, test))

    def between_some(self, test: Any, train: Indices) -> Pool:
        """Return the pool between test examples and some of the training examples, of one view."""
        some = self._train[train]
        return self._pool(some, test, partial(self._family, some, test))

    def among(self, test: Any) -> Pool:
        """Return the pool of test examples among themselves."""
        return self._pool(test, test, partial(self._family, test))

    def _pool(self, train: Any, test: Any, family: Callable[[], Continuous | None]) -> Pool:
        return self._kind(self._kernels, train, test, basis=self._basis, trace=self._trace, family=family)

    @cached_property
    def unit(self) -> float:
        """The unit of the parameter of the continuous family."""
        return self._dictionary.unit_of(self._units) if self._dictionary and self._dictionary.unit else 1.0

    @cached_property
    def _units(self) -> Units:
        return units_of(self._vectors(self._train))

    @staticmethod
    def _vectors(examples: Any) -> Any:
        """Return the vectors of examples on which the continuous family is defined, or None."""
        return examples

    def _family(self, train: Any, test: Any = None) -> Continuous | None:
        vectors = self._vectors(train)
        if self._dictionary is None or vectors is None:
            return None
        return self._dictionary.between(vectors, None if test is None else self._vectors(test), self.unit)


class VectorPools(BasePools):
    """Pools of kernels on vectors, of a continuous family, or of both; see Pools.

    Without kernels, they are pools of the grid of the continuous family.
    """

    def __init__(
        self, kernels: Sequence[Kernel], train: Any, dictionary: FamilyRange | None = None, trace: float | None = None
    ) -> None:
        if not kernels and dictionary is None:
            raise ValueError("expected kernels or a dictionary, got neither")
        super().__init__(kernels, train, dictionary, trace)
        # The basis holds scales and units only, so that a fitted estimator does not keep the Gram matrices of a fit.
        self._basis = Computed(kernels, train, trace=trace)

    def train(self) -> Pool:
        """Return a new pool of the training examples."""
        family = partial(self._family, self._train)
        if not self._kernels:
            return self._pool(self._train, self._train, family)
        pool = Computed(self._kernels, self._train, trace=self._trace, family=family)
        if any(kernel.relative for kernel in self._kernels):
            pool.units = self._basis.units = self._units
        self._basis.scales = pool.scales
        return pool

    def _pool(self, train: Any, test: Any, family: Callable[[], Continuous | None]) -> Pool:
        grid = None if self._kernels else family()
        return super()._pool(train, test, family) if grid is None else GridPool(grid, {"": test})


class SubsetPools(BasePools):
    """Pools of Gaussian kernels on subsets of the features, which are never stored.

    Parameters
    ----------
    kernels : FeatureSubsets or RandomSubsets
        The kernels, whose diagonal is 1, so that they are not scaled.
    train : ndarray of float64 (n, d)
        The training examples.
    """

    _basis: SubsetPool

    def __init__(self, kernels: FeatureSubsets | RandomSubsets, train: Floats) -> None:
        super().__init__((), train)
        self._basis = SubsetPool(kernels, train)

    def train(self) -> Pool:
        """Return the pool of the training examples, the same object every time, since it keeps no kernel value."""
        return self._basis

    def _pool(self, train: Any, test: Any, family: Callable[[], Continuous | None]) -> Pool:
        return SubsetPool(self._basis.kernels, train, None if test is train else test, basis=self._basis)


def with_groups(examples: Any, columns: Mapping[str, Indices]) -> dict[str, Any]:
    """Return the features of each group of columns, and all of them as "", from which some algorithms learn."""
    return {"": examples} | {view: examples[:, places] for view, places in columns.items()}


class ColumnPools(BasePools):
    """Pools of kernels on groups of columns of vectors.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels, each on a group.
    train : ndarray of float64 (n, d)
        The training examples.
    columns : mapping of ndarray of int
        The positions of the columns of each group.
    trace : float, optional
        See BasePools.
    """

    def __init__(
        self, kernels: Sequence[Kernel], train: Floats, columns: Mapping[str, Indices], trace: float | None = None
    ) -> None:
        # Pools of vectors alone, as of most estimators, do not wait for the compiled code of views.
        from grambench.kernels.views import ColumnGroups

        self._columns, self._kind = columns, ColumnGroups
        super().__init__(kernels, self._split(train), trace=trace)
        self._basis = ColumnGroups(kernels, self._train, trace=trace)

    def train(self) -> Pool:
        """Return a new pool of the training examples, whose Gram matrices are freed with it."""
        return self.among(self._train)

    def between(self, test: Any) -> Pool:
        """Return the pool between test examples and the training examples."""
        return super().between(self._split(test))

    def between_some(self, test: Any, train: Indices) -> Pool:
        """Return the pool between test examples and some of the training examples."""
        some = {view: values[train] for view, values in self._train.items()}
        return self._kind(self._kernels, some, self._split(test), basis=self._basis, trace=self._trace)

    def _split(self, examples: Floats) -> dict[str, Any]:
        return with_groups(examples, self._columns)


class ViewPools(BasePools):
    """Pools of kernels on views: vectors of norm 1 or groups of their columns, descriptors or pixels of images.

    See Pools.

    Parameters
    ----------
    kernels, dictionary, trace
        See Pools; the continuous family is defined on the view "".
    train : mapping of array (n, d)
        The training examples by view.
    pixels : bool
        Whether views are blocks of pixels, whose Gram matrices are never stored.
    unit_rows : bool
        Whether rows are scaled to norm 1, as those of descriptors are.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        train: Mapping[str, Any],
        dictionary: FamilyRange | None = None,
        trace: float | None = None,
        *,
        pixels: bool = False,
        unit_rows: bool = True,
    ) -> None:
        super().__init__(kernels, train, dictionary, trace)
        # Pools of vectors alone, as of most estimators, do not wait for the compiled code of views.
        from grambench.kernels.pixels import ByPixels
        from grambench.kernels.views import VectorViews, Viewed

        self._kind = ByPixels if pixels else Viewed if unit_rows else VectorViews
        # A family refers to these pools: only the garbage collector would free them, and all their Gram matrices.
        family = None if dictionary is None else partial(self._family, train)
        self._basis = self._kind(kernels, train, trace=trace, family=family)

    def train(self) -> Pool:
        """Return the pool of the training examples, the same object every time."""
        basis: Pool = self._basis
        return basis

    @staticmethod
    def _vectors(examples: Any) -> Any:
        return examples.get("")
