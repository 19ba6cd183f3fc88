"""Bases: examples that give inner products, squared norms and chi-square distances, one class a storage.

- `Vectors`: rows of numbers as they are, whose inner products BLAS computes.
- `Views`: descriptors of images, at norm 1 for inner products and at a sum of 1 for chi-square distances, or groups of
  columns of vectors, which stay as they are for inner products. A row of zeros stays zero. Compiled loops add in one
  fixed order (`grambench.kernels.pairs`), so that a value has the same bits in a matrix or alone.
- `StoredKernels`: matrices of inner products of all examples, without features.
- `Pixels` (`grambench.kernels.pixels`): blocks of bytes.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from grambench.common.types import Floats, Indices
from grambench.kernels import chi_square, pairs
from grambench.kernels.functions import Kernel
from grambench.kernels.grams import squared_distances
from grambench.kernels.pairs import ScaledRows
from grambench.kernels.pool import NONE, entries, locked

WHOLE = 8192  # vectors, whose inner products take half a GiB
FRACTIONS = (2, 3, 5)  # the mean chi-square distance is over pairs that lie n/2, n/3 and n/5 examples apart
# Rounding alone gives equal unit vectors a mean squared distance up to this.
EQUAL = 1e-12
PAIRS = {"inner": pairs.PRODUCTS, "chisquare": chi_square.DISTANCES}


class Base(ABC):
    """Some examples, and base values between them and others in the same storage.

    Attributes
    ----------
    features : dict of array (n, d)
        The examples by view, read-only; "" for vectors.
    median : str
        The name of the unit of kernels whose parameter is in medians, see `grambench.kernels.units`.
    """

    features: Mapping[str, Any]
    median: ClassVar[str] = "median"

    def __len__(self) -> int:
        return int(next(iter(self.features.values())).shape[0])

    @abstractmethod
    def like(self, examples: Any) -> Self:
        """Return other examples in the same storage."""

    def check(self, kernel: Kernel) -> None:
        """Raise ValueError for a kernel of a view that the examples do not have."""
        if kernel.view not in self.features:
            raise ValueError(f"{kernel.name}: there is no view {kernel.view!r}, known: {', '.join(self.features)}")

    @abstractmethod
    def squares(self, view: str) -> Floats:
        """Return the squared norms of the examples, (n,), the diagonal of their inner products."""

    @abstractmethod
    def mean(self, view: str, base: str) -> tuple[float, int]:
        """Return the mean squared or chi-square distance between different examples, and how many it took."""


class PairedBase(Base):
    """A base whose values are computed for all pairs of examples at once, or for some."""

    @abstractmethod
    def take(self, rows: Indices) -> Self:
        """Return some of the examples."""

    @abstractmethod
    def some(self, view: str, base: str, rows: Indices, train: Self, columns: Indices) -> Floats:
        """Return inner products or chi-square distances of b of these and c of the training examples, (b, c)."""

    def matrix(self, view: str, base: str, train: Self) -> Floats:
        """Return inner products or chi-square distances of all pairs of t of these and n training examples, (t, n)."""
        return self.some(view, base, np.arange(len(self)), train, np.arange(len(train)))

    def mean(self, view: str, base: str) -> tuple[float, int]:
        """Return the mean squared distance over all pairs."""
        return float(self.pair_distances(view).mean()), 0

    def norms(self, view: str, train: Self | None) -> tuple[Floats, Floats]:
        """Return the squared norms, (t,) and (n,), for distances to training examples, or of these among themselves."""
        return self.squares(view), (train or self).squares(view)

    def pair_distances(self, view: str, rows: Indices | None = None) -> Floats:
        """Return the squared distances between different ones of all or of some examples; [0] for one example."""
        inner = self.matrix(view, "inner", self) if rows is None else self.some(view, "inner", rows, self, rows)
        distances, squares = np.empty_like(inner), np.diagonal(inner).copy()
        squared_distances(inner, squares, squares, distances)
        return distances[np.triu_indices(len(inner), 1)] if len(inner) > 1 else np.zeros(1)


class Vectors(PairedBase):
    """Vectors, (n, d).

    Up to WHOLE training examples, all values come from one matrix of inner products. With more, or between other
    examples, BLAS adds the products of some rows in another order than those of all, and last bits may differ.
    """

    def __init__(self, examples: Any) -> None:
        self.features = locked({"": examples})
        self._squares: Floats | None = None

    def like(self, examples: Any) -> Self:
        """Return other vectors."""
        return type(self)(examples)

    def take(self, rows: Indices) -> Self:
        """Return some of the vectors."""
        return type(self)(self.features[""][rows])

    def check(self, kernel: Kernel) -> None:
        """Raise ValueError for a kernel of a view, or of chi-square distances."""
        super().check(kernel)
        if kernel.base != "inner":
            hint = 'scikit-learn\'s "chi2" needs no views'
            raise ValueError(f"expected kernels of inner products without views, got {kernel.name}; {hint}")

    @property
    def whole(self) -> bool:
        """Whether all inner products of the examples are computed at once."""
        return len(self) <= WHOLE

    def matrix(self, view: str, base: str, train: Self) -> Floats:
        """Return the inner products of all pairs, (t, n); those of the same vectors give their squared norms too."""
        inner = np.asarray(self.features[""] @ train.features[""].T)
        if train is self and self.whole:
            self._squares = np.diagonal(inner).copy()
        return inner

    def some(self, view: str, base: str, rows: Indices, train: Self, columns: Indices) -> Floats:
        """Return the inner products of some pairs, (b, c)."""
        return np.asarray(self.features[""][rows] @ train.features[""][columns].T)

    def squares(self, view: str) -> Floats:
        """Return the squared norms, (n,), of up to WHOLE vectors the diagonal of BLAS so that distances can be 0."""
        if not self.whole:
            return self.sums
        if self._squares is None:
            self.matrix("", "inner", self)
        assert self._squares is not None
        return self._squares

    @cached_property
    def sums(self) -> Floats:
        """The sums of squared features, (n,)."""
        return np.asarray(np.square(self.features[""]).sum(axis=1))

    def norms(self, view: str, train: Self | None) -> tuple[Floats, Floats]:
        """Return the squared norms, (t,) and (n,)."""
        return (self.squares(view), self.squares(view)) if train is None else (self.sums, train.sums)


class ViewsWithPairs(dict[str, Any]):
    """The views of some examples, with base matrices of all examples of a data set, of which a pool takes its entries.

    A pool on such views has the same bits as one that computes them.

    Parameters
    ----------
    features : mapping of array (n, d)
        The features by view, as in Views.
    rows : ndarray of int (n,)
        The examples among all N.
    pairs : mapping of ndarray of float64 (N, N)
        The values of `all_pairs` by view and base.
    """

    def __init__(self, features: Mapping[str, Any], rows: Indices, pairs: Mapping[tuple[str, str], Floats]) -> None:
        super().__init__(features)
        self.rows, self.pairs = rows, pairs


NO_PAIRS = ViewsWithPairs({}, np.empty(0, dtype=int), {})


class Views(PairedBase):
    """Views of examples, scaled for each base.

    Parameters
    ----------
    examples : mapping of array (n, d), or array (n, d)
        Features by view, dense or sparse, of any numeric type; or vectors. They are stored without a copy, except for
        sparse ones and types that compiled code does not read (see pairs.READ).
    columns : mapping of ndarray of int
        Of vectors, the columns of each view; "" has all columns.
    unit_rows : bool
        Whether rows are scaled to Euclidean norm 1 for kernels of inner products.
    """

    median = "sampled_median"

    def __init__(self, examples: Any, columns: Mapping[str, Indices] = {}, *, unit_rows: bool = True) -> None:
        self._columns, self._unit_rows = columns, unit_rows
        views = examples
        if not isinstance(examples, Mapping):
            # All columns are the view "", from which some algorithms learn.
            views = {"": examples} | {view: examples[:, places] for view, places in columns.items()}
        self.features = {view: pairs.readable(values) for view, values in views.items()}
        if len(counts := {len(values) for values in self.features.values()}) != 1:
            raise ValueError(f"expected views of equally many examples, got {sorted(counts)}")
        stored = examples if isinstance(examples, ViewsWithPairs) else NO_PAIRS
        self._pairs, self._rows = stored.pairs, stored.rows
        self._scaled: dict[tuple[str, str], ScaledRows] = {}
        self._squares: dict[str, Floats] = {}

    def like(self, examples: Any) -> Self:
        """Return the views of other examples."""
        return type(self)(examples, self._columns, unit_rows=self._unit_rows)

    def take(self, rows: Indices) -> Self:
        """Return the views of some of the examples."""
        return self.like({view: values[rows] for view, values in self.features.items()})

    def scaled(self, view: str, base: str) -> ScaledRows:
        """Return the rows of a view, scaled for a base."""
        if (view, base) not in self._scaled:
            values = self.features[view]
            if base == "chisquare":
                rows = chi_square.histograms(values)
            else:
                rows = pairs.scaled(values, 2) if self._unit_rows else ScaledRows(values, np.ones(len(self)))
            self._scaled[view, base] = rows
        return self._scaled[view, base]

    def matrix(self, view: str, base: str, train: Self) -> Floats:
        """Return inner products or chi-square distances of all pairs, (t, n)."""
        if (view, base) in self._pairs and (view, base) in train._pairs:
            return super().matrix(view, base, train)
        return pairs.matrix(PAIRS[base], self.scaled(view, base), None if train is self else train.scaled(view, base))

    def some(self, view: str, base: str, rows: Indices, train: Self, columns: Indices) -> Floats:
        """Return inner products or chi-square distances of some pairs, (b, c)."""
        if (view, base) in self._pairs and (view, base) in train._pairs:
            return entries(train._pairs[view, base], self._rows[rows], train._rows[columns])
        left, right = self.scaled(view, base), train.scaled(view, base)
        return pairs.some(PAIRS[base], left, right, rows.astype(np.intp), columns.astype(np.intp))

    def squares(self, view: str) -> Floats:
        """Return the squared norms of the scaled rows of a view, (n,); of unit rows, 1 but for rounding, or 0."""
        if view not in self._squares:
            self._squares[view] = pairs.squares(*self.scaled(view, "inner"))
        return self._squares[view]

    def mean(self, view: str, base: str) -> tuple[float, int]:
        """Return the mean distance between different examples.

        That of squared distances is exact, from the mean of the examples. Chi-square distances are between each example
        and those a half, a third and a fifth of all further on. The papers take the mean over all pairs, which costs as
        much as a Gram matrix, even if only a few values are needed.
        """
        examples, n = self.scaled(view, base), len(self)
        if base == "inner":
            return mean_squared_distance(self.squares(view).mean(), pairs.total(*examples) / n, n), 0
        offsets = sorted({n // parts for parts in FRACTIONS} - {0})
        total = sum(chi_square.sum_of_distances(*examples, offset) for offset in offsets)
        return total / (n * len(offsets)) if offsets else 0.0, n * len(offsets)


class StoredKernels(PairedBase):
    """Some examples of a data set whose inner products are stored, so that there are no features.

    Parameters
    ----------
    matrices : mapping of ndarray of float64 (N, N)
        The inner products of all N examples by view.
    rows : ndarray of int (n,)
        The examples among all.
    """

    features: Mapping[str, Any] = NONE
    median = "sampled_median"

    def __init__(self, matrices: Mapping[str, Floats], rows: Indices) -> None:
        self.matrices, self.rows = matrices, rows

    def __len__(self) -> int:
        return len(self.rows)

    def like(self, examples: Any) -> Self:
        """Return other examples, which are stored kernels themselves."""
        return examples  # type: ignore[no-any-return]

    def take(self, rows: Indices) -> Self:
        """Return some of the examples."""
        return type(self)(self.matrices, self.rows[rows])

    def check(self, kernel: Kernel) -> None:
        """Raise ValueError for a kernel of a view that is not stored, or one that is no function of inner products."""
        if kernel.view not in self.matrices or kernel.base != "inner":
            known = ", ".join(self.matrices)
            raise ValueError(f"{kernel.name}: expected a function of the stored kernels {known}, got another kernel")

    def some(self, view: str, base: str, rows: Indices, train: Self, columns: Indices) -> Floats:
        """Return the inner products of some pairs, (b, c)."""
        return entries(self.matrices[view], self.rows[rows], train.rows[columns])

    def squares(self, view: str) -> Floats:
        """Return the squared norms, (n,)."""
        return np.diagonal(self.matrices[view])[self.rows]


def all_pairs(features: Any, base: str) -> Floats:
    """Return the inner products or distances of all pairs of examples (n, d) of one view, (n, n)."""
    views = Views({"": features})
    return views.matrix("", base, views)


def mean_squared_distance(mean_square: float, centre: Floats, n: int) -> float:
    """Return the mean squared distance between different ones of n vectors, or 1 if they are equal but for rounding.

    Parameters
    ----------
    mean_square : float
        The mean of the squared norms.
    centre : ndarray of float64 (d,)
        The mean of the vectors.
    n : int
        How many vectors.
    """
    spread = float(mean_square - centre @ centre)
    return 2.0 * n / (n - 1) * spread if spread > EQUAL else 1.0
