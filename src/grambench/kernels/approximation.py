"""Features whose inner products approximate kernels, so that an example costs the same however many came before it.

    Fourier    z(x) = sqrt(1/h) [cos(omega_1'x), ..., cos(omega_h'x), sin(omega_1'x), ..., sin(omega_h'x)]
    Nystroem   z(x) = K_LL^(-1/2) [k(x, l_1), ..., k(x, l_D)]
    raw        z(x) = x, with a constant for kernels <x, x'> + 1

Fourier features (Rahimi and Recht 2008) approximate Gaussian kernels, with omega drawn from N(0, 1/sigma^2). An entry
of the approximated Gram matrix has the kernel's value k as its mean and the variance (1 - k^2)^2 / (2h). All Gaussians
share their draws. Where the width halves, the next features are the last ones at the double angle,

    cos 2t = cos^2 t - sin^2 t,   sin 2t = 2 sin t cos t,

so that one cosine and one sine serve a whole grid of widths. Nystroem features (Williams and Seeger 2001) approximate
any kernel, from landmarks drawn among the first examples; between landmarks they are exact. Linear kernels have raw
features, which are exact.

Features have 32 bits. A warning names a kernel whose values with the nearest landmark have squares below their range
for more than a tenth of the landmarks, such as a Gaussian that is narrow among examples of many features. It is not
refused, since pools of many widths have such kernels. Projections are sums of BLAS, whose last bits may differ between
processors and with the size of a block. Each doubling of the angle doubles the error of its phase, to 3e-4 after
twelve, from where on angles are computed anew.
"""

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.types import Approximation, Floats
from grambench.kernels.functions import Kernel
from grambench.kernels.streamed import POLYNOMIALS, MeasuredKernel, VectorKernels, kernel_values

Features = NDArray[np.float32]

BLOCK = 64  # examples whose features are computed together, few enough for the processor's cache
MOST_DOUBLINGS = 12  # of an angle, before cosines and sines are computed anew
NARROWEST = 1e-37  # width of a Gaussian, above the smallest number of 32 bits
SMALLEST = 1e-10  # eigenvalue of K_LL, relative to the largest, below which a direction is left out
TINY = 1e-19  # kernel value, relative to the largest, whose square is below the smallest normal number of 32 bits


class FeatureMap:
    """The features of m kernels, those of one kernel after those of the other.

    Parameters
    ----------
    kernels : VectorKernels
        m kernels on vectors, or on groups of their columns.
    sample : ndarray of float64 (n, d)
        Examples from which landmarks are taken.
    method : str
        "fourier": Fourier features of Gaussians, raw features of linear kernels, Nystroem features of all others.
        "nystroem": Nystroem features of all but linear kernels.
    n_components : int
        The number D of features of each kernel; Fourier features are two or more, raw features as many as the data
        have, and Nystroem features at most as many as the sample has examples.
    rng : Generator
        Draws frequencies and landmarks.

    Attributes
    ----------
    starts : ndarray of int64 (m + 1,)
        Kernel k has the features from starts[k] to starts[k + 1].
    landmarks : int
        The number of landmarks; 0 if no kernel has Nystroem features.
    multiplications : int
        Multiplications of the largest matrix product for one example.
    """

    def __init__(
        self,
        kernels: VectorKernels,
        sample: Floats,
        method: Approximation,
        n_components: int,
        rng: np.random.Generator,
    ) -> None:
        if method not in get_args(Approximation):
            raise ValueError(f"approximation: expected {' or '.join(get_args(Approximation))}, got {method!r}")
        if not isinstance(n_components, int | np.integer) or n_components < 1:
            raise ValueError(f"n_components must be a whole number of at least 1, got {n_components!r}")
        landmarks = rng.permutation(len(sample))[:n_components]
        self._views: list[_ViewFeatures] = []
        sizes, h = np.empty(len(kernels), dtype=np.int64), max(1, n_components // 2)
        for view, places in kernels.columns.items():
            examples = np.ascontiguousarray(sample[:, places])
            frequencies = rng.standard_normal((examples.shape[1], h)).astype(np.float32)
            explicit: dict[int, _Raw | _Nystroem] = {}
            widths: dict[int, float] = {}
            for k, part in enumerate(kernels.measured):
                if part.kernel.view != view:
                    continue
                if part.kernel.parameter == 1.0 and part.kernel.family in POLYNOMIALS:
                    explicit[k] = _Raw(part.kernel, examples.shape[1], part.factor)
                elif method == "fourier" and part.width is not None:
                    if not part.width >= NARROWEST:
                        got = f"{part.width:.2g}; scale the features"
                        raise ValueError(f"{part.kernel.name}: expected a width of {NARROWEST} or more, got {got}")
                    widths[k] = part.width
                else:
                    explicit[k] = _Nystroem(part, examples[landmarks])
                sizes[k] = 2 * h if k in widths else explicit[k].size
            self._views.append(_ViewFeatures(places, frequencies, _chains(widths), explicit))
        explicit_parts = [part for view in self._views for part in view.explicit.values()]
        self.landmarks = len(landmarks) if any(isinstance(part, _Nystroem) for part in explicit_parts) else 0
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.multiplications = (
            n_components * max(sample.shape[1], n_components) if self.landmarks else h * sample.shape[1]
        )

    def blocks(self, examples: Floats) -> Iterator[tuple[slice, Features]]:
        """Yield slices of examples and their features, (b, D_1 + ... + D_m), which the next block overwrites."""
        buffer = np.empty((min(BLOCK, len(examples)), self.starts[-1]), dtype=np.float32)
        for start in range(0, len(examples), BLOCK):
            rows = slice(start, min(start + BLOCK, len(examples)))
            out = buffer[: rows.stop - start]
            for view in self._views:
                view.write(examples[rows], self.starts, out)
            yield rows, out


class _ViewFeatures(NamedTuple):
    """The features of the kernels on one view."""

    columns: Any
    frequencies: Features
    chains: "list[_Chain]"
    explicit: "dict[int, _Raw | _Nystroem]"

    def write(self, examples: Floats, starts: NDArray[np.int64], out: Features) -> None:
        """Write the features of examples into those of all kernels, (b, D_1 + ... + D_m)."""
        examples = np.ascontiguousarray(examples[:, self.columns])
        if self.chains:
            projections = examples.astype(np.float32) @ self.frequencies
        for chain in self.chains:
            angles = projections / np.float32(chain.width)
            _write_chain(np.cos(angles), np.sin(angles), starts, chain.kernels, chain.doublings, out)
        for k, part in self.explicit.items():
            part.write(examples, out[:, starts[k] : starts[k + 1]])


class _Chain(NamedTuple):
    """Gaussians whose widths are the first one divided by powers of 2.

    Attributes
    ----------
    width : float
        sigma of the first, the widest.
    kernels, doublings : ndarray of int64 (c,)
        The kernels, and how often the angle is doubled from one to the next; 0 for the first.
    """

    width: float
    kernels: NDArray[np.int64]
    doublings: NDArray[np.int64]


def _chains(widths: dict[int, float]) -> list[_Chain]:
    """Return as few chains as contain all widths, by kernel."""
    chains: dict[float, list[tuple[int, int]]] = {}
    for k, width in sorted(widths.items(), key=lambda item: -item[1]):
        octaves = {first: np.log2(first / width) for first in chains}
        # Widths that are computed, as 2 ** 0.5, may differ in their last bits.
        near = (first for first, n in octaves.items() if n < MOST_DOUBLINGS + 0.5 and abs(n - round(n)) < 1e-12)
        first = next(near, width)
        chains.setdefault(first, []).append((k, round(octaves.get(first, 0.0))))
    columns = [(first, *np.array(members).T.copy()) for first, members in chains.items()]
    return [_Chain(first, kernels, np.diff(octaves, prepend=0)) for first, kernels, octaves in columns]


@njit(cache=True)
def _write_chain(cosines, sines, starts, kernels, doublings, out):  # type: ignore[no-untyped-def]
    """Write the Fourier features of a chain from the cosines and sines (b, h) of its first angles."""
    h = cosines.shape[1]
    factor = np.float32(1.0 / np.sqrt(h))
    for t in range(cosines.shape[0]):
        c, s = cosines[t], sines[t]
        for number in range(kernels.size):
            for _ in range(doublings[number]):
                for j in range(h):
                    square = c[j] * c[j] - s[j] * s[j]
                    s[j] = np.float32(2.0) * c[j] * s[j]
                    c[j] = square
            start = starts[kernels[number]]
            # Slices, since a sum as an index keeps the compiler from using vectors.
            first, second = out[t, start : start + h], out[t, start + h : start + 2 * h]
            for j in range(h):
                first[j] = factor * c[j]
                second[j] = factor * s[j]


class _Raw:
    """The features [x, sqrt(c)] / sqrt(a) of a linear kernel (<x, x'> + c) / a, scaled by a factor of the kernel."""

    def __init__(self, kernel: Kernel, d: int, factor: float) -> None:
        constant, divisor = POLYNOMIALS[kernel.family]
        # The mean polynomial kernel divides inner products by the number of features.
        self._factor = np.sqrt(factor / (divisor * (d if kernel.family == "meanpolynomial" else 1.0)))
        self._constant = np.sqrt(factor * constant / divisor)
        self.size = d + (constant > 0.0)

    def write(self, examples: Floats, out: Features) -> None:
        """Write the features of examples, (b, D)."""
        np.multiply(examples, self._factor, out=out[:, : examples.shape[1]], casting="same_kind")
        out[:, examples.shape[1] :] = self._constant


class _Nystroem:
    """Nystroem features of one kernel, scaled by a factor of the kernel."""

    def __init__(self, part: MeasuredKernel, landmarks: Floats) -> None:
        self._kernel, self._unit, self._landmarks = part.kernel, part.unit, landmarks
        self._norms = np.square(landmarks).sum(axis=1)
        gram = self._values(landmarks)
        if not gram.any():
            expected = "expected landmarks where the kernel is not 0, got none; shuffle the examples"
            raise ValueError(f"{part.kernel.name}: {expected}")
        nearest = np.abs(gram - np.diag(gram.diagonal())).max(axis=1) / gram.max()
        # Values of exactly 0 are not too small: sparse examples may be orthogonal.
        if (share := np.mean((nearest > 0.0) & (nearest < TINY))) > 0.1:
            lost = f"{part.kernel.name}: products of values below {TINY:g} are lost in 32 bits, as between {share:.0%}"
            warnings.warn(f"{lost} of the landmarks and all others; take a wider kernel", stacklevel=2)
        values, vectors = np.linalg.eigh(gram)
        large = values > SMALLEST * values[-1]
        self._root = vectors[:, large] * np.sqrt(part.factor / values[large])
        self.size = self._root.shape[1]

    def _values(self, examples: Floats) -> Floats:
        """Return the kernel's values between examples and landmarks, (b, D)."""
        return kernel_values(
            self._kernel, self._unit, examples @ self._landmarks.T, np.square(examples).sum(axis=1), self._norms
        )

    def write(self, examples: Floats, out: Features) -> None:
        """Write the features of examples, (b, D)."""
        np.matmul(self._values(examples), self._root, out=out, casting="same_kind")
