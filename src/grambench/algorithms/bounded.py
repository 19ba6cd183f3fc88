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
READY = np.ones(1, dtype=np.bool_)  # of a classifier that is handed out alone
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


class Window(NamedTuple):
    """The support vectors of one classifier during a block, as compiled rounds read and change them.

    Columns from bounds[0] to bounds[1] are the support vectors, from the oldest to the latest.

    Attributes
    ----------
    values : ndarray of float64 (r + b, s + b)
        Kernel values, see Source.
    dual : ndarray of float64 (s + b,)
        Coefficients of the columns.
    origin : ndarray of int64 (b,)
        Positions in the block of the examples that were added, in columns s, s + 1, and so on.
    bounds : ndarray of int64 (2,)
        The first column of the support vectors, and the end of their columns.
    shrinking : ndarray of float64 (2,)
        Of "shrink": Q, the sum of Psi so far, and M, the number of mistakes so far.
    inverse : ndarray of float64 (s + b, s + b)
        Of "project": the inverse of the Gram matrix of the support vectors, and space for more of them.
    """

    values: Floats
    dual: Floats
    origin: NDArray[np.int64]
    bounds: NDArray[np.int64]
    shrinking: Floats
    inverse: Floats

    @classmethod
    def empty(cls) -> "Window":
        """Return a window that stands for one that is not needed."""
        nothing = np.empty(0, dtype=np.int64)
        return cls(np.empty((0, 0)), np.empty(0), nothing, nothing, np.empty(0), np.empty((0, 0)))


class Windows(NamedTuple):
    """The classifiers of r kernels during a block.

    Attributes
    ----------
    windows : tuple of r Windows
        Their support vectors; empty for a classifier that is not ready.
    ready : ndarray of bool (r,)
        Whether a classifier's kernel values with the block have been computed.
    capacity : int
        Largest number of support vectors of each classifier.
    way : int
        What a full classifier does, a code of WAYS.
    """

    windows: tuple[Window, ...]
    ready: NDArray[np.bool_]
    capacity: int
    way: int

    def score(self, k: int, t: int) -> float:
        """Return f_k(x) of the example of round t."""
        window = self.windows[k]
        first, end = window.bounds
        row = window.values.shape[0] - window.origin.size + t
        return lane_product(window.dual[first:end], window.values[row, first:end])  # type: ignore[no-any-return]

    def lacks_values(self, k: int) -> bool:
        """Return whether the kernel values of a classifier have to be computed."""
        return not self.ready[k]

    def update(self, k: int, t: int, coefficient: float) -> None:
        """Let f_k learn from the example of round t, with its label as the coefficient."""
        learn_mistake(self.windows[k], t, coefficient, self.capacity, self.way)


class SummedWindows(Windows):
    """The classifiers of kernels that share their support vectors, whose terms are added one by one, without lanes."""

    __slots__ = ()

    def score(self, k: int, t: int) -> float:
        """Return f_k(x) of the example of round t."""
        window = self.windows[k]
        return plain_sum(window, window.values.shape[0] - window.origin.size + t)  # type: ignore[no-any-return]

    def squared_norm(self, k: int, t: int) -> float:
        """Return k(x, x) of the example of round t."""
        window = self.windows[k]
        rows, columns = window.values.shape
        return window.values[rows - window.origin.size + t, columns - window.origin.size + t]  # type: ignore[no-any-return]

    def make_room(self, squared_norms: Floats, least: float) -> bool:
        """Remove the oldest support vector of full classifiers; return whether they were full."""
        first, end = self.windows[0].bounds
        if end - first < self.capacity:
            return False
        for k in range(squared_norms.size):
            window = self.windows[k]
            row, dual = row_of(window.origin, first, window.values.shape[0], window.values.shape[1]), window.dual[first]
            change = dual * (2.0 * dual * window.values[row, first] - 4.0 * plain_sum(window, row))
            squared_norms[k] = max(squared_norms[k] + change, least)
            window.bounds[0] += 1
        return True

    def update(self, k: int, t: int, coefficient: float) -> None:
        """Add coefficient k(x, .) to f_k."""
        append_example(self.windows[k], t, coefficient, self.capacity)


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
        self._inverses: list[Floats] = [np.empty((0, 0))] * len(self._kernels)

    def _experts(self, windows: Sequence[Window], ready: NDArray[np.bool_]) -> Windows:
        return self._kind(tuple(windows), ready, self._capacity, self._way)

    def _open(self, k: int, block: Any, learning: bool = True) -> Window:
        """Return the window of a classifier on a block."""
        dual, examples, older = self.dual[k], len(block), 0
        if self._way == WAYS["shrink"] or self._kind is SummedWindows:
            # A factor and a norm need the score of the support vector that is removed; the block may remove this many.
            older = min(len(dual), max(0, len(dual) + examples - self._capacity))
        if self._way == WAYS["project"] and learning:
            self._reserve_inverse(k, min(self._capacity, len(dual) + examples))
        return Window(
            values=self._source.values(self._kernels[k], older, block, learning),
            dual=np.concatenate([dual, np.empty(examples)]),
            origin=np.empty(examples, dtype=np.int64),
            bounds=np.array([0, len(dual)]),
            shrinking=self._shrinking[k],
            inverse=self._inverses[k],
        )

    def _reserve_inverse(self, k: int, size: int) -> None:
        """Make room for the inverse of the Gram matrix of `size` support vectors."""
        inverse, current = self._inverses[k], len(self.dual[k])
        if size > len(inverse):
            # With twice the rows, it is copied as often as the size doubles.
            larger = np.zeros((min(self._capacity, 2 * size),) * 2)
            larger[:current, :current] = inverse[:current, :current]
            self._inverses[k] = larger

    def _close(self, k: int, window: Window, block: Any) -> NDArray[np.int64]:
        """Keep the support vectors that a classifier has after a block; return their number after each round, (b,)."""
        size, (first, end) = len(self.dual[k]), window.bounds
        added = window.origin[: end - size]
        self.dual[k] = window.dual[first:end].copy()
        self._source.replace(self._kernels[k], min(first, size), block, added[max(0, first - size) :])
        return np.minimum(size + np.cumsum(np.bincount(added, minlength=len(block))), self._capacity)

    def play_each(self, examples: Any, rounds: RoundsOfEach) -> Learned:
        """Let each classifier play the rounds by itself."""
        block, r = self._source.prepare(examples), len(self.dual)
        (scores, dual), sizes = np.zeros((2, r, len(block))), np.empty((r, len(block)), dtype=np.int64)
        for k in range(r):
            window = self._open(k, block)
            rounds(FIRST, scores[k : k + 1], dual[k : k + 1], 0, self._experts([window], READY))
            sizes[k] = self._close(k, window, block)
        return Learned.of_classifiers(scores, dual, sizes)

    def play_all(self, examples: Any, rounds: RoundsOfAll, needed: Needed | None = None) -> NDArray[np.int64]:
        """Let all classifiers play the rounds together; values of a kernel that no round needs are not computed."""
        block, r, t = self._source.prepare(examples), len(self.dual), 0
        ready = np.full(r, needed is None)
        windows = [Window.empty() if needed else self._open(k, block) for k in range(r)]
        while (t := rounds(t, self._experts(windows, ready))) < len(block) and needed:
            for k in np.flatnonzero(needed(t) & ~ready).tolist():
                windows[k], ready[k] = self._open(k, block), True
        sizes = np.tile([len(dual) for dual in self.dual], (len(block), 1))
        for k in np.flatnonzero(ready).tolist():
            sizes[:, k] = self._close(k, windows[k], block)
        return sizes

    def scores(self, examples: Any) -> Floats:
        """Return f_k(x), (t, r)."""
        block = self._source.prepare(examples)
        scores = np.empty((len(self.dual), len(block)))
        for k in range(len(scores)):
            write_scores(self._experts([self._open(k, block, learning=False)], READY), FIRST, scores[k : k + 1])
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
def plain_sum(window, row):  # type: ignore[no-untyped-def]
    """Return the score of the example of a row, added in the order of arrival as a pass without a budget does."""
    f = 0.0
    for s in range(window.bounds[0], window.bounds[1]):
        f += window.dual[s] * window.values[row, s]
    return f


@njit(cache=True)
def row_of(origin, column, rows, columns):  # type: ignore[no-untyped-def]
    """Return the row of the support vector in a column, of a window of size `rows` x `columns`."""
    size = columns - origin.size
    # Of the support vectors before the block, only the oldest have rows.
    return column if column < size else rows - origin.size + origin[column - size]


@njit(cache=True)
def append_example(window, t, coefficient, capacity):  # type: ignore[no-untyped-def]
    """Add example t of the block with a coefficient; a full classifier forgets its oldest support vector."""
    values, bounds = window.values, window.bounds
    end, size = bounds[1], values.shape[1] - window.origin.size
    if end - bounds[0] == capacity:
        bounds[0] += 1
    # The columns of support vectors stay side by side, so that a score reads consecutive values. The overwritten column
    # is that of an example of the block that is past, and was copied before if it was added.
    if end < size + t:
        # A loop, since assigning a slice compiles the text of an error for three seconds.
        for row in range(values.shape[0]):
            values[row, end] = values[row, size + t]
    window.dual[end] = coefficient
    window.origin[end - size] = t
    bounds[1] += 1


@njit(cache=True)
def learn_mistake(window, t, y, capacity, way):  # type: ignore[no-untyped-def]
    """Change a classifier that has misclassified example t of the block; `way` is one of the codes of WAYS."""
    if way == 2:
        _project(window, t, y, capacity)
        return
    factor = _shrink(window, t, y, capacity) if way == 1 else 1.0
    append_example(window, t, factor * y, capacity)


@njit(cache=True)
def _shrink(window, t, y, capacity):  # type: ignore[no-untyped-def]
    """Count a mistake; multiply the coefficients of a full Forgetron by a factor, and return the factor."""
    values, dual, (first, end) = window.values, window.dual, window.bounds
    window.shrinking[1] += 1.0
    if end - first < capacity:
        return 1.0
    # The oldest support vector is scored by the classifier that has the new example already.
    row = row_of(window.origin, first, values.shape[0], values.shape[1])
    new = values.shape[1] - window.origin.size + t
    f = lane_product(dual[first:end], values[row, first:end]) + y * values[row, new]
    sigma, mu = abs(dual[first]), f if dual[first] > 0.0 else -f
    factor = shrinking_factor(sigma, mu, 15.0 / 32.0 * window.shrinking[1] - window.shrinking[0])
    window.shrinking[0] += factor * sigma * (factor * sigma + 2.0 - 2.0 * factor * mu)
    for s in range(first, end):
        dual[s] *= factor
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
def _project(window, t, y, capacity):  # type: ignore[no-untyped-def]
    """Add an example to a Projectron, or its projection on the span of the support vectors."""
    values, inverse, size = window.values, window.inverse, window.bounds[1]
    row = values.shape[0] - window.origin.size + t
    norm, coefficients, rest = values[row, values.shape[1] - window.origin.size + t], np.zeros(size), 0.0
    for i in range(size):
        # Rows of the symmetric inverse, one after the other, let the compiler use vectors.
        for j in range(size):
            coefficients[j] += values[row, i] * inverse[i, j]
    rest = norm
    for j in range(size):
        rest -= values[row, j] * coefficients[j]
    if size == capacity or rest <= NEGLIGIBLE * norm:
        for j in range(size):
            window.dual[j] += y * coefficients[j]
        return
    # The inverse of the Gram matrix with one more row and column.
    for i in range(size):
        for j in range(size):
            inverse[i, j] += coefficients[i] * coefficients[j] / rest
        inverse[i, size] = inverse[size, i] = -coefficients[i] / rest
    inverse[size, size] = 1.0 / rest
    append_example(window, t, y, capacity)
