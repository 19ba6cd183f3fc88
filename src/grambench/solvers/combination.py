"""Combinations of Gram matrices, K(theta) = sum_m theta_m K_m, of which only the rows that are asked for are computed.

An SVM reads the rows of the examples that its steps touch, and after a warm start these are few. So
most of a combined Gram matrix is never formed. Compiled code asks for a row by `row(rows, i)`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.common.types import Floats


class Rows(NamedTuple):
    """What compiled code needs of a combination; m kernels, n examples.

    Attributes
    ----------
    grams : ndarray of float64 (m, n, n)
        Base Gram matrices.
    weights : ndarray of float64 (m,)
        theta.
    diagonal : ndarray of float64 (n,)
        Diagonal of the combination.
    cache : ndarray of float64 (n, n)
        Rows of the combination, where known.
    known : ndarray of bool (n,)
        Which rows the cache holds.
    """

    grams: Floats
    weights: Floats
    diagonal: Floats
    cache: Floats
    known: NDArray[np.bool_]


class Combination:
    """A combination of base Gram matrices whose weights change.

    Parameters
    ----------
    grams : ndarray of float64 (m, n, n)
        Base Gram matrices, C-contiguous, symmetric and finite.

    Attributes
    ----------
    grams : ndarray of float64 (m, n, n)
        As given, read-only.
    diagonals : ndarray of float64 (m, n)
        Their diagonals.
    rows : Rows
        What the solvers take.

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
        _check_finite(self.grams)
        self.grams.flags.writeable = False
        n = self.grams.shape[1]
        self._cache = np.empty((n, n))
        self._added = 0  # rows, but for those known under the weights of now
        self.rows = self._rows(np.zeros(len(grams)))

    def _rows(self, weights: Floats) -> Rows:
        n = self.grams.shape[1]
        return Rows(self.grams, weights, weights @ self.diagonals, self._cache, np.zeros(n, dtype=np.bool_))

    @classmethod
    def single(cls, gram: Floats) -> "Combination":
        """Return the combination that is one Gram matrix (n, n)."""
        combination = cls(gram[None])
        combination.reweight(np.ones(1))
        whole = np.ascontiguousarray(gram, dtype=np.float64)
        if whole.flags.writeable:  # as compiled code wants a cache; with all rows known, nothing is written
            n = len(whole)
            combination.rows = combination.rows._replace(cache=whole, known=np.ones(n, dtype=np.bool_))
            combination._added = -n  # none had to be
        return combination

    @property
    def row_additions(self) -> int:
        """Additions of one array of n numbers to another so far: for rows, forms, products, moves and blocks."""
        return self._added + int(self.rows.known.sum()) * int(np.count_nonzero(self.rows.weights))

    def reweight(self, weights: Floats) -> None:
        """Set theta, an array (m,); rows of other weights are forgotten, equal weights keep them."""
        if not np.array_equal(weights, self.rows.weights):
            self._added = self.row_additions
            self.rows = self._rows(np.array(weights, dtype=np.float64))

    def quadratic_forms(self, vector: Floats) -> Floats:
        """Return v' K_m v for every base kernel, an array (m,), reading only the rows and columns where v is not 0."""
        support = np.flatnonzero(vector)
        self._added += len(self.grams) * support.size**2 // (2 * vector.size)  # lower triangles
        forms: Floats = _quadratic_forms(self.grams, support, vector)
        return forms

    def product(self, vector: Floats) -> Floats:
        """Return K(theta) v, an array (n,)."""
        self._added += int(np.count_nonzero(vector))
        image: Floats = product(self.rows, vector)
        return image

    def move(self, images: Floats, change: Floats) -> None:
        """Add K_m d to every K_m v, (m, n), for a change d of v, reading only the rows where d is not 0."""
        changed = np.flatnonzero(change)
        self._added += changed.size * len(self.grams)
        _move(self.grams, changed, change[changed], images)

    def block(self, chosen: NDArray[np.int64]) -> Floats:
        """Return K(theta) among c chosen examples, (c, c), from the base kernels' lower triangles."""
        used = int(np.count_nonzero(self.rows.weights))
        self._added += used * chosen.size**2 // (2 * self.grams.shape[1])
        among: Floats = _block(self.rows, chosen)
        return among


def _check_finite(grams: Floats) -> None:
    ones = np.ones(grams.shape[1])
    for m, gram in enumerate(grams):
        if np.isfinite(gram @ ones).all():  # a sum is not finite if one of its terms is not, and needs no memory
            continue
        if bad := int(np.count_nonzero(~np.isfinite(gram))):
            raise ValueError(f"Gram matrix {m}: expected finite entries, got {bad} that are not")


@njit(cache=True)
def row(rows, i):  # type: ignore[no-untyped-def]
    """Return row i of the combination, (n,), computing it when it is asked for first."""
    values = rows.cache[i]
    if not rows.known[i]:
        values[:] = 0.0
        used = np.flatnonzero(rows.weights)
        whole = used.size - used.size % 4
        # Four kernels at a time, so that the sum is read and written less often. The order of the additions decides
        # the last bits of all results, and so of published digits.
        for a in range(0, whole, 4):
            k0, k1, k2, k3 = used[a], used[a + 1], used[a + 2], used[a + 3]
            w0, w1, w2, w3 = rows.weights[k0], rows.weights[k1], rows.weights[k2], rows.weights[k3]
            r0, r1, r2, r3 = rows.grams[k0, i], rows.grams[k1, i], rows.grams[k2, i], rows.grams[k3, i]
            for j in range(values.size):
                values[j] += w0 * r0[j] + w1 * r1[j] + w2 * r2[j] + w3 * r3[j]
        for k in used[whole:]:
            weight, base = rows.weights[k], rows.grams[k, i]
            for j in range(values.size):
                values[j] += weight * base[j]
        rows.known[i] = True
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
    whole = support.size - support.size % 4
    for m in range(forms.size):
        gram, total = grams[m], 0.0
        # Four rows of the lower triangle at a time share the reads of their columns.
        for a in range(0, whole, 4):
            r0, r1, r2, r3 = gram[support[a]], gram[support[a + 1]], gram[support[a + 2]], gram[support[a + 3]]
            s0 = s1 = s2 = s3 = 0.0
            for b in range(a):
                column = support[b]
                s0 += v[b] * r0[column]
                s1 += v[b] * r1[column]
                s2 += v[b] * r2[column]
                s3 += v[b] * r3[column]
            total += 2.0 * (v[a] * s0 + v[a + 1] * s1 + v[a + 2] * s2 + v[a + 3] * s3)
            # The block on the diagonal is read whole, since the loop above ends before it.
            for p in range(a, a + 4):
                for q in range(a, a + 4):
                    total += v[p] * v[q] * gram[support[p], support[q]]
        for a in range(whole, support.size):
            base, off = gram[support[a]], 0.0
            for b in range(a):
                off += v[b] * base[support[b]]
            total += v[a] * (2.0 * off + v[a] * base[support[a]])
        forms[m] = total
    return forms


@njit(cache=True)
def _move(grams, changed, change, images):  # type: ignore[no-untyped-def]
    whole = changed.size - changed.size % 4
    for m in range(grams.shape[0]):
        gram, image = grams[m], images[m]
        # Four rows at a time, so that the image is read and written less often.
        for a in range(0, whole, 4):
            r0, r1, r2, r3 = gram[changed[a]], gram[changed[a + 1]], gram[changed[a + 2]], gram[changed[a + 3]]
            d0, d1, d2, d3 = change[a], change[a + 1], change[a + 2], change[a + 3]
            for j in range(image.size):
                image[j] += d0 * r0[j] + d1 * r1[j] + d2 * r2[j] + d3 * r3[j]
        for a in range(whole, changed.size):
            row_a, d = gram[changed[a]], change[a]
            for j in range(image.size):
                image[j] += d * row_a[j]


@njit(cache=True)
def _block(rows, chosen):  # type: ignore[no-untyped-def]
    out = np.zeros((chosen.size, chosen.size))
    for m in np.flatnonzero(rows.weights):
        gram, weight = rows.grams[m], rows.weights[m]
        for a in range(chosen.size):
            base = gram[chosen[a]]
            for b in range(a + 1):
                out[a, b] += weight * base[chosen[b]]
    for a in range(chosen.size):
        for b in range(a):
            out[b, a] = out[a, b]
    return out
