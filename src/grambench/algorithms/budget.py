"""A budget on support vectors, beyond the papers: a classifier without room forgets its oldest one.

Section 6 of OMKC (Hoi et al. 2013) leaves bounded memory open. With a `budget` B a classifier that has B support
vectors forgets the oldest before it adds one: the removal of the Forgetron (Dekel, Shalev-Shwartz and Singer 2008),
without the shrinking that its mistake bound needs. Every kernel has B of its own; where kernels share their support,
they share one list. What a forgotten example has cost a kernel's weight is not given back.

A pass that keeps scores of all examples subtracts what was added. Sums of floats remember some rounding of it, so that
scores differ in their last digits from those of the predictor, which has the remaining support vectors alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.common.parameters import Checked, Rule
from grambench.kernels.pool import Rows, RowsOnDemand

WHOLE = Rule("be a whole number of at least 0", lambda value: value >= 0 and value % 1 == 0)


@dataclass(frozen=True, kw_only=True)  # without slots, so that it can stand beside another base
class Budget(Checked):
    """A bound on memory.

    Attributes
    ----------
    budget : int
        Largest number of support vectors of each classifier, beyond the paper; 0 for no bound.
    """

    budget: Annotated[float, WHOLE] = 0  # a float if it is tuned

    def room(self, rounds: int) -> int:
        """Return the support vectors that a classifier may have in a pass of so many rounds, each of which adds one."""
        return int(min(self.budget or rounds, rounds))


def held(updates: NDArray[np.int64], room: int) -> NDArray[np.int64]:
    """Return the support vectors of classifiers after so many updates."""
    return np.minimum(updates, room)


def kept(updated: NDArray[np.bool_], room: int) -> NDArray[np.bool_]:
    """Return, of the rounds that updated each classifier, (T, ...), those whose examples it has to the end."""
    from_here = np.cumsum(updated[::-1], axis=0)[::-1]
    return np.asarray(updated & (from_here <= room))


class Ring(NamedTuple):
    """The last support vectors of each of r classifiers, oldest overwritten first; r = 1 if all kernels share them.

    Attributes
    ----------
    support : ndarray of int32 (r, room)
        Support vector number s, as the rows number it, is at s mod room.
    updates : ndarray of int64 (r,)
        Support vectors that each classifier has had so far.
    """

    support: NDArray[np.int32]
    updates: NDArray[np.int64]

    @classmethod
    def empty(cls, classifiers: int, room: int) -> "Ring":
        """Return the ring of classifiers without support vectors."""
        return cls(np.empty((classifiers, room), dtype=np.int32), np.zeros(classifiers, dtype=np.int64))


def play(
    rounds: Callable[[int], int], rows: Rows, count: int, ring: Ring, needed: Callable[[int], NDArray[np.bool_]]
) -> None:
    """Run a compiled loop over all rounds of a pass, and fetch the rows that it lacks.

    Parameters
    ----------
    rounds : callable
        Play the rounds from a number on. It returns the number of rounds at the end, or the number of a round that
        needs a row that is not there, which it has left as it was.
    rows : Rows
        The rows of m kernels.
    count : int
        The number of rounds.
    ring : Ring
        The support vectors, of which the oldest are forgotten if there is no room for more.
    needed : callable
        Return which kernels (m,) are updated in a round.
    """
    t = rounds(0)
    if isinstance(rows, RowsOnDemand):
        while t < count:
            _fetch(rows, t, needed(t), ring)
            t = rounds(t)


def _fetch(rows: RowsOnDemand, t: int, needed: NDArray[np.bool_], ring: Ring) -> None:
    """Compute the rows that round t needs: those of its example, and of the examples that make room for it."""
    rows.fetch(t, needed)
    support, updates = ring
    room = support.shape[1]
    full = needed & (updates >= room)
    if full.any():
        oldest = np.broadcast_to(support[np.arange(len(updates)), updates % room], full.shape)
        for number in np.unique(oldest[full]).tolist():
            rows.recall(number, full & (oldest == number))
