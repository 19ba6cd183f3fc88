"""Classifiers during a pass over a pool: scores of all examples are kept, and an update adds a row of kernel values.

A score f(x_t) = sum_s y_s k(x_s, x_t) over integer-coded data often cancels to exactly 0 or to the rounding error of
its sum, and its sign then hangs on the order of the additions. The published numbers of OMKC come out to the printed
digit on all data sets when term number s of an expert, in the order of arrival, is added to lane s mod 4, and the lanes
are combined as (0 + 1) + (2 + 3): what a dot product with four-wide vector instructions does. Plain summation misses
votes84, breast, splice, a3a and mushrooms by up to 0.07 percentage points.

Chosen by published numbers: additions in four lanes.
"""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.experts import FIRST, Learned, Needed, RoundsOfAll, RoundsOfEach, pass_work
from grambench.algorithms.fit import Work
from grambench.common.types import Floats, Order
from grambench.kernels.pool import GramRows

LANES = 4


def _matrices(rows: GramRows) -> Floats | tuple[Floats, ...]:
    return rows.values if isinstance(rows.values, np.ndarray) else tuple(rows.values)


class LaneRows(NamedTuple):
    """The classifiers of r kernels, each with four partial scores of all n examples.

    Attributes
    ----------
    values, place
        See `grambench.kernels.pool.GramRows`.
    order : ndarray of int32 (T,)
        The examples in the order of presentation, as numbers in `place`.
    lanes : ndarray of float64 (r, 4, n)
        Partial scores.
    counts : ndarray of int64 (r,)
        Updates of each classifier.
    """

    values: Floats | tuple[Floats, ...]
    place: NDArray[np.int64]
    order: Order
    lanes: Floats
    counts: NDArray[np.int64]

    @classmethod
    def empty(cls, rows: GramRows, order: Order, classifiers: int) -> Self:
        """Return classifiers before the first round."""
        lanes, counts = np.zeros((classifiers, LANES, len(rows.place))), np.zeros(classifiers, dtype=np.int64)
        return cls(_matrices(rows), rows.place, rows.numbered(order), lanes, counts)

    def score(self, k: int, t: int) -> float:
        """Return f_k(x) of the example of round t."""
        lanes, i = self.lanes[k], self.order[t]
        return (lanes[0, i] + lanes[1, i]) + (lanes[2, i] + lanes[3, i])  # type: ignore[no-any-return]

    def lacks_row(self, t: int) -> bool:
        """Return whether the kernel values of the example of round t have to be fetched."""
        return self.place[self.order[t]] < 0  # type: ignore[no-any-return]

    def update(self, k: int, t: int, coefficient: float) -> None:
        """Add coefficient k(x, .) to f_k."""
        # A sum over the four lanes in turn is what vector instructions make of a dot product, see the top of this file.
        lane, row = self.lanes[k, self.counts[k] % LANES], self.values[k][self.place[self.order[t]]]
        for j in range(lane.size):
            lane[j] += coefficient * row[j]
        self.counts[k] += 1


class MeanRows(LaneRows):
    """The classifier of the mean of all kernels, a single one."""

    __slots__ = ()

    def update(self, k: int, t: int, coefficient: float) -> None:
        """Add coefficient times the mean of k(x, .) over the kernels to f."""
        lane, place = self.lanes[k, self.counts[k] % LANES], self.place[self.order[t]]
        mean, m = np.zeros(lane.size), len(self.values)
        for kernel in range(m):
            row = self.values[kernel][place]
            for j in range(row.size):
                mean[j] += row[j]
        for j in range(lane.size):
            lane[j] += coefficient * (mean[j] / m)
        self.counts[k] += 1


class SumRows(NamedTuple):
    """The classifiers of r kernels, whose scores of all n examples are added up plainly, (r, n); see LaneRows."""

    values: Floats | tuple[Floats, ...]
    place: NDArray[np.int64]
    order: Order
    sums: Floats

    @classmethod
    def empty(cls, rows: GramRows, order: Order, classifiers: int) -> Self:
        """Return classifiers before the first round."""
        sums = np.zeros((classifiers, len(rows.place)))
        return cls(_matrices(rows), rows.place, rows.numbered(order), sums)

    def score(self, k: int, t: int) -> float:
        """Return f_k(x) of the example of round t."""
        return self.sums[k, self.order[t]]  # type: ignore[no-any-return]

    def lacks_row(self, t: int) -> bool:
        """Return whether the kernel values of the example of round t have to be fetched."""
        return self.place[self.order[t]] < 0  # type: ignore[no-any-return]

    def squared_norm(self, k: int, t: int) -> float:
        """Return k(x, x) of the example of round t."""
        i = self.order[t]
        return self.values[k][self.place[i]][i]  # type: ignore[no-any-return]

    def update(self, k: int, t: int, coefficient: float) -> None:
        """Add coefficient k(x, .) to f_k."""
        sums, row = self.sums[k], self.values[k][self.place[self.order[t]]]
        for j in range(sums.size):
            sums[j] += coefficient * row[j]

    def clear(self, k: int) -> None:
        """Let f_k be 0 again."""
        for j in range(self.sums.shape[1]):
            self.sums[k, j] = 0.0


class RowClassifiers:
    """The classifiers of m kernels during one pass over n examples; see `grambench.algorithms.experts.Classifiers`.

    Parameters
    ----------
    rows : GramRows
        Rows of the kernels along the order of the pass, or along one that begins with it.
    kind : type
        LaneRows, SumRows or MeanRows.
    """

    block = sys.maxsize  # a pass is played as a whole

    def __init__(self, rows: GramRows, kind: type[LaneRows] | type[SumRows] = LaneRows) -> None:
        self._rows, self._kind = rows, kind
        self.count = len(rows.values)

    def play_each(self, examples: Order, rounds: RoundsOfEach) -> Learned:
        """Let each classifier play the rounds by itself, with its scores in the processor's cache."""
        kernels: Sequence[int | None] = [None] if self._kind is MeanRows else range(self.count)
        scores, dual = np.zeros((2, len(kernels), len(examples)))
        for k, kernel in enumerate(kernels):
            # One kernel at a time, since a pool may compute its Gram matrix only here.
            rows = self._rows if kernel is None else self._rows.only(kernel)
            self._play(rows, 1, examples, partial(rounds, FIRST, scores[k : k + 1], dual[k : k + 1]))
        return Learned.of_classifiers(scores, dual)

    def play_all(self, examples: Order, rounds: RoundsOfAll, needed: Needed | None = None) -> None:
        """Let all classifiers play the rounds together; missing rows are of the kernels that a round updates."""
        self._play(self._rows, self.count, examples, rounds, needed)

    def _play(
        self, rows: GramRows, classifiers: int, order: Order, rounds: RoundsOfAll, needed: Needed | None = None
    ) -> None:
        experts = self._kind.empty(rows, order, classifiers)
        everyone = np.ones(len(rows.values), dtype=np.bool_)
        t = rounds(0, experts)
        while t < len(order):
            rows.fetch(t, needed(t) if needed else everyone)
            t = rounds(t, experts)

    def scores(self, examples: Any) -> Floats:
        """Raise NotImplementedError: after a pass, the predictor of its Fit scores examples."""
        raise NotImplementedError

    def expansion(self, k: int, dual: Floats, order: Order) -> tuple[NDArray[np.int32], Floats]:
        """Return the support vectors of a classifier and their coefficients, from those of all rounds, (T, r)."""
        updated = dual[:, k] != 0.0
        return order[updated], dual[updated, k]

    def work(self, sizes: NDArray[np.int64], n: int) -> Work:
        """Return the work of a pass from the numbers of support vectors after each round, (T, ...)."""
        return pass_work(int(sizes[-1].sum()), n)
