"""The pass of OMKC's algorithms with stochastic updating, around the compiled rounds of each of them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.budget import fetch
from grambench.algorithms.fit import Floats, Labels, Order
from grambench.algorithms.hedge import Sampling
from grambench.algorithms.scores import LANES
from grambench.kernels.pool import Rows


class Pass(NamedTuple):
    """What a pass has written, of T rounds with m kernels; the last four are its state after the last round.

    Attributes
    ----------
    votes : ndarray of float64 (T,)
        The weighted votes.
    updated : ndarray of bool (T, m)
        Which kernels were wrong where they were drawn.
    support_vectors : ndarray of int64 (T,)
        As the algorithm counts them.
    weights : ndarray of float64 (T, m)
        After the round, summing to one.
    w : ndarray of float64 (m,)
        The weights as they are.
    updates : ndarray of int64 (m,)
        Of each kernel so far.
    lanes : ndarray of float64 (m, 4, n)
        Partial scores of every example, kernel by kernel, as the rows number them.
    support : ndarray of int32 (m, room)
        Ring of the last examples of each kernel's classifier, as the rows number them.
    """

    votes: Floats
    updated: NDArray[np.bool_]
    support_vectors: NDArray[np.int64]
    weights: Floats
    w: Floats
    updates: NDArray[np.int64]
    lanes: Floats
    support: NDArray[np.int32]


def run(
    play: Callable[..., int], rows: Rows, labels: Labels, order: Order, parameters: Sampling, uniforms: Floats
) -> Pass:
    """Run one pass.

    Parameters
    ----------
    play : callable
        The compiled rounds from number t on, (t, values, place, labels, order, beta, delta, uniforms, *pass) -> t: the
        number of rounds, or of one that needs a row that is not there, of which `updated` alone is written.
    rows : Rows
        Of n examples.
    labels, order
        See grambench.algorithms.fit.
    parameters : Sampling
        The algorithm's.
    uniforms : ndarray of float64 (T, m)
        By which kernels are drawn.
    """
    (rounds, m), (labels, order) = uniforms.shape, rows.numbered(labels, order)
    made = Pass(
        votes=np.empty(rounds),
        updated=np.zeros((rounds, m), dtype=np.bool_),
        support_vectors=np.zeros(rounds, dtype=np.int64),
        weights=np.zeros((rounds, m)),
        w=np.ones(m),
        updates=np.zeros(m, dtype=np.int64),
        lanes=np.zeros((m, LANES, len(labels))),
        support=np.empty((m, parameters.room(rounds)), dtype=np.int32),
    )
    t, chances = 0, (parameters.beta, parameters.delta, uniforms)
    while (t := play(t, rows.values, rows.place, labels, order, *chances, *made)) < rounds:
        fetch(rows, t, made.updated[t], made.support, made.updates)
    return made
