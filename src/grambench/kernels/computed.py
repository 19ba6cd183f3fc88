"""A pool that computes kernel values from base values of its examples on demand.

A Gram matrix is computed when it is first accessed, and stored. Those of training vectors are computed together, in one
pass over their inner products. Single values of views are computed without the matrix and equal its entries bit for
bit, so the history of a pool changes no result. A base matrix is stored until the Gram matrices of all kernels of its
view and base are computed.

A pass over training vectors (`along`) reads

- rows on demand, each between one example and the examples after it, until the pool has computed as many values as
  there are pairs of examples (a single pass that computes each row once never does);
- the Gram matrices from then on, or once they are computed. Repeated passes over one pool therefore cost at most about
  twice the minimum.

Up to `bases.WHOLE` vectors, rows and matrices are computed from one stored matrix of inner products by the same
operations. They are equal bit for bit. With more vectors a pass always gets rows on demand, whose inner products are
computed for the next BLOCK examples of its order. BLAS then adds in another order than for the matrices, and last bits
may differ.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats, Grams, Indices, Order
from grambench.kernels import grams
from grambench.kernels.bases import Vectors
from grambench.kernels.pool import Continuous, GramRows, KeptGrams, Pool, read_only
from grambench.kernels.units import Measures

BLOCK = 64  # examples whose inner products one pass over the features computes
STRIP = 32  # rows of a Gram matrix that are computed at a time; they stay in a core's second-level cache


class Computed(Pool):
    """Kernels that are functions of base values.

    Parameters
    ----------
    measures : Measures
        The kernels with their units and scales; an order by view needs the least memory.
    train : Base
        The training examples.
    test : Base, optional
        The t examples; by default the training examples.
    family : callable, optional
        Returns the continuous family of the pool (see Pool). It is called at the first access to the family, since its
        unit may take as long as a Gram matrix.

    Attributes
    ----------
    computed : int
        Evaluations for Gram matrices (t n each), for values outside of stored matrices, and for units of views that
        this pool was the first to need.
    """

    def __init__(
        self,
        measures: Measures,
        train: Any,
        test: Any = None,
        family: Callable[[], Continuous | None] | None = None,
    ) -> None:
        self.measures, self.kernels = measures, measures.kernels
        self.train, self.test, self._family = train, test, family
        self._rows, self._on_vectors = train if test is None else test, isinstance(train, Vectors)
        self.features = self._rows.features
        self._bases: dict[tuple[str, str], Floats] = {}
        self._squares: dict[str, tuple[Floats, Floats]] = {}
        self.kept: KeptGrams = KeptGrams(self.shape)
        self._units: dict[int, float | None] = {}  # of the kernels that are checked

    @cached_property
    def family(self) -> Continuous | None:  # type: ignore[override]
        """The continuous family between the same examples, or None."""
        return self._family() if self._family else None

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        return len(self.kernels), len(self._rows), len(self.train)

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """See Pool."""
        return self._on_vectors and self.test is None and not (self.train.whole or self.kept)

    def grams(self) -> Grams:
        """Return m read-only arrays (t, n), each computed at its first access; of training vectors all now."""
        if not (self._on_vectors and self.test is None):
            return super().grams()
        stack = self.kept.stack
        if not self.kept:
            inner = self.base_values("", "inner")
            grams.fill(inner, self.kernels, list(stack), units=[self._unit(k) for k in range(len(stack))])
            self._scale(stack)
            for k, gram in enumerate(stack):
                self.kept.keep(k, gram)
            # From now on all values are read from the Gram matrices.
            self._bases.clear()
            self.computed += stack.size
        return read_only(stack)

    def gram(self, k: int) -> Floats:
        """Return one of the arrays of `grams`."""
        if k not in self.kept:
            kernel, values = self.kernels[k], self.kept.place(k)
            # Distances of vectors are stored, since they serve many widths. Those of views are computed in the cache.
            stored, size = (kernel.reads, len(values)) if self._on_vectors else (kernel.base, STRIP)
            base = self.base_values(kernel.view, stored)
            for start in range(0, len(values), size):
                strip = slice(start, start + size)
                rows = base[strip] if stored == kernel.reads else self._squared(kernel.view, base[strip], strip)
                self._fill(k, rows, values[strip])
            self.computed += values.size
            self.kept.keep(k, values)
            source = kernel.view, kernel.base
            if all(j in self.kept for j, other in enumerate(self.kernels) if (other.view, other.base) == source):
                for reads in ("chisquare",) if kernel.base == "chisquare" else ("inner", "squared"):
                    self._bases.pop((kernel.view, reads), None)
        return self.kept[k]

    def base_values(self, view: str, reads: str) -> Floats:
        """Return inner products, squared distances or chi-square distances of all pairs of examples, (t, n)."""
        if (view, reads) not in self._bases:
            if reads == "squared":
                self._bases[view, reads] = self._squared(view, self.base_values(view, "inner"))
            else:
                self._bases[view, reads] = self._rows.matrix(view, reads, self.train)
        return self._bases[view, reads]

    def _squared(self, view: str, inner: Floats, rows: Any = slice(None), columns: Any = slice(None)) -> Floats:
        """Return the squared distances, (b, c), of some rows and columns with these inner products."""
        left, right = self._norms(view)
        distances = np.empty_like(inner)
        grams.squared_distances(inner, left[rows], right[columns], distances)
        return distances

    def _norms(self, view: str) -> tuple[Floats, Floats]:
        if view not in self._squares:
            self._squares[view] = self._rows.norms(view, None if self.test is None else self.train)
        return self._squares[view]

    def _fill(self, k: int, values: Floats, out: Floats) -> None:
        """Write the values of a kernel from base values of the same shape."""
        if k not in self._units:
            self._units[k] = self._unit(k)
        self.kernels[k].fill(values, out, self._units[k])
        # Without a trace no product is formed, so that a pool without scaling costs nothing more.
        if self.measures.trace is not None:
            out *= self.measures.scales[k]

    def _scale(self, values: Grams) -> None:
        """Multiply the values of all kernels, one array each, by their scales."""
        if self.measures.trace is not None:
            for array, scale in zip(values, self.measures.scales, strict=True):
                array *= scale

    def _unit(self, k: int) -> float | None:
        """Return the unit of a kernel, whose values between the examples are finite."""
        kernel, before = self.kernels[k], self.measures.evaluations
        # Histograms have a sum of 1, so that distances between them are finite.
        sides = () if kernel.base == "chisquare" else self._norms(kernel.view)
        self.measures.check(k, max((float(norms.max(initial=0.0)) for norms in sides), default=1.0))
        if self.measures.trace is not None:
            self.measures.scales  # noqa: B018 - which may measure units of other kernels
        self.computed += self.measures.evaluations - before
        return self.measures.unit(k)

    def fill_row(self, inner: Floats, rows: Indices, columns: Indices, kernels: Sequence[int], out: Grams) -> None:
        """Write the values of some kernels, (b, c) each, between training vectors with inner products (b, c)."""
        squared = self._squared("", inner, rows, columns)
        for k, values in zip(kernels, out, strict=True):
            self._fill(k, squared if self.kernels[k].reads == "squared" else inner, values)
        self.computed += len(kernels) * inner.size

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training examples, (b, c)."""
        if kernel in self.kept:
            return super().values(kernel, rows, columns)
        view, base, reads = self.kernels[kernel].view, self.kernels[kernel].base, self.kernels[kernel].reads
        if self._on_vectors and not self.by_rows:
            values = self.base_values(view, base)[np.ix_(rows, columns)]
        else:
            values = self._rows.some(view, base, rows, self.train, columns)
        if reads == "squared":
            values = self._squared(view, values, rows, columns)
        out: Floats = np.empty_like(values)
        self._fill(kernel, values, out)
        self.computed += out.size
        return out

    def along(self, order: Indices) -> GramRows:
        """Return the rows of the training examples for a pass, on demand or from Gram matrices (see this module)."""
        m, t, n = self.shape
        use_matrices = self.kept or 2 * self.computed >= m * t * n
        on_demand = self._on_vectors and self.test is None and not (self.train.whole and use_matrices)
        return OnDemand(self, order) if on_demand else super().along(order)


class OnDemand(GramRows):
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

    on_demand = True

    def __init__(self, pool: Computed, order: Indices, kernels: Sequence[int] | None = None) -> None:
        self._pool, self._order = pool, order.astype(np.intp)
        self._kernels = range(len(pool.kernels)) if kernels is None else kernels
        self._values = np.zeros((len(self._kernels), 1, len(order)))
        self._first, self._block = 0, np.empty((0, len(pool.train)))
        super().__init__(read_only(self._values), np.full(len(order), -1))

    def only(self, kernel: int) -> "OnDemand":
        """Return the rows of one kernel, for a pass with this kernel alone."""
        return OnDemand(self._pool, self._order, [self._kernels[kernel]])

    def numbered(self, order: Order) -> Order:
        """Return the rounds of a pass."""
        numbers = np.arange(len(order), dtype=order.dtype)
        # Whether an array is writeable is part of its type in Numba: other flags would compile every loop once more.
        numbers.flags.writeable = order.flags.writeable
        return numbers

    def fetch(self, number: int, needed: NDArray[np.bool_]) -> None:
        """Compute the rows of the example of one round, for the kernels that need them; needed is (m,)."""
        later, kernels = self._order[number:], needed.nonzero()[0].tolist()
        inner, rows = self._inner(number).take(later)[None], [self._values[k, :, number:] for k in kernels]
        self._pool.fill_row(inner, later[:1], later, [self._kernels[k] for k in kernels], rows)
        self.place.fill(-1)
        self.place[number] = 0

    def _inner(self, number: int) -> Floats:
        """Return the inner products of the example of one round with all examples, (n,)."""
        train = self._pool.train
        if train.whole:
            return np.asarray(self._pool.base_values("", "inner")[self._order[number]])
        if not self._first <= number < self._first + len(self._block):
            rows = self._order[number : number + BLOCK]
            self._first, self._block = number, train.some("", "inner", rows, train, slice(None))
        return np.asarray(self._block[number - self._first])
