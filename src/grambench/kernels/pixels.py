"""A pool of kernels on blocks of 8-bit pixels, for so many images that no Gram matrix fits in memory.

Every kernel is a function of the cosine between two images in one view, or of the distance between their unit vectors.
Inner products of pixels are integers. Below 2^24 they are exact in float32 and int32 in any order of addition, so a
value has the same bits in a product of matrices, between one image and many, or alone. Pixels of 0 are skipped.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Indices
from grambench.kernels import pairs
from grambench.kernels.bases import Base, mean_squared_distance
from grambench.kernels.computed import Computed
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Pool, locked
from grambench.kernels.units import Measures

LARGEST = 258  # pixels of a view: 258 * 255^2 < 2^24
POWER, GAUSSIAN = 0.0, 1.0  # the two forms of a kernel as a function of the cosine
NEAR = 0.125  # the argument of an exponential is halved until it is at most this
FASTEST = 1e300  # largest rate of an exponential
SERIES = tuple(1.0 / math.factorial(k) for k in range(10))  # exp up to NEAR, with an error below 1e-15
CHUNK = 2048  # images whose inner products stay in a first-level cache, with what follows from them
COLUMNS = 2048  # images of one matrix product


class Pixels(Base):
    """The pixels of n images.

    Parameters
    ----------
    images : mapping of ndarray of uint8 (n, d)
        The images by view, with at most 258 pixels each.
    views : sequence of str
        The views to keep.

    Attributes
    ----------
    pixels : ndarray of uint8 (n, sum of d)
        All views, concatenated.
    bounds : ndarray of int (v + 1,)
        The first column of each view, and the number of columns.
    scales : ndarray of float64 (v, n)
        The reciprocal of each image's norm in each view, 0 for an image of zeros.
    """

    def __init__(self, images: Mapping[str, Any], views: Sequence[str]) -> None:
        self.features = locked({view: images[view] for view in views})
        for view, values in self.features.items():
            if values.dtype != np.uint8 or values.shape[1] > LARGEST:
                got = f"{values.dtype} of shape {values.shape}"
                raise ValueError(f"view {view}: expected bytes, at most {LARGEST} an image, got {got}")
        self.views = list(views)
        self.pixels = np.ascontiguousarray(np.hstack([self.features[view] for view in views]))
        self.bounds = np.cumsum([0, *(self.features[view].shape[1] for view in views)])
        self.scales = np.stack([pairs.scaled(self.features[view], 2).scales for view in views])

    def like(self, examples: Any) -> Self:
        """Return other images."""
        return type(self)(examples, self.views)

    def check(self, kernel: Kernel) -> None:
        """Raise ValueError for a kernel that is no function of the cosine."""
        is_linear = kernel.family == "polynomial" and kernel.parameter == 1.0
        if not is_linear and kernel.family not in ("unitpolynomial", "meangaussian"):
            raise ValueError(f"expected polynomial_p1, unitpolynomial or meangaussian, got {kernel.name}")
        super().check(kernel)

    def squares(self, view: str) -> Floats:
        """Return the squared norms of the images at norm 1, (n,)."""
        return np.asarray(self.scales[self.views.index(view)] > 0.0, dtype=np.float64)

    def mean(self, view: str, base: str) -> tuple[float, int]:
        """Return the mean squared distance between different images at norm 1."""
        scales = self.scales[self.views.index(view)]
        centre = scales @ self.features[view] / len(scales)
        return mean_squared_distance(float(np.mean(scales > 0.0)), centre, len(scales)), 0


class PixelPool(Computed):
    """Kernels on blocks of pixels; no Gram matrix is ever stored.

    Parameters
    ----------
    measures : Measures
        Kernels of the families polynomial (of degree 1), unitpolynomial and meangaussian.
    train, test : Pixels
        The images.
    family
        See Computed.
    """

    gram = Pool.gram

    def __init__(self, measures: Measures, train: Pixels, test: Pixels | None = None, family: Any = None) -> None:
        super().__init__(measures, train, test, family)
        self.kept = None  # type: ignore[assignment]
        self._forms = np.array([self._form(k, kernel) for k, kernel in enumerate(self.kernels)])

    def _form(self, k: int, kernel: Kernel) -> tuple[float, float, float, float]:
        """Return view, form, degree and offset of a kernel; of a Gaussian view, form, rate and number of halvings."""
        view, mean = self.train.views.index(kernel.view), self.measures.unit(k)
        if mean is None:
            return view, POWER, kernel.parameter, 0.0 if kernel.family == "polynomial" else 1.0
        rate = 2.0 / (kernel.parameter * mean)
        if not 0.0 < rate <= FASTEST:
            raise ValueError(f"{kernel.name}: expected a rate above 0 and up to {FASTEST:g}, got {rate:g}")
        return view, GAUSSIAN, rate, float(max(0, math.ceil(math.log2(2.0 * rate / NEAR))))

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t images and c of the training images, (b, c)."""
        weights = np.zeros((1, len(self.kernels)))
        weights[0, kernel] = 1.0
        (values,) = self.mixed(weights, rows, columns)
        return np.asarray(values)

    def mixed(self, weights: Floats, rows: Indices, columns: Indices) -> Floats:
        """Return S sums of the kernels, with weights (S, m), between b of the t and c of the n images, (S, b, c)."""
        sums = np.zeros((len(weights), len(rows), len(columns)))
        used = np.flatnonzero(weights.any(axis=0))
        if self.measures.trace is not None:
            weights = weights * self.measures.scales
        for start in range(0, len(columns), COLUMNS):
            part = slice(start, start + COLUMNS)
            for view in np.unique(self._forms[used, 0]).astype(int):
                bounds = slice(*self.train.bounds[view : view + 2])
                left, right = self._rows.pixels[rows, bounds], self.train.pixels[columns[part], bounds]
                inner = left.astype(np.float32) @ right.astype(np.float32).T
                scales = self._rows.scales[view][rows], self.train.scales[view][columns[part]]
                chosen = used[self._forms[used, 0] == view]
                _mix(inner, *scales, self._forms[chosen], weights[:, chosen], sums[:, :, part])
        self.computed += len(used) * len(rows) * len(columns)
        return sums

    def diagonal(self) -> Floats:
        """Return the kernel values of the images with themselves, (m, n); for t = n only."""
        diagonal = np.stack([self.measures.unscaled_diagonal(k, self.train) for k in range(len(self.kernels))])
        self._scale(diagonal)
        return diagonal

    def partners(self) -> "PixelPartners":
        """Return an empty list of training images."""
        return PixelPartners(self)


class PixelPartners:
    """A growing list of training images, one column each; see grambench.kernels.pool.Partners."""

    def __init__(self, pool: PixelPool) -> None:
        self._pool, self._images, self._count = pool, pool.train, 0
        self._columns = np.empty((self._images.pixels.shape[1], 1024), dtype=np.uint8)
        self._scales = np.empty((len(self._images.views), 1024))

    def append(self, example: int) -> None:
        """Append an image to the list."""
        if self._count == self._columns.shape[1]:
            arrays = self._columns, self._scales
            self._columns, self._scales = (np.concatenate([array, np.empty_like(array)], axis=1) for array in arrays)
        self._columns[:, self._count] = self._images.pixels[example]
        self._scales[:, self._count] = self._images.scales[:, example]
        self._count += 1

    def values(self, example: int, first: int) -> Floats:
        """Return the kernel values between an image and the list from position `first` on, (m, r)."""
        pool, images = self._pool, self._images
        values = np.empty((len(pool.kernels), self._count - first))
        if values.size:
            pixels, scales = images.pixels[example], images.scales[:, example]
            _between(pixels, scales, self._columns, self._scales, first, images.bounds, pool._forms, values)
            pool._scale(values)
        pool.computed += values.size
        return values


@njit(cache=True)
def _evaluate(cosines, near, form, out):  # type: ignore[no-untyped-def]
    """Write kernel values, (c,): ((offset + cosine) / (1 + offset))^degree, or exp(-rate (1 - near)).

    `near` is 1 - |u - v|^2 / 2. It differs from the cosine for images of zeros, which have no unit vector.
    """
    if form[1] == POWER:
        offset, scale = form[3], 1.0 / (1.0 + form[3])
        for j in range(cosines.size):
            out[j] = (offset + cosines[j]) * scale
        for _ in range(int(form[2]) - 1):
            for j in range(cosines.size):
                out[j] *= (offset + cosines[j]) * scale
        return
    # The series is accurate near 0: the argument is halved until it is small, and the value is squared as often.
    # Additions and products alone have the same bits however many values the compiler takes at a time.
    halvings = int(form[3])
    rate = form[2] / 2.0**halvings
    for j in range(cosines.size):
        x = rate * (near[j] - 1.0)
        value = SERIES[9]
        for term in range(8, -1, -1):
            value = value * x + SERIES[term]
        out[j] = value
    for _ in range(halvings):
        for j in range(cosines.size):
            out[j] *= out[j]


@njit(cache=True)
def _mix(inner, left, right, forms, weights, sums):  # type: ignore[no-untyped-def]
    """Add weighted kernels of one view to sums (S, b, c), from inner products (b, c) and the scales of both sides."""
    cosines, near, values = np.empty(len(right)), np.empty(len(right)), np.empty(len(right))
    for i in range(len(inner)):
        half = 0.5 * (left[i] > 0.0)
        for j in range(len(right)):
            # The product of the scales comes first, as in `_between`: it does not depend on which image is on the left.
            cosines[j] = inner[i, j] * (left[i] * right[j])
            near[j] = cosines[j] + (1.0 - half - 0.5 * (right[j] > 0.0))
        for k in range(len(forms)):
            _evaluate(cosines, near, forms[k], values)
            for s in range(len(weights)):
                weight, total = weights[s, k], sums[s, i]
                if weight != 0.0:
                    for j in range(len(right)):
                        total[j] += weight * values[j]


@njit(cache=True)
def _products(pixels, columns, filled, inner):  # type: ignore[no-untyped-def]
    """Write the inner products of an image and the images of columns (d, c), over the filled pixels, (c,)."""
    inner[:] = 0
    whole = len(filled) - len(filled) % 4
    # Four pixels at a time read and write the sums a quarter as often.
    for k in range(0, whole, 4):
        a, b, c, d = filled[k], filled[k + 1], filled[k + 2], filled[k + 3]
        x, y, z, w = np.int32(pixels[a]), np.int32(pixels[b]), np.int32(pixels[c]), np.int32(pixels[d])
        of_a, of_b, of_c, of_d = columns[a], columns[b], columns[c], columns[d]
        for j in range(len(inner)):
            first = x * np.int32(of_a[j]) + y * np.int32(of_b[j])
            inner[j] += first + z * np.int32(of_c[j]) + w * np.int32(of_d[j])
    for d in filled[whole:]:
        x, of_d = np.int32(pixels[d]), columns[d]
        for j in range(len(inner)):
            inner[j] += x * np.int32(of_d[j])


@njit(cache=True)
def _between(pixels, scales, columns, column_scales, first, bounds, forms, values):  # type: ignore[no-untyped-def]
    """Write the kernel values between one image and the listed ones from position `first` on, (m, r)."""
    inner, cosines, near = np.empty(CHUNK, dtype=np.int32), np.empty(CHUNK), np.empty(CHUNK)
    filled = np.flatnonzero(pixels)
    for start in range(0, values.shape[1], CHUNK):
        count, computed_view = min(CHUNK, values.shape[1] - start), -1.0
        for k in range(len(forms)):
            # Kernels of one view lie next to each other and share its inner products.
            if forms[k, 0] != computed_view:
                computed_view = forms[k, 0]
                view = int(computed_view)
                ends = np.searchsorted(filled, bounds[view : view + 2])
                part = slice(first + start, first + start + count)
                _products(pixels, columns[:, part], filled[ends[0] : ends[1]], inner[:count])
                half = 0.5 * (scales[view] > 0.0)
                for j in range(count):
                    scale = column_scales[view, first + start + j]
                    cosines[j] = inner[j] * (scales[view] * scale)
                    near[j] = cosines[j] + (1.0 - half - 0.5 * (scale > 0.0))
            _evaluate(cosines[:count], near[:count], forms[k], values[k, start : start + count])
