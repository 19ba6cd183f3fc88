"""OMKC(D,D): deterministic updating, deterministic combination (Hoi et al. 2013, Algorithm 1).

No expert depends on the others or on the weights, so that each runs over the whole pass on its own, with its scores in
the cache, before their predictions are combined round by round.

Deviations from the printed algorithm: it counts y f_k(x) <= 0 as a mistake of kernel k (line 8); the published numbers
need sign(0) = +1 for each kernel and for the weighted vote, and the order of summation in
`grambench.algorithms.scores`. Its theta is divided by W_t in every round (line 12), which changes no sign but that of
a rounding error; the published numbers on diabetes need the vote without the division. It allows beta in (0, 1);
Figure 4 goes up to 1, and so does this.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from grambench.algorithms.budget import held
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Labels, Order, Trace
from grambench.algorithms.hedge import Discount, discount, normalise
from grambench.algorithms.scores import Experts, Vote, expert_pass, passed, vote
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Discount):
    """Parameters of OMKC(D,D).

    Attributes
    ----------
    beta : float
        Discount of a kernel's weight at each of its mistakes, in (0, 1].
    budget : int
        Support vectors of each kernel's Perceptron at most, beyond the paper; 0 for no bound.
    """


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; support vectors are counted over all kernels."""
    rows = check_input(pool, labels, order)
    room = parameters.room(len(order))
    scores = np.stack([expert_pass(rows.only(k), labels, order, room) for k in range(len(rows.values))], axis=1)
    positive = scores >= 0.0
    wrong = positive != (labels[order] > 0)[:, None]
    votes, weights, last = _combine(positive, wrong, parameters.beta)
    trace = Trace(
        mistakes=(votes >= 0.0) != (labels[order] > 0),
        scores=votes,
        support_vectors=held(np.cumsum(wrong, axis=0), room).sum(axis=1),
        weights=weights,
        updates=wrong.sum(axis=0),
    )
    predictor = Vote(Experts.of(wrong, labels, order, room), last)
    return Fit(weights=weights[-1], predictor=predictor, trace=trace, work=passed(trace, len(labels), room))


@njit(cache=True)
def _combine(positive, wrong, beta):  # type: ignore[no-untyped-def]
    rounds, m = positive.shape
    votes = np.empty(rounds)
    weights = np.empty((rounds, m))
    w = np.full(m, 1.0 / m)
    for t in range(rounds):
        votes[t] = vote(w, positive[t])  # line 5
        discount(w, wrong[t], beta)  # line 9
        normalise(w, weights[t])  # line 12
    return votes, weights, w
