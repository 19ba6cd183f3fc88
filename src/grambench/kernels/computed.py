"""A pool whose kernel values are made from features when they are asked for.

All Gram matrices are made at the first call of `grams`. A pass over the training examples (`along`) gets

- rows on demand, of each example with those that come after it, until the pool has made as many values as there are
  pairs of examples, which one pass that makes each row once never does;
- the matrices from then on, or once they are made: who passes over one pool again and again pays about twice what is
  least, at most.

Up to WHOLE examples a row is made of the same inner products as the matrices, one matrix that is kept, by the same
operations: the two are equal bit for bit, and what was made before changes no result. Beyond, a pass always gets rows
on demand, whose inner products are made for the next BLOCK examples of its order; BLAS adds them in another order than
those of the matrices, so that last bits may differ.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats, Grams, Indices, Labels, Order
from grambench.kernels import grams
from grambench.kernels.functions import Kernel, Units
from grambench.kernels.pool import Continuous, Features, Rows, RowsOnDemand, Stored, Stream, locked, read_only
from grambench.kernels.scaled import Scaled

WHOLE = 8192  # examples, whose inner products take half a GiB
BLOCK = 64  # examples, for which the features are read once


class Computed(Scaled):
    """Kernels that are functions of inner products, between t examples and n training ones.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels.
    train : ndarray of float64 (n, d)
        The training examples.
    others : ndarray of float64 (t, d), optional
        The other examples; the training ones themselves where there are none.
    basis, trace, family
        See Scaled.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        train: Floats,
        others: Floats | None = None,
        *,
        basis: "Computed | None" = None,
        trace: float | None = None,
        family: Callable[[], Continuous | None] | None = None,
    ) -> None:
        if strange := [kernel.name for kernel in kernels if kernel.base != "inner" or kernel.view]:
            raise ValueError(f"expected kernels of the inner products of the only view, got {', '.join(strange)}")
        super().__init__(kernels, basis=basis, trace=trace, family=family)
        self.train, self.others = train, others
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

    @cached_property
    def _measure(self) -> Units | None:
        return self.basis.units if any(kernel.relative for kernel in self.kernels) else None

    def _unscaled_diagonal(self, k: int) -> Floats:
        diagonal, zeros = np.empty_like(self._norms), np.zeros_like(self._norms)
        self.kernels[k].fill(self._norms, zeros, diagonal, self._measure)
        return diagonal

    @property
    def whole(self) -> bool:
        """Whether the inner products of all training examples are made at once and kept."""
        return len(self.train) <= WHOLE

    @cached_property
    def inner(self) -> Floats:
        """The inner products of all training examples, (n, n)."""
        return np.asarray(self.train @ self.train.T)

    @cached_property
    def _norms(self) -> Floats:
        """Squared norms of the training examples; as their inner products have them, so that equal ones are at 0.

        All values but those of whole matrices begin here, so that this is where kernels are refused.
        """
        norms = np.diagonal(self.inner).copy() if self.whole else _squared_norms(self.train)
        self._refuse_infinite(norms)
        return norms

    def _refuse_infinite(self, norms: Floats) -> None:
        for kernel in self.kernels:
            kernel.refuse_infinite(norms.max(initial=0.0), self._measure)

    def grams(self) -> Grams:
        """Return the Gram matrices, (m, t, n), made at the first call."""
        if self._grams is None:
            values = np.empty(self.shape)
            if self.others is None:
                grams.fill(self.inner, self.kernels, list(values), units=self._measure)
                self._scale(values, range(len(values)))
                del self.inner  # what else is made of it is made
            else:
                norms = _squared_norms(self.others), _squared_norms(self.train)
                self._refuse_infinite(np.concatenate(norms))
                self._fill(self.others @ self.train.T, *norms, range(len(values)), values)
            self._grams = read_only(values)
            self.computed += values.size
        return self._grams

    def _fill(self, inner: Floats, rows: Floats, columns: Floats, chosen: Sequence[int], out: Grams) -> None:
        """Write the values of chosen kernels, (b, c) each, at inner products of examples of these squared norms."""
        distances = np.empty_like(inner)
        grams.squared_distances(inner, rows, columns, distances)
        for k, values in zip(chosen, out, strict=True):
            self.kernels[k].fill(inner, distances, values, self._measure)
        self._scale(out, chosen)

    def fill(self, inner: Floats, rows: Indices, columns: Indices, chosen: Sequence[int], out: Grams) -> None:
        """Write the values of chosen kernels, (b, c) each, between training examples of these inner products (b, c)."""
        self._fill(inner, self._norms[rows], self._norms[columns], chosen, out)
        self.computed += len(chosen) * inner.size

    def along(self, order: Indices) -> Rows:
        """Return the rows of the training examples as a pass needs them, by the rule that this file states."""
        m, t, n = self.shape
        matrices = self._grams is not None or 2 * self.computed >= m * t * n
        asked = self.others is None and not (self.whole and matrices)
        return OnDemand(self, order) if asked else super().along(order)

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training ones, (b, c)."""
        if self.others is not None or self._grams is not None:
            return super().values(kernel, rows, columns)
        inner = self.inner[np.ix_(rows, columns)] if self.whole else self.train[rows] @ self.train[columns].T
        values = np.empty((1, *inner.shape))
        self.fill(inner, rows, columns, [kernel], values)
        return np.asarray(values[0])

    def part(self, rows: Indices, columns: Indices) -> Stored:
        """Return a pool of copies of some rows and columns, scaled as this one."""
        return Stored(self.grams(), features=self.features, family=self.family).part(rows, columns)


class OnDemand(RowsOnDemand):
    """Rows of one example at a time, of the kernels that ask for them, with the examples that come after it.

    They number the examples as the order does.

    Parameters
    ----------
    pool : Computed
        The pool of the training examples with themselves.
    order : ndarray of int (T,)
        Of the pass.
    kernels : sequence of int, optional
        Which of the pool's; all where none are given.
    """

    def __init__(self, pool: Computed, order: Indices, kernels: Sequence[int] | None = None) -> None:
        self._pool, self._order = pool, order.astype(np.intp)
        self._kernels = range(len(pool.kernels)) if kernels is None else kernels
        self._values = np.zeros((len(self._kernels), 2, len(order)))  # fetched and recalled
        self._first, self._block = 0, np.empty((0, len(pool.train)))
        super().__init__(tuple(read_only(tuple(self._values))), np.full(len(order), -1))

    def only(self, kernel: int) -> "OnDemand":
        """Return the rows of one kernel, for a pass of its own."""
        return OnDemand(self._pool, self._order, [self._kernels[kernel]])

    def stream(self, labels: Labels, order: Order) -> Stream:
        """Return the examples numbered in the order of presentation."""
        arranged, numbers = labels[order], np.arange(len(order), dtype=order.dtype)
        # Whether an array is writeable is part of its type in Numba: other flags would compile every loop once more.
        arranged.flags.writeable, numbers.flags.writeable = labels.flags.writeable, order.flags.writeable
        return Stream(self.values, self.place, arranged, numbers)

    def fetch(self, number: int, needed: NDArray[np.bool_]) -> None:
        """Make the rows of the example of one round, of the kernels (m,) that need them."""
        self._make(number, self._inner(number), needed, self._values[:, :1])
        self.place.fill(-1)
        self.place[number] = 0

    def recall(self, number: int, needed: NDArray[np.bool_]) -> None:
        """Make those of an earlier round once more, beside those that were fetched last."""
        pool = self._pool
        inner = self._inner(number) if pool.whole else pool.train @ pool.train[self._order[number]]  # without a block
        self._make(number, inner, needed, self._values[:, 1:])

    def _make(self, number: int, inner: Floats, needed: NDArray[np.bool_], out: Floats) -> None:
        later, chosen = self._order[number:], needed.nonzero()[0].tolist()
        rows = [out[k, :, number:] for k in chosen]
        self._pool.fill(inner.take(later)[None], later[:1], later, [self._kernels[k] for k in chosen], rows)

    def _inner(self, number: int) -> Floats:
        """Return the inner products of the example of one round with all, (n,)."""
        if self._pool.whole:
            return np.asarray(self._pool.inner[self._order[number]])
        if not self._first <= number < self._first + len(self._block):
            train = self._pool.train
            self._first, self._block = number, train[self._order[number : number + BLOCK]] @ train.T
        return np.asarray(self._block[number - self._first])


def _squared_norms(examples: Floats) -> Floats:
    return np.asarray(np.square(examples).sum(axis=1))


def units_of(train: Floats) -> Units:
    """Return what relative kernels measure in, of training examples (n, d); equal examples are no unit."""
    inner = grams.inner_products(train)
    distances, norms = np.empty_like(inner), np.diagonal(inner).copy()
    grams.squared_distances(inner, norms, norms, distances)
    different = distances[np.triu_indices(len(inner), 1)] if len(inner) > 1 else np.zeros(1)
    return Units(train.shape[1], float(np.median(different)) or 1.0, float(different.mean()) or 1.0)
