"""A pool that computes kernel values from feature vectors on demand.

The first call of `grams` computes all Gram matrices. A pass over the training examples (`along`) reads

- rows on demand, each between one example and the examples after it, until the pool has computed as many values as
  there are pairs of examples (a single pass that computes each row once never does);
- the Gram matrices from then on, or once they are computed. Repeated passes over one pool therefore cost at most about
  twice the minimum.

Up to WHOLE examples, rows and matrices are computed from one stored matrix of inner products by the same operations.
They are equal bit for bit, so the history of a pool changes no result. With more examples a pass always gets rows on
demand, whose inner products are computed for the next BLOCK examples of its order. BLAS then adds in another order than
for the matrices, and last bits may differ.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats, Grams, Indices, Labels, Order
from grambench.kernels import grams
from grambench.kernels.functions import FAMILIES, Units
from grambench.kernels.pool import GramRows, LazyGrams, RowsOnDemand, Stored, Stream, locked, read_only
from grambench.kernels.scaled import Scaled

WHOLE = 8192  # examples, whose inner products take half a GiB
BLOCK = 64  # examples whose inner products one pass over the features computes


class Computed(Scaled):
    """Kernels that are functions of the inner products of vectors.

    Parameters
    ----------
    kernels : sequence of m Kernels
        Kernels of inner products, all on one view.
    train : ndarray of float64 (n, d)
        The training examples.
    test : ndarray of float64 (t, d), optional
        The t examples; by default the training examples.
    basis, trace, family
        See Scaled.
    """

    _grams: Grams | None = None

    def _bind(self) -> None:
        views = {kernel.view for kernel in self.kernels}
        if unsupported := [kernel.name for kernel in self.kernels if kernel.base != "inner" or len(views) > 1]:
            raise ValueError(f"expected kernels of the inner products of one view, got {', '.join(unsupported)}")
        self.features = locked({"": self.train if self.test is None else self.test})
        self._test_grams: dict[int, Floats] = {}
        self._finite_to: dict[int, float] = {}  # of a basis: the squared norm up to which a kernel was checked

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        return len(self.kernels), len(self.features[""]), len(self.train)

    @cached_property
    def units(self) -> Units:
        """The units of relative kernels."""
        return units_of(self.train)

    @cached_property
    def _measure(self) -> Units | None:
        return self.basis.units if any(kernel.relative for kernel in self.kernels) else None

    def _unscaled_diagonal(self, k: int) -> Floats:
        diagonal, zeros = np.empty_like(self._norms), np.zeros_like(self._norms)
        self.kernels[k].fill(self._norms, zeros, diagonal, self._measure)
        return diagonal

    @property
    def stores_inner(self) -> bool:
        """Whether the inner products of all training examples are computed at once and stored."""
        return len(self.train) <= WHOLE

    @cached_property
    def inner(self) -> Floats:
        """The inner products of all training examples, (n, n)."""
        return np.asarray(self.train @ self.train.T)

    @cached_property
    def _norms(self) -> Floats:
        """Squared norms of the training examples, the diagonal of their inner products so that distances can be 0."""
        norms = np.diagonal(self.inner).copy() if self.stores_inner else _squared_norms(self.train)
        # Every value outside of complete matrices needs these norms, so that kernels are checked in time.
        self._refuse_infinite(norms)
        return norms

    def _refuse_infinite(self, norms: Floats) -> None:
        for kernel in self.kernels:
            kernel.refuse_infinite(norms.max(initial=0.0), self._measure)

    def grams(self) -> Grams:
        """Return the Gram matrices, (m, t, n).

        Those of the training examples are computed at the first call. Those of test examples are computed at their
        first access, since a predictor may need few of them.
        """
        if self.test is not None:
            return LazyGrams(self.shape, self._test_gram, self._test_grams)
        if self._grams is None:
            values = np.empty(self.shape)
            grams.fill(self.inner, self.kernels, list(values), units=self._measure)
            self._scale(values, range(len(values)))
            # From now on all values are read from the Gram matrices.
            del self.inner
            self._grams = read_only(values)
            self.computed += values.size
        return self._grams

    def _test_gram(self, k: int, out: Floats | None = None) -> Floats:
        if k not in self._test_grams:
            inner, distances, largest = self._test_products
            # The same check on every predicted example would take half of its time.
            if not largest <= self.basis._finite_to.get(k, -1.0):
                self.kernels[k].refuse_infinite(largest, self._measure)
                self.basis._finite_to[k] = largest
            values = np.empty_like(inner) if out is None else out
            self.kernels[k].fill(inner, distances, values, self._measure)
            self._scale([values], [k])
            self.computed += values.size
            (self._test_grams[k],) = read_only([values])
            if len(self._test_grams) == len(self.kernels):
                del self._test_products
        return self._test_grams[k]

    @cached_property
    def _test_products(self) -> tuple[Floats, Floats, float]:
        """Inner products and squared distances of test and training examples, (t, n), and the largest squared norm."""
        norms = _squared_norms(self.test), _squared_norms(self.train)
        inner = np.asarray(self.test @ self.train.T)
        distances = np.empty_like(inner)
        if any(FAMILIES[kernel.family].uses_distance for kernel in self.kernels):
            grams.squared_distances(inner, *norms, distances)
        return inner, distances, max(array.max(initial=0.0) for array in norms)

    def _fill(self, inner: Floats, row_norms: Floats, column_norms: Floats, kernels: Sequence[int], out: Grams) -> None:
        """Write the values of some kernels, (b, c) each, from inner products (b, c) and squared norms."""
        distances = np.empty_like(inner)
        grams.squared_distances(inner, row_norms, column_norms, distances)
        for k, values in zip(kernels, out, strict=True):
            self.kernels[k].fill(inner, distances, values, self._measure)
        self._scale(out, kernels)

    def fill(self, inner: Floats, rows: Indices, columns: Indices, kernels: Sequence[int], out: Grams) -> None:
        """Write the values of some kernels, (b, c) each, between training examples with inner products (b, c)."""
        self._fill(inner, self._norms[rows], self._norms[columns], kernels, out)
        self.computed += len(kernels) * inner.size

    def along(self, order: Indices) -> GramRows:
        """Return the rows of the training examples for a pass, on demand or from Gram matrices (see this module)."""
        m, t, n = self.shape
        use_matrices = self._grams is not None or 2 * self.computed >= m * t * n
        on_demand = self.test is None and not (self.stores_inner and use_matrices)
        return OnDemand(self, order) if on_demand else super().along(order)

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training examples, (b, c)."""
        if self.test is not None or self._grams is not None:
            return super().values(kernel, rows, columns)
        inner = self.inner[np.ix_(rows, columns)] if self.stores_inner else self.train[rows] @ self.train[columns].T
        values: Floats = np.empty_like(inner)
        self.fill(inner, rows, columns, [kernel], [values])
        return values

    def part(self, rows: Indices, columns: Indices) -> Stored:
        """Return a pool of copies of some rows and columns, with the scales of this pool."""
        if self._grams is None and self.test is None and not self.stores_inner:
            # The Gram matrices may not fit into memory.
            values = np.empty((len(self.kernels), len(rows), len(columns)))
            inner = np.asarray(self.train[rows] @ self.train[columns].T)
            self.fill(inner, rows, columns, range(len(values)), list(values))
            family = self.family.part(rows, columns) if self.family else None
            return Stored(values, features={"": self.train[rows]}, family=family)
        return Stored(self.grams(), features=self.features, family=self.family).part(rows, columns)


class OnDemand(RowsOnDemand):
    """Kernel rows computed one at a time, between one example of a pass and the examples after it.

    Examples are numbered by their position in the pass.

    Parameters
    ----------
    pool : Computed
        The pool of the training examples with themselves.
    order : ndarray of int (T,)
        The examples in the order of the pass.
    kernels : sequence of int, optional
        Indices of kernels of the pool; by default all.
    """

    def __init__(self, pool: Computed, order: Indices, kernels: Sequence[int] | None = None) -> None:
        self._pool, self._order = pool, order.astype(np.intp)
        self._kernels = range(len(pool.kernels)) if kernels is None else kernels
        self._values = np.zeros((len(self._kernels), 1, len(order)))
        self._first, self._block = 0, np.empty((0, len(pool.train)))
        super().__init__(tuple(read_only(tuple(self._values))), np.full(len(order), -1))

    def only(self, kernel: int) -> "OnDemand":
        """Return the rows of one kernel, for a pass with this kernel alone."""
        return OnDemand(self._pool, self._order, [self._kernels[kernel]])

    def stream(self, labels: Labels, order: Order) -> Stream:
        """Return the examples numbered in the order of presentation."""
        sorted_labels, numbers = labels[order], np.arange(len(order), dtype=order.dtype)
        # Whether an array is writeable is part of its type in Numba: other flags would compile every loop once more.
        sorted_labels.flags.writeable, numbers.flags.writeable = labels.flags.writeable, order.flags.writeable
        return Stream(self.values, self.place, sorted_labels, numbers)

    def fetch(self, number: int, needed: NDArray[np.bool_]) -> None:
        """Compute the rows of the example of one round, for the kernels that need them; needed is (m,)."""
        self._compute(number, self._inner(number), needed)
        self.place.fill(-1)
        self.place[number] = 0

    def _compute(self, number: int, inner: Floats, needed: NDArray[np.bool_]) -> None:
        later, kernels = self._order[number:], needed.nonzero()[0].tolist()
        rows = [self._values[k, :, number:] for k in kernels]
        self._pool.fill(inner.take(later)[None], later[:1], later, [self._kernels[k] for k in kernels], rows)

    def _inner(self, number: int) -> Floats:
        """Return the inner products of the example of one round with all examples, (n,)."""
        if self._pool.stores_inner:
            return np.asarray(self._pool.inner[self._order[number]])
        if not self._first <= number < self._first + len(self._block):
            train = self._pool.train
            self._first, self._block = number, train[self._order[number : number + BLOCK]] @ train.T
        return np.asarray(self._block[number - self._first])


def _squared_norms(examples: Floats) -> Floats:
    return np.asarray(np.square(examples).sum(axis=1))


def units_of(train: Floats) -> Units:
    """Return the units of relative kernels from training examples (n, d); a unit of 0, of equal examples, becomes 1."""
    inner = grams.inner_products(train)
    distances, norms = np.empty_like(inner), np.diagonal(inner).copy()
    grams.squared_distances(inner, norms, norms, distances)
    different = distances[np.triu_indices(len(inner), 1)] if len(inner) > 1 else np.zeros(1)
    return Units(train.shape[1], float(np.median(different)) or 1.0, float(different.mean()) or 1.0)
