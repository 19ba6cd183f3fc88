"""Perceptron(u): the kernel Perceptron on the mean of all kernels (the baseline of OMKC, Section 5.1).

The algorithm gives all kernels the same weight and runs one Perceptron on their mean. It shows what a combination is
worth without learned weights.

Formula
-------
    f(x) = Σ_s y_s 1/m Σ_k K_k(x_s, x),   ŷ = sign f(x);   where ŷ ≠ y, (x, y) becomes a support vector

Complexity
----------
A mistake costs O(m n) kernel evaluations and additions, one row of every kernel; another round costs O(1).
With a budget B a round costs O(m B).

Deviations
----------
As in `perceptron`, the published numbers need sign(0) = +1 and the order of summation in `grambench.algorithms.scores`.

Chosen by published numbers: sign(0) = +1; additions in four lanes.

References
----------
Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.budget import PerceptronBudget as Parameters
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit
from grambench.algorithms.scores import (
    add_row,
    lane_sum,
    perceptron_fit,
    perceptron_pass,
    run_perceptron,
    score,
    support_columns,
)
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Indices, Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True)
class MeanPerceptron:
    """f(x) = sum_s dual_s mean_k k_k(x_s, x), of support vectors in their order of arrival, (s,) both."""

    support: NDArray[np.int32]
    dual: Floats

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        grams = pool.grams()
        total = np.zeros((len(self.support), pool.shape[1]))
        for gram in grams:
            total += support_columns(gram, self.support)
        total /= len(grams)
        return lane_sum(total, self.dual)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass."""
    rows = check_input(pool, labels, order)
    passed = run_perceptron(
        partial(_mean_values, pool),
        lambda: perceptron_pass(_play_rounds, rows, labels, order),
        parameters,
        labels,
        order,
        parameters.capacity(len(order)),
    )
    m = len(rows.values)
    return perceptron_fit(passed, np.full(m, 1.0 / m), MeanPerceptron, labels, order)


def _mean_values(pool: Pool, rows: Indices, columns: Indices) -> Floats:
    """Return the mean over the kernels of their values, (b, c), added in the order of the kernels."""
    total = np.zeros((len(rows), len(columns)))
    for k in range(pool.shape[0]):
        total += pool.values(k, rows, columns)
    return np.asarray(total / pool.shape[0])


@njit(cache=True)
def _play_rounds(start, stream, state):  # type: ignore[no-untyped-def]
    labels, place, lanes = stream.labels, stream.place, state.lanes
    mean_row = np.empty(labels.size)
    for t in range(start, stream.order.size):
        i = stream.order[t]
        state.scores[t] = score(lanes, i)
        if (state.scores[t] >= 0.0) != (labels[i] > 0):
            # Nothing but this round's score is written yet, so the round can be played again once its row is there.
            if place[i] < 0:
                return t
            _write_mean_row(stream.values, place[i], mean_row)
            add_row(lanes, state.updates[0], labels[i], mean_row)
            state.updates[0] += 1
    return stream.order.size


@njit(cache=True)
def _write_mean_row(values, number, out):  # type: ignore[no-untyped-def]
    """Write the mean over the kernels of their rows of a number into `out`."""
    m = len(values)
    out[:] = 0.0
    for k in range(m):
        row = values[k][number]
        for j in range(row.size):
            out[j] += row[j]
    for j in range(out.size):
        out[j] /= m
