"""Classifiers with a bounded number of support vectors, whose scores are computed when an example arrives.

    f(x) = sum_s dual_s k(x_s, x)   over at most B support vectors

An example costs O(B) kernel evaluations for each classifier, however many examples have come before it. Examples are
read in blocks: the kernel values between a block and the support vectors are computed at once, and the rounds are then
played in turn. How examples are cut into blocks changes no score, but for last bits of inner products.

What a full classifier does at a mistake is one of three ways:

- "forget" removes the oldest support vector.
- "shrink" multiplies all coefficients, the new one included, by a factor before that. It is the largest factor in
  (0, 1] that keeps the sum of Psi of the self-tuned Forgetron (Dekel, Shalev-Shwartz and Singer 2008) below 15/32 of
  the mistakes. Its mistake bound holds if k(x, x) <= 1 and B >= 83.
- "project" adds the projection of k(x, .) on the span of the support vectors in place of k(x, .), as Projectron does
  (Orabona, Keshet and Caputo 2009). An update then costs O(B^2). Before a classifier is full, only examples with a
  negligible part outside of the span are projected, where the paper has a threshold as its parameter.

A sum runs from the oldest to the latest support vector, in the four lanes of `grambench.algorithms.rows`. The score
of a round is therefore that of the predictor, bit for bit.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.experts import FIRST, Learned, Needed, RoundsOfAll, RoundsOfEach, write_scores
from grambench.algorithms.fit import Work
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Indices, Order

BLOCK = 96  # examples whose kernel values are computed together
WAYS = {"forget": 0, "shrink": 1, "project": 2}  # the codes of `when_full` that compiled rounds read
NEGLIGIBLE = 1e-6  # part of k(x, x) outside of the span of the support vectors that a projection leaves out


class Source(Protocol):
    """The support vectors of several classifiers, each from the oldest to the latest, and kernel values with them.

    A block of b examples is an array of b numbers, or of b rows of features.

    Attributes
    ----------
    count : int
        The number of classifiers.
    """

    count: int

    def prepare(self, examples: Any) -> Any:
        """Return the block that the other methods get; its examples can be selected by their positions."""

    def values(self, classifier: int, older: int, block: Any, learning: bool = True) -> Floats:
        """Return kernel values, (r + b, s + b).

        The rows are the r = `older` oldest of the s support vectors of a classifier, then the examples of a block. The
        columns are all s support vectors, then the examples of the block. Unless it is learning, nothing is written, so
        that a model predicts in several threads, and from read-only memory.
        """

    def replace(self, classifier: int, first: int, block: Any, added: Indices) -> None:
        """Remove the support vectors before position `first`, and append examples of a block by their positions."""


class PoolSource:
    """Support vectors among the training examples of a pool.

    Parameters
    ----------
    values : callable
        (classifier, rows, columns) -> kernel values between training examples, (b, c).
    count : int
        The number of classifiers.

    Attributes
    ----------
    numbers : list of ndarray of int32 (s,)
        Support vectors of each classifier.
    """

    def __init__(self, values: Callable[[int, Indices, Indices], Floats], count: int) -> None:
        self._values, self.count = values, count
        self.numbers: list[NDArray[np.int32]] = [np.empty(0, dtype=np.int32)] * count

    def prepare(self, examples: Indices) -> Indices:
        """Return the block of examples."""
        return examples

    def values(self, classifier: int, older: int, block: Indices, learning: bool = True) -> Floats:
        """Return kernel values, see Source."""
        numbers = self.numbers[classifier]
        rows, columns = np.concatenate([numbers[:older], block]), np.concatenate([numbers, block])
        return self._values(classifier, rows, columns)

    def replace(self, classifier: int, first: int, block: Indices, added: Indices) -> None:
        """Remove the oldest support vectors and append examples, see Source."""
        numbers = np.concatenate([self.numbers[classifier][first:], block[added]])
        self.numbers[classifier] = numbers.astype(np.int32, copy=False)


class Windows(NamedTuple):
    """The support vectors of r classifiers during a block of b examples, as compiled rounds read and change them.

    The arrays of all classifiers have one shape, so that Numba compiles rounds once for any number of classifiers.
    They end with the block: its examples are the last b rows and columns. The columns before are the s support vectors
    of a classifier, and the rows before are the oldest of these, see Source.

    Attributes
    ----------
    values : ndarray of float64 (r, R, S)
        Kernel values.
    dual : ndarray of float64 (r, S)
        Coefficients of the columns.
    origin : ndarray of int64 (r, b)
        Positions in the block of the examples that were added, in columns S - b, S - b + 1, and so on.
    bounds : ndarray of int64 (r, 2)
        The first column of a classifier's support vectors, and the end of their columns, from the oldest to the latest.
    lead : ndarray of int64 (r,)
        The row of a classifier's oldest support vector minus its column, at the start of the block.
    shrinking : ndarray of float64 (r, 2)
        Of "shrink": Q, the sum of Psi so far, and M, the number of mistakes so far.
    inverse : ndarray of float64 (r, c, c)
        Of "project": the inverse of the Cholesky factor of the Gram matrix, in both triangles, and space for more.
    ready : ndarray of bool (r,)
        Whether a classifier's kernel values with the block have been computed.
    capacity : int
        Largest number of support vectors of each classifier.
    way : int
        What a full classifier does, a code of WAYS.
    """

    values: Floats
    dual: Floats
    origin: NDArray[np.int64]
    bounds: NDArray[np.int64]
    lead: NDArray[np.int64]
    shrinking: Floats
    inverse: Floats
    ready: NDArray[np.bool_]
    capacity: int
    way: int

    def score(self, k: int, t: int) -> float:
        """Return f_k(x) of the example of round t."""
        first, end = self.bounds[k]
        row = self.values.shape[1] - self.origin.shape[1] + t
        return lane_product(self.dual[k, first:end], self.values[k, row, first:end])  # type: ignore[no-any-return]

    def lacks_values(self, k: int) -> bool:
        """Return whether the kernel values of a classifier have to be computed."""
        return not self.ready[k]

    def update(self, k: int, t: int, coefficient: float) -> None:
        """Let f_k learn from the example of round t, with its label as the coefficient."""
        learn_mistake(self, k, t, coefficient)


class SummedWindows(Windows):
    """The classifiers of kernels that share their support vectors, whose terms are added one by one, without lanes."""

    __slots__ = ()

    def score(self, k: int, t: int) -> float:
        """Return f_k(x) of the example of round t."""
        return plain_sum(self, k, self.values.shape[1] - self.origin.shape[1] + t)  # type: ignore[no-any-return]

    def squared_norm(self, k: int, t: int) -> float:
        """Return k(x, x) of the example of round t."""
        (_, rows, columns), b = self.values.shape, self.origin.shape[1]
        return self.values[k, rows - b + t, columns - b + t]  # type: ignore[no-any-return]

    def make_room(self, squared_norms: Floats, least: float) -> bool:
        """Remove the oldest support vector of full classifiers; return whether they were full."""
        first, end = self.bounds[0]
        if end - first < self.capacity:
            return False
        for k in range(squared_norms.size):
            row, dual = row_of(self, k, first), self.dual[k, first]
            change = dual * (2.0 * dual * self.values[k, row, first] - 4.0 * plain_sum(self, k, row))
            squared_norms[k] = max(squared_norms[k] + change, least)
            self.bounds[k, 0] += 1
        return True

    def update(self, k: int, t: int, coefficient: float) -> None:
        """Add coefficient k(x, .) to f_k."""
        append_example(self, k, t, coefficient)


class BoundedClassifiers:
    """Perceptrons with at most `capacity` support vectors each; see `grambench.algorithms.experts.Classifiers`.

    Parameters
    ----------
    source : Source
        The support vectors, none so far.
    capacity : int
        Largest number of support vectors of each classifier.
    when_full : str
        One of WAYS.
    kernels : sequence of r int, optional
        The kernels of the source that have classifiers; by default all.
    kind : type
        Windows, or SummedWindows.

    Attributes
    ----------
    dual : list of ndarray of float64 (s,)
        Coefficients of each classifier's support vectors.
    """

    block = BLOCK

    def __init__(
        self,
        source: Source,
        capacity: int,
        when_full: str = "forget",
        kernels: Sequence[int] | None = None,
        kind: type[Windows] = Windows,
    ) -> None:
        self._source, self.count, self._kind = source, source.count, kind
        self._capacity, self._way = capacity, WAYS[when_full]
        self._kernels = range(source.count) if kernels is None else kernels
        self.dual: list[Floats] = [np.empty(0)] * len(self._kernels)
        self._shrinking = np.zeros((len(self._kernels), 2))
        self._inverse = np.empty((len(self._kernels), 0, 0))

    def _open(self, classifiers: slice, block: Any, learning: bool = True) -> Windows:
        """Return the windows of some classifiers on a block, without kernel values."""
        duals, b = self.dual[classifiers], len(block)
        sizes = np.array([len(dual) for dual in duals])
        older, size = np.zeros_like(sizes), sizes.max()
        if self._way == WAYS["shrink"] or self._kind is SummedWindows:
            # A factor and a norm need the score of the support vector that is removed; the block may remove this many.
            older = np.clip(sizes + b - self._capacity, 0, sizes)
        if self._way == WAYS["project"] and learning:
            self._reserve_inverse(min(self._capacity, size + b))
        dual = np.empty((len(duals), size + b))
        for row, coefficients in zip(dual, duals, strict=True):
            row[size - len(coefficients) : size] = coefficients
        return self._kind(
            values=np.empty((len(duals), older.max() + b, size + b)),
            dual=dual,
            origin=np.empty((len(duals), b), dtype=np.int64),
            bounds=np.stack([size - sizes, np.full_like(sizes, size)], axis=1),
            lead=(older.max() - older) - (size - sizes),
            shrinking=self._shrinking[classifiers],
            inverse=self._inverse[classifiers],
            ready=np.zeros(len(duals), dtype=np.bool_),
            capacity=self._capacity,
            way=self._way,
        )

    def _reserve_inverse(self, size: int) -> None:
        """Make room for the inverses of Cholesky factors for `size` support vectors."""
        current = self._inverse.shape[1]
        if size > current:
            # With twice the rows, they are copied as often as the size doubles.
            more = (0, min(self._capacity, 2 * size) - current)
            self._inverse = np.pad(self._inverse, ((0, 0), more, more))

    def _fill(self, windows: Windows, place: int, k: int, block: Any, learning: bool = True) -> None:
        """Compute the kernel values of classifier k, whose place among those of the windows is given."""
        first = windows.bounds[place, 0]
        row = windows.lead[place] + first
        older = windows.values.shape[1] - len(block) - row
        windows.values[place, row:, first:] = self._source.values(self._kernels[k], older, block, learning)
        windows.ready[place] = True

    def _close(self, windows: Windows, place: int, k: int, block: Any) -> NDArray[np.int64]:
        """Keep the support vectors that a classifier has after a block; return their number after each round, (b,)."""
        (first, end), size, before = windows.bounds[place], windows.dual.shape[1] - len(block), len(self.dual[k])
        added = windows.origin[place, : end - size]
        self.dual[k] = windows.dual[place, first:end].copy()
        removed = min(first - size, 0) + before
        self._source.replace(self._kernels[k], removed, block, added[max(0, first - size) :])
        return np.minimum(before + np.cumsum(np.bincount(added, minlength=len(block))), self._capacity)

    def play_each(self, examples: Any, rounds: RoundsOfEach) -> Learned:
        """Let each classifier play the rounds by itself."""
        block, r = self._source.prepare(examples), len(self.dual)
        (scores, dual), sizes = np.zeros((2, r, len(block))), np.empty((r, len(block)), dtype=np.int64)
        for k in range(r):
            windows = self._open(slice(k, k + 1), block)
            self._fill(windows, 0, k, block)
            rounds(FIRST, scores[k : k + 1], dual[k : k + 1], 0, windows)
            sizes[k] = self._close(windows, 0, k, block)
        return Learned.of_classifiers(scores, dual, sizes)

    def play_all(self, examples: Any, rounds: RoundsOfAll, needed: Needed | None = None) -> NDArray[np.int64]:
        """Let all classifiers play the rounds together; values of a kernel that no round needs are not computed."""
        block, r, t = self._source.prepare(examples), len(self.dual), 0
        windows = self._open(slice(r), block)
        while t < len(block):
            for k in np.flatnonzero(~windows.ready & (needed(t) if needed else True)).tolist():
                self._fill(windows, k, k, block)
            t = rounds(t, windows)
        sizes = np.tile([len(dual) for dual in self.dual], (len(block), 1))
        for k in np.flatnonzero(windows.ready).tolist():
            sizes[:, k] = self._close(windows, k, k, block)
        return sizes

    def scores(self, examples: Any) -> Floats:
        """Return f_k(x), (t, r)."""
        block = self._source.prepare(examples)
        scores = np.empty((len(self.dual), len(block)))
        for k in range(len(scores)):
            windows = self._open(slice(k, k + 1), block, learning=False)
            self._fill(windows, 0, k, block, learning=False)
            write_scores(windows, FIRST, scores[k : k + 1])
        return np.ascontiguousarray(scores.T)

    @property
    def support(self) -> list[NDArray[np.int32]]:
        """Support vectors of each classifier on a pool, (s,)."""
        return [self._source.numbers[kernel] for kernel in self._kernels]  # type: ignore[attr-defined]

    def expansion(self, k: int, dual: Floats, order: Order) -> tuple[NDArray[np.int32], Floats]:
        """Return the support vectors of a classifier on a pool, and their coefficients, after a pass."""
        return self.support[k], self.dual[k]

    def work(self, sizes: NDArray[np.int64], n: int) -> Work:
        """Return the work of a pass from the numbers of support vectors after each round, (T, ...).

        A round evaluates each kernel between its example and all support vectors. Additions are counted in whole rows
        of n, rounded up.
        """
        total = int(sizes[:-1].sum())
        return Work(kernel_values=total, row_additions=-(-total // n))


@njit(cache=True)
def lane_product(dual, values):  # type: ignore[no-untyped-def]
    """Return sum_s dual_s values_s, term s in lane s mod 4, as `grambench.algorithms.rows` has it."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = dual.size // 4
    # Four sums of their own let the processor add without waiting for the last addition.
    for s in range(whole):
        a += dual[4 * s] * values[4 * s]
        b += dual[4 * s + 1] * values[4 * s + 1]
        c += dual[4 * s + 2] * values[4 * s + 2]
        d += dual[4 * s + 3] * values[4 * s + 3]
    rest, s = dual.size - 4 * whole, 4 * whole
    if rest > 0:
        a += dual[s] * values[s]
    if rest > 1:
        b += dual[s + 1] * values[s + 1]
    if rest > 2:
        c += dual[s + 2] * values[s + 2]
    return (a + b) + (c + d)


@njit(cache=True)
def plain_sum(windows, k, row):  # type: ignore[no-untyped-def]
    """Return the score of the example of a row, added in the order of arrival as a pass without a budget does."""
    f = 0.0
    for s in range(windows.bounds[k, 0], windows.bounds[k, 1]):
        f += windows.dual[k, s] * windows.values[k, row, s]
    return f


@njit(cache=True)
def row_of(windows, k, column):  # type: ignore[no-untyped-def]
    """Return the row of the support vector in a column of classifier k."""
    (_, rows, columns), b = windows.values.shape, windows.origin.shape[1]
    size = columns - b
    # Of the support vectors before the block, only the oldest have rows.
    return windows.lead[k] + column if column < size else rows - b + windows.origin[k, column - size]


@njit(cache=True)
def append_example(windows, k, t, coefficient):  # type: ignore[no-untyped-def]
    """Add example t of the block to f_k with a coefficient; a full classifier forgets its oldest support vector."""
    values, bounds = windows.values, windows.bounds
    end, size = bounds[k, 1], values.shape[2] - windows.origin.shape[1]
    if end - bounds[k, 0] == windows.capacity:
        bounds[k, 0] += 1
    # The columns of support vectors stay side by side, so that a score reads consecutive values. The overwritten column
    # is that of an example of the block that is past, and was copied before if it was added.
    if end < size + t:
        # A loop, since assigning a slice compiles the text of an error for three seconds.
        for row in range(values.shape[1]):
            values[k, row, end] = values[k, row, size + t]
    windows.dual[k, end] = coefficient
    windows.origin[k, end - size] = t
    bounds[k, 1] += 1


@njit(cache=True)
def learn_mistake(windows, k, t, y):  # type: ignore[no-untyped-def]
    """Change classifier k, which has misclassified example t of the block, as its code of WAYS says."""
    if windows.way == 2:
        _project(windows, k, t, y)
        return
    factor = _shrink(windows, k, t, y) if windows.way == 1 else 1.0
    append_example(windows, k, t, factor * y)


@njit(cache=True)
def _shrink(windows, k, t, y):  # type: ignore[no-untyped-def]
    """Count a mistake; multiply the coefficients of a full Forgetron by a factor, and return the factor."""
    values, dual, shrinking = windows.values, windows.dual, windows.shrinking
    first, end = windows.bounds[k]
    shrinking[k, 1] += 1.0
    if end - first < windows.capacity:
        return 1.0
    # The oldest support vector is scored by the classifier that has the new example already.
    row = row_of(windows, k, first)
    new = values[k, row, values.shape[2] - windows.origin.shape[1] + t]
    f = lane_product(dual[k, first:end], values[k, row, first:end]) + y * new
    sigma, mu = abs(dual[k, first]), f if dual[k, first] > 0.0 else -f
    factor = shrinking_factor(sigma, mu, 15.0 / 32.0 * shrinking[k, 1] - shrinking[k, 0])
    shrinking[k, 0] += factor * sigma * (factor * sigma + 2.0 - 2.0 * factor * mu)
    for s in range(first, end):
        dual[k, s] *= factor
    return factor


@njit(cache=True)
def shrinking_factor(sigma, mu, room):  # type: ignore[no-untyped-def]
    """Return the largest factor in (0, 1] with Psi(factor sigma, factor mu) <= room, above 0.

    Psi(lambda, mu) = lambda^2 + 2 lambda - 2 lambda mu, a parabola of the factor that is 0 at 0.
    """
    a, b = sigma * sigma - 2.0 * sigma * mu, 2.0 * sigma
    if a + b <= room:
        return 1.0
    # At 1 the parabola is above the room, so it crosses the room in between once, where it rises.
    # The smaller root in a form that cancels for no sign of a.
    return 2.0 * room / (b + np.sqrt(max(0.0, b * b + 4.0 * a * room)))


@njit(cache=True)
def _project(windows, k, t, y):  # type: ignore[no-untyped-def]
    """Add an example to a Projectron, or its projection on the span of the support vectors."""
    (_, rows, columns), b, (first, end) = windows.values.shape, windows.origin.shape[1], windows.bounds[k]
    values, inverse, size = windows.values[k, rows - b + t], windows.inverse[k], end - first
    norm, parts, coefficients = values[columns - b + t], np.zeros(size), np.zeros(size)
    # Parts in an orthonormal basis of the span: the inverse of the Gram matrix would lose its digits for wide kernels.
    for i in range(size):
        # Slices of rows, one after the other, let the compiler use vectors.
        value, row, right = values[first + i], inverse[i, i:size], parts[i:]
        for j in range(row.size):
            right[j] += value * row[j]
    rest = norm
    for i in range(size):
        part, row = parts[i], inverse[i, : i + 1]
        rest -= part * part
        for j in range(row.size):
            coefficients[j] += part * row[j]
    if size == windows.capacity or rest <= NEGLIGIBLE * norm:
        for j in range(size):
            windows.dual[k, first + j] += y * coefficients[j]
        return
    for i in range(size):
        inverse[i, size] = inverse[size, i] = -coefficients[i] / np.sqrt(rest)
    inverse[size, size] = 1.0 / np.sqrt(rest)
    append_example(windows, k, t, y)
