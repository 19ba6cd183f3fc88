"""OM-2: online multi-class multi-kernel learning (Jie et al. 2010), with two classes; by default as OMKC compares.

All kernels share their support vectors. The kernels' weights follow from the norms of their parts, by the gradient of a
squared (2, q) group norm.

Formula
-------
    f(x) = Σ_k w_k f_k(x),   f_k(x) = Σ_s y_s K_k(x_s, x),   w = gradient of 1/(2q) ‖(f_1, ..., f_m)‖²_{2,q},
    q = 1 / (1 − 1/p);   where 2 y f(x) ≤ margin, (x, y) becomes a support vector of all kernels

With two classes the margin is 2 y f(x), since one class's row gains what the other loses.

Complexity
----------
A support vector costs O(m n) kernel evaluations and additions, one row of every kernel; another round costs O(m).
With a budget B a round costs O(m B).

Deviations
----------
By default this is OMKC's comparison as its published numbers need it (docs/papers/omkc.md). The value p = 1.001 puts
nearly all weight on the kernel of the largest norm. A step of 1 is taken at every margin of at most 1, and a score of
exactly 0 is a mistake on both classes.

Chosen by published numbers: p = 1.001, step 1, a score of 0 as a mistake.

Jie et al. have q = 2 ln m instead, which is `p` of None. It is at least 2 here, since p is at most 2 and two kernels
give 1.4. They take steps of min(1, 1 − 2 margin / (2 m^(2/q))), which is `shortened`. Here 2 m^(2/q) is the squared (2,
q) group norm of an example with k(x, x) = 1 in the row of its class and its negative in the other row. They pass
several times.

With a `budget`, beyond either paper, all kernels forget the oldest support vector that they share. One that a later
pass adds again counts again.

References
----------
Jie, Orabona, Fornoni, Caputo and Cesa-Bianchi (2010). OM-2: an online multi-class multi-kernel learning algorithm. IEEE
Online Learning for Computer Vision Workshop.

Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2
"""

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bounded import PoolSource, Source, blocks, bounded_work, row_of, shift_column
from grambench.algorithms.budget import Budget, capped_counts, retained_rounds
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Trace, Work
from grambench.algorithms.hedge import normalise
from grambench.algorithms.scores import play, support_columns
from grambench.algorithms.streaming import Basis, Features, OnlineState, Starts, add_to, inner_product
from grambench.common.lazy_numba import njit
from grambench.common.parameters import at_least, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import GramRows, Pool

ZERO_IS_MISTAKE = True
EPS = float(np.finfo(np.float64).eps)  # ||theta_k||^2 where there is no support vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Budget):
    """Parameters of OM-2.

    Attributes
    ----------
    p : float or None
        Norm of the group regulariser, in (1, 2]; near 1 is sparse in the kernels. None takes that of q = 2 ln m.
    margin : float
        An example is added where its margin 2 y f(x) is at most this.
    step : str
        "one" for every example that is added, or "shortened" by its margin.
    passes : int
        Passes over the same order.
    budget : int
        Support vectors of all kernels at most, each as often as it was added; 0 for no bound.
    """

    p: Annotated[float | None, within("(1, 2]")] = 1.001
    margin: Annotated[float, at_least(0)] = 1.0
    step: Literal["one", "shortened"] = "one"
    passes: Annotated[int, at_least(1)] = 1

    def __post_init__(self) -> None:
        Budget.__post_init__(self)
        if self.step == "shortened" and self.margin > 1.0:
            raise ValueError(f"margin must be at most 1 where steps are shortened, to 0 and less, got {self.margin}")

    def q(self, kernels: int) -> float:
        """Return the dual norm of p among m kernels."""
        return max(2.0, 2.0 * np.log(kernels)) if self.p is None else 1.0 / (1.0 - 1.0 / self.p)

    def rule(self, kernels: int) -> "StepRule":
        """Return when and how far a step goes among m kernels."""
        q = self.q(kernels)
        return StepRule(q, self.margin, kernels ** (-2.0 / q) if self.step == "shortened" else 0.0)


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """f(x) = sum_k weights_k sum_s dual_s k_k(x_s, x).

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Weights of the kernels after the last round, not normalised.
    support : ndarray of int32 (s,)
        Support vectors in their order of arrival, shared by all kernels; each as often as it was added.
    dual : ndarray of float64 (s,)
        Labels of the support vectors times their steps.
    """

    weights: Floats
    support: NDArray[np.int32]
    dual: Floats

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,), added in the order of the pass."""
        total, grams = np.zeros(pool.shape[1]), pool.grams()
        if len(self.support) == 0:
            return total
        for k in np.flatnonzero(self.weights).tolist():
            scores = np.zeros(len(total))
            for coefficient, column in zip(self.dual, support_columns(grams[k], self.support), strict=True):
                scores += coefficient * column
            total += self.weights[k] * scores
        return total


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over the order; all kernels share the support vectors, each counted once however often it was added."""
    rows = check_input(pool, labels, order, parameters.passes)
    order = np.tile(order, parameters.passes)
    capacity, rule = parameters.capacity(len(order)), parameters.rule(pool.shape[0])
    if capacity < len(order):
        state = OM2Bounded(rule, PoolSource(pool.values, pool.shape[0]), capacity).run(order, labels[order])
    else:
        state = _pass(rows, labels, order, rule)
    m, added = len(state.w), state.steps > 0.0
    updates, retained = int(added.sum()), retained_rounds(added, capacity)
    trace = Trace(
        mistakes=state.mistakes,
        scores=state.votes,
        support_vectors=_count_distinct(order, added, capacity),
        weights=state.weights,
        updates=np.full(m, updates),
    )
    if capacity < len(order):
        work = bounded_work(m * capped_counts(np.cumsum(added), capacity), len(labels))
    else:
        work = Work(kernel_values=m * len(np.unique(order[added])) * len(labels), row_additions=m * updates)
    return Fit(
        weights=state.weights[-1],
        predictor=WeightedSum(state.w, order[retained], labels[order[retained]] * state.steps[retained]),
        trace=trace,
        work=work,
    )


def _count_distinct(order: Order, added: NDArray[np.bool_], capacity: int) -> NDArray[np.int64]:
    """Return the number of distinct examples among the latest `capacity` added ones after each round."""
    window, sizes, examples = Counter[int](), [0], order[added].tolist()
    for number, example in enumerate(examples):
        window[example] += 1
        if number >= capacity:
            window[examples[number - capacity]] -= 1
            if not window[examples[number - capacity]]:
                del window[examples[number - capacity]]
        sizes.append(len(window))
    return np.array(sizes)[np.cumsum(added)]


class StepRule(NamedTuple):
    """The margin at which an example is added, and the length of its step.

    Attributes
    ----------
    q : float
        Dual norm of p.
    margin : float
        Largest margin of an example that is added.
    slope : float
        Decrease of the step for each unit of a margin above 0.
    """

    q: float
    margin: float
    slope: float


class OM2State(NamedTuple):
    """The output of T rounds with m kernels; the last two fields are the state after the last round.

    Attributes
    ----------
    mistakes : ndarray of bool (T,)
        Whether the round's example was misclassified.
    steps : ndarray of float64 (T,)
        Step of the round's example; 0 if it was not added.
    votes : ndarray of float64 (T,)
        f(x) of the round's example.
    weights : ndarray of float64 (T, m)
        Weights of the kernels after each round, summing to one.
    w : ndarray of float64 (m,)
        Weights of the kernels, not normalised.
    squared_norms : ndarray of float64 (m,)
        ||theta_k||^2.
    """

    mistakes: NDArray[np.bool_]
    steps: Floats
    votes: Floats
    weights: Floats
    w: Floats
    squared_norms: Floats


def _empty_state(w: Floats, squared_norms: Floats, rounds: int) -> OM2State:
    return OM2State(
        mistakes=np.zeros(rounds, dtype=np.bool_),
        steps=np.zeros(rounds),
        votes=np.empty(rounds),
        weights=np.zeros((rounds, len(w))),
        w=w,
        squared_norms=squared_norms,
    )


def _pass(rows: GramRows, labels: Labels, order: Order, rule: StepRule) -> OM2State:
    """Play all rounds without a budget; the scores of all n examples are kept."""
    m, stream = len(rows.values), rows.stream(labels, order)
    state = _empty_state(np.ones(m), np.full(m, EPS), len(order))
    scores, everyone = np.zeros((m, len(stream.labels))), np.ones(m, dtype=np.bool_)
    play(lambda t: _play_rounds(t, stream, rule, scores, state), rows, len(order), lambda t: everyone)
    return state


@njit(cache=True)
def _play_rounds(start, stream, rule, scores, state):  # type: ignore[no-untyped-def]
    w, squared_norms, place = state.w, state.squared_norms, stream.place
    m = w.size
    for t in range(start, stream.order.size):
        i = stream.order[t]
        y = stream.labels[i]
        f = 0.0
        for k in range(m):
            f += w[k] * scores[k, i]
        state.votes[t] = f
        margin = 2.0 * y * f
        state.mistakes[t] = margin <= 0.0
        if margin <= rule.margin:
            # Weights and scores are as they were, so the round can be played again once its row is there.
            if place[i] < 0:
                return t
            step = min(1.0, 1.0 - rule.slope * margin)
            state.steps[t] = step
            for k in range(m):
                row = stream.values[k][place[i]]
                squared_norms[k] += 4.0 * step * y * scores[k, i] + 2.0 * step * step * row[i]
                for j in range(row.size):
                    scores[k, j] += step * y * row[j]
            gradient = _gradient(squared_norms, rule.q)
            # An assignment to w[:] takes three seconds to compile.
            for k in range(m):
                w[k] = gradient[k]
        normalise(w, state.weights[t])
    return stream.order.size


class SharedWindow(NamedTuple):
    """The support vectors that all kernels share during a block; see `grambench.algorithms.bounded.Window`.

    Attributes
    ----------
    values : ndarray of float64 (m, r + b, s + b)
        Values of each kernel.
    dual, origin, bounds
        As in a Window.
    """

    values: Floats
    dual: Floats
    origin: NDArray[np.int64]
    bounds: NDArray[np.int64]


class OM2Bounded:
    """The state of a pass with a budget; see `grambench.algorithms.streaming.OnlineState`.

    Parameters
    ----------
    rule : StepRule
        When and how far a step goes.
    source : Source
        Kernel values with the support vectors, which all kernels share.
    capacity : int
        Largest number of support vectors.
    """

    def __init__(self, rule: StepRule, source: Source, capacity: int) -> None:
        self._rule, self._source, self._capacity = rule, source, capacity
        self._w, self._squared_norms, self._dual = np.ones(source.count), np.full(source.count, EPS), np.empty(0)
        self.updates = np.zeros(source.count, dtype=np.int64)

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,)."""
        return np.asarray(self._w / self._w.sum())

    def run(self, examples: Any, labels: Labels) -> OM2State:
        """Learn from any number of examples in turn, and return the output of all rounds."""
        parts = [self.learn(examples[rounds], labels[rounds]) for rounds in blocks(len(labels))]
        arrays = [np.concatenate(columns) for columns in zip(*(part[:4] for part in parts), strict=True)]
        mistakes, steps, votes, weights = arrays
        return OM2State(mistakes, steps, votes, weights, self._w, self._squared_norms)

    def learn(self, examples: Any, labels: Labels) -> OM2State:
        """Learn from b examples in turn, and return the output of their rounds."""
        state, size = _empty_state(self._w, self._squared_norms, len(labels)), len(self._dual)
        # Removal needs the scores of the oldest support vectors, as many as the block can fill up.
        older = min(size, max(0, size + len(labels) - self._capacity))
        window, block = self._window(examples, older)
        _play_window(window, labels, self._rule, self._capacity, state)
        first, end = window.bounds
        added = window.origin[max(0, first - size) : end - size]
        for k in range(self._source.count):
            self._source.replace(k, min(first, size), block, added)
        self._dual = window.dual[first:end].copy()
        self.updates += np.count_nonzero(state.steps)
        return state

    def _window(self, examples: Any, older: int) -> tuple[SharedWindow, Any]:
        """Return the window on a block of examples, and the block."""
        block = self._source.prepare(examples)
        window = SharedWindow(
            values=np.stack([self._source.values(k, older, block) for k in range(self._source.count)]),
            dual=np.concatenate([self._dual, np.empty(len(block))]),
            origin=np.empty(len(block), dtype=np.int64),
            bounds=np.array([0, len(self._dual)]),
        )
        return window, block

    def block(self, features: Floats, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""
        return self.learn(features, labels).votes

    def scores(self, features: Floats) -> Floats:
        """Return f(x), (t,)."""
        window, _ = self._window(features, 0)
        return np.array([_window_vote(window, self._w, t) for t in range(len(features))])


@njit(cache=True)
def _window_vote(window, w, row):  # type: ignore[no-untyped-def]
    f = 0.0
    for k in range(w.size):
        f += w[k] * _window_score(window, k, row)
    return f


@njit(cache=True)
def _play_window(window, labels, rule, capacity, state):  # type: ignore[no-untyped-def]
    values, bounds, w, squared_norms = window.values, window.bounds, state.w, state.squared_norms
    m, scores, older = w.size, np.empty(w.size), window.values.shape[1] - labels.size
    size = values.shape[2] - labels.size
    for t in range(labels.size):
        y, f = labels[t], 0.0
        for k in range(m):
            scores[k] = _window_score(window, k, older + t)
            f += w[k] * scores[k]
        state.votes[t] = f
        margin = 2.0 * y * f
        state.mistakes[t] = margin <= 0.0
        step = min(1.0, 1.0 - rule.slope * margin)
        if margin <= rule.margin and step > 0.0:
            state.steps[t] = step
            if bounds[1] - bounds[0] == capacity:
                _forget(window, squared_norms)
                # The example is scored anew without the support vector that was removed.
                for k in range(m):
                    scores[k] = _window_score(window, k, older + t)
            for k in range(m):
                squared_norms[k] += 4.0 * step * y * scores[k] + 2.0 * step * step * values[k, older + t, size + t]
            shift_column(values, bounds[1], size + t)
            window.dual[bounds[1]] = step * y
            window.origin[bounds[1] - size] = t
            bounds[1] += 1
            gradient = _gradient(squared_norms, rule.q)
            for k in range(m):
                w[k] = gradient[k]
        normalise(w, state.weights[t])


@njit(cache=True)
def _window_score(window, k, row):  # type: ignore[no-untyped-def]
    """Return f_k(x) of the example of a row, added in the order of arrival as a pass without a budget does."""
    f = 0.0
    for s in range(window.bounds[0], window.bounds[1]):
        f += window.dual[s] * window.values[k, row, s]
    return f


@njit(cache=True)
def _forget(window, squared_norms):  # type: ignore[no-untyped-def]
    """Remove the oldest support vector, and take its part from the norms."""
    old = window.bounds[0]
    row, dual = row_of(window.origin, old, window.values.shape[1], window.values.shape[2]), window.dual[old]
    for k in range(squared_norms.size):
        f = _window_score(window, k, row)
        squared_norms[k] = max(squared_norms[k] + dual * (2.0 * dual * window.values[k, row, old] - 4.0 * f), EPS)
    window.bounds[0] += 1


@njit(cache=True)
def _gradient(squared_norms, q):  # type: ignore[no-untyped-def]
    """Return w_k = (||theta_k|| / ||theta||_{2,q})^(q-2) / q."""
    norms = np.sqrt(np.maximum(squared_norms, 0.0))
    largest = norms.max()
    total = largest * ((norms / largest) ** q).sum() ** (1.0 / q)
    return (norms / total) ** (q - 2.0) / q


def start(parameters: Parameters, basis: Basis, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example, for one pass; see `grambench.algorithms.streaming`."""
    if parameters.passes > 1:
        raise ValueError(f"passes: expected 1 on a stream, whose examples are not kept, got {parameters.passes}")
    if isinstance(basis, np.ndarray):
        return OM2OnFeatures(parameters, basis)
    return OM2Bounded(parameters.rule(basis.count), basis, int(parameters.budget))


class OM2OnFeatures:
    """The state of a pass on features; see `grambench.algorithms.streaming.OnlineState`."""

    def __init__(self, parameters: Parameters, starts: Starts) -> None:
        m = len(starts) - 1
        self._rule, self._starts = parameters.rule(m), starts
        self._linear, self._w = np.zeros(starts[-1], dtype=np.float32), np.ones(m)
        self._squared_norms = np.full(m, EPS)
        self.updates = np.zeros(m, dtype=np.int64)

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,)."""
        return np.asarray(self._w / self._w.sum())

    def block(self, features: Features, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""
        votes = np.empty(len(labels))
        arrays = self._starts, self._linear, self._w, self._squared_norms
        self.updates += _learn_block(features, labels, self._rule, *arrays, votes)
        return votes

    def scores(self, features: Features) -> Floats:
        """Return f(x), (t,)."""
        values = np.empty(len(features))
        for t, row in enumerate(features):
            values[t] = _score(row, self._starts, self._linear, self._w, np.empty(len(self._w)))
        return values


@njit(cache=True)
def _score(row, starts, linear, w, scores):  # type: ignore[no-untyped-def]
    """Write f_k(x) into `scores` (m,), and return f(x)."""
    products, f = np.empty(linear.size, dtype=np.float32), 0.0
    for k in range(w.size):
        scores[k] = inner_product(linear[starts[k] : starts[k + 1]], row[starts[k] : starts[k + 1]], products)
        f += w[k] * scores[k]
    return f


@njit(cache=True)
def _learn_block(features, labels, rule, starts, linear, w, squared_norms, votes):  # type: ignore[no-untyped-def]
    """Learn from a block, and return the number of steps."""
    m, count, scores = w.size, 0, np.empty(w.size)
    products = np.empty(linear.size, dtype=np.float32)
    for t in range(labels.size):
        row, y = features[t], labels[t]
        votes[t] = _score(row, starts, linear, w, scores)
        margin = 2.0 * y * votes[t]
        step = min(1.0, 1.0 - rule.slope * margin)
        if margin > rule.margin or step <= 0.0:
            continue
        count += 1
        for k in range(m):
            part = row[starts[k] : starts[k + 1]]
            squared_norms[k] += 4.0 * step * y * scores[k] + 2.0 * step * step * inner_product(part, part, products)
            add_to(linear[starts[k] : starts[k + 1]], part, step * y)
        gradient = _gradient(squared_norms, rule.q)
        for k in range(m):
            w[k] = gradient[k]
    return count
