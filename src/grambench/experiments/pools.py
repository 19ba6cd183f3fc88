"""Kernel matrices of a data set by the row indices of its examples, under the settings of a protocol."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from grambench.common import clock
from grambench.common.errors import DataError
from grambench.common.types import Floats, Indices
from grambench.datasets.store import PreparedDataset
from grambench.experiments.run import Run
from grambench.kernels.centred import Centring
from grambench.kernels.pool import GridPool, Pool, Stored, stacked
from grambench.kernels.pools import SubsetPools, VectorPools, ViewPools, with_groups
from grambench.kernels.views import Viewed, ViewsWithPairs

CONSTANT = 1e-12  # of a feature's mean: a spread that rounding alone makes


class Pools:
    """The pools that belong to some training examples, each computed once.

    Vectors are vectors, unless the protocol scales them to norm 1; so are groups of their columns. Descriptors and
    blocks of pixels are always at norm 1.

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
        kernels, protocol = run.pool, run.offline
        self._dataset, self._train = dataset, rows
        self._standardise, self._between = protocol.standardise, dict[bytes, Pool]()
        scaled_to = protocol.kernel_trace(len(rows), len(dataset.labels))
        trace = None if protocol.center else scaled_to
        self._views = list(dict.fromkeys(kernel.view for kernel in kernels)) or [""]
        self._pools: SubsetPools | VectorPools | ViewPools
        if run.subsets is not None:
            dense(dataset)
            self._pools = SubsetPools(run.subsets, self._features(rows)[""])
        elif dataset.views or self._views != [""] or (protocol.unit_rows and kernels):
            pixels, unit_rows = bool(dataset.views) and not dataset.images, bool(dataset.views) or protocol.unit_rows
            features = self._features(rows)
            self._pools = ViewPools(kernels, features, run.dictionary, trace, pixels=pixels, unit_rows=unit_rows)
        else:
            self._pools = VectorPools(kernels, self._features(rows)[""], run.dictionary, trace)
        self._eager = protocol.shares_kernels
        train = self._pools.train()
        self._centring = Centring(train, scaled_to) if protocol.center and kernels else None
        self.train = self._centring.train if self._centring else self._computed(train)
        self.seconds = clock.now() - begun

    def between(self, rows: Indices) -> Pool:
        """Return the pool between other examples and the training ones."""
        key = rows.tobytes()
        if key not in self._between:
            pool = self._pools.between(self._examples(rows))
            self._between[key] = self._centring.between(pool) if self._centring else self._computed(pool)
        return self._between[key]

    def among(self, rows: Indices) -> Pool:
        """Return the pool of other examples among themselves."""
        examples = self._examples(rows)
        pool = self._pools.among(examples)
        return self._centring.among(pool, self._pools.between(examples)) if self._centring else pool

    def _examples(self, rows: Indices) -> Any:
        features = self._features(rows)
        return features if isinstance(self._pools, ViewPools) else features[""]

    def _computed(self, pool: Pool) -> Pool:
        # The points of a sweep share these matrices. The first fit would be charged with their time otherwise.
        if self._eager and isinstance(pool, Viewed):
            stacked(pool)
        return pool

    def _features(self, rows: Indices) -> dict[str, Any]:
        dataset = self._dataset
        if not dataset.views:
            return split_columns(dataset, self._views, self._vectors(rows))
        features = dict[str, Any]()
        for view in self._views:
            if view not in dataset.views:
                expected = f"a view {view!r}" if view else "vectors"
                raise DataError(f"{dataset.name}: expected {expected}, got views {sorted(dataset.views)}")
            features[view] = dataset.views[view][rows]
        return ViewsWithPairs(features, rows, self._dataset.pairs) if self._dataset.pairs else features

    def _vectors(self, rows: Indices) -> Any:
        if not self._standardise:
            return self._dataset.features[rows]
        centre, spread = self._moments
        return (dense(self._dataset)[rows] - centre) / spread

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of each feature; a feature that is constant up to rounding keeps its unit."""
        train = dense(self._dataset)[self._train]
        centre, spread = train.mean(axis=0), train.std(axis=0)
        spread[spread <= CONSTANT * abs(centre)] = 1.0
        return centre, spread


def full_pool(run: Run, dataset: PreparedDataset, grams: Sequence[Floats]) -> Pool:
    """Return the pool of all examples of a data set, from its stored Gram matrices where there are some."""
    used = list(dict.fromkeys(kernel.view for kernel in run.pool))
    if used == [""] and not dataset.views and not run.protocol.stored:
        return VectorPools(run.pool, dataset.features, run.dictionary).train()
    if len(grams) == 0 and run.kernels:
        views: dict[str, Any] = dict(dataset.views) or split_columns(dataset, used, dataset.features)
        pixels, unit_rows = bool(dataset.views) and not dataset.images, used == [""] or bool(dataset.views)
        return ViewPools(run.pool, views, pixels=pixels, unit_rows=unit_rows).train()
    features, family = {"": dataset.features}, None
    if run.dictionary:
        train = dense(dataset)
        family = run.dictionary.between(train, unit=run.dictionary.unit_of(train))
    if len(grams):
        return Stored(grams, features=features, family=family)
    if family is None:
        raise DataError("expected kernels or a dictionary in the study, got neither")
    return GridPool(family, features)


def split_columns(dataset: PreparedDataset, views: Sequence[str], vectors: Any) -> dict[str, Any]:
    """Return the features of vectors (n, d) by view: all of them as "", and the columns of every other view."""
    if unknown := [view for view in views if view and view not in dataset.columns]:
        raise DataError(f"{dataset.name}: expected a view {unknown[0]!r}, got {sorted(dataset.columns) or 'vectors'}")
    return with_groups(vectors, {view: dataset.columns[view] for view in views if view})


def dense(dataset: PreparedDataset) -> Floats:
    """Return the features of a data set; raise DataError if they are sparse."""
    if not isinstance(dataset.features, np.ndarray):
        raise DataError(f"{dataset.name}: expected dense features, got sparse ones")
    return dataset.features
