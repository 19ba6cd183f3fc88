"""Kernels bound to training examples: what studies, estimators and streams make of the same names.

The pools of some kernels are among the training examples, between other examples and these, and among other examples.
Scales and units come from the training examples alone, so that test examples cannot influence a fit. Here alone is
decided which base and which pool the examples and the kernels need.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from grambench.common.types import Floats, Indices
from grambench.kernels.bases import Base, StoredKernels, Vectors, Views
from grambench.kernels.computed import Computed
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import Kernel
from grambench.kernels.pixels import PixelPool, Pixels
from grambench.kernels.pool import Continuous, GridPool, Pool
from grambench.kernels.subsets import FeatureSubsets, RandomSubsets, SubsetMeasures, SubsetPool
from grambench.kernels.units import Measures


class BoundKernels:
    """Kernels, a continuous family, or both, bound to training examples.

    Parameters
    ----------
    kernels : sequence of m Kernels, FeatureSubsets or RandomSubsets
        The kernels; without any, the pools are of the grid of the continuous family.
    train : array (n, d), mapping of array (n, d) by view, or StoredKernels
        The training examples: vectors, descriptors or pixels of images, or stored inner products.
    dictionary : FamilyRange, optional
        A continuous family of kernels on vectors, or on the view "".
    trace : float, optional
        The trace to which the Gram matrix of each kernel on the training examples is scaled.
    columns : mapping of ndarray of int
        The columns of vectors in each group, for the kernels on groups.
    unit_rows : bool
        Whether vectors are scaled to norm 1, as descriptors always are.
    pixels : bool
        Whether views are blocks of pixels, whose Gram matrices are never stored.

    Attributes
    ----------
    measures : Measures or SubsetMeasures
        Units and scales. A fitted estimator keeps them with the training examples, but no Gram matrices.
    """

    measures: Measures | SubsetMeasures

    def __init__(
        self,
        kernels: Sequence[Kernel] | FeatureSubsets | RandomSubsets,
        train: Any,
        dictionary: FamilyRange | None = None,
        trace: float | None = None,
        *,
        columns: Mapping[str, Indices] = {},
        unit_rows: bool = False,
        pixels: bool = False,
    ) -> None:
        self._kernels, self._dictionary = kernels, dictionary
        self._train: Any
        if isinstance(kernels, FeatureSubsets | RandomSubsets):
            self._train = Vectors(train)
            self.measures = SubsetMeasures(kernels, self._train)
            return
        if not kernels and dictionary is None:
            raise ValueError("expected kernels or a dictionary, got neither")
        views = list(dict.fromkeys(kernel.view for kernel in kernels))
        groups = {view: columns[view] for view in views if view in columns}
        if isinstance(train, StoredKernels):
            self._train = train
        elif pixels:
            self._train = Pixels(train, views)
        elif isinstance(train, Mapping) or groups or unit_rows:
            self._train = Views(train, groups, unit_rows=unit_rows or isinstance(train, Mapping))
        else:
            self._train = Vectors(train)
        self.measures = Measures(kernels, self._train, trace)

    def train(self) -> Pool:
        """Return a new pool of the training examples."""
        return self._pool(self._train)

    def between(self, test: Any) -> Pool:
        """Return the pool between test examples and the training examples."""
        return self._pool(self._train, self._train.like(test))

    def between_some(self, test: Any, train: Indices) -> Pool:
        """Return the pool between test examples and some of the training examples."""
        return self._pool(self._train.take(train), self._train.like(test))

    def among(self, test: Any) -> Pool:
        """Return the pool of test examples among themselves."""
        examples = self._train.like(test)
        return self._pool(examples, examples)

    def _pool(self, train: Any, test: Any = None) -> Pool:
        if isinstance(self.measures, SubsetMeasures):
            return SubsetPool(self.measures, train, test)
        family = partial(self._continuous, train, None if test is train else test)
        grid = None if self._kernels else family()
        if grid is not None:
            return GridPool(grid, (train if test is None else test).features)
        return (PixelPool if isinstance(train, Pixels) else Computed)(self.measures, train, test, family)

    def _continuous(self, train: Base, test: Base | None) -> Continuous | None:
        vectors = train.features.get("")
        if self._dictionary is None or vectors is None:
            return None
        return self._dictionary.between(vectors, None if test is None else test.features.get(""), self.unit)

    @cached_property
    def unit(self) -> float:
        """The unit of the parameter of the continuous family."""
        if self._dictionary is None or self._dictionary.unit is None:
            return 1.0
        vectors, measures = self._train, self.measures
        if not (isinstance(vectors, Vectors) and isinstance(measures, Measures)):
            measures = Measures((), Vectors(vectors.features[""]))
        return float(np.sqrt(measures.measured("", "median")))

    @property
    def family(self) -> str:
        """The name of the continuous family; empty if there is none."""
        return self._dictionary.family if self._dictionary else ""

    @property
    def names(self) -> list[str]:
        """Names of the m kernels."""
        if isinstance(self.measures, SubsetMeasures):
            return self.measures.names
        if not self.measures.kernels and self._dictionary:
            return [title(self.family, np.array([self.unit * value])) for value in self._dictionary.grid]
        return [kernel.name for kernel in self.measures.kernels]


def title(family: str, theta: Floats) -> str:
    """Return the name of a kernel of a continuous family."""
    return f"{family}({', '.join(f'{value:.6g}' for value in theta)})"
