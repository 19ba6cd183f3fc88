"""The pass of all four algorithms of OMKC (Hoi et al. 2013, Algorithms 1 to 4).

They differ in two choices. Either all classifiers that err are updated, or those of the kernels that are drawn in the
round ("updates"). Either all classifiers vote, or those of the kernels that are drawn ("votes").

If all classifiers are updated, they depend neither on each other nor on the weights. Each runs over the whole pass by
itself, with its scores in the processor's cache. Their predictions are then combined round by round. On features
(`grambench.algorithms.streaming`), blocks of examples take the place of the whole pass.

Deviations from the printed algorithms that all four share: sign(0) = +1 for each kernel and for the vote, and the
order of summation in `grambench.algorithms.scores`.

Chosen by published numbers: sign(0) = +1; additions in four lanes; the vote's weights as they are.
"""

import copy
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bounded import (
    WAYS,
    BoundedClassifiers,
    PoolSource,
    Window,
    blocks,
    bounded_work,
    correct,
    window_score,
)
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Trace
from grambench.algorithms.hedge import Discount, Sampling, discount, normalise, sampling_probabilities
from grambench.algorithms.scores import LANES, Experts, Vote, add_row, expert_pass, pass_work, play, score, vote
from grambench.algorithms.streaming import Basis, Features, LinearClassifiers, add_to, inner_product, kernel_count
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import GramRows, Pool

Kernels = Literal["all", "drawn"]


class OMKCSettings(NamedTuple):
    """The input of the rounds.

    Attributes
    ----------
    beta, delta : float
        See Sampling.
    draws : bool
        Whether kernels are drawn at all.
    draws_votes : bool
        Whether only drawn kernels vote.
    uniforms : ndarray of float64 (T, m)
        Numbers in [0, 1) by which kernels are drawn.
    capacity : int
        Largest number of support vectors of each classifier.
    way : int
        What a full classifier does, a code of `grambench.algorithms.bounded`.
    """

    beta: float
    delta: float
    draws: bool
    draws_votes: bool
    uniforms: Floats
    capacity: int
    way: int


class OMKCState(NamedTuple):
    """The output of T rounds with m kernels.

    Attributes
    ----------
    votes : ndarray of float64 (T,)
        Weighted vote of each round.
    sizes : ndarray of int64 (T, m)
        With a budget: number of support vectors of each kernel after each round.
    drawn : ndarray of bool (T, m)
        Kernels drawn in each round.
    updated : ndarray of bool (T, m)
        Classifiers updated in each round.
    weights : ndarray of float64 (T, m)
        Weights of the kernels after each round, summing to one.
    w : ndarray of float64 (m,)
        Weights after the last round, not normalised.
    """

    votes: Floats
    sizes: NDArray[np.int64]
    drawn: NDArray[np.bool_]
    updated: NDArray[np.bool_]
    weights: Floats
    w: Floats


def learn(
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
    rows = check_input(pool, labels, order)
    m, rounds, capacity = len(rows.values), len(order), parameters.capacity(len(order))
    draws = "drawn" in (updates, votes)
    settings = OMKCSettings(
        beta=parameters.beta,
        delta=parameters.delta if isinstance(parameters, Sampling) else 0.0,
        draws=draws,
        draws_votes=votes == "drawn",
        uniforms=rng.random((rounds, m)) if draws else np.empty((0, m)),
        capacity=capacity,
        way=WAYS[parameters.when_full],
    )
    state = OMKCState(
        votes=np.empty(rounds),
        sizes=np.empty((rounds if capacity < rounds else 0, m), dtype=np.int64),
        drawn=np.zeros((rounds, m), dtype=np.bool_),
        updated=np.zeros((rounds, m), dtype=np.bool_),
        weights=np.zeros((rounds, m)),
        # Without draws the weights themselves vote, and the rounding of their sums decides predictions at ties: the
        # published numbers need weights that start at 1/m. Draws divide them by the largest one.
        w=np.ones(m) if draws else np.full(m, 1.0 / m),
    )
    if capacity < rounds:
        experts = _update_bounded(pool, labels, order, parameters, settings, state, updates)
        counts, work = state.sizes, bounded_work(state.sizes, len(labels))
    else:
        (_update_all if updates == "all" else _update_drawn)(rows, labels, order, settings, state)
        experts = Experts.from_updates(state.updated, labels, order)
        counts, work = np.cumsum(state.updated, axis=0), pass_work(state.updated, len(labels))
    trace = Trace(
        mistakes=(state.votes >= 0.0) != (labels[order] > 0),
        scores=state.votes,
        support_vectors=(counts * state.drawn if settings.draws_votes else counts).sum(axis=1),
        weights=state.weights,
        updates=state.updated.sum(axis=0),
    )
    q, p = sampling_probabilities(state.w, settings.delta) if draws else (state.w, None)
    predictor = Vote(experts, q, p, rng) if settings.draws_votes else Vote(experts, q)
    return Fit(weights=state.weights[-1], predictor=predictor, trace=trace, work=work)


def _update_all(rows: GramRows, labels: Labels, order: Order, settings: OMKCSettings, state: OMKCState) -> None:
    """Run every classifier over the whole pass, then combine their votes."""
    passes = [expert_pass(rows, k, labels, order) for k in range(len(rows.values))]
    positive = np.stack(passes, axis=1) >= 0.0
    np.not_equal(positive, (labels[order] > 0)[:, None], out=state.updated)
    _combine_votes(positive, settings, state)


@njit(cache=True)
def _combine_votes(positive, settings, state):  # type: ignore[no-untyped-def]
    for t in range(len(positive)):
        _write_vote(t, positive[t], settings, state)
        discount(state.w, state.updated[t], settings.beta)
        normalise(state.w, state.weights[t])


def _update_drawn(rows: GramRows, labels: Labels, order: Order, settings: OMKCSettings, state: OMKCState) -> None:
    """Play the rounds of all classifiers together, since the weights decide which of them are updated."""
    stream, m = rows.stream(labels, order), len(rows.values)
    lanes, updates = np.zeros((m, LANES, len(stream.labels))), np.zeros(m, dtype=np.int64)
    play(
        lambda t: _play_rounds(t, stream, settings, lanes, updates, state),
        rows,
        len(order),
        lambda t: state.updated[t],
    )


@njit(cache=True)
def _play_rounds(start, stream, settings, lanes, updates, state):  # type: ignore[no-untyped-def]
    m, labels, place = state.w.size, stream.labels, stream.place
    positive = np.empty(m, dtype=np.bool_)
    for t in range(start, stream.order.size):
        i = stream.order[t]
        for k in range(m):
            positive[k] = score(lanes[k], i) >= 0.0
        _write_vote(t, positive, settings, state)
        updated = state.updated[t]
        for k in range(m):
            updated[k] = state.drawn[t, k] and positive[k] != (labels[i] > 0)
        # Weights, scores and support vectors are as they were before the round, so a round whose row has to be fetched
        # is played again from its start, with the same draws.
        if place[i] < 0 and updated.any():
            return t
        discount(state.w, updated, settings.beta)
        for k in range(m):
            if updated[k]:
                add_row(lanes[k], updates[k], labels[i], stream.values[k][place[i]])
                updates[k] += 1
        normalise(state.w, state.weights[t])
    return stream.order.size


def _update_bounded(
    pool: Pool,
    labels: Labels,
    order: Order,
    parameters: Discount,
    settings: OMKCSettings,
    state: OMKCState,
    updates: Kernels,
) -> Experts:
    """Run all classifiers over the pool block by block, each with a bounded number of support vectors."""
    source = PoolSource(pool.values, len(state.w))
    classifiers = BoundedClassifiers(source, settings.capacity, parameters.when_full)
    for rows in blocks(len(order)):
        part = OMKCState(
            votes=state.votes[rows],
            sizes=state.sizes[rows],
            drawn=state.drawn[rows],
            updated=state.updated[rows],
            weights=state.weights[rows],
            w=state.w,
        )
        draws = settings._replace(uniforms=settings.uniforms[rows])
        _learn_bounded(classifiers, order[rows], labels[order[rows]], draws, part, updates)
    return Experts.from_lists(source.numbers, classifiers.dual, order)


def _learn_bounded(
    classifiers: BoundedClassifiers,
    examples: Any,
    labels: Labels,
    settings: OMKCSettings,
    state: OMKCState,
    updates: Kernels,
) -> None:
    """Learn from a block of examples, in numbers or rows of features, by the source of the classifiers."""
    if updates == "all":
        learned = classifiers.learn(examples, labels)
        state.updated[:], state.sizes[:] = learned.updated, learned.sizes
        _combine_votes(learned.scores >= 0.0, settings, state)
        return
    ready, block = np.full(len(state.w), not settings.draws_votes), classifiers.prepare(examples)
    windows = [classifiers.window(k, block) if ready[k] else Window.empty() for k in range(len(ready))]
    t, state.sizes[:] = 0, [len(dual) for dual in classifiers.dual]
    while (t := _play_windows(t, tuple(windows), ready, labels, settings, state)) < len(labels):
        for k in np.flatnonzero(state.drawn[t] & ~ready).tolist():
            windows[k], ready[k] = classifiers.window(k, block), True
    for k in np.flatnonzero(ready).tolist():
        classifiers.close(k, windows[k], block)
    classifiers.updates += state.updated.sum(axis=0)


@njit(cache=True)
def _play_windows(start, windows, ready, labels, settings, state):  # type: ignore[no-untyped-def]
    """Play the rounds of a block with a window for each classifier, since the weights decide which are updated.

    Return the number of rounds, or the first round that draws a kernel whose window is not `ready`, (m,). If only drawn
    kernels vote, the values of a kernel that no round of the block draws are not computed.
    """
    positive = np.zeros(state.w.size, dtype=np.bool_)
    for t in range(start, labels.size):
        _draw_kernels(t, settings, state)
        # Nothing but the draws is written yet, and they are the same when the round is played again.
        for k in range(positive.size):
            if state.drawn[t, k] and not ready[k]:
                return t
        for k in range(positive.size):
            if state.drawn[t, k] or not settings.draws_votes:
                positive[k] = window_score(windows[k], t) >= 0.0
        _write_vote(t, positive, settings, state)
        for k in range(positive.size):
            state.updated[t, k] = state.drawn[t, k] and positive[k] != (labels[t] > 0)
            if state.updated[t, k]:
                correct(windows[k], t, float(labels[t]), settings.capacity, settings.way)
            if ready[k]:
                state.sizes[t, k] = windows[k].bounds[1] - windows[k].bounds[0]
        discount(state.w, state.updated[t], settings.beta)
        normalise(state.w, state.weights[t])
    return labels.size


@njit(cache=True)
def _write_vote(t, positive, settings, state):  # type: ignore[no-untyped-def]
    """Draw the kernels of a round, and write the vote of those that vote."""
    # The vote of OMKC(D,D) is of the weights as they are: the published numbers on diabetes need it undivided.
    if not settings.draws:
        state.votes[t] = vote(state.w, positive)
        return
    q = _draw_kernels(t, settings, state)
    # Kernels that do not vote keep their places with a weight of 0, since the place decides the lane of a sum.
    state.votes[t] = vote(q * state.drawn[t] if settings.draws_votes else q, positive)


@njit(cache=True)
def _draw_kernels(t, settings, state):  # type: ignore[no-untyped-def]
    """Draw the kernels of a round, and return the weights of their votes."""
    q, p = sampling_probabilities(state.w, settings.delta)
    for k in range(p.size):
        state.drawn[t, k] = settings.uniforms[t, k] < p[k]
    return q


class OMKCOnFeatures:
    """The state of a pass on features; see `learn` and `grambench.algorithms.streaming.OnlineState`."""

    def __init__(
        self, parameters: Discount, basis: Basis, rng: np.random.Generator, *, updates: Kernels, votes: Kernels
    ) -> None:
        m, capacity = kernel_count(basis), int(parameters.budget)
        self._classifiers: LinearClassifiers | BoundedClassifiers = (
            LinearClassifiers(basis)
            if isinstance(basis, np.ndarray)
            else BoundedClassifiers(basis, capacity, parameters.when_full)
        )
        self._rng, self._updates = rng, updates
        self._draws = "drawn" in (updates, votes)
        self._settings = OMKCSettings(
            beta=parameters.beta,
            delta=parameters.delta if isinstance(parameters, Sampling) else 0.0,
            draws=self._draws,
            draws_votes=votes == "drawn",
            uniforms=np.empty((0, m)),
            capacity=capacity,
            way=WAYS[parameters.when_full],
        )
        self._w = np.ones(m) if self._draws else np.full(m, 1.0 / m)
        self.weights = np.full(m, 1.0 / m)

    @property
    def updates(self) -> NDArray[np.int64]:
        """Updates of each kernel's classifier, (m,)."""
        return self._classifiers.updates

    def block(self, features: Features, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the vote on each before its label was used, (b,)."""
        shape = len(labels), len(self.weights)
        settings, updated = self._settings, np.zeros(shape, dtype=np.bool_)
        if self._draws:
            settings = settings._replace(uniforms=self._rng.random(shape))
        state = OMKCState(
            votes=np.empty(len(labels)),
            sizes=np.empty(shape, dtype=np.int64),
            drawn=np.zeros(shape, dtype=np.bool_),
            updated=updated,
            weights=np.empty(shape),
            w=self._w,
        )
        if isinstance(self._classifiers, BoundedClassifiers):
            _learn_bounded(self._classifiers, features, labels, settings, state, self._updates)
        elif self._updates == "all":
            scores, updated[:] = self._classifiers.learn(features, labels)
            _combine_votes(scores >= 0.0, settings, state)
        else:
            _play_block(features, labels, self._classifiers.starts, self._classifiers.linear, settings, state)
            self._classifiers.updates += updated.sum(axis=0)
        self.weights = state.weights[-1]
        return state.votes

    def scores(self, features: Features) -> Floats:
        """Return the votes on examples, (t,); a stochastic combination draws as its next rounds would."""
        scores, weights = self._classifiers.scores(features), self._w
        if self._draws:
            weights, p = sampling_probabilities(self._w, self._settings.delta)
        weights = np.tile(weights, (len(scores), 1))
        if self._settings.draws_votes:
            weights *= copy.deepcopy(self._rng).random(scores.shape) < p
        return np.array([vote(*example) for example in zip(weights, scores >= 0.0, strict=True)])


@njit(cache=True)
def _play_block(features, labels, starts, linear, settings, state):  # type: ignore[no-untyped-def]
    """Play the rounds of a block, in which the weights decide which classifiers are updated."""
    m = state.w.size
    positive, products = np.empty(m, dtype=np.bool_), np.empty(linear.size, dtype=np.float32)
    for t in range(labels.size):
        for k in range(m):
            row = features[t, starts[k] : starts[k + 1]]
            positive[k] = inner_product(linear[starts[k] : starts[k + 1]], row, products) >= 0.0
        _write_vote(t, positive, settings, state)
        for k in range(m):
            state.updated[t, k] = state.drawn[t, k] and positive[k] != (labels[t] > 0)
            if state.updated[t, k]:
                add_to(linear[starts[k] : starts[k + 1]], features[t, starts[k] : starts[k + 1]], labels[t])
        discount(state.w, state.updated[t], settings.beta)
        normalise(state.w, state.weights[t])
