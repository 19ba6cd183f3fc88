"""The four algorithms of OMKC (Hoi et al. 2013, Algorithms 1 to 4).

They differ in two choices. Either all classifiers that err are updated, or those of the kernels that are drawn in the
round ("updates"). Either all classifiers vote, or those of the kernels that are drawn ("votes").

Deviations from the printed algorithms that all four share: sign(0) = +1 for each kernel and for the vote, and the
order of summation in `grambench.algorithms.rows`.

Chosen by published numbers: sign(0) = +1; additions in four lanes; the vote's weights as they are.
"""

from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.checks import check_input
from grambench.algorithms.experts import (
    Classifiers,
    lacks_row,
    lacks_values,
    learn_pass,
    score,
    update,
)
from grambench.algorithms.fit import Fit, Trace
from grambench.algorithms.hedge import Discount, Sampling, discount, sampling_probabilities, write_shares
from grambench.algorithms.scores import (
    TrainedPerceptrons,
    Vote,
    combine_votes,
    perceptrons_on_pool,
    vote,
    voting_weights,
)
from grambench.algorithms.streaming import Basis, perceptrons
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool

Kernels = Literal["all", "drawn"]


class Rule(NamedTuple):
    """What a round does.

    Attributes
    ----------
    beta, delta : float
        See Sampling.
    draws : bool
        Whether kernels are drawn at all.
    draws_votes : bool
        Whether only drawn kernels vote.
    draws_updates : bool
        Whether only classifiers of drawn kernels are updated.
    """

    beta: float
    delta: float
    draws: bool
    draws_votes: bool
    draws_updates: bool

    @classmethod
    def of(cls, parameters: Discount, updates: Kernels, votes: Kernels) -> "Rule":
        """Return the rule of one of the four algorithms; see `fit`."""
        delta = parameters.delta if isinstance(parameters, Sampling) else 0.0
        return cls(parameters.beta, delta, "drawn" in (updates, votes), votes == "drawn", updates == "drawn")


class Rounds(NamedTuple):
    """The output of b rounds with m kernels.

    Attributes
    ----------
    votes : ndarray of float64 (b,)
        Weighted vote of each round.
    drawn : ndarray of bool (b, m)
        Kernels drawn in each round.
    updated : ndarray of bool (b, m)
        Classifiers updated in each round.
    weights : ndarray of float64 (b, m)
        Weights of the kernels after each round, summing to one.
    sizes : ndarray of int64 (b, m) or None
        Number of support vectors of each classifier after each round; None if each update adds one.
    """

    votes: Floats
    drawn: NDArray[np.bool_]
    updated: NDArray[np.bool_]
    weights: Floats
    sizes: NDArray[np.int64] | None


class OMKC:
    """The state of one of the algorithms; see `grambench.algorithms.streaming.OnlineState`.

    Parameters
    ----------
    rule : Rule
        What a round does.
    classifiers : Classifiers
        The Perceptrons of m kernels.
    rng : Generator
        Draws the kernels.
    """

    def __init__(self, rule: Rule, classifiers: Classifiers, rng: np.random.Generator) -> None:
        m = classifiers.count
        self._rule, self._classifiers, self._rng = rule, classifiers, rng
        # Without draws the weights themselves vote, and the rounding of their sums decides predictions at ties: the
        # published numbers need weights that start at 1/m. Draws divide them by the largest one.
        self._w = np.ones(m) if rule.draws else np.full(m, 1.0 / m)
        self.weights, self.updates = np.full(m, 1.0 / m), np.zeros(m, dtype=np.int64)

    def learn(self, examples: Any, labels: Labels) -> Rounds:
        """Learn from b examples in turn, in numbers or rows of features, and return the output of their rounds."""
        rule, shape = self._rule, (len(labels), len(self._w))
        drawn, updated = np.zeros((2, *shape), dtype=np.bool_)
        rounds = Rounds(np.empty(len(labels)), drawn, updated, np.empty(shape), np.empty((0, 0), dtype=np.int64))
        uniforms = self._rng.random(shape) if rule.draws else np.empty((0, 0))

        play = partial(_play_rounds, labels, uniforms, rule, self._w, rounds)

        scores_all = not (rule.draws_votes and rule.draws_updates)

        # The type of the result would be made at each call.
        def needed(t: int) -> Any:
            # Before it has updated classifiers, a round lacks values with the example.
            return np.asarray(updated[t] if updated[t].any() else drawn[t] | scores_all)

        sizes = self._classifiers.play_all(examples, play, needed)
        self.updates += updated.sum(axis=0)
        self.weights = rounds.weights[-1]
        return rounds._replace(sizes=sizes)

    def block(self, features: Any, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the vote on each before its label was used, (b,)."""
        return self.learn(features, labels).votes

    def scores(self, features: Any) -> Floats:
        """Return the votes on examples, (t,); a stochastic combination draws as its next rounds would."""
        weights = voting_weights(*self._votes(), self._rng, len(features))
        return combine_votes(weights, self._classifiers.scores(features))

    def _votes(self) -> tuple[Floats, Floats | None]:
        """Return the weights of the votes, and the probabilities by which kernels are drawn to vote, both (m,)."""
        if not self._rule.draws:
            return self._w, None
        q, p = sampling_probabilities(self._w, self._rule.delta)
        return q, p if self._rule.draws_votes else None

    def vote(self, experts: TrainedPerceptrons) -> Vote:
        """Return the vote of experts after the last round."""
        return Vote(experts, *self._votes(), self._rng)


def fit(
    parameters: Discount,
    pool: Pool,
    labels: Labels,
    order: Order,
    rng: np.random.Generator,
    *,
    updates: Kernels,
    votes: Kernels,
) -> Fit:
    """Run one pass.

    Parameters
    ----------
    parameters : Discount
        beta, and delta of `Sampling` if kernels are drawn.
    pool, labels, order, rng
        See grambench.algorithms.fit.
    updates : str
        Whether "all" classifiers that err are updated, or those of "drawn" kernels.
    votes : str
        Whether "all" classifiers vote, or those of "drawn" kernels. Support vectors are counted over those that vote.
    """
    classifiers = perceptrons_on_pool(pool, check_input(pool, labels, order), parameters, len(order))
    state = OMKC(Rule.of(parameters, updates, votes), classifiers, rng)
    rounds = learn_pass(state.learn, classifiers.block, order, labels[order])
    sizes: NDArray[np.int64] = np.cumsum(rounds.updated, axis=0) if rounds.sizes is None else rounds.sizes
    trace = Trace(
        mistakes=(rounds.votes >= 0.0) != (labels[order] > 0),
        scores=rounds.votes,
        support_vectors=(sizes * rounds.drawn if votes == "drawn" else sizes).sum(axis=1),
        weights=rounds.weights,
        updates=state.updates,
    )
    experts = TrainedPerceptrons.after(classifiers, rounds.updated, labels, order)
    work = classifiers.work(sizes, len(labels))
    return Fit(weights=state.weights, predictor=state.vote(experts), trace=trace, work=work)


def start(parameters: Discount, basis: Basis, rng: np.random.Generator, *, updates: Kernels, votes: Kernels) -> OMKC:
    """Return the state before the first example; see `fit` and `grambench.algorithms.streaming`."""
    return OMKC(Rule.of(parameters, updates, votes), perceptrons(basis, parameters), rng)


@njit(cache=True)
def _play_rounds(labels, uniforms, rule, w, rounds, first, experts):  # type: ignore[no-untyped-def]
    """Play rounds from one on; return the number of the first round that lacks kernel values, or of all rounds.

    The numbers in comments are the lines of OMKC's Algorithms 1 (D,D), 2 (D,S), 3 (S,D) and 4 (S,S), in this order.
    Algorithm 3 draws after its vote, which does not depend on the draws.
    """
    m, positive, voting = w.size, np.zeros(w.size, dtype=np.bool_), np.empty(w.size)
    # Only if drawn kernels alone vote and are updated, a round does without the scores of all others.
    scores_all = not (rule.draws_votes and rule.draws_updates)
    for t in range(first, labels.size):
        drawn, updated, q = rounds.drawn[t], rounds.updated[t], w
        if rule.draws:
            q, p = sampling_probabilities(w, rule.delta)  # lines -, 3, 3 and 7, 3 and 4
            # Algorithm 2 prints q in line 5.
            for k in range(m):
                drawn[k] = uniforms[t, k] < p[k]  # lines -, 5, 9, 6
        # Nothing but the draws is written yet, and they are the same when the round is played again.
        for k in range(m):
            if (drawn[k] or scores_all) and lacks_values(experts, k):
                return t
        errs = False
        for k in range(m):
            if drawn[k] or scores_all:
                positive[k] = score(experts, k, t) >= 0.0
                # lines 8, 11, 10, 12
                updated[k] = (drawn[k] or not rule.draws_updates) and positive[k] != (labels[t] > 0)
                errs |= updated[k]
            voting[k] = q[k] if drawn[k] or not rule.draws_votes else 0.0
        # Weights, scores and support vectors are as they were before the round.
        if errs and lacks_row(experts, t):
            return t
        # Kernels that do not vote keep their places with a weight of 0, since the place decides the lane of a sum. The
        # vote of OMKC(D,D) is of the weights as they are: the published numbers on diabetes need it undivided.
        # Algorithm 2 prints the vote without q in line 8.
        rounds.votes[t] = vote(voting, positive)  # lines 5, 8, 5, 9
        discount(w, updated, rule.beta)  # lines 9, 12, 11, 13
        for k in range(m):
            if updated[k]:
                update(experts, k, t, float(labels[t]))  # lines 10, 13, 12, 14
        write_shares(w, rounds.weights[t])  # lines 12, -, -, -
    return labels.size
