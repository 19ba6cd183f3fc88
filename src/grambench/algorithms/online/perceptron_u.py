"""Perceptron(u): the kernel Perceptron on the mean of all kernels (the baseline of OMKC, Section 5.1).

As in `perceptron`, the published numbers need sign(0) = +1 and the order of summation in `grambench.algorithms.scores`.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.budget import Budget, fetch, held, kept
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Floats, Labels, Order, Trace
from grambench.algorithms.scores import LANES, add_row, columns, lane_sum, passed, score
from grambench.kernels.pool import Pool, Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Budget):
    """Parameters of Perceptron(u).

    Attributes
    ----------
    budget : int
        Support vectors at most, beyond the paper; 0 for no bound.
    """


@dataclass(frozen=True, slots=True)
class MeanPerceptron:
    """f(x) = sum_s signs_s mean_k k_k(x_s, x), of support vectors in their order of arrival, (s,) both."""

    support: NDArray[np.int32]
    signs: NDArray[np.int8]

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        grams = pool.grams()
        total = np.zeros((len(self.support), pool.shape[1]))
        for gram in grams:
            total += columns(gram, self.support)
        total /= len(grams)
        return lane_sum(total, self.signs)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass."""
    rows = check_input(pool, labels, order)
    m, room = len(rows.values), parameters.room(len(order))
    scores = _pass(rows, labels, order, room)
    mistakes = (scores >= 0.0) != (labels[order] > 0)
    trace = Trace(
        mistakes=mistakes,
        scores=scores,
        support_vectors=held(np.cumsum(mistakes), room),
        weights=np.full((len(order), m), 1.0 / m),
        updates=np.full(m, mistakes.sum(), dtype=np.int64),
    )
    support = order[kept(mistakes, room)]
    predictor = MeanPerceptron(support, labels[support])
    return Fit(weights=np.full(m, 1.0 / m), predictor=predictor, trace=trace, work=passed(trace, len(labels), room))


def _pass(rows: Rows, labels: Labels, order: Order, room: int) -> Floats:
    labels, order = rows.numbered(labels, order)
    scores, lanes = np.empty(len(order)), np.zeros((LANES, len(labels)))
    m, support = len(rows.values), np.empty(room, dtype=np.int32)
    t, count = _play(0, 0, rows.values, rows.place, labels, order, scores, lanes, support)
    while t < len(order):
        fetch(rows, t, np.ones(m, dtype=np.bool_), np.broadcast_to(support, (m, room)), np.full(m, count))
        t, count = _play(t, count, rows.values, rows.place, labels, order, scores, lanes, support)
    return scores


@njit(cache=True)
def _play(start, count, values, place, labels, order, scores, lanes, support):  # type: ignore[no-untyped-def]
    mean_row = np.empty(labels.size)
    for t in range(start, order.size):
        i = order[t]
        scores[t] = score(lanes, i)
        if (scores[t] >= 0.0) != (labels[i] > 0):
            if place[i] < 0:
                return t, count
            slot = count % support.size
            if count >= support.size:
                old = support[slot]
                _mean(values, place[old], mean_row)
                add_row(lanes, count - support.size, np.int8(-labels[old]), mean_row)
            support[slot] = i
            _mean(values, place[i], mean_row)
            add_row(lanes, count, labels[i], mean_row)
            count += 1
    return order.size, count


@njit(cache=True)
def _mean(values, number, out):  # type: ignore[no-untyped-def]
    """Write the mean over the kernels of their rows of a number into `out`."""
    m = len(values)
    out[:] = 0.0
    for k in range(m):
        row = values[k][number]
        for j in range(row.size):
            out[j] += row[j]
    for j in range(out.size):
        out[j] /= m
