"""A pool of kernels on the views of examples, such as the descriptors of images or groups of columns of vectors.

The rows of a descriptor are scaled to Euclidean norm 1 for kernels of inner products, and to a sum of 1 for chi-square
kernels; a row of zeros stays zero. The rows of a group of columns stay as they are, but for chi-square kernels.

Each Gram matrix is computed at its first access and stored. Single values are computed without the matrix and equal its
entries bit for bit, so the history of a pool changes no result.

The units of relative kernels come from the training examples alone, the same for matrices and for single values:

- the mean squared distance between different examples, computed exactly from their mean;
- the mean chi-square distance of each example from the examples a half, a third and a fifth of all further on;
- the median squared distance between different examples among SAMPLE evenly spaced ones, or all if there are fewer.

The papers take the mean over all pairs. Its cost is that of a Gram matrix, even if only a few values are needed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from grambench.common.types import Floats, Grams, Indices
from grambench.kernels import chi_square, grams, pairs
from grambench.kernels.computed import units_of
from grambench.kernels.functions import FAMILIES, Kernel, Units
from grambench.kernels.pairs import ScaledRows
from grambench.kernels.pool import LazyGrams, SubPool, entries, read_only
from grambench.kernels.scaled import Scaled, mean_squared_distance

SAMPLE = 256  # training examples that the median is taken over
FRACTIONS = (2, 3, 5)  # the mean chi-square distance is over pairs that lie n/2, n/3 and n/5 examples apart
STRIP = 32  # rows of a Gram matrix that are computed at a time; they stay in a core's second-level cache
UNIT = Units(features=1, squared_distance=1.0, mean=1.0)

BASES = {"inner": pairs.PRODUCTS, "chisquare": chi_square.DISTANCES}


class ViewsWithPairs(dict[str, Any]):
    """The views of some examples, with base matrices of all examples of a data set, of which a pool takes its entries.

    A pool on such views has the same bits as one that computes them.

    Parameters
    ----------
    features : mapping of array (n, d)
        The features by view, as in ScaledViews.
    rows : ndarray of int (n,)
        The examples among all N.
    pairs : mapping of ndarray of float64 (N, N)
        The values of `all_pairs` by view and base.
    """

    def __init__(self, features: Mapping[str, Any], rows: Indices, pairs: Mapping[tuple[str, str], Floats]) -> None:
        super().__init__(features)
        self.rows, self.pairs = rows, pairs


def all_pairs(features: Any, base: str) -> Floats:
    """Return the inner products or distances of all pairs of examples (n, d) of one view, (n, n)."""
    return pairs.matrix(BASES[base], ScaledViews({"": features}).examples("", base))


class ScaledViews:
    """The views of n examples, scaled for each base.

    Parameters
    ----------
    features : mapping of array (n, d)
        Features by view, dense or sparse, of any numeric type. Arrays are stored without a copy, except for sparse ones
        and types that compiled code does not read (see pairs.READ).
    unit_rows : bool
        Whether rows are scaled to Euclidean norm 1 for kernels of inner products.
    """

    def __init__(self, features: Mapping[str, Any], *, unit_rows: bool = True) -> None:
        self._unit_rows = unit_rows
        self.features = {view: pairs.readable(values) for view, values in features.items()}
        if len(counts := {len(values) for values in self.features.values()}) != 1:
            raise ValueError(f"expected views of equally many examples, got {sorted(counts)}")
        (self.count,) = counts
        self._examples: dict[tuple[str, str], ScaledRows] = {}
        self._squares: dict[str, Floats] = {}

    def examples(self, view: str, base: str) -> ScaledRows:
        """Return the rows of a view, scaled for a base."""
        if (view, base) not in self._examples:
            values = self.features[view]
            if base == "chisquare":
                examples = chi_square.histograms(values)
            else:
                examples = pairs.scaled(values, 2) if self._unit_rows else ScaledRows(values, np.ones(self.count))
            self._examples[view, base] = examples
        return self._examples[view, base]

    def squares(self, view: str) -> Floats:
        """Return the squared norms of the scaled rows of a view, (n,); of unit rows, 1 but for rounding, or 0."""
        if view not in self._squares:
            self._squares[view] = pairs.squares(*self.examples(view, "inner"))
        return self._squares[view]


class Viewed(Scaled):
    """Kernels on views of examples.

    A pool stores each Gram matrix that was accessed. It also stores a base matrix, of inner products or distances,
    until the Gram matrices of all kernels of this view and base are computed. Together these are at most m matrices
    (t, n), plus one during a computation.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels; an order by view needs the least memory.
    train : mapping of array (n, d)
        The unscaled training examples by view.
    test : mapping of array (t, d), optional
        The t examples by view; by default the training examples.
    basis, trace, family
        See Scaled. The basis counts the kernel evaluations that its units take.

    Attributes
    ----------
    computed : int
        Evaluations for Gram matrices (t n each), for values outside of stored matrices, and for units.
    """

    unit_rows = True

    def _bind(self) -> None:
        if not self.kernels:
            raise ValueError("a pool needs at least one kernel, got none")
        for kernel in self.kernels:
            if kernel.view not in self.train:
                raise ValueError(f"{kernel.name}: there is no view {kernel.view!r}, known: {', '.join(self.train)}")
        reuse = self.basis is not self and self.basis.train is self.train
        self._columns: ScaledViews = self.basis._columns if reuse else self._scaled_views(self.train)
        same = self.test is None or self.test is self.train
        self._rows = self._columns if same else self._scaled_views(self.test)
        self.features = self._rows.features
        self._bases: dict[tuple[str, str], Floats] = {}
        self._grams: dict[int, Floats] = {}
        self._units: dict[tuple[str, str], Units] = {}
        for kernel in self.kernels:
            kernel.refuse_infinite(*self._extent(kernel))

    def _scaled_views(self, examples: Any) -> ScaledViews:
        return ScaledViews(examples, unit_rows=self.unit_rows)

    def _extent(self, kernel: Kernel) -> tuple[float, Units]:
        """Return the largest squared norm of the rows that a kernel compares, and its units."""
        # All rows have norm 1, and distances between them are finite in any unit.
        return 1.0, UNIT

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        return len(self.kernels), self._rows.count, self._columns.count

    def grams(self) -> Grams:
        """Return m read-only arrays (t, n), each computed at its first access."""
        return LazyGrams(self.shape, self._gram, self._grams)

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training examples, (b, c)."""
        if kernel in self._grams:
            return super().values(kernel, rows, columns)
        view, base_name = _source(self.kernels[kernel])
        left, right = self._rows.examples(view, base_name), self._columns.examples(view, base_name)
        base = pairs.some(BASES[base_name], left, right, rows.astype(np.intp), columns.astype(np.intp))
        values = np.empty_like(base)
        self._fill(kernel, base, rows, columns, values)
        self.computed += values.size
        return values

    def part(self, rows: Indices, columns: Indices) -> SubPool:
        """Return the pool between some of the t examples and some of the training examples."""
        return SubPool(self, rows=rows, columns=columns)

    def _gram(self, k: int, out: Floats | None = None) -> Floats:
        if k not in self._grams:
            kernel, values = self.kernels[k], np.empty(self.shape[1:]) if out is None else out
            base = self._base(kernel)
            for start in range(0, len(values), STRIP):
                strip = slice(start, start + STRIP)
                self._fill(k, base[strip], strip, slice(None), values[strip])
            self.computed += values.size
            (self._grams[k],) = read_only([values])
            if all(j in self._grams for j, other in enumerate(self.kernels) if _source(other) == _source(kernel)):
                del self._bases[_source(kernel)]
        return self._grams[k]

    def _base(self, kernel: Kernel) -> Floats:
        """Return the inner products or distances of all pairs of examples, (t, n), for a kernel."""
        source = _source(kernel)
        if source not in self._bases:
            left, right = self.train if self.test is None else self.test, self.train
            if isinstance(left, ViewsWithPairs) and isinstance(right, ViewsWithPairs):
                self._bases[source] = entries(right.pairs[source], left.rows, right.rows)
            else:
                columns = None if self._rows is self._columns else self._columns.examples(*source)
                self._bases[source] = pairs.matrix(BASES[kernel.base], self._rows.examples(*source), columns)
        return self._bases[source]

    def _fill(self, k: int, base: Floats, rows: Any, columns: Any, out: Floats) -> None:
        """Write the values of a kernel, (b, c), from the base of some rows and columns, (b, c)."""
        kernel, distance = self.kernels[k], base
        if kernel.base == "inner" and FAMILIES[kernel.family].uses_distance:
            distance = np.empty_like(base)
            squares = self._rows.squares(kernel.view)[rows], self._columns.squares(kernel.view)[columns]
            grams.squared_distances(base, *squares, distance)
        kernel.fill(base, distance, out, self.basis._measure(kernel) if kernel.relative else None)
        self._scale([out], [k])

    def _unscaled_diagonal(self, k: int) -> Floats:
        kernel, zeros = self.kernels[k], np.zeros(self._columns.count)
        inner = zeros if kernel.base == "chisquare" else self._columns.squares(kernel.view)
        diagonal = np.empty_like(zeros)
        kernel.fill(inner, zeros, diagonal, self._measure(kernel) if kernel.relative else None)
        return diagonal

    def _measure(self, kernel: Kernel) -> Units:
        """Return the units of a kernel from the training examples; a unit of 0, of equal examples, becomes 1."""
        unit = FAMILIES[kernel.family].unit
        if (kernel.view, kernel.family) not in self._units:
            examples = self._columns.examples(*_source(kernel))
            n, d = examples.features.shape
            median = mean = np.nan
            if unit == "squared_distance":
                median = float(np.median(self._sampled(kernel))) or 1.0
            elif unit == "mean" and kernel.base == "chisquare":
                mean = self._mean_distance(examples) or 1.0
            elif unit == "mean":
                mean_square = self._columns.squares(kernel.view).mean()
                mean = mean_squared_distance(mean_square, pairs.total(*examples) / n, n)
            self._units[kernel.view, kernel.family] = Units(d, median, mean)
        return self._units[kernel.view, kernel.family]

    def _mean_distance(self, examples: ScaledRows) -> float:
        """Return the mean chi-square distance over the pairs of training examples that FRACTIONS selects."""
        n = self._columns.count
        offsets = {n // parts for parts in FRACTIONS} - {0}
        self.computed += n * len(offsets)
        total = sum(chi_square.sum_of_distances(*examples, offset) for offset in sorted(offsets))
        return total / (n * len(offsets)) if offsets else 0.0

    def _sampled(self, kernel: Kernel) -> Floats:
        """Return the squared distances between different examples of an evenly spaced sample; [0] for one example."""
        examples = self._columns.examples(*_source(kernel))
        indices = np.linspace(0, self._columns.count - 1, min(SAMPLE, self._columns.count)).astype(np.intp)
        sample = pairs.matrix(BASES[kernel.base], examples.of(indices))
        self.computed += sample.size
        squares = self._columns.squares(kernel.view)[indices]
        grams.squared_distances(sample.copy(), squares, squares, sample)
        return sample[np.triu_indices(len(sample), 1)] if len(sample) > 1 else np.zeros(1)


class VectorViews(Viewed):
    """Kernels on groups of columns of vectors, whose rows are not scaled to norm 1; see Viewed."""

    unit_rows = False

    def _extent(self, kernel: Kernel) -> tuple[float, Units]:
        """Return the largest squared norm of the rows that a kernel compares, and its units."""
        if kernel.base == "chisquare":
            return super()._extent(kernel)
        largest = max(float(side.squares(kernel.view).max(initial=0.0)) for side in (self._rows, self._columns))
        return largest, self.basis._measure(kernel) if kernel.relative else UNIT


class ColumnGroups(VectorViews):
    """Kernels on groups of columns, in the units of kernels on vectors: medians and means are over all pairs."""

    def _measure(self, kernel: Kernel) -> Units:
        if kernel.base == "chisquare":
            return super()._measure(kernel)
        all_families = kernel.view, ""
        if all_families not in self._units:
            self._units[all_families] = units_of(self._columns.features[kernel.view])
        return self._units[all_families]


def _source(kernel: Kernel) -> tuple[str, str]:
    return kernel.view, kernel.base
