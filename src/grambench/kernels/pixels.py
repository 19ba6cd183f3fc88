"""A pool of kernels on parts of images whose pixels are bytes, for so many images that no Gram matrix fits in memory.

Every kernel is a function of the cosine of two images' vectors of one view, or of their distance when they are brought
to length 1. Pixels are whole numbers, and so are inner products: below 2^24 they are exact in float32 and int32 in
whatever order they are added, so that a value has the same bits in a product of matrices, between one image and many,
or by itself. Of one image, only pixels that are not 0 are read.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.common.types import Floats, Grams, Indices
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Continuous, Made, Part, locked
from grambench.kernels.scaled import Scaled, mean_squared_distance

Pixels = NDArray[np.uint8]
LARGEST = 258  # pixels of a view: 258 * 255^2 < 2^24
POWER, GAUSSIAN = 0.0, 1.0  # forms of a function of a cosine
NEAR = 0.125  # to which the argument of an exponential is halved
FASTEST = 1e300  # rate that can be halved so often
SERIES = tuple(1.0 / math.factorial(k) for k in range(10))  # of it there, which leaves out less than 1e-15
CHUNK = 4096  # images whose inner products stay in a first-level cache
COLUMNS = 2048  # images that are taken together in products of matrices


class Images:
    """The pixels of n images.

    Parameters
    ----------
    features : mapping of ndarray of uint8 (n, d)
        The images by view.
    views : sequence of str
        The views that kernels compare.

    Attributes
    ----------
    features : dict of ndarray of uint8 (n, d)
        The images by view, read-only.
    pixels : ndarray of uint8 (n, sum of d)
        All views beside each other.
    bounds : ndarray of int (v + 1,)
        The first column of each view, and the number of columns.
    scales : ndarray of float64 (v, n)
        The reciprocal of each image's norm in each view, 0 for an image of zeros.
    """

    def __init__(self, features: Mapping[str, Any], views: Sequence[str]) -> None:
        self.features = locked({view: features[view] for view in views})
        for view, values in self.features.items():
            if values.dtype != np.uint8 or values.shape[1] > LARGEST:
                got = f"{values.dtype} of shape {values.shape}"
                raise ValueError(f"view {view}: expected bytes, at most {LARGEST} an image, got {got}")
        self.pixels = np.ascontiguousarray(np.hstack([self.features[view] for view in views]))
        self.bounds = np.cumsum([0, *(self.features[view].shape[1] for view in views)])
        self.scales = np.stack([_scales(self.features[view]) for view in views])


class ByPixels(Scaled):
    """Kernels on views of bytes, between t images and n training ones; no Gram matrix is ever kept.

    Parameters
    ----------
    kernels : sequence of m Kernels
        Of the families polynomial (of degree 1), unitpolynomial and meangaussian.
    train : mapping of ndarray of uint8 (n, d)
        The training images by view, each of at most 258 pixels.
    others : mapping of ndarray of uint8 (t, d), optional
        The other images; the training ones themselves where there are none.
    basis, trace, family
        See Scaled.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        train: Mapping[str, Pixels],
        others: Mapping[str, Pixels] | None = None,
        *,
        basis: "ByPixels | None" = None,
        trace: float | None = None,
        family: Callable[[], Continuous | None] | None = None,
    ) -> None:
        super().__init__(kernels, basis=basis, trace=trace, family=family)
        self.train, self.views = train, list(dict.fromkeys(kernel.view for kernel in kernels))
        # The pixels of millions of training images are kept once, however many pools are made between them and others.
        shared = basis is not None and (train is basis.train or train is basis.features)
        self._columns: Images = basis._columns if basis is not None and shared else Images(train, self.views)
        self._rows: Images = self._columns if others is None or others is train else Images(others, self.views)
        self.features = self._rows.features
        self._forms: Floats = (
            np.array([self._form(kernel) for kernel in self.kernels]) if basis is None else basis._forms
        )

    def _form(self, kernel: Kernel) -> tuple[float, float, float, float]:
        """Return a kernel's view and form, and a degree and an offset, or a rate and how often it is halved."""
        view = self.views.index(kernel.view)
        if kernel.family == "unitpolynomial" or (kernel.family == "polynomial" and kernel.parameter == 1.0):
            return view, POWER, kernel.parameter, 0.0 if kernel.family == "polynomial" else 1.0
        if kernel.family != "meangaussian":
            raise ValueError(f"expected polynomial_p1, unitpolynomial or meangaussian, got {kernel.name}")
        train, scales = self._columns, self._columns.scales[view]
        centre = scales @ train.features[kernel.view] / len(scales)
        mean = mean_squared_distance(float(np.mean(scales > 0.0)), centre, len(scales))
        rate = 2.0 / (kernel.parameter * mean)
        if not 0.0 < rate <= FASTEST:
            raise ValueError(f"{kernel.name}: expected a rate above 0 and up to {FASTEST:g}, got {rate:g}")
        return view, GAUSSIAN, rate, float(max(0, math.ceil(math.log2(2.0 * rate / NEAR))))

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        return len(self.kernels), len(self._rows.pixels), len(self._columns.pixels)

    def grams(self) -> Grams:
        """Return m arrays (t, n), each made whenever it is asked for."""
        return Made(len(self.kernels), lambda k: self.values(k, *(np.arange(size) for size in self.shape[1:])))

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t images and c of the training ones, (b, c)."""
        weights = np.zeros(len(self.kernels))
        weights[kernel] = 1.0
        return self.mixed(weights, rows, columns)

    def mixed(self, weights: Floats, rows: Indices, columns: Indices) -> Floats:
        """Return sum_k weights_k K_k between b of the t images and c of the training ones, (b, c)."""
        total = np.zeros((len(rows), len(columns)))
        used = np.flatnonzero(weights)
        if self.trace is not None:
            weights = weights * self.basis.scales
        for start in range(0, len(columns), COLUMNS):
            part = slice(start, start + COLUMNS)
            for view in np.unique(self._forms[used, 0]).astype(int):
                bounds = slice(*self._rows.bounds[view : view + 2])
                left, right = self._rows.pixels[rows, bounds], self._columns.pixels[columns[part], bounds]
                inner = left.astype(np.float32) @ right.astype(np.float32).T
                scales = self._rows.scales[view][rows], self._columns.scales[view][columns[part]]
                chosen = used[self._forms[used, 0] == view]
                _mix(inner, *scales, self._forms[chosen], weights[chosen], total[:, part])
        self.computed += len(used) * total.size
        return total

    def diagonal(self) -> Floats:
        """Return the kernel values of the images with themselves, (m, n)."""
        diagonal = np.stack([self._unscaled_diagonal(k) for k in range(len(self.kernels))])
        self._scale(diagonal, range(len(self.kernels)))
        return diagonal

    def _unscaled_diagonal(self, k: int) -> Floats:
        form = self._forms[k]
        cosines: Floats = (self._columns.scales[int(form[0])] > 0.0).astype(np.float64)
        diagonal: Floats = np.empty_like(cosines)
        _evaluate(cosines, np.ones_like(cosines), form, diagonal)
        return diagonal

    def partners(self) -> "Named":
        """Return an empty list of training images."""
        return Named(self)

    def part(self, rows: Indices, columns: Indices) -> Part:
        """Return the pool between some of the t images and some of the training ones, which asks this one."""
        return Part(self, rows=rows, columns=columns)


class Named:
    """Training images in the order in which they were named, column by column, see grambench.kernels.pool.Partners."""

    def __init__(self, pool: ByPixels) -> None:
        self._pool, self._images, self._count = pool, pool._columns, 0
        self._columns = np.empty((self._images.pixels.shape[1], 1024), dtype=np.uint8)
        self._scales = np.empty((len(pool.views), 1024))

    def append(self, example: int) -> None:
        """Name one more."""
        if self._count == self._columns.shape[1]:
            self._columns, self._scales = (
                np.concatenate([each, np.empty_like(each)], axis=1) for each in (self._columns, self._scales)
            )
        self._columns[:, self._count] = self._images.pixels[example]
        self._scales[:, self._count] = self._images.scales[:, example]
        self._count += 1

    def values(self, example: int, first: int) -> Floats:
        """Return the kernel values of an image with those that were named from number `first` on, (m, r)."""
        pool, images = self._pool, self._images
        values = np.empty((len(pool.kernels), self._count - first))
        if values.size:
            pixels, scales = images.pixels[example], images.scales[:, example]
            _between(pixels, scales, self._columns, self._scales, first, images.bounds, pool._forms, values)
            pool._scale(values, range(len(values)))
        pool.computed += values.size
        return values


def _scales(features: Pixels) -> Floats:
    """Return 1 / ||x|| of each row, 0 for one of zeros, (n,)."""
    norms = np.sqrt(np.einsum("ij,ij->i", features, features, dtype=np.int64).astype(np.float64))
    return np.asarray(np.divide(1.0, norms, out=np.zeros(len(norms)), where=norms > 0.0))


@njit(cache=True)
def _evaluate(cosines, near, form, out):  # type: ignore[no-untyped-def]
    """Write a kernel, (c,): ((offset + cosine) / (1 + offset))^degree, or exp(-rate (1 - near)).

    `near` is 1 - |u - v|^2 / 2: the cosine too, but for an image of zeros, which is no unit vector.
    """
    if form[1] == POWER:
        offset, scale = form[3], 1.0 / (1.0 + form[3])
        for j in range(cosines.size):
            out[j] = (offset + cosines[j]) * scale
        for _ in range(int(form[2]) - 1):
            for j in range(cosines.size):
                out[j] *= (offset + cosines[j]) * scale
        return
    # The series is short and exact near 0, so the argument is halved until it is there, and the value squared as often.
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
def _mix(inner, left, right, forms, weights, total):  # type: ignore[no-untyped-def]
    """Add kernels of one view, by inner products (b, c) and the scales of both sides, to a sum (b, c)."""
    cosines, near, values = np.empty(len(right)), np.empty(len(right)), np.empty(len(right))
    for i in range(len(inner)):
        there = 0.5 * (left[i] > 0.0)
        for j in range(len(right)):
            # The product of the scales comes first, as in `_between`: it does not depend on which image is on the left.
            cosines[j] = inner[i, j] * (left[i] * right[j])
            near[j] = cosines[j] + (1.0 - there - 0.5 * (right[j] > 0.0))
        for k in range(len(forms)):
            _evaluate(cosines, near, forms[k], values)
            for j in range(len(right)):
                total[i, j] += weights[k] * values[j]


@njit(cache=True)
def _between(pixels, scales, columns, others, first, bounds, forms, values):  # type: ignore[no-untyped-def]
    """Write the kernel values of one image with named ones, (m, r)."""
    inner, cosines, near = np.empty(CHUNK, dtype=np.int32), np.empty(CHUNK), np.empty(CHUNK)
    for start in range(0, values.shape[1], CHUNK):
        count, computed_view = min(CHUNK, values.shape[1] - start), -1.0
        for k in range(len(forms)):
            # Kernels of one view lie next to each other and share its inner products.
            if forms[k, 0] != computed_view:
                computed_view = forms[k, 0]
                view = int(computed_view)
                inner[:count] = 0
                for d in range(bounds[view], bounds[view + 1]):
                    if pixels[d] != 0:
                        x, column = np.int32(pixels[d]), columns[d, first + start : first + start + count]
                        for j in range(count):
                            inner[j] += x * np.int32(column[j])
                there = 0.5 * (scales[view] > 0.0)
                for j in range(count):
                    scale = others[view, first + start + j]
                    cosines[j] = inner[j] * (scales[view] * scale)
                    near[j] = cosines[j] + (1.0 - there - 0.5 * (scale > 0.0))
            _evaluate(cosines[:count], near[:count], forms[k], values[k, start : start + count])
