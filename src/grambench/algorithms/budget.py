"""A budget on support vectors, beyond the papers: a classifier without room forgets its oldest one.

Section 6 of OMKC (Hoi et al. 2013) leaves bounded memory open. With a `budget` B a classifier that has B support
vectors forgets the oldest before it adds one: the removal of the Forgetron (Dekel, Shalev-Shwartz and Singer 2008),
without the shrinking that its mistake bound needs. Every kernel has B of its own; where kernels share their support,
they share one list. What a forgotten example has cost a kernel's weight is not given back.

A pass that keeps scores of all examples subtracts what was added. Sums of floats remember some rounding of it, so that
scores differ in their last digits from those of the predictor, which has the remaining support vectors alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.kernels.pool import Rows


@dataclass(frozen=True, kw_only=True)  # without slots, so that it can stand beside another base
class Budget:
    """How much a classifier may hold.

    Attributes
    ----------
    budget : int
        Support vectors of each classifier at most; 0 for no bound. A float where it is tuned.
    """

    budget: float = 0

    def __post_init__(self) -> None:
        if not (self.budget >= 0 and self.budget % 1 == 0):
            raise ValueError(f"budget must be a whole number of at least 0, got {self.budget}")

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


def fetch(
    rows: Rows, t: int, needed: NDArray[np.bool_], support: NDArray[np.int32], updates: NDArray[np.int64]
) -> None:
    """Make the rows that round t needs: of its example, and of those that make room for it.

    Parameters
    ----------
    rows : Rows
        Of m kernels, on demand.
    t : int
        The round.
    needed : ndarray of bool (m,)
        The kernels whose classifiers it updates.
    support : ndarray of int32 (m, room)
        Ring of the last examples of each, as the rows number them.
    updates : ndarray of int64 (m,)
        Of each so far.
    """
    rows.fetch(t, needed)
    room = support.shape[1]
    full = needed & (updates >= room)
    if full.any():
        oldest = support[np.arange(len(updates)), updates % room]
        for number in np.unique(oldest[full]).tolist():
            rows.recall(number, full & (oldest == number))
