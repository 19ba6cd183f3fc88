"""Examples as protocols hand them out: pools of training examples, and between these and others.

Whatever is scaled is scaled by the training examples alone, so that nothing of what a fit is tested on is known to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Floats, Labels, Order
from grambench.common.errors import DataError
from grambench.datasets.store import PreparedDataset
from grambench.experiments.specification import Specification
from grambench.kernels import continuous
from grambench.kernels.computed import Computed, units_of
from grambench.kernels.pool import Continuous, Grid, Pool

CONSTANT = 1e-12  # of a feature's mean: a spread that rounding alone makes


@dataclass(frozen=True, slots=True)
class Sample:
    """What a fit gets, and what it is measured on.

    Attributes
    ----------
    pool : Pool
        Kernels between the examples and the training ones.
    labels : ndarray of int8
        Of the examples, -1 or +1.
    order : ndarray of int32
        In which an online algorithm sees them.
    """

    pool: Pool
    labels: Labels
    order: Order


class Pools:
    """Makes the pools that belong to some training examples.

    Parameters
    ----------
    specification : Specification
        The kernels, and the continuous family where there is one.
    train : ndarray of float64 (n, d)
        The training examples.
    trace : float, optional
        To which the Gram matrix of each kernel on them is scaled.
    """

    def __init__(self, specification: Specification, train: Floats, trace: float | None = None) -> None:
        self._kernels, self._described = specification.pool, specification.dictionary
        self._train, self._trace = train, trace
        self._basis: Computed | None = None

    def train(self) -> Pool:
        """Return the pool of the training examples."""
        family = family_of(self._described, self._train)
        if not self._kernels:
            return _grid(family, self._train)
        self._basis = Computed(self._kernels, self._train, trace=self._trace, family=family)
        return self._basis

    def between(self, others: Floats) -> Pool:
        """Return the pool between other examples (t, d) and the training ones; after `train`."""
        family = family_of(self._described, self._train, others)
        if not self._kernels:
            return _grid(family, others)
        return Computed(self._kernels, self._train, others, basis=self._basis, trace=self._trace, family=family)

    def among(self, others: Floats) -> Pool:
        """Return the pool of other examples (t, d) with themselves; after `train`."""
        family = family_of(self._described, others)
        if not self._kernels:
            return _grid(family, others)
        return Computed(self._kernels, others, others, basis=self._basis, trace=self._trace, family=family)


def family_of(described: dict[str, Any] | None, train: Floats, others: Floats | None = None) -> Continuous | None:
    """Return the continuous family of a study, {family, low, high, grid, unit}, between some examples."""
    if described is None:
        return None
    unit = np.sqrt(units_of(train).squared_distance) if described.get("unit") == "median" else 1.0
    low, high, grid = unit * described["low"], unit * described["high"], unit * np.array(described["grid"])
    return Continuous(continuous.load(described["family"]), train, low, high, grid, others)


def _grid(family: Continuous | None, rows: Floats) -> Grid:
    if family is None:
        raise DataError("expected kernels or a dictionary in the study, got neither")
    return Grid(family, {"": rows})


def dense(dataset: PreparedDataset) -> Floats:
    """Return the features of a data set; raise DataError where they are sparse."""
    if not isinstance(dataset.features, np.ndarray):
        raise DataError(f"{dataset.name}: expected dense features, got sparse ones")
    return dataset.features


def standardised(train: Floats, *others: Floats) -> Iterator[Floats]:
    """Yield examples with features of zero mean and unit variance on the training examples, (n, d) first.

    A feature that is constant there, up to rounding, keeps its unit.
    """
    centre, spread = train.mean(axis=0), train.std(axis=0)
    spread[spread <= CONSTANT * np.abs(centre)] = 1.0
    for examples in (train, *others):
        yield (examples - centre) / spread


def shuffled(n: int, seed: np.random.SeedSequence) -> NDArray[np.int32]:
    """Return the order in which online algorithms see the n training examples of a split.

    It has a stream of its own beside the one that has drawn the split, so that it changes no split.
    """
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 1))
    return np.random.default_rng(own).permutation(n).astype(np.int32)
