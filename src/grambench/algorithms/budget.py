"""A budget on support vectors, beyond the papers: a full classifier forgets its oldest one.

Section 6 of OMKC (Hoi et al. 2013) leaves bounded memory open. With a `budget` B a classifier that has B support
vectors forgets the oldest before it adds one: the removal of the Forgetron (Dekel, Shalev-Shwartz and Singer 2008),
without the shrinking that its mistake bound needs. The budget applies to every kernel by itself; kernels that share
their support vectors share one list. Forgetting an example does not restore the weight that a kernel lost by it.

A pass that keeps scores of all examples subtracts the forgotten terms. This leaves rounding errors, so these scores
differ in their last digits from those of the predictor, which sums over the remaining support vectors alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.common.parameters import Checked, Rule
from grambench.kernels.pool import GramRows, RowsOnDemand

WHOLE_NUMBER = Rule("be a whole number of at least 0", lambda value: value >= 0 and value % 1 == 0)


# Without slots, so that a class can inherit from this one and another base.
@dataclass(frozen=True, kw_only=True)
class Budget(Checked):
    """A bound on memory.

    Attributes
    ----------
    budget : int
        Largest number of support vectors of each classifier, beyond the paper; 0 for no bound.
    """

    budget: Annotated[float, WHOLE_NUMBER] = 0  # a float if it is tuned

    def capacity(self, rounds: int) -> int:
        """Return the largest number of support vectors of a classifier, to which each round adds one at most."""
        return int(min(self.budget or rounds, rounds))


def capped_counts(updates: NDArray[np.int64], capacity: int) -> NDArray[np.int64]:
    """Return the number of support vectors of classifiers from their number of updates."""
    return np.minimum(updates, capacity)


def retained_rounds(updated: NDArray[np.bool_], capacity: int) -> NDArray[np.bool_]:
    """Return the rounds whose examples each classifier still has at the end, of those that updated it, (T, ...)."""
    updates_from_round = np.cumsum(updated[::-1], axis=0)[::-1]
    return np.asarray(updated & (updates_from_round <= capacity))


class Ring(NamedTuple):
    """Ring buffers of the latest support vectors of r classifiers; r = 1 if all kernels share them.

    Attributes
    ----------
    support : ndarray of int32 (r, capacity)
        Support vector number s of a classifier is at position s mod capacity.
    updates : ndarray of int64 (r,)
        Number of support vectors added to each classifier so far.
    """

    support: NDArray[np.int32]
    updates: NDArray[np.int64]

    @classmethod
    def empty(cls, classifiers: int, capacity: int) -> "Ring":
        """Return the ring of classifiers without support vectors."""
        return cls(np.empty((classifiers, capacity), dtype=np.int32), np.zeros(classifiers, dtype=np.int64))


def play(
    rounds: Callable[[int], int], rows: GramRows, count: int, ring: Ring, needed: Callable[[int], NDArray[np.bool_]]
) -> None:
    """Run a compiled loop over all rounds of a pass, and fetch missing rows of kernel values.

    Parameters
    ----------
    rounds : callable
        Plays the rounds from a given number on. Returns the number of rounds, or the number of the first round that
        needs a missing row; that round must not have changed any state.
    rows : GramRows
        The rows of m kernels.
    count : int
        The number of rounds.
    ring : Ring
        The support vectors; a full ring forgets the oldest.
    needed : callable
        Returns the mask (m,) of the kernels that a round updates.
    """
    t = rounds(0)
    if isinstance(rows, RowsOnDemand):
        while t < count:
            _fetch(rows, t, needed(t), ring)
            t = rounds(t)


def _fetch(rows: RowsOnDemand, t: int, needed: NDArray[np.bool_], ring: Ring) -> None:
    """Compute the rows that round t needs: those of its example, and of the examples that it replaces."""
    rows.fetch(t, needed)
    support, updates = ring
    capacity = support.shape[1]
    full = needed & (updates >= capacity)
    if full.any():
        oldest = np.broadcast_to(support[np.arange(len(updates)), updates % capacity], full.shape)
        for number in np.unique(oldest[full]).tolist():
            rows.recall(number, full & (oldest == number))
