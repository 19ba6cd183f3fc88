"""OMKC(D,S): deterministic updating, stochastic combination (Hoi et al. 2013, Algorithm 2).

As in `omkc_dd`, each expert runs over the whole pass on its own.

Deviations from the printed algorithm, each of which the published numbers need (docs/reproduction.md): kernels are
drawn with the smoothed probability p of Section 4.2, not with q (line 5); the vote of the drawn kernels is weighted by
q, as in Algorithm 4, not plain (line 8); sign(0) = +1 for each kernel and for the vote; the order of summation of
`grambench.algorithms.scores`. The support vectors after a round are those of the kernels drawn in that round.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from grambench.algorithms.budget import held
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Labels, Order, Trace
from grambench.algorithms.hedge import Sampling, discount, normalise, selection
from grambench.algorithms.scores import Experts, Vote, expert_pass, passed, vote
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Sampling):
    """Parameters of OMKC(D,S).

    Attributes
    ----------
    beta : float
        Discount of a kernel's weight at each of its mistakes, in (0, 1].
    delta : float
        Smoothing of the sampling probabilities, in (0, 1).
    budget : int
        Support vectors of each kernel's Perceptron at most, beyond the paper; 0 for no bound.
    """


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass."""
    rows = check_input(pool, labels, order)
    room = parameters.room(len(order))
    scores = np.stack([expert_pass(rows.only(k), labels, order, room) for k in range(len(rows.values))], axis=1)
    positive = scores >= 0.0
    wrong = positive != (labels[order] > 0)[:, None]
    uniforms = rng.random(positive.shape)
    votes, drawn, weights, last = _combine(positive, wrong, parameters.beta, parameters.delta, uniforms)
    trace = Trace(
        mistakes=(votes >= 0.0) != (labels[order] > 0),
        scores=votes,
        support_vectors=(held(np.cumsum(wrong, axis=0), room) * drawn).sum(axis=1),
        weights=weights,
        updates=wrong.sum(axis=0),
    )
    q, p = selection(last, parameters.delta)
    predictor = Vote(Experts.of(wrong, labels, order, room), q, p, rng)
    return Fit(weights=weights[-1], predictor=predictor, trace=trace, work=passed(trace, len(labels), room))


@njit(cache=True)
def _combine(positive, wrong, beta, delta, uniforms):  # type: ignore[no-untyped-def]
    rounds, m = positive.shape
    votes = np.empty(rounds)
    drawn = np.empty((rounds, m), dtype=np.bool_)
    weights = np.empty((rounds, m))
    w = np.ones(m)
    for t in range(rounds):
        q, p = selection(w, delta)  # line 3
        for k in range(m):
            drawn[t, k] = uniforms[t, k] < p[k]  # lines 4 to 6
        votes[t] = vote(q * drawn[t], positive[t])  # line 8
        discount(w, wrong[t], beta)  # line 12
        normalise(w, weights[t])
    return votes, drawn, weights, w
