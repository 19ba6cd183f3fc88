"""OMKC(S,S): stochastic updating, stochastic combination (Hoi et al. 2013, Algorithm 4).

Deviations from the printed algorithm: sign(0) = +1 for each kernel and for the vote, so that a round that draws no
kernel predicts +1, and the order of summation of `grambench.algorithms.scores`, as in `omkc_dd`. The support vectors
after a round are those of the kernels drawn in that round.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Labels, Order, Trace
from grambench.algorithms.hedge import Sampling, discount, normalise, selection
from grambench.algorithms.scores import Experts, Vote, passed, replace_row, score, vote
from grambench.algorithms.stochastic import run
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Sampling):
    """Parameters of OMKC(S,S).

    Attributes
    ----------
    beta : float
        Discount of a kernel's weight at each of its mistakes in a round that drew it, in (0, 1].
    delta : float
        Smoothing of the sampling probabilities, in (0, 1).
    budget : int
        Support vectors of each kernel's Perceptron at most, beyond the paper; 0 for no bound.
    """


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass."""
    rows = check_input(pool, labels, order)
    uniforms = rng.random((len(order), len(rows.values)))
    room = parameters.room(len(order))
    made = run(_play, rows, labels, order, parameters, uniforms)
    trace = Trace(
        mistakes=(made.votes >= 0.0) != (labels[order] > 0),
        scores=made.votes,
        support_vectors=made.support_vectors,
        weights=made.weights,
        updates=made.updates,
    )
    q, p = selection(made.w, parameters.delta)
    predictor = Vote(Experts.of(made.updated, labels, order, room), q, p, rng)
    return Fit(weights=made.weights[-1], predictor=predictor, trace=trace, work=passed(trace, len(labels), room))


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    start, values, place, labels, order, beta, delta, uniforms,
    votes, updated, support_vectors, weights, w, updates, lanes, support
):  # fmt: skip
    m = w.size
    drawn, positive = np.empty(m, dtype=np.bool_), np.empty(m, dtype=np.bool_)
    for t in range(start, order.size):
        i = order[t]
        q, p = selection(w, delta)  # lines 3 and 4
        wrong = updated[t]
        for k in range(m):
            drawn[k] = uniforms[t, k] < p[k]  # lines 5 to 7
            positive[k] = score(lanes[k], i) >= 0.0
            wrong[k] = drawn[k] and positive[k] != (labels[i] > 0)  # line 12
        votes[t] = vote(q * drawn, positive)  # line 9
        if place[i] < 0 and wrong.any():
            return t
        discount(w, wrong, beta)  # lines 13 and 14
        for k in range(m):
            if wrong[k]:
                replace_row(lanes[k], updates[k], support[k], i, labels, values[k], place)
                updates[k] += 1
        normalise(w, weights[t])
        for k in range(m):
            support_vectors[t] += drawn[k] * min(updates[k], support.shape[1])
    return order.size
