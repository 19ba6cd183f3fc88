"""What a pass over a stream needs, in memory that does not grow with it: an order, and running moments."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats

CHUNK = 4096  # the least number of examples of a stream that are permuted among themselves
CONSTANT = 1e-12  # variance of a feature in units of its mean square that rounding alone makes

Rows = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class ChunkOrder:
    """An order in which the chunks of a stream are permuted, and the examples within each chunk.

    Attributes
    ----------
    n : int
        The number of examples.
    seed : SeedSequence or None
        Controls the permutations; None for the order of the data.
    """

    n: int
    seed: np.random.SeedSequence | None

    def __iter__(self) -> Iterator[Rows]:
        """Yield the rows of each chunk in their order."""
        rng = np.random.default_rng(self.seed) if self.seed else None
        # Chunks of about equal size: the first one gives units and landmarks, and must not be a short rest.
        chunks = np.arange(max(self.n // CHUNK, 1))
        for chunk in chunks if rng is None else rng.permutation(chunks):
            rows = np.arange(chunk * self.n // len(chunks), (chunk + 1) * self.n // len(chunks))
            yield rows if rng is None else rng.permutation(rows)


def cut(parts: Iterable[Rows], rounds: NDArray[np.int64]) -> Iterator[Rows]:
    """Yield parts of an order, cut after each of some rounds."""
    done = 0
    for rows in parts:
        inside = rounds[(rounds > done) & (rounds < done + len(rows))] - done
        yield from np.split(rows, inside)
        done += len(rows)


class RunningMoments:
    """Means and variances of the features of all examples so far."""

    def __init__(self) -> None:
        self._count, self._first, self._sums, self._squares = 0, np.zeros(0), np.zeros(0), np.zeros(0)

    def standardised(self, examples: Floats) -> Floats:
        """Return examples in turn, each centred and scaled by the moments of those before it and of itself.

        A feature that is constant so far is 0.
        """
        if not self._count:
            # Differences from the first example, since sums of squares far from 0 lose digits.
            self._first, self._sums, self._squares = examples[0], np.zeros_like(examples[0]), np.zeros_like(examples[0])
        moved = examples - self._first
        counts = self._count + np.arange(1, len(examples) + 1)[:, None]
        sums, squares = self._sums + np.cumsum(moved, axis=0), self._squares + np.cumsum(moved * moved, axis=0)
        mean, mean_square = sums / counts, squares / counts
        variance = mean_square - mean * mean
        variance[variance <= CONSTANT * mean_square] = 1.0
        self._count, self._sums, self._squares = self._count + len(examples), sums[-1], squares[-1]
        return np.asarray((moved - mean) / np.sqrt(variance))
