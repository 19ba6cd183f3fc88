"""Combinations of Gram matrices, K(theta) = sum_m theta_m K_m, with rows computed on demand.

An SVM reads the rows of the examples that its steps change, and after a warm start these are few. Most of a combined
Gram matrix is never formed. Compiled code reads a row by `row(rows, i)`.
"""

from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.common.types import Floats

_checked = WeakValueDictionary[int, Floats]()  # read-only arrays that are finite, by their id


class CombinationRows(NamedTuple):
    """The data of a combination for compiled code; m kernels, n examples.

    Attributes
    ----------
    grams : ndarray of float64 (m, n, n)
        Base Gram matrices.
    weights : ndarray of float64 (m,)
        theta.
    diagonal : ndarray of float64 (n,)
        Diagonal of the combination.
    cache : ndarray of float64 (n, n)
        Rows of the combination; only computed ones are valid.
    computed : ndarray of bool (n,)
        Rows that the cache holds.
    """

    grams: Floats
    weights: Floats
    diagonal: Floats
    cache: Floats
    computed: NDArray[np.bool_]


class Combination:
    """A combination of base Gram matrices whose weights change.

    Parameters
    ----------
    grams : ndarray of float64 (m, n, n)
        Base Gram matrices, C-contiguous, symmetric and finite.

    Attributes
    ----------
    grams : ndarray of float64 (m, n, n)
        The base Gram matrices, read-only.
    diagonals : ndarray of float64 (m, n)
        Diagonals of the base Gram matrices.
    rows : CombinationRows
        Data for the solvers at the current weights.

    Raises
    ------
    ValueError
        If the array is malformed or not finite.
    """

    def __init__(self, grams: Floats) -> None:
        if grams.ndim != 3 or grams.shape[0] == 0 or grams.shape[1] != grams.shape[2] or grams.shape[1] == 0:
            raise ValueError(f"Gram matrices: expected an array (m, n, n) with m, n >= 1, got {grams.shape}")
        self.diagonals: Floats = np.ascontiguousarray(np.diagonal(grams, axis1=1, axis2=2))
        self.grams: Floats = np.ascontiguousarray(grams, dtype=np.float64).view()
        _check_finite(grams)
        self.grams.flags.writeable = False
        n = self.grams.shape[1]
        self._cache = np.empty((n, n))
        # Row additions, without those of the rows computed under the current weights.
        self._added = 0
        self.rows = self._rows(np.zeros(len(grams)))

    def _rows(self, weights: Floats) -> CombinationRows:
        n = self.grams.shape[1]
        return CombinationRows(self.grams, weights, weights @ self.diagonals, self._cache, np.zeros(n, dtype=np.bool_))

    @classmethod
    def single(cls, gram: Floats) -> "Combination":
        """Return the combination that is one Gram matrix (n, n)."""
        combination = cls(gram[None])
        combination.reweight(np.ones(1))
        full = np.ascontiguousarray(gram, dtype=np.float64)
        # Compiled code takes a writeable cache only, but writes nothing if all rows are computed.
        if full.flags.writeable:
            n = len(full)
            combination.rows = combination.rows._replace(cache=full, computed=np.ones(n, dtype=np.bool_))
            # Cancels the n computed rows, which needed no addition.
            combination._added = -n
        return combination

    @property
    def row_additions(self) -> int:
        """Number of additions of one array of n numbers to another in all methods so far."""
        return self._added + int(self.rows.computed.sum()) * int(np.count_nonzero(self.rows.weights))

    def reweight(self, weights: Floats) -> None:
        """Set theta, an array (m,); if it changes, computed rows are discarded."""
        if not np.array_equal(weights, self.rows.weights):
            self._added = self.row_additions
            self.rows = self._rows(np.array(weights, dtype=np.float64))

    def quadratic_forms(self, vector: Floats) -> Floats:
        """Return v' K_m v for every base kernel, an array (m,), reading only the rows and columns where v is not 0."""
        support = np.flatnonzero(vector)
        self._added += len(self.grams) * support.size**2 // (2 * vector.size)  # lower triangles
        return np.asarray(_quadratic_forms(self.grams, support, vector))

    def product(self, vector: Floats) -> Floats:
        """Return K(theta) v, an array (n,)."""
        self._added += int(np.count_nonzero(vector))
        return np.asarray(product(self.rows, vector))

    def update_images(self, images: Floats, change: Floats) -> None:
        """Add K_m d to every K_m v, (m, n), for a change d of v, reading only the rows where d is not 0."""
        changed = np.flatnonzero(change)
        self._added += changed.size * len(self.grams)
        _update_images(self.grams, changed, change[changed], images)

    def block(self, examples: NDArray[np.int64]) -> Floats:
        """Return K(theta) among c examples, (c, c), from the base kernels' lower triangles."""
        used = int(np.count_nonzero(self.rows.weights))
        self._added += used * examples.size**2 // (2 * self.grams.shape[1])
        return np.asarray(_block(self.rows, examples))


def _check_finite(grams: Floats) -> None:
    # Several fits share the read-only array of a pool, or one of its matrices, and a check can take as long as a fit.
    array = grams.base if isinstance(grams.base, np.ndarray) else grams
    if not grams.flags.writeable and array.shape[-2:] == grams.shape[-2:]:
        if _checked.get(id(array)) is array:
            return
        if _first_infinite(array.reshape(-1, *array.shape[-2:])) is None:
            _checked[id(array)] = array
            return
    if (m := _first_infinite(grams)) is not None:
        bad = int(np.count_nonzero(~np.isfinite(grams[m])))
        raise ValueError(f"Gram matrix {m}: expected finite entries, got {bad} that are not")


def _first_infinite(grams: Floats) -> int | None:
    ones = np.ones(grams.shape[-1])
    for m, gram in enumerate(grams):
        # A sum is not finite if one of its terms is not, and it needs no memory.
        if not np.isfinite(gram @ ones).all() and not np.isfinite(gram).all():
            return m
    return None


@njit(cache=True)
def row(rows, i):  # type: ignore[no-untyped-def]
    """Return row i of the combination, (n,), from the cache if it is computed."""
    values = rows.cache[i]
    if not rows.computed[i]:
        values[:] = 0.0
        used = np.flatnonzero(rows.weights)
        in_fours = used.size - used.size % 4
        # Four kernels at a time, so that the sum is read and written less often. The order of the additions decides
        # the last bits of all results, and so of published digits.
        for a in range(0, in_fours, 4):
            k0, k1, k2, k3 = used[a], used[a + 1], used[a + 2], used[a + 3]
            w0, w1, w2, w3 = rows.weights[k0], rows.weights[k1], rows.weights[k2], rows.weights[k3]
            r0, r1, r2, r3 = rows.grams[k0, i], rows.grams[k1, i], rows.grams[k2, i], rows.grams[k3, i]
            for j in range(values.size):
                values[j] += w0 * r0[j] + w1 * r1[j] + w2 * r2[j] + w3 * r3[j]
        for k in used[in_fours:]:
            weight, base = rows.weights[k], rows.grams[k, i]
            for j in range(values.size):
                values[j] += weight * base[j]
        rows.computed[i] = True
    return values


@njit(cache=True)
def product(rows, vector):  # type: ignore[no-untyped-def]
    """Return K(theta) v from the rows where v is not 0."""
    out = np.zeros(vector.size)
    for i in range(vector.size):
        if vector[i] != 0.0:
            values = row(rows, i)
            for j in range(out.size):
                out[j] += vector[i] * values[j]
    return out


@njit(cache=True)
def _quadratic_forms(grams, support, vector):  # type: ignore[no-untyped-def]
    forms, v = np.zeros(grams.shape[0]), vector[support]
    in_fours = support.size - support.size % 4
    for m in range(forms.size):
        gram, total = grams[m], 0.0
        # Four rows of the lower triangle at a time share the reads of their columns.
        for a in range(0, in_fours, 4):
            r0, r1, r2, r3 = gram[support[a]], gram[support[a + 1]], gram[support[a + 2]], gram[support[a + 3]]
            s0 = s1 = s2 = s3 = 0.0
            for b in range(a):
                column = support[b]
                s0 += v[b] * r0[column]
                s1 += v[b] * r1[column]
                s2 += v[b] * r2[column]
                s3 += v[b] * r3[column]
            total += 2.0 * (v[a] * s0 + v[a + 1] * s1 + v[a + 2] * s2 + v[a + 3] * s3)
            # The block on the diagonal is read as a whole, since the loop above ends before it.
            for p in range(a, a + 4):
                for q in range(a, a + 4):
                    total += v[p] * v[q] * gram[support[p], support[q]]
        for a in range(in_fours, support.size):
            base, off = gram[support[a]], 0.0
            for b in range(a):
                off += v[b] * base[support[b]]
            total += v[a] * (2.0 * off + v[a] * base[support[a]])
        forms[m] = total
    return forms


@njit(cache=True)
def _update_images(grams, changed, change, images):  # type: ignore[no-untyped-def]
    in_fours = changed.size - changed.size % 4
    for m in range(grams.shape[0]):
        gram, image = grams[m], images[m]
        # Four rows at a time, so that the image is read and written less often.
        for a in range(0, in_fours, 4):
            r0, r1, r2, r3 = gram[changed[a]], gram[changed[a + 1]], gram[changed[a + 2]], gram[changed[a + 3]]
            d0, d1, d2, d3 = change[a], change[a + 1], change[a + 2], change[a + 3]
            for j in range(image.size):
                image[j] += d0 * r0[j] + d1 * r1[j] + d2 * r2[j] + d3 * r3[j]
        for a in range(in_fours, changed.size):
            base, d = gram[changed[a]], change[a]
            for j in range(image.size):
                image[j] += d * base[j]


@njit(cache=True)
def _block(rows, examples):  # type: ignore[no-untyped-def]
    out = np.zeros((examples.size, examples.size))
    for m in np.flatnonzero(rows.weights):
        gram, weight = rows.grams[m], rows.weights[m]
        for a in range(examples.size):
            base = gram[examples[a]]
            for b in range(a + 1):
                out[a, b] += weight * base[examples[b]]
    for a in range(examples.size):
        for b in range(a):
            out[b, a] = out[a, b]
    return out
