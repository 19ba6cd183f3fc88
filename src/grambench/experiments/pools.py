"""Kernel matrices of a data set by the row indices of its examples, under the settings of a protocol."""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from grambench.common import clock
from grambench.common.errors import DataError
from grambench.common.types import Floats, Indices
from grambench.datasets.store import PreparedDataset
from grambench.experiments.run import Run
from grambench.kernels.bases import StoredKernels, Views, ViewsWithPairs
from grambench.kernels.centred import CentredKernels
from grambench.kernels.computed import Computed
from grambench.kernels.functions import single_features
from grambench.kernels.pool import Pool, Stored, stacked
from grambench.kernels.pools import BoundKernels

SMALLEST = 1e-140  # spread of a feature whose squares keep their digits
CONSTANT = 1e-12  # of a feature's mean: a spread that rounding alone makes


class Pools:
    """The pools that belong to some training examples, each computed once.

    Missing values become medians of the training examples, before these are standardised.
    Vectors are vectors, unless the protocol scales them to norm 1; so are groups of their columns. Descriptors and
    blocks of pixels are always at norm 1. Stored kernels have no features, and stay as they are.

    Parameters
    ----------
    run : Run
        Kernels, continuous family and protocol.
    dataset : PreparedDataset
        The examples.
    rows : ndarray of int (n,)
        The training examples.

    Attributes
    ----------
    train : Pool
        The pool of the training examples.
    seconds : Seconds
        The time that it took to compute what the points of a sweep share.
    """

    def __init__(self, run: Run, dataset: PreparedDataset, rows: Indices) -> None:
        begun = clock.now()
        self._kernels: Sequence[int] | None = None  # those of a pool that `only` has selected
        kernels, protocol = run.pool, run.offline
        self._dataset, self._train = dataset, rows
        self._standardise, self._between = protocol.standardise, dict[bytes, Pool]()
        scaled_to = protocol.kernel_trace(len(rows), len(dataset.labels))
        trace = None if protocol.center else scaled_to
        self._views = list(dict.fromkeys(kernel.view for kernel in kernels)) or [""]
        if run.subsets is not None:
            dense(dataset)
        bound = bind(run, dataset, self._features(rows), trace, protocol.unit_rows and bool(kernels))
        self._bound: Any = CentredKernels(bound, scaled_to) if protocol.center and kernels else bound
        self._eager = protocol.shares_kernels
        self.train = self._computed(self._bound.train())
        self.seconds = clock.now() - begun

    def only(self, kernels: Sequence[int]) -> "Pools":
        """Return the pools of some of the kernels; the two share the Gram matrices that either computes."""
        some = copy(self)
        some._kernels, some.train = kernels, self.train.only(kernels)
        return some

    def between(self, rows: Indices) -> Pool:
        """Return the pool between other examples and the training ones."""
        key = rows.tobytes()
        if key not in self._between:
            self._between[key] = self._computed(self._bound.between(self._features(rows)))
        return self._some(self._between[key])

    def among(self, rows: Indices) -> Pool:
        """Return the pool of other examples among themselves."""
        return self._some(self._bound.among(self._features(rows)))

    def _some(self, pool: Pool) -> Pool:
        return pool if self._kernels is None else pool.only(self._kernels)

    def _computed(self, pool: Pool) -> Pool:
        # The points of a sweep share these matrices. The first fit would be charged with their time otherwise.
        if self._eager and isinstance(pool, Computed) and isinstance(pool.train, Views):
            stacked(pool)
        return pool

    def _features(self, rows: Indices) -> Any:
        """Return stored kernels, vectors, or the features of each view that a kernel is on."""
        dataset = self._dataset
        if dataset.kernels:
            return StoredKernels(dataset.kernels, rows)
        if not dataset.views:
            return self._vectors(rows)
        features = dict[str, Any]()
        for view in self._views:
            if view not in dataset.views:
                expected = f"a view {view!r}" if view else "vectors"
                raise DataError(f"{dataset.name}: expected {expected}, got views {sorted(dataset.views)}")
            features[view] = dataset.views[view][rows]
        return ViewsWithPairs(features, rows, self._dataset.pairs) if self._dataset.pairs else features

    def _vectors(self, rows: Indices) -> Any:
        if not self._standardise:
            return self._imputed(rows)
        centre, spread = self._moments
        return (self._imputed(rows) - centre) / spread

    def _imputed(self, rows: Indices) -> Any:
        """Return vectors with the training examples' medians in the place of missing values."""
        features = self._dataset.features[rows]
        return self._imputer.transform(features) if np.isnan(features.sum()) else features

    @cached_property
    def _imputer(self) -> Any:
        # few data sets have missing values, and the import takes long
        from sklearn.impute import SimpleImputer

        return SimpleImputer(strategy="median", keep_empty_features=True).fit(dense(self._dataset)[self._train])

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of each feature; a feature that is constant up to rounding keeps its unit."""
        dense(self._dataset)  # sparse features cannot be standardised
        train = self._imputed(self._train)
        centre, spread = train.mean(axis=0), train.std(axis=0)
        tiny = spread < SMALLEST
        unit = np.maximum(np.abs(train[:, tiny]).max(axis=0), np.finfo(np.float64).tiny)
        spread[tiny] = unit * (train[:, tiny] / unit).std(axis=0)
        spread[spread <= CONSTANT * abs(centre)] = 1.0
        return centre, spread


def bind(run: Run, dataset: PreparedDataset, features: Any, trace: float | None, unit_rows: bool) -> BoundKernels:
    """Return the kernels of a run, bound to the features of training examples.

    Raises
    ------
    DataError
        If a kernel is on a group of columns that the data set does not have.
    """
    on_columns = not (dataset.views or dataset.kernels)
    groups = list(dict.fromkeys(kernel.view for kernel in run.pool if kernel.view and on_columns))
    singles = single_features(dataset.features.shape[1]) if groups else {}
    columns = {view: np.array([singles[view]]) for view in groups if view in singles}
    columns |= {view: dataset.columns[view] for view in groups if view in dataset.columns}
    if unknown := [view for view in groups if view not in columns]:
        has = sorted(dataset.columns) or "vectors"
        raise DataError(f"{dataset.name}: expected a view {unknown[0]!r}, got {has}")
    kernels: Any = run.pool if run.subsets is None else run.subsets
    pixels = bool(dataset.views) and not dataset.images
    return BoundKernels(kernels, features, run.dictionary, trace, columns=columns, unit_rows=unit_rows, pixels=pixels)


def full_pool(run: Run, dataset: PreparedDataset, grams: Sequence[Floats]) -> Pool:
    """Return the pool of all examples of a data set, from its stored Gram matrices where there are some."""
    if run.kernels and not len(grams):
        unit_rows = run.protocol.stored and not any(kernel.view for kernel in run.pool)
        stored = StoredKernels(dataset.kernels, np.arange(len(dataset.labels))) if dataset.kernels else None
        return bind(run, dataset, stored or dict(dataset.views) or dataset.features, None, unit_rows).train()
    if len(grams) and not run.dictionary:
        return Stored(grams, features={"": dataset.features})
    grid = BoundKernels([], dense(dataset), run.dictionary).train()
    return Stored(grams, features={"": dataset.features}, family=grid.family) if len(grams) else grid


def dense(dataset: PreparedDataset) -> Floats:
    """Return the features of a data set; raise DataError if they are sparse."""
    if not isinstance(dataset.features, np.ndarray):
        raise DataError(f"{dataset.name}: expected dense features, got sparse ones")
    return dataset.features
