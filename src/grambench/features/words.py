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
BLOCK = 256  # vectors whose distances to a thousand centres fit into the cache
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
        previous, (nearest, distances) = nearest, nearest_words(samples, centres)
        if np.array_equal(nearest, previous):
            break
        sums, counts = np.zeros(centres.shape, dtype=np.int64), np.bincount(nearest, minlength=words)
        _sum(samples, nearest, sums)
        if len(empty := np.flatnonzero(counts == 0)):
            sums[empty] = samples[np.argsort(-distances, kind="stable")[: len(empty)]]
            counts[empty] = 1
        centres = ((2 * sums + counts[:, None]) // (2 * counts[:, None])).astype(np.uint8)
    return centres


def nearest_words(vectors: Vectors, centres: Vectors) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return each vector's nearest centre, the first one at a tie, and the squared distance to it."""
    check(vectors)
    check(centres)
    # The squared norm of a vector is the same for all centres, and added to the least distance alone.
    factors = np.vstack([-2 * centres.T.astype(np.int32), _squares(centres)]).astype(np.float32)
    nearest, distances = np.empty((2, len(vectors)), dtype=np.int32)
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK]
        products = np.column_stack([block, np.ones(len(block))]).astype(np.float32) @ factors
        nearest[start : start + BLOCK] = products.argmin(axis=1)
        distances[start : start + BLOCK] = products.min(axis=1) + _squares(block)
    return nearest, distances


def bag(local: Local, centres: Vectors) -> dict[str, NDArray[np.int32]]:
    """Return the counts of an image's words, for each layout.

    Parameters
    ----------
    local : Local
        Descriptors of the image.
    centres : ndarray of uint8 (words, D)
        The codebook.

    Returns
    -------
    dict of ndarray of int32
        "": (words,); "v3h1": (3 words,), three bands from top to bottom.
    """
    words = len(centres)
    bins = np.floor(local.heights * N_BANDS).astype(np.int64) * words + nearest_words(local.vectors, centres)[0]
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
def _sum(vectors, nearest, sums):  # type: ignore[no-untyped-def]
    for i in range(len(vectors)):
        sums[nearest[i]] += vectors[i]
