"""A pool of kernels on the views of examples, such as the descriptors of images; made when it is asked for.

A view's rows are brought to Euclid's norm 1 for kernels of inner products, and to a sum of 1 for chi-square kernels; a
row of zeros stays one. Each Gram matrix is made at its first access and kept. A few values are made by themselves, and
equal those of the matrix bit for bit, so that what was made before changes no result.

Relative kernels measure in units of the training examples alone, the same for matrices and for values:

- the mean squared distance of two different ones, exactly, from their mean;
- the mean chi-square distance of each from those that come a half, a third and a fifth of all later;
- the median squared distance of two different ones among SAMPLE evenly spaced ones (all where there are no more).

The papers take the mean over all pairs, which would cost a pass that asks for a few values a whole matrix.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from grambench.common.types import Floats, Grams, Indices
from grambench.kernels import chi_square, grams, pairs
from grambench.kernels.functions import FAMILIES, Kernel, Units
from grambench.kernels.pairs import Examples
from grambench.kernels.pool import Continuous, Made, Part, read_only
from grambench.kernels.scaled import Scaled, mean_squared_distance

SAMPLE = 256  # training examples
LATER = (2, 3, 5)  # parts of all examples
STRIP = 32  # rows of a Gram matrix that are made at a time, which stay in a core's second-level cache
SCALED = Units(features=1, squared_distance=1.0, mean=1.0)

BASES = {"inner": pairs.PRODUCTS, "chisquare": chi_square.DISTANCES}


class Views:
    """The views of n examples, as each base wants them.

    Parameters
    ----------
    features : mapping of array (n, d)
        By view; dense or sparse, of any type of number. They are kept as they are, but for sparse ones and types that
        are read by nobody (see pairs.READ).
    """

    def __init__(self, features: Mapping[str, Any]) -> None:
        self.features = {view: pairs.readable(values) for view, values in features.items()}
        if len(counts := {len(values) for values in self.features.values()}) != 1:
            raise ValueError(f"expected views of equally many examples, got {sorted(counts)}")
        (self.count,) = counts
        self._examples: dict[tuple[str, str], Examples] = {}
        self._squares: dict[str, Floats] = {}

    def examples(self, view: str, base: str) -> Examples:
        """Return the rows of a view, scaled for a base."""
        if (view, base) not in self._examples:
            features = self.features[view]
            made = chi_square.histograms(features) if base == "chisquare" else pairs.scaled(features, 2)
            self._examples[view, base] = made
        return self._examples[view, base]

    def squares(self, view: str) -> Floats:
        """Return the squared norms of a view's scaled rows, 1 but for rounding, or 0, (n,)."""
        if view not in self._squares:
            self._squares[view] = pairs.squares(*self.examples(view, "inner"))
        return self._squares[view]


class Viewed(Scaled):
    """Kernels on views, between t examples and n training ones.

    It holds a Gram matrix of each kernel that was asked for, and the base matrix that they are made of until those of
    all kernels of that view and base are made: never more than m matrices (t, n) together, but while one is made.

    Parameters
    ----------
    kernels : sequence of m Kernels
        Those of one view best lie next to each other.
    train : mapping of array (n, d)
        The training examples by view, as they were counted.
    others : mapping of array (t, d), optional
        The other examples; the training ones themselves where there are none.
    basis, trace, family
        See Scaled; the basis counts the kernel evaluations that its units take.

    Attributes
    ----------
    computed : int
        Values of Gram matrices made (t n each), of `values` where there was no matrix, and of the units' samples.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        train: Mapping[str, Any],
        others: Mapping[str, Any] | None = None,
        *,
        basis: "Viewed | None" = None,
        trace: float | None = None,
        family: Callable[[], Continuous | None] | None = None,
    ) -> None:
        if not kernels:
            raise ValueError("a pool needs at least one kernel, got none")
        for kernel in kernels:
            if kernel.view not in train:
                raise ValueError(f"{kernel.name}: there is no view {kernel.view!r}, known: {', '.join(train)}")
            kernel.refuse_infinite(1.0, SCALED)  # all rows are of norm 1; distances are finite in whatever unit
        super().__init__(kernels, basis=basis, trace=trace, family=family)
        self.train = train
        self._columns: Views = basis._columns if basis is not None and basis.train is train else Views(train)
        self._rows: Views = self._columns if others is None or others is train else Views(others)
        self.features = self._rows.features
        self._bases: dict[tuple[str, str], Floats] = {}
        self._grams: dict[int, Floats] = {}
        self._units: dict[tuple[str, str], Units] = {}

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        return len(self.kernels), self._rows.count, self._columns.count

    def grams(self) -> Grams:
        """Return m arrays (t, n), read-only, each made at its first access."""
        return Made(len(self.kernels), self._gram)

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training ones, (b, c)."""
        if kernel in self._grams:
            return super().values(kernel, rows, columns)
        asked = self.kernels[kernel]
        left, right = (side.examples(asked.view, asked.base) for side in (self._rows, self._columns))
        base = pairs.some(BASES[asked.base], left, right, rows.astype(np.intp), columns.astype(np.intp))
        values = np.empty_like(base)
        self._fill(kernel, base, rows, columns, values)
        self.computed += values.size
        return values

    def part(self, rows: Indices, columns: Indices) -> Part:
        """Return the pool between some of the t examples and some of the training ones, which asks this one."""
        return Part(self, rows=rows, columns=columns)

    def _gram(self, k: int) -> Floats:
        if k not in self._grams:
            kernel, values = self.kernels[k], np.empty(self.shape[1:])
            base = self._base(kernel)
            for start in range(0, len(values), STRIP):
                strip = slice(start, start + STRIP)
                self._fill(k, base[strip], strip, slice(None), values[strip])
            self.computed += values.size
            (self._grams[k],) = read_only([values])
            alike = [j for j, other in enumerate(self.kernels) if _source(other) == _source(kernel)]
            if all(j in self._grams for j in alike):
                del self._bases[_source(kernel)]
        return self._grams[k]

    def _base(self, kernel: Kernel) -> Floats:
        """Return the inner products or distances of all pairs that a kernel is a function of, (t, n)."""
        source = _source(kernel)
        if source not in self._bases:
            columns = None if self._rows is self._columns else self._columns.examples(*source)
            self._bases[source] = pairs.matrix(BASES[kernel.base], self._rows.examples(*source), columns)
        return self._bases[source]

    def _fill(self, k: int, base: Floats, rows: Any, columns: Any, out: Floats) -> None:
        """Write a kernel's values at the base of some rows and columns, (b, c) each."""
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
        """Return what a kernel's family measures in, by the training examples; equal ones are no unit."""
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

    def _mean_distance(self, examples: Examples) -> float:
        """Return the mean chi-square distance of training examples from those that come some parts of all later."""
        n = self._columns.count
        later = {n // parts for parts in LATER} - {0}
        self.computed += n * len(later)
        return sum(chi_square.apart(*examples, steps) for steps in sorted(later)) / (n * len(later)) if later else 0.0

    def _sampled(self, kernel: Kernel) -> Floats:
        """Return the squared distances between different ones of evenly spaced training examples; 0 for one."""
        examples = self._columns.examples(*_source(kernel))
        chosen = np.linspace(0, self._columns.count - 1, min(SAMPLE, self._columns.count)).astype(np.intp)
        sample = pairs.matrix(BASES[kernel.base], examples.of(chosen))
        self.computed += sample.size
        squares = self._columns.squares(kernel.view)[chosen]
        grams.squared_distances(sample.copy(), squares, squares, sample)
        return sample[np.triu_indices(len(sample), 1)] if len(sample) > 1 else np.zeros(1)


def _source(kernel: Kernel) -> tuple[str, str]:
    return kernel.view, kernel.base
