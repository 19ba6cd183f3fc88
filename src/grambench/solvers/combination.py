"""Combinations of Gram matrices, K(theta) = sum_m theta_m K_m, with rows computed on demand.

An SVM reads the rows of its support vectors and of the examples that its steps change. If these are few, most of a
combined Gram matrix is never formed; if they are most, its lower triangle is. Compiled code reads a row by
`row(rows, i)`.
"""

from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit, operation
from grambench.common.types import Floats
from grambench.kernels.pool import Pool

MOST_ROWS = 0.6  # share of the rows from which on the lower triangle and its reflection are less work
TILE = 32  # rows and columns that are reflected at a time, which the processor's cache holds
ABOVE = np.triu(np.ones((TILE, TILE), dtype=np.bool_), 1)

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
    used : ndarray of int64 (u,)
        Kernels whose weight is not 0.
    """

    grams: Floats
    weights: Floats
    diagonal: Floats
    cache: Floats
    computed: NDArray[np.bool_]
    used: NDArray[np.int64]

    def row(self, i: int) -> Floats:
        """Return row i of the combination, (n,), from the cache if it is computed."""
        values = self.cache[i]
        if not self.computed[i]:
            _combine(self.grams, self.weights, self.used, i, values)
            self.computed[i] = True
        return values  # type: ignore[no-any-return]


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
        computed = np.zeros(n, dtype=np.bool_)
        used = np.flatnonzero(weights)
        return CombinationRows(self.grams, weights, weights @ self.diagonals, self._cache, computed, used)

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
        return self._added + int(self.rows.computed.sum()) * self.rows.used.size

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
        forms = np.empty((*vectors.shape[:-1], m))
        pairs = list(zip(vectors.reshape(-1, n), forms.reshape(-1, m), strict=True))
        # A matrix is used for all vectors while the processor's cache holds it.
        step = m if len(pairs) == 1 else 1
        for k in range(0, m, step):
            for vector, out in pairs:
                support = np.flatnonzero(vector)
                _write_forms(self.grams[k : k + step], support, vector[support], np.empty(n), out[k : k + step])
        return forms

    def diagonal_sums(self, vector: Floats) -> Floats:
        """Return sum_i v_i K_m,ii of every base kernel, (m,)."""
        return np.asarray(self.diagonals @ vector)

    def compute(self, examples: NDArray[np.bool_]) -> None:
        """Compute all rows together if that is less work than the rows of these examples, (n,), one by one."""
        n = examples.size
        if np.count_nonzero(examples & ~self.rows.computed) > MOST_ROWS * n:
            added = self.row_additions + self.rows.used.size * n // 2
            for i in np.arange(n):
                _combine(self.rows.grams, self.rows.weights, self.rows.used, i, self.rows.cache[i, : i + 1])
            self.rows.computed[:] = True
            # Rows above the diagonal, from tiles below it.
            for top in range(0, n, TILE):
                tile = self.rows.cache[top : top + TILE]
                self.rows.cache[:top, top : top + TILE] = tile[:, :top].T
                block = tile[:, top : top + TILE]
                np.copyto(block, block.T, where=ABOVE[: len(tile), : len(tile)])
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
        self._added += self.rows.used.size * examples.size**2 // (2 * self.grams.shape[1])
        return np.asarray(_block(self.rows, examples))


class SummedCombination(Combination):
    """A combination of kernels that are not stored: K(theta) is computed whole, again whenever theta changes.

    Parameters
    ----------
    pool : Pool
        m kernels among n examples, which is asked for sums over them.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool, self.diagonals = pool, pool.diagonal()
        n, none = self.diagonals.shape[1], np.empty(0)
        self._theta, self._added = none, 0
        empty: tuple[Floats, Floats, Floats, Floats] = np.empty((0, n, n)), none, np.zeros(n), np.empty((n, 0))
        self.rows = CombinationRows(*empty, np.zeros(n, np.bool_), np.flatnonzero(none))

    def reweight(self, weights: Floats) -> None:
        """Set theta, an array (m,), and compute K(theta) if it changes."""
        if not np.array_equal(weights, self._theta):
            single, added = Combination.single(self._pool.mixture(weights)), self.row_additions
            self._theta, self.rows = weights.copy(), single.rows
            # The pool counts its evaluations, and the rows are complete.
            self._added += added - self.row_additions

    def quadratic_forms(self, vectors: Floats) -> Floats:
        """Return v' K_m v for every base kernel, (..., m), of vectors v, (..., n)."""
        forms = [self._pool.quadratic_forms(vector) for vector in vectors.reshape(-1, vectors.shape[-1])]
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


@operation
def row(rows, i):  # type: ignore[no-untyped-def]
    """Return row i of a Gram matrix, (n,)."""


@njit(cache=True)
def _combine(grams, weights, used, i, values):  # type: ignore[no-untyped-def]
    """Compute the first entries of row i."""
    in_fours = used.size - used.size % 4
    for j in range(values.size):
        values[j] = 0.0
    # Four kernels at a time, so that the sum is read and written less often. The order of the additions decides
    # the last bits of all results, and so of published digits.
    for a in range(0, in_fours, 4):
        k0, k1, k2, k3 = used[a], used[a + 1], used[a + 2], used[a + 3]
        w0, w1, w2, w3 = weights[k0], weights[k1], weights[k2], weights[k3]
        for j in range(values.size):
            values[j] += w0 * grams[k0, i, j] + w1 * grams[k1, i, j] + w2 * grams[k2, i, j] + w3 * grams[k3, i, j]
    for a in range(in_fours, used.size):
        k, weight = used[a], weights[used[a]]
        for j in range(values.size):
            values[j] += weight * grams[k, i, j]


def product(rows: CombinationRows, vector: Floats) -> Floats:
    """Return K(theta) v from the rows where v is not 0."""
    used = np.flatnonzero(vector)
    for i in used[~rows.computed[used]]:
        rows.row(i)
    out = np.zeros(vector.size)
    _add_scaled(rows.cache, used, vector, out)
    return out


@njit(cache=True)
def _add_scaled(rows, used, factors, out):  # type: ignore[no-untyped-def]
    for i in used:
        factor = factors[i]
        for j in range(out.size):
            out[j] += factor * rows[i, j]


@njit(cache=True)
def _write_forms(grams, support, v, sums, forms):  # type: ignore[no-untyped-def]
    """Write v'K_m v of every kernel, from its lower triangle; `sums` is working memory."""
    in_fours = support.size - support.size % 4
    for m in range(forms.size):
        gram, total = grams[m], 0.0
        for j in range(sums.size):
            sums[j] = 0.0
        # Four columns at a time, so that the sums are read and written less often. Each is a row, since K is
        # symmetric, and the compiler handles several of its entries at a time.
        for a in range(0, in_fours, 4):
            i0, i1, i2, i3 = support[a], support[a + 1], support[a + 2], support[a + 3]
            d0, d1, d2, d3 = v[a], v[a + 1], v[a + 2], v[a + 3]
            total += 2.0 * (d0 * sums[i0] + d1 * sums[i1] + d2 * sums[i2] + d3 * sums[i3])
            # The block on the diagonal is read as a whole, since the sums end before it.
            for p in range(a, a + 4):
                for q in range(a, a + 4):
                    total += v[p] * v[q] * gram[support[p], support[q]]
            # Signed numbers could count from the end, which takes longer.
            for j in range(np.uintp(i3 + 1), np.uintp(sums.size)):
                sums[j] = sums[j] + d0 * gram[i0, j] + d1 * gram[i1, j] + d2 * gram[i2, j] + d3 * gram[i3, j]
        for a in range(in_fours, support.size):
            for b in range(in_fours, a):
                sums[support[a]] += v[b] * gram[support[b], support[a]]
            total += v[a] * (2.0 * sums[support[a]] + v[a] * gram[support[a], support[a]])
        forms[m] = total


@njit(cache=True)
def add_rows(grams, changed, change, images):  # type: ignore[no-untyped-def]
    """Add sum_c change_c K_m,i_c to every image, (m, n), for the rows i_c of `changed`."""
    in_fours = changed.size - changed.size % 4
    for m in range(grams.shape[0]):
        gram, image = grams[m], images[m]
        # Four rows at a time, so that the image is read and written less often.
        for a in range(0, in_fours, 4):
            i0, i1, i2, i3 = changed[a], changed[a + 1], changed[a + 2], changed[a + 3]
            d0, d1, d2, d3 = change[a], change[a + 1], change[a + 2], change[a + 3]
            for j in range(image.size):
                image[j] += d0 * gram[i0, j] + d1 * gram[i1, j] + d2 * gram[i2, j] + d3 * gram[i3, j]
        for a in range(in_fours, changed.size):
            i, d = changed[a], change[a]
            for j in range(image.size):
                image[j] += d * gram[i, j]


@njit(cache=True)
def _block(rows, examples):  # type: ignore[no-untyped-def]
    out = np.zeros((examples.size, examples.size))
    for m in rows.used:
        gram, weight = rows.grams[m], rows.weights[m]
        for a in range(examples.size):
            base = gram[examples[a]]
            for b in range(a + 1):
                out[a, b] += weight * base[examples[b]]
    for a in range(examples.size):
        for b in range(a):
            out[b, a] = out[a, b]
    return out
