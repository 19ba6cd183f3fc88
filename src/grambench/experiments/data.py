"""Examples as protocols hand them out: pools of training examples, and between these and others.

Whatever is scaled is scaled by the training examples alone, so that nothing of what a fit is tested on is known to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Floats, Labels, Order
from grambench.common.errors import DataError
from grambench.datasets.store import PreparedDataset
from grambench.experiments.specification import Specification
from grambench.kernels import continuous
from grambench.kernels.computed import Computed, units_of
from grambench.kernels.functions import Units
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
        if not self._kernels:
            return self._grid(self._train)
        self._basis = Computed(self._kernels, self._train, trace=self._trace, family=self._family)
        return self._basis

    def between(self, others: Floats) -> Pool:
        """Return the pool between other examples (t, d) and the training ones; after `train`."""
        if not self._kernels:
            return self._grid(others, others)
        family = partial(self._family, others=others)
        return Computed(self._kernels, self._train, others, basis=self._basis, trace=self._trace, family=family)

    def among(self, others: Floats) -> Pool:
        """Return the pool of other examples (t, d) with themselves; after `train`."""
        if not self._kernels:
            return self._grid(others, train=others)
        family = partial(self._family, train=others)
        return Computed(self._kernels, others, others, basis=self._basis, trace=self._trace, family=family)

    @cached_property
    def _unit(self) -> float:
        """What the family's parameter is in units of, by the training examples alone."""
        return unit_of(self._described, self._basis.units if self._basis else self._train)

    def _family(self, others: Floats | None = None, train: Floats | None = None) -> Continuous | None:
        described = self._described
        return family_of(described, self._train if train is None else train, others, self._unit) if described else None

    def _grid(self, rows: Floats, others: Floats | None = None, train: Floats | None = None) -> Grid:
        family = self._family(others, train)
        if family is None:
            raise DataError("expected kernels or a dictionary in the study, got neither")
        return Grid(family, {"": rows})


def unit_of(described: dict[str, Any] | None, train: Floats | Units) -> float:
    """Return what the parameter of a study's family is in units of, by the training examples or their units."""
    if not described or described.get("unit") != "median":
        return 1.0
    return float(np.sqrt((train if isinstance(train, Units) else units_of(train)).squared_distance))


def family_of(described: dict[str, Any], train: Floats, others: Floats | None = None, unit: float = 1.0) -> Continuous:
    """Return the continuous family of a study, {family, low, high, grid}, between some examples, in this unit."""
    low, high, grid = unit * described["low"], unit * described["high"], unit * np.array(described["grid"])
    return Continuous(continuous.load(described["family"]), train, low, high, grid, others)


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
