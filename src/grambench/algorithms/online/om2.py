"""OM-2: online multi-class multi-kernel learning (Jie et al. 2010), with two classes, as OMKC compares with it.

The predictor is f(x) = sum_k w_k f_k(x), f_k(x) = sum_s y_s k_k(x_s, x), where the weights are the gradient of 1/(2q)
times the squared (2, q) group norm of theta = (f_1, ..., f_m), q = 1 / (1 - 1/p). With two classes the margin is
2 y f(x), one class row gaining what the other loses.

What OMKC's comparison leaves out, as its published numbers need it (docs/reproduction.md): p = 1.001, which puts nearly
all weight on the kernel of the largest norm; a step of 1 at every margin of at most 1, where Jie et al. shorten it to
min(1, 1 - margin / m^(2/q)); a score of exactly 0 is a mistake on both classes.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Floats, Labels, Order, Trace
from grambench.algorithms.hedge import normalise
from grambench.algorithms.scores import columns, passed
from grambench.kernels.pool import Pool, Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of OM-2.

    Attributes
    ----------
    p : float
        Norm of the group regulariser, in (1, 2]; near 1 is sparse in the kernels.
    margin : float
        An example is added where its margin 2 y f(x) is at most this.
    """

    p: float = 1.001
    margin: float = 1.0

    def __post_init__(self) -> None:
        if not 1.0 < self.p <= 2.0:
            raise ValueError(f"p must lie in (1, 2], got {self.p}")
        if not self.margin >= 0.0:
            raise ValueError(f"margin must be at least 0, got {self.margin}")


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """f(x) = sum_k weights_k sum_s signs_s k_k(x_s, x).

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Of the kernels, after the last round; they do not sum to one.
    support : ndarray of int32 (s,)
        Support vectors in their order of arrival, shared by all kernels.
    signs : ndarray of int8 (s,)
        Their labels.
    """

    weights: Floats
    support: NDArray[np.int32]
    signs: NDArray[np.int8]

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,), added in the order of the pass."""
        total = np.zeros(pool.shape[1])
        for weight, gram in zip(self.weights, pool.grams(), strict=True):
            scores = np.zeros(len(total))
            for sign, column in zip(self.signs, columns(gram, self.support), strict=True):
                scores += sign * column
            total += weight * scores
        return total


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; a support vector belongs to all kernels and is counted once."""
    rows = check_input(pool, labels, order)
    made = _pass(parameters, rows, labels, order)
    support = order[made.added]
    trace = Trace(
        mistakes=made.mistakes,
        scores=made.votes,
        support_vectors=np.cumsum(made.added),
        weights=made.weights,
        updates=np.full(len(made.w), len(support)),
    )
    predictor = WeightedSum(made.w, support, labels[support])
    return Fit(weights=made.weights[-1], predictor=predictor, trace=trace, work=passed(trace, len(labels)))


class Pass(NamedTuple):
    """What a pass has written, of T rounds with m kernels; the last three are its state after the last round.

    Attributes
    ----------
    mistakes, added : ndarray of bool (T,)
        Whether the round's example was predicted wrongly, and whether it was added.
    votes : ndarray of float64 (T,)
        f(x).
    weights : ndarray of float64 (T, m)
        After the round, summing to one.
    w : ndarray of float64 (m,)
        The weights as they are.
    scores : ndarray of float64 (m, n)
        f_k(x) of every example.
    squared_norms : ndarray of float64 (m,)
        ||theta_k||^2.
    """

    mistakes: NDArray[np.bool_]
    added: NDArray[np.bool_]
    votes: Floats
    weights: Floats
    w: Floats
    scores: Floats
    squared_norms: Floats


def _pass(parameters: Parameters, rows: Rows, labels: Labels, order: Order) -> Pass:
    m, q, (labels, order) = len(rows.values), 1.0 / (1.0 - 1.0 / parameters.p), rows.numbered(labels, order)
    made = Pass(
        mistakes=np.zeros(len(order), dtype=np.bool_),
        added=np.zeros(len(order), dtype=np.bool_),
        votes=np.empty(len(order)),
        weights=np.zeros((len(order), m)),
        w=np.ones(m),
        scores=np.zeros((m, len(labels))),
        squared_norms=np.full(m, np.finfo(np.float64).eps),
    )
    t = 0
    while (t := _play(t, rows.values, rows.place, labels, order, q, parameters.margin, *made)) < len(order):
        rows.fetch(t, np.ones(m, dtype=np.bool_))
    return made


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    start, values, place, labels, order, q, threshold, mistakes, added, votes, weights, w, scores, squared_norms
):
    m = w.size
    for t in range(start, order.size):
        i = order[t]
        y = labels[i]
        f = 0.0
        for k in range(m):
            f += w[k] * scores[k, i]
        votes[t] = f
        margin = 2.0 * y * f
        mistakes[t] = margin <= 0.0
        if margin <= threshold:
            if place[i] < 0:
                return t
            added[t] = True
            for k in range(m):
                row = values[k][place[i]]
                squared_norms[k] += 4.0 * y * scores[k, i] + 2.0 * row[i]
                for j in range(row.size):
                    scores[k, j] += y * row[j]
            w[:] = _gradient(squared_norms, q)
        normalise(w, weights[t])
    return order.size


@njit(cache=True)
def _gradient(squared_norms, q):  # type: ignore[no-untyped-def]
    """Return w_k = (||theta_k|| / ||theta||_{2,q})^(q-2) / q."""
    norms = np.sqrt(np.maximum(squared_norms, 0.0))
    largest = norms.max()
    total = largest * ((norms / largest) ** q).sum() ** (1.0 / q)
    return (norms / total) ** (q - 2.0) / q
