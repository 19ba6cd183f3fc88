"""Combinations of Gram matrices, K(theta) = sum_m theta_m K_m, with rows computed on demand.

An SVM reads the rows of its support vectors and of the examples that its steps change. If these are few, most of a
combined Gram matrix is never formed; if they are most, its lower triangle is. Compiled code reads a row by
`row(rows, i)`.
"""

from typing import NamedTuple, Protocol
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats

MOST_ROWS = 0.6  # share of the rows from which on the lower triangle and its reflection are less work
TILE = 32  # rows and columns that are reflected at a time, which the processor's cache holds

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

    def quadratic_forms(self, vectors: Floats) -> Floats:
        """Return v' K_m v for every base kernel, (..., m), of vectors v, (..., n), reading only rows where v is not 0.

        Forms of two vectors at once take less time than one by one, since both read the same matrices.
        """
        m, n = self.grams.shape[:2]
        sizes = np.count_nonzero(vectors, axis=-1)
        self._added += int((m * sizes**2 // (2 * n)).sum())  # lower triangles
        return np.asarray(_quadratic_forms(self.grams, vectors.reshape(-1, n)).reshape(*vectors.shape[:-1], m))

    def diagonal_sums(self, vector: Floats) -> Floats:
        """Return sum_i v_i K_m,ii of every base kernel, (m,)."""
        return np.asarray(self.diagonals @ vector)

    def compute(self, examples: NDArray[np.bool_]) -> None:
        """Compute all rows together if that is less work than the rows of these examples, (n,), one by one."""
        n = examples.size
        if np.count_nonzero(examples & ~self.rows.computed) > MOST_ROWS * n:
            added = self.row_additions + int(np.count_nonzero(self.rows.weights)) * n // 2
            _compute_all(self.rows)
            self._added += added - self.row_additions

    def product(self, vector: Floats) -> Floats:
        """Return K(theta) v, an array (n,)."""
        self._added += int(np.count_nonzero(vector))
        self.compute(vector != 0.0)
        return np.asarray(product(self.rows, vector))

    def update_images(self, images: Floats, change: Floats) -> None:
        """Add K_m d to every K_m v, (m, n), for a change d of v, reading only the rows where d is not 0."""
        changed = np.flatnonzero(change)
        self._added += changed.size * len(self.grams)
        add_rows(self.grams, changed, change[changed], images)

    def block(self, examples: NDArray[np.int64]) -> Floats:
        """Return K(theta) among c examples, (c, c), from the base kernels' lower triangles."""
        used = int(np.count_nonzero(self.rows.weights))
        self._added += used * examples.size**2 // (2 * self.grams.shape[1])
        return np.asarray(_block(self.rows, examples))


class Kernels(Protocol):
    """Sums over m kernels among n examples, such as a pool computes them."""

    def mixture(self, weights: Floats) -> Floats:
        """Return sum_m weights_m K_m, (n, n)."""

    def quadratic_forms(self, vector: Floats) -> Floats:
        """Return v'K_m v of every kernel, (m,)."""

    def diagonal(self) -> Floats:
        """Return the kernel values of the examples with themselves, (m, n)."""


class SummedCombination(Combination):
    """A combination of kernels that are not stored: K(theta) is computed whole, again whenever theta changes.

    Parameters
    ----------
    kernels : Kernels
        Sums over the kernels.
    """

    def __init__(self, kernels: Kernels) -> None:
        self._kernels, self.diagonals = kernels, kernels.diagonal()
        n, none = self.diagonals.shape[1], np.empty(0)
        self._theta, self._added = none, 0
        self.rows = CombinationRows(np.empty((0, n, n)), none, np.zeros(n), np.empty((n, 0)), np.zeros(n, np.bool_))

    def reweight(self, weights: Floats) -> None:
        """Set theta, an array (m,), and compute K(theta) if it changes."""
        if not np.array_equal(weights, self._theta):
            single, added = Combination.single(self._kernels.mixture(weights)), self.row_additions
            self._theta, self.rows = weights.copy(), single.rows
            # The kernels count their evaluations, and the rows are complete.
            self._added += added - self.row_additions

    def quadratic_forms(self, vectors: Floats) -> Floats:
        """Return v' K_m v for every base kernel, (..., m), of vectors v, (..., n)."""
        forms = [self._kernels.quadratic_forms(vector) for vector in vectors.reshape(-1, vectors.shape[-1])]
        return np.stack(forms).reshape(*vectors.shape[:-1], -1)

    def diagonal_sums(self, vector: Floats) -> Floats:
        """Return sum_i v_i K_m,ii of every base kernel, (m,)."""
        # A matrix product would copy a diagonal of ones that takes no memory.
        return np.asarray(np.einsum("mi,i->m", self.diagonals, vector))


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
    if not rows.computed[i]:
        _combine(rows, i, rows.computed.size)
        rows.computed[i] = True
    return rows.cache[i]


@njit(cache=True)
def _combine(rows, i, stop):  # type: ignore[no-untyped-def]
    """Compute the first `stop` entries of row i."""
    values = rows.cache[i, :stop]
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


@njit(cache=True)
def _compute_all(rows):  # type: ignore[no-untyped-def]
    cache, n = rows.cache, rows.computed.size
    for i in range(n):
        _combine(rows, i, i + 1)
    for top in range(0, n, TILE):
        for left in range(0, top + 1, TILE):
            for i in range(top, min(top + TILE, n)):
                for j in range(left, min(left + TILE, i)):
                    cache[j, i] = cache[i, j]
    rows.computed[:] = True


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
def _quadratic_forms(grams, vectors):  # type: ignore[no-untyped-def]
    forms = np.empty((len(vectors), len(grams)))
    # A matrix is used for all vectors while the processor's cache holds it.
    for m in range(len(grams)):
        for k in range(len(vectors)):
            forms[k, m] = _quadratic_form(grams[m], vectors[k])
    return forms


@njit(cache=True)
def _quadratic_form(gram, vector):  # type: ignore[no-untyped-def]
    support = np.flatnonzero(vector)
    v, in_fours, total = vector[support], support.size - support.size % 4, 0.0
    sums = _sums_by_row(gram, support, v) if 2 * support.size < vector.size else _sums_by_column(gram, support, v)
    for a in range(0, in_fours, 4):
        total += 2.0 * (v[a] * sums[a] + v[a + 1] * sums[a + 1] + v[a + 2] * sums[a + 2] + v[a + 3] * sums[a + 3])
        # The block on the diagonal is read as a whole, since the sums end before it.
        for p in range(a, a + 4):
            for q in range(a, a + 4):
                total += v[p] * v[q] * gram[support[p], support[q]]
    for a in range(in_fours, support.size):
        total += v[a] * (2.0 * sums[a] + v[a] * gram[support[a], support[a]])
    return total


@njit(cache=True)
def _sums_by_row(gram, support, v):  # type: ignore[no-untyped-def]
    """Return the sum of v_b K_ab over all b before the block of a, which is four rows or one of the last rows."""
    sums, in_fours = np.zeros(support.size), support.size - support.size % 4
    # Four rows at a time share the reads of their columns.
    for a in range(0, in_fours, 4):
        r0, r1, r2, r3 = gram[support[a]], gram[support[a + 1]], gram[support[a + 2]], gram[support[a + 3]]
        s0 = s1 = s2 = s3 = 0.0
        for b in range(a):
            column = support[b]
            s0 += v[b] * r0[column]
            s1 += v[b] * r1[column]
            s2 += v[b] * r2[column]
            s3 += v[b] * r3[column]
        sums[a], sums[a + 1], sums[a + 2], sums[a + 3] = s0, s1, s2, s3
    for a in range(in_fours, support.size):
        for b in range(a):
            sums[a] += v[b] * gram[support[a], support[b]]
    return sums


@njit(cache=True)
def _sums_by_column(gram, support, v):  # type: ignore[no-untyped-def]
    """Return the same sums, to the last bit, as those of a whole column at a time; faster if v has few zeros."""
    image, in_eights = np.zeros(len(gram)), support.size - support.size % 8
    # Eight columns at a time, so that the sums are read and written less often. Each is a row, since K is symmetric,
    # and the compiler handles several of its entries at a time.
    for a in range(0, in_eights, 8):
        i, stop = support[a : a + 8], support[a + 7] + 1
        d0, d1, d2, d3, d4, d5, d6, d7 = v[a], v[a + 1], v[a + 2], v[a + 3], v[a + 4], v[a + 5], v[a + 6], v[a + 7]
        for j in i[4:]:
            image[j] = image[j] + d0 * gram[i[0], j] + d1 * gram[i[1], j] + d2 * gram[i[2], j] + d3 * gram[i[3], j]
        r0, r1, r2, r3 = gram[i[0], stop:], gram[i[1], stop:], gram[i[2], stop:], gram[i[3], stop:]
        r4, r5, r6, r7 = gram[i[4], stop:], gram[i[5], stop:], gram[i[6], stop:], gram[i[7], stop:]
        rest = image[stop:]
        for j in range(rest.size):
            first = rest[j] + d0 * r0[j] + d1 * r1[j] + d2 * r2[j] + d3 * r3[j]
            rest[j] = first + d4 * r4[j] + d5 * r5[j] + d6 * r6[j] + d7 * r7[j]
    for a in range(support.size - support.size % 4, support.size):
        for b in range(in_eights, a):
            image[support[a]] += v[b] * gram[support[b], support[a]]
    return image[support]


@njit(cache=True)
def add_rows(grams, changed, change, images):  # type: ignore[no-untyped-def]
    """Add sum_c change_c K_m,i_c to every image, (m, n), for the rows i_c of `changed`."""
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
