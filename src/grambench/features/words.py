"""Visual words: descriptors quantised by a codebook and counted (Csurka et al. 2004).

Descriptors and centres are integers from 0 to 255. In at most 129 dimensions, twice an inner product and all partial
sums lie below 2^24, up to which float32 is exact. Matrix products therefore give the same distances bit for bit in any
order of addition, and codebooks and words do not depend on libraries, threads or processors. The integer nearest to the
mean is the best integer centre, so Lloyd's steps lower the inertia with rounded centres too.
"""

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError
from grambench.common.lazy_numba import njit
from grambench.features.points import Local

Vectors = NDArray[np.uint8]
ITERATIONS = 20  # later steps lower the inertia of a thousand words by less than 1 in 1000 each
TRIALS = 4  # samples drawn for each further centre; the best one is taken
SEEDED = 20  # samples a word from which the first centres are drawn
BLOCK = 256  # vectors whose bounds for a thousand centres fit into the cache
DIRECTIONS = 30  # of 128 dimensions, by which all but about five centres in a thousand are ruled out
SLACK = 1e-3  # share of the largest squared norm that rounding may add to a bound; it adds less
LARGEST = 129  # dimensions: 2 * 129 * 255^2 < 2^24
N_BANDS = 3


def codebook(samples: Vectors, words: int, rng: np.random.Generator) -> Vectors:
    """Return a codebook by k-means: greedy k-means++ (Arthur and Vassilvitskii 2007) among samples, then Lloyd's steps.

    The steps end when no sample changes its word, or after ITERATIONS. A word without samples is replaced by the sample
    farthest from its centre, a second such word by the second farthest, and so on.

    Parameters
    ----------
    samples : ndarray of uint8 (N, D)
        Descriptors, D of at most 129.
    words : int
        Number of centres.
    rng : Generator
        Random numbers for the first centres.

    Returns
    -------
    ndarray of uint8 (words, D)
        The centres.

    Raises
    ------
    DataError
        If there are fewer distinct samples than words.
    """
    check(samples)
    centres = _seed(samples, words, rng)
    nearest = np.full(len(samples), -1, dtype=np.int32)
    for _ in range(ITERATIONS):
        previous, (nearest, distances) = nearest, Centres(centres).nearest(samples)
        if np.array_equal(nearest, previous):
            break
        sums, counts = np.zeros(centres.shape, dtype=np.int64), np.bincount(nearest, minlength=words)
        _sum(samples, nearest, sums)
        if len(empty := np.flatnonzero(counts == 0)):
            sums[empty] = samples[np.argsort(-distances, kind="stable")[: len(empty)]]
            counts[empty] = 1
        centres = ((2 * sums + counts[:, None]) // (2 * counts[:, None])).astype(np.uint8)
    return centres


class Centres:
    """The centres of a codebook, prepared for finding the nearest ones of many vectors.

    Components in orthonormal directions V, and the norms of what they leave, bound a distance from below:

        ||x - c||^2 >= ||V'x - V'c||^2 + (||x - VV'x|| - ||c - VV'c||)^2

    A distance is computed only if its bound is not above the distance to the centre with the least bound. In few
    dimensions all distances are computed.

    Parameters
    ----------
    centres : ndarray of uint8 (words, D)
        The codebook, D of at most 129.
    """

    def __init__(self, centres: Vectors) -> None:
        check(centres)
        self._centres, self._squares, self._directions = centres, _squares(centres), None
        floats = centres.astype(np.float32)
        if centres.shape[1] > 2 * DIRECTIONS:
            eigenvectors = np.linalg.eigh(floats.astype(np.float64).T @ floats)[1]
            self._directions = eigenvectors[:, -DIRECTIONS:].astype(np.float32)
        # The squared norm of a vector is the same for all centres, and left out of distances and bounds.
        factors = np.float32(-2.0) * self._components(floats, self._squares)
        factors[:, -1] = self._squares
        self._factors = factors.T.copy()

    def __len__(self) -> int:
        """Return the number of centres."""
        return len(self._centres)

    def nearest(self, vectors: Vectors) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return each vector's nearest centre, the first one at a tie, and the squared distance to it."""
        check(vectors)
        nearest, distances = np.empty((2, len(vectors)), dtype=np.int32)
        products = np.empty((BLOCK, len(self)), dtype=np.float32)
        for start in range(0, len(vectors), BLOCK):
            part = slice(start, start + BLOCK)
            block, squares = vectors[part].astype(np.float32), _squares(vectors[part])
            bounds = np.matmul(self._components(block, squares), self._factors, out=products[: len(block)])
            nearest[part] = bounds.argmin(axis=1)
            if self._directions is None:
                distances[part] = bounds[np.arange(len(block)), nearest[part]] + squares
                continue
            slack = SLACK * max(squares.max(), self._squares.max()) - squares
            _compare(vectors[part], self._centres, bounds, slack, nearest[part], distances[part])
        return nearest, distances

    def _components(self, vectors: NDArray[np.float32], squares: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return vectors, or their components and the norms of what these leave, with a column of ones."""
        if self._directions is None:
            return np.column_stack([vectors, np.ones(len(vectors), dtype=np.float32)])
        components = np.ones((len(vectors), DIRECTIONS + 2), dtype=np.float32)
        inside = np.matmul(vectors, self._directions, out=components[:, :-2])
        components[:, -2] = np.sqrt(np.maximum(squares - np.einsum("ij,ij->i", inside, inside), 0.0))
        return components


def bag(local: Local, centres: Centres) -> dict[str, NDArray[np.int32]]:
    """Return the counts of an image's words, for each layout.

    Parameters
    ----------
    local : Local
        Descriptors of the image.
    centres : Centres
        The codebook.

    Returns
    -------
    dict of ndarray of int32
        "": (words,); "v3h1": (3 words,), three bands from top to bottom.
    """
    words = len(centres)
    bins = np.floor(local.heights * N_BANDS).astype(np.int64) * words + centres.nearest(local.vectors)[0]
    counts = np.bincount(bins, minlength=N_BANDS * words).astype(np.int32)
    return {"": counts.reshape(N_BANDS, words).sum(axis=0, dtype=np.int32), "v3h1": counts}


def check(vectors: Vectors) -> None:
    """Raise DataError unless the type and the dimension of vectors make distances exact."""
    if vectors.dtype != np.uint8 or vectors.ndim != 2 or vectors.shape[1] > LARGEST:
        got = f"{vectors.dtype} of shape {vectors.shape}"
        raise DataError(f"visual words: expected rows of uint8 with at most {LARGEST} columns, got {got}")


def _squares(vectors: Vectors) -> NDArray[np.int32]:
    return np.asarray(np.square(vectors, dtype=np.int32).sum(axis=1, dtype=np.int32))


def _seed(samples: Vectors, words: int, rng: np.random.Generator) -> Vectors:
    """Return the first centres, drawn among distinct samples by their squared distances from previous centres."""
    rows = np.ascontiguousarray(samples).view(np.dtype((np.void, samples.shape[1])))[:, 0]
    first = np.unique(rows, return_index=True)[1]
    if len(first) < words:
        raise DataError(f"codebook: expected at least {words} distinct samples, got {len(first)}")
    candidates = samples[rng.choice(first, min(len(first), SEEDED * words), replace=False)]
    floats, squares = candidates.astype(np.float32), _squares(candidates)
    chosen = [0]
    nearest = squares + squares[0] - 2 * (floats @ floats[0]).astype(np.int32)
    for _ in range(1, words):
        mass = nearest.cumsum(dtype=np.int64)
        trials = np.searchsorted(mass, rng.integers(mass[-1], size=TRIALS), side="right")
        products = (floats[trials] @ floats.T).astype(np.int32)
        nearer = np.minimum(nearest, squares + squares[trials, None] - 2 * products)
        best = nearer.sum(axis=1, dtype=np.int64).argmin()
        chosen.append(int(trials[best]))
        nearest = nearer[best]
    return np.asarray(candidates[chosen])


@njit(cache=True)
def _compare(vectors, centres, bounds, slack, nearest, distances):  # type: ignore[no-untyped-def]
    """Replace the centre of the least bound by the nearest centre of each vector, and write its squared distance.

    Bounds are without the squared norms of the vectors; `slack` has these, and what rounding may add.
    """
    possible = np.empty(len(centres) + 1, dtype=np.int32)
    for i in range(len(vectors)):
        best, row = nearest[i], bounds[i]
        distance = _squared_distance(vectors[i], centres[best])
        limit, count = np.float32(distance + slack[i]), 0
        # Without a branch, which would be mispredicted.
        for c in range(len(centres)):
            possible[count] = c
            count += row[c] <= limit
        for c in possible[:count]:
            other = _squared_distance(vectors[i], centres[c])
            if other < distance or (other == distance and c < best):
                best, distance = c, other
        nearest[i], distances[i] = best, distance


@njit(cache=True)
def _squared_distance(x, y):  # type: ignore[no-untyped-def]
    total = np.int64(0)
    for d in range(x.size):
        difference = np.int64(x[d]) - np.int64(y[d])
        total += difference * difference
    return total


@njit(cache=True)
def _sum(vectors, nearest, sums):  # type: ignore[no-untyped-def]
    for i in range(len(vectors)):
        sums[nearest[i]] += vectors[i]
