"""Kernel values between examples, as those of a stream, and support vectors that are stored as vectors.

Units and scales come from a sample, or from the training examples, and stay as they are. Gaussian kernels have an
exponential of their own, which the compiler turns into instructions on vectors: it takes a fifth of the time of the C
library's. Its error is below 2^-51, and values below 1e-307 are 0. Last bits therefore differ from those of
`grambench.kernels.computed`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Indices
from grambench.kernels.functions import FAMILIES, Kernel, exponential, gaussian
from grambench.kernels.grams import squared_distances
from grambench.kernels.pools import BoundKernels
from grambench.kernels.units import Measures

# In 32 bits: the squared norm of an example's features, of which classifiers add millions, and the norm of an example
# in units of a Gaussian's width.
LARGEST, FARTHEST = 1e30, 1e36
LOWEST = -709.0  # logarithm at which a value becomes 0
LOG2E = 1.0 / math.log(2.0)
# ln 2 in two parts, of which the first has so few digits that its products with whole numbers are exact
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROUND = 1.5 * 2.0**52  # adding it leaves a whole number in the last bits
# of families of polynomials ((c + <x, x'>) / a)^p: the constant c and the divisor a
POLYNOMIALS = {
    "polynomial": (0.0, 1.0),
    "inhomogeneous": (1.0, 1.0),
    "meanpolynomial": (1.0, 1.0),
    "unitpolynomial": (1.0, 2.0),
}
T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12 = (1.0 / math.factorial(k) for k in range(2, 13))  # Taylor's series


class MeasuredKernel(NamedTuple):
    """A kernel with its unit and its scale, and sigma of exp(-||x - x'||^2 / (2 sigma^2)) if it is Gaussian."""

    kernel: Kernel
    unit: float | None
    factor: float
    width: float | None


def _width(kernel: Kernel, unit: float | None) -> float | None:
    """Return sigma of exp(-||x - x'||^2 / (2 sigma^2)); None for another function of squared distances or of others."""
    function, squared_unit = FAMILIES[kernel.family].function, 1.0 if unit is None else unit
    if kernel.reads != "squared" or function not in (gaussian, exponential):
        return None
    if function is gaussian:
        return kernel.parameter * float(np.sqrt(squared_unit))
    return float(np.sqrt(0.5 * kernel.parameter * squared_unit))


def kernel_values(kernel: Kernel, unit: float | None, inner: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return the values of a kernel, (b, c), from inner products (b, c) and squared norms (b,) and (c,)."""
    base, out = inner, np.empty_like(inner)
    if kernel.reads == "squared":
        base = np.empty_like(inner)
        squared_distances(inner, rows, columns, base)
    kernel.fill(base, out, unit)
    return out


class VectorKernels:
    """m kernels on vectors or on groups of their columns, with units and scales of a sample.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels.
    sample : ndarray of float64 (n, d)
        Examples from which units and scales are taken.
    scale : bool
        Whether each kernel is scaled to a mean diagonal of 1 on the sample.
    columns : mapping of ndarray of int
        Positions of the columns by view.

    Raises
    ------
    ValueError
        If a kernel is no function of inner products, or there are no columns for its view.

    Attributes
    ----------
    measured : list of m MeasuredKernels
        The kernels with their units and scales.
    columns : dict
        The columns of each view that a kernel is on; "" has all.
    limit : float
        The largest value of a kernel that is not refused; LARGEST for features of 32 bits.
    """

    limit = np.inf

    def __init__(
        self, kernels: Sequence[Kernel], sample: Floats, *, scale: bool, columns: Mapping[str, Any] = {}
    ) -> None:
        if other := [kernel.name for kernel in kernels if kernel.base != "inner"]:
            raise ValueError(f"expected kernels of inner products, got {other[0]}")
        measures = BoundKernels(kernels, sample, trace=float(len(sample)) if scale else None, columns=columns).measures
        assert isinstance(measures, Measures)
        units = [measures.unit(k) for k in range(len(kernels))]
        self.measured = list(map(MeasuredKernel, kernels, units, measures.scales, map(_width, kernels, units)))
        views = dict.fromkeys(kernel.view for kernel in kernels)
        self.columns: dict[str, Any] = {view: columns[view] if view else slice(None) for view in views}
        self._finite_to = dict.fromkeys(self.columns, 0.0)
        self._places: dict[str, slice] = {}
        start = 0
        for view, places in self.columns.items():
            # The features of a view, and half of their squared norm.
            self._places[view] = slice(start, start + sample[:1, places].shape[1] + 1)
            start = self._places[view].stop

    def __len__(self) -> int:
        return len(self.measured)

    def with_norms(self, examples: Floats) -> Floats:
        """Return [x_v, ||x_v||^2 / 2] of b examples that `check` allows, view by view, (b, d_1 + 1 + ...)."""
        parts = []
        for places in self.columns.values():
            features = np.ascontiguousarray(examples[:, places])
            parts += [features, 0.5 * np.square(features).sum(axis=1, keepdims=True)]
        return np.concatenate(parts, axis=1)

    def check(self, examples: Floats) -> None:
        """Raise ValueError if a kernel's values of b examples would not be finite, or would be beyond the limit."""
        for view, places in self.columns.items():
            features = examples[:, places]
            largest = float(np.einsum("ij,ij->i", features, features).max(initial=0.0))
            if not largest <= self._finite_to[view]:
                for kernel, unit, factor, width in self.measured:
                    # Where a projection on a frequency may overflow in 32 bits, no value is below the limit.
                    far = self.limit < np.inf and math.sqrt(largest) > FARTHEST * min(1.0, width or 1.0)
                    if kernel.view == view:
                        kernel.refuse_infinite(largest, unit, -1.0 if far else self.limit / factor)
                self._finite_to[view] = largest

    def of_kernel(self, k: int, examples: Floats) -> Floats:
        """Return the view of kernel k of examples with their norms, [x_v, ||x_v||^2 / 2], (b, d_v + 1)."""
        return examples[:, self._places[self.measured[k].kernel.view]]

    def values(self, k: int, rows: Floats, columns: Floats) -> Floats:
        """Return the values of kernel k between examples as `of_kernel` returns them, (b, c)."""
        kernel, unit, factor, width = self.measured[k]
        values = rows[:, :-1] @ columns[:, :-1].T
        if width is not None:
            norms = columns[:, -1].copy()
            _write_gaussians(values, rows[:, -1].copy(), norms, 1.0 / width**2, factor, np.empty_like(norms))
            return values
        out = kernel_values(kernel, unit, values, 2.0 * rows[:, -1], 2.0 * columns[:, -1])
        return np.multiply(out, factor, out=out)


class VectorSource:
    """Support vectors of m classifiers, one for each kernel, as vectors; a `Source` of `grambench.algorithms.bounded`.

    Parameters
    ----------
    kernels : VectorKernels
        The kernels.

    Attributes
    ----------
    count : int
        The number of classifiers, m.
    """

    def __init__(self, kernels: VectorKernels) -> None:
        self._kernels, self.count = kernels, len(kernels)
        # The support vectors of a classifier are the rows of its buffer from the first to the second number.
        self._buffers: list[Floats] = [np.empty((0, 0))] * self.count
        self._bounds = [(0, 0)] * self.count

    def prepare(self, examples: Floats) -> Floats:
        """Return the block of examples (b, d) that the other methods get."""
        return self._kernels.with_norms(examples)

    def values(self, classifier: int, older: int, block: Floats, learning: bool = True) -> Floats:
        """Return kernel values, (r + b, s + b), see Source."""
        block = self._kernels.of_kernel(classifier, block)
        if learning:
            self._reserve(classifier, block)
        buffer, (first, end) = self._buffers[classifier], self._bounds[classifier]
        if learning:
            # Behind the support vectors, so that one product has the values with both.
            buffer[end : end + len(block)] = block
            columns = buffer[first : end + len(block)]
        else:
            columns = np.concatenate([buffer[first:end], block]) if end > first else block
        rows = np.concatenate([columns[:older], block]) if older else block
        return self._kernels.values(classifier, rows, columns)

    def replace(self, classifier: int, first: int, block: Floats, added: Indices) -> None:
        """Remove the oldest support vectors and append examples, see Source."""
        start, end = self._bounds[classifier]
        self._buffers[classifier][end : end + len(added)] = self._kernels.of_kernel(classifier, block)[added]
        self._bounds[classifier] = start + first, end + len(added)

    def _reserve(self, classifier: int, block: Floats) -> None:
        """Make room for a block behind the support vectors of a classifier."""
        buffer, (first, end) = self._buffers[classifier], self._bounds[classifier]
        if end + len(block) <= len(buffer):
            return
        # With twice the rows, support vectors are moved once for as many additions as there are of them.
        larger = np.empty((2 * (end - first + len(block)), block.shape[1]))
        if end > first:
            larger[: end - first] = buffer[first:end]
        self._buffers[classifier], self._bounds[classifier] = larger, (0, end - first)


class KernelSum:
    """f(x) = sum_k weights_k sum_s dual_s k_k(x, x_s) + bias of kernels on vectors, in one pass over inner products.

    Parameters
    ----------
    measures : Measures
        m kernels of inner products, bound to vectors.
    support : ndarray of int (s,)
        The support vectors among the training examples.
    weights, dual : ndarray of float64 (m,) and (s,)
        Weights of the kernels, and coefficients of the support vectors.
    bias : float
        The offset.
    """

    @staticmethod
    def takes(kernels: Sequence[Kernel]) -> bool:
        """Return whether all kernels are Gaussians or polynomials, which it adds up in its own loop."""
        return all(kernel.family in POLYNOMIALS or _width(kernel, 1.0) is not None for kernel in kernels)

    def __init__(self, measures: Measures, support: Indices, weights: Floats, dual: Floats, bias: float) -> None:
        self._measures, self._used = measures, np.flatnonzero(weights).tolist()
        self._vectors, self._dual, self._bias = measures.train.features[""][support], dual, bias
        self._norms, gaussians, polynomials = _half_norms(self._vectors), [], []
        for k in self._used:
            kernel, unit, weight = measures.kernels[k], measures.unit(k), weights[k] * measures.scales[k]
            if (width := _width(kernel, unit)) is not None:
                gaussians.append((1.0 / width**2, weight))
            else:
                constant, divisor = POLYNOMIALS[kernel.family]
                polynomials.append((1.0 / (divisor * (unit or 1.0)), constant / divisor, kernel.parameter, weight))
        self._gaussians, self._polynomials = np.array(gaussians).reshape(-1, 2), np.array(polynomials).reshape(-1, 4)

    def scores(self, examples: Floats) -> Floats:
        """Return f(x), (t,); raise ValueError if a kernel's values would not be finite."""
        norms = _half_norms(examples)
        largest = 2.0 * max(float(norms.max(initial=0.0)), float(self._norms.max(initial=0.0)))
        for k in self._used:
            self._measures.check(k, largest)
        values = examples @ self._vectors.T
        _sum_kernels(values, norms, self._norms, self._gaussians, self._polynomials, np.empty((4, values.shape[1])))
        return np.asarray(values @ self._dual + self._bias)


def _half_norms(examples: Floats) -> Floats:
    return np.asarray(0.5 * np.einsum("ij,ij->i", examples, examples))


@njit(cache=True)
def _sum_kernels(values, row_norms, column_norms, gaussians, polynomials, buffers):  # type: ignore[no-untyped-def]
    """Replace inner products by weighted sums of kernel values.

    Parameters
    ----------
    values : ndarray of float64 (t, s)
        Inner products; changed in place.
    row_norms, column_norms : ndarray of float64 (t,) and (s,)
        Half of the squared norms.
    gaussians : ndarray of float64 (g, 2)
        1 / sigma^2 and the weight of each Gaussian.
    polynomials : ndarray of float64 (p, 4)
        a, b, the degree and the weight of each polynomial of a <x, x'> + b.
    buffers : ndarray of float64 (4, s)
        Overwritten.
    """
    s, total, base, terms, powers = column_norms.size, buffers[0], buffers[1], buffers[2], buffers[3]
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(s):
            total[j] = 0.0
        for k in range(gaussians.shape[0]):
            for j in range(s):
                terms[j] = gaussians[k, 0] * min(0.0, row[j] - row_norms[i] - column_norms[j])
            _exponentiate(terms, gaussians[k, 1], powers)
            for j in range(s):
                total[j] += terms[j]
        for k in range(polynomials.shape[0]):
            for j in range(s):
                base[j] = polynomials[k, 0] * row[j] + polynomials[k, 1]
                terms[j] = polynomials[k, 3]
            for _ in range(int(polynomials[k, 2])):
                for j in range(s):
                    terms[j] *= base[j]
            for j in range(s):
                total[j] += terms[j]
        for j in range(s):
            row[j] = total[j]


@njit(cache=True)
def _exponentiate(values, factor, powers):  # type: ignore[no-untyped-def]
    """Replace values up to 0, (c,), by factor * exp(value); `powers`, (c,), is overwritten."""
    bits = powers.view(np.int64)
    for j in range(values.size):
        v = max(LOWEST, values[j])
        # exp(v) = 2^n exp(r) with a whole number n and |r| <= ln(2) / 2.
        powers[j] = v * LOG2E + ROUND
        n = powers[j] - ROUND
        r = (v - n * LN2_HIGH) - n * LN2_LOW
        p = T8 + r * (T9 + r * (T10 + r * (T11 + r * T12)))
        p = T3 + r * (T4 + r * (T5 + r * (T6 + r * (T7 + r * p))))
        values[j] = factor * (1.0 + r * (1.0 + r * (T2 + r * p)))
    # The bits of a float64 that is 2^n; those of n = -1023 are 0. Loops of their own let the compiler use vectors.
    for j in range(values.size):
        bits[j] = (bits[j] << 52) + (np.int64(1023) << 52)
    for j in range(values.size):
        values[j] *= powers[j]


@njit(cache=True)
def _write_gaussians(values, row_norms, column_norms, rate, factor, powers):  # type: ignore[no-untyped-def]
    """Replace inner products by factor * exp(-rate ||x - x'||^2 / 2).

    Parameters
    ----------
    values : ndarray of float64 (b, c)
        Inner products; changed in place.
    row_norms, column_norms : ndarray of float64 (b,) and (c,)
        Half of the squared norms.
    rate, factor : float
        1 / sigma^2, and the scale of the kernel.
    powers : ndarray of float64 (c,)
        Overwritten.
    """
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(row.size):
            # Rounding may put a distance of almost 0 below it.
            row[j] = rate * min(0.0, row[j] - row_norms[i] - column_norms[j])
        _exponentiate(row, factor, powers)
