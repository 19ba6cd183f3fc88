"""Gaussian kernels on subsets of the features, whose Gram matrices are never stored.

    k_sw(x, x') = exp(-||x - x'||_s^2 / (2 sigma_w^2 u_s)),   sigma_{w+1} = sigma_w / sqrt 2

The distance of subset s is over its features, and the unit u_s is the mean of its square over all pairs of training
examples. `SubsetPool` computes sums over all kernels, v'K_m v of each and sum_m theta_m K_m, by
`grambench.kernels.subset_sums`.
"""

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import comb
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from grambench.common.parameters import POSITIVE, Checked, Rule, whole
from grambench.common.types import Floats, Indices
from grambench.kernels import subset_sums
from grambench.kernels.bases import Vectors
from grambench.kernels.pool import Pool

Floats32 = NDArray[np.float32]

NEGLIGIBLE_WEIGHT = 1e-18  # a weight this small beside the largest is 0 in a mixture
FARTHEST = 1e18  # a feature beyond it, in units of the largest deviation, whose square would overflow in 32 bits
LARGEST_RATE = 1e38  # in 32 bits
CONSTANT = 1e-30  # mean squared distance, relative to the largest feature squared, of a subset that is constant
DRAWN = 256  # subsets that are drawn together
LARGEST_STACK = 4 * 2**30  # bytes of Gram matrices that an algorithm may ask for
LISTS = Rule("be a list of lists of column numbers", lambda value: isinstance(value, Collection))


@dataclass(frozen=True)
class FeatureSubsets(Checked):
    """Gaussian kernels on given subsets of the features; each subset has the same grid of widths.

    Parameters
    ----------
    subsets : sequence of sequences of int
        Column numbers of each subset, from 0.
    n_widths : int
        Number of widths, each the last one divided by sqrt 2.
    widest : float, optional
        First width, in units of the root mean squared distance of a subset. By default the grid is symmetric about 1.

    Raises
    ------
    ValueError
        If a parameter is not allowed; in `fit`, if a subset is empty or names a column that does not exist.

    Examples
    --------
    >>> FeatureSubsets([[0], [0, 2]], n_widths=3).widths()
    array([1.41421356, 1.        , 0.70710678])
    """

    subsets: Annotated[Sequence[Sequence[int]], LISTS]
    n_widths: Annotated[int, whole(1)] = 20
    widest: Annotated[float | None, POSITIVE] = None

    def widths(self) -> Floats:
        """Return the widths, (n_widths,), widest first."""
        widest = 2.0 ** ((self.n_widths - 1) / 4) if self.widest is None else self.widest
        return np.asarray(widest * 2.0 ** (-0.5 * np.arange(self.n_widths)))

    def select(self, n_features: int) -> list[Indices]:
        """Return the columns of each subset."""
        subsets = [np.asarray(subset) for subset in self.subsets]
        if not subsets:
            raise ValueError("subsets: expected at least one subset of features, got none")
        for subset in subsets:
            is_list = subset.ndim == 1 and subset.size > 0 and subset.dtype.kind in "iu"
            if not is_list or subset.min() < 0 or subset.max() >= n_features:
                raise ValueError(
                    f"subsets: expected lists of column numbers from 0 to {n_features - 1}, got {subset.tolist()}"
                )
            if len(np.unique(subset)) < len(subset):
                raise ValueError(f"subsets: expected distinct column numbers, got {subset.tolist()}")
        return subsets


@dataclass(frozen=True)
class RandomSubsets(Checked):
    """Gaussian kernels on random subsets of the features, all different; each has the same grid of widths.

    Parameters
    ----------
    n_subsets : int
        Number of subsets; with `n_widths` it gives the number of kernels.
    n_widths, widest
        See FeatureSubsets.
    size : int
        Number of features of each subset.
    seed : int
        Seed of the draw.

    Examples
    --------
    >>> RandomSubsets(n_subsets=3, size=2).select(3)
    [array([0, 1]), array([0, 2]), array([1, 2])]
    """

    n_subsets: Annotated[int, whole(1)] = 500
    n_widths: Annotated[int, whole(1)] = 20
    size: Annotated[int, whole(1)] = 3
    widest: Annotated[float | None, POSITIVE] = None
    seed: Annotated[int, whole(0)] = 0

    def widths(self) -> Floats:
        """Return the widths, (n_widths,), widest first."""
        return FeatureSubsets([], self.n_widths, self.widest).widths()

    def check(self, n_features: int) -> None:
        """Raise ValueError if the features have fewer subsets of this size than asked for."""
        if self.size > n_features:
            raise ValueError(f"size: expected at most {n_features}, the number of features, got {self.size}")
        available = comb(n_features, self.size)
        if self.n_subsets > available:
            raise ValueError(
                f"n_subsets: expected at most {available}, the subsets of {self.size} of {n_features} features, "
                f"got {self.n_subsets}"
            )

    def select(self, n_features: int) -> list[Indices]:
        """Return the columns of each subset, in ascending order; more subsets begin with those of fewer."""
        self.check(n_features)
        rng = np.random.default_rng(self.seed)
        subsets = np.empty((0, self.size), dtype=np.int64)
        # Equal subsets are dropped and drawn again. Blocks do not depend on the number of subsets, and the keys of a
        # block take little memory.
        while len(subsets) < self.n_subsets:
            drawn = [subsets]
            for _ in range(1 + len(subsets) // DRAWN):
                keys = rng.random((DRAWN, n_features))
                drawn.append(np.sort(np.argpartition(keys, self.size - 1, axis=1)[:, : self.size], axis=1))
            subsets = np.concatenate(drawn)
            subsets = subsets[np.sort(np.unique(subsets, axis=0, return_index=True)[1])]
        return list(subsets[: self.n_subsets])


class SubsetMeasures:
    """The kernels with their units, and the centre and the unit of length of the training examples.

    Parameters
    ----------
    kernels : FeatureSubsets or RandomSubsets
        The kernels.
    train : Vectors
        The training examples.
    """

    def __init__(self, kernels: FeatureSubsets | RandomSubsets, train: Vectors) -> None:
        examples: Floats = train.features[""]
        if not np.isfinite(examples).all():
            raise ValueError("subsets of features: expected finite features, got NaN or infinite ones")
        self.kernels, subsets = kernels, kernels.select(examples.shape[1])
        self.centre = examples.mean(axis=0)
        # In units of the largest deviation, squared distances neither overflow nor vanish in 32 bits.
        deviations = examples - self.centre
        self.length = float(np.abs(deviations).max(initial=0.0)) or 1.0
        spreads = 2.0 * np.square(deviations / self.length).sum(axis=0) / max(len(examples) - 1, 1)
        units = np.array([spreads[subset].sum() for subset in subsets])
        units[units <= CONSTANT] = 1.0
        self.gaussians = subset_sums.Gaussians(
            np.cumsum([0, *map(len, subsets)]).astype(np.int64),
            np.concatenate(subsets).astype(np.int64),
            np.minimum(0.5 / kernels.widths()[0] ** 2 / units, LARGEST_RATE),
        )

    @property
    def names(self) -> list[str]:
        """Names of the kernels: the columns of the subset, and the width in the subset's unit."""
        starts, features = self.gaussians.starts, self.gaussians.features.astype(str)
        subsets = ["+".join(features[first:stop]) for first, stop in itertools.pairwise(starts)]
        return [f"gaussian_{subset}_width{width:.4g}" for subset in subsets for width in self.kernels.widths()]


class SubsetPool(Pool):
    """A pool of Gaussian kernels on subsets of features, computed again for each sum over them.

    Kernel s W + w has subset s and width w. Sums have 32 bits and are off by about 1e-6 of the largest value. Single
    Gram matrices have 64 bits.

    Parameters
    ----------
    measures : SubsetMeasures
        The kernels with their units.
    train : Vectors
        The training examples.
    test : Vectors, optional
        The t examples; by default the training examples.

    Examples
    --------
    >>> import numpy as np
    >>> examples = Vectors(np.eye(3))
    >>> pool = SubsetPool(SubsetMeasures(FeatureSubsets([[0], [0, 1]], n_widths=2), examples), examples)
    >>> pool.shape
    (4, 3, 3)
    >>> pool.mixture(np.full(4, 0.25)).shape
    (3, 3)
    """

    stores_grams = False

    def __init__(self, measures: SubsetMeasures, train: Vectors, test: Vectors | None = None) -> None:
        self.measures, self.kernels, self.gaussians = measures, measures.kernels, measures.gaussians
        self.train, self.test = train.features[""], None if test is None or test is train else test.features[""]
        self.features = (train if test is None else test).features

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        m = len(self.gaussians.rates) * self.kernels.n_widths
        return m, len(self.features[""]), len(self.train)

    def quadratic_forms(self, vector: Floats) -> Floats:
        """Return v'K_m v of every kernel, (m,), reading only examples where v is not 0; for t = n only."""
        if self.test is not None:
            raise ValueError("quadratic forms: expected kernels among training examples, got kernels of test examples")
        support, size = np.flatnonzero(vector), float(np.abs(vector).max(initial=0.0))
        if not size > 0.0:
            return np.zeros(self.shape[0])
        v, columns = vector[support] / size, self._columns(self.train[support])
        forms = subset_sums.forms(columns, v, self.gaussians, self.kernels.n_widths)
        self.computed += forms.size * len(v) * (len(v) - 1) // 2
        # Forms are negative by rounding only.
        return np.asarray(size**2 * np.maximum(v.sum() ** 2 - forms.ravel(), 0.0))

    def mixture(self, weights: Floats) -> Floats:
        """Return sum_k weights_k K_k, (t, n), for weights that are not negative."""
        largest = float(weights.max(initial=0.0))
        if not largest > 0.0:
            return np.zeros(self.shape[1:])
        scaled = (weights / largest).reshape(len(self.gaussians.rates), -1)
        scaled[scaled < NEGLIGIBLE_WEIGHT] = 0.0
        columns = self._columns(self.train)
        others = None if self.test is None else self._columns(self.test)
        losses = subset_sums.mixture(columns, others, scaled.astype(np.float32), self.gaussians)
        self.computed += int(np.count_nonzero(scaled)) * losses.size
        values = largest * (scaled.sum() - losses)
        return values if self.test is not None else _symmetric(values, largest * float(scaled.sum()))

    def _columns(self, examples: Floats) -> Floats32:
        """Return the features of examples, (d, n), from the centre and in the unit of the training examples."""
        columns = ((examples - self.measures.centre) / self.measures.length).T
        return np.ascontiguousarray(columns.clip(-FARTHEST, FARTHEST), dtype=np.float32)

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training examples, (b, c)."""
        s, w = divmod(kernel, self.kernels.n_widths)
        starts, features, rates = self.gaussians
        subset = features[starts[s] : starts[s + 1]]
        sides, measures = (self.features[""][rows], self.train[columns]), self.measures
        left, right = ((examples - measures.centre) / measures.length for examples in sides)
        distances = np.zeros((len(left), len(right)))
        for feature in subset:
            distances += np.square(left[:, feature, None] - right[None, :, feature])
        self.computed += distances.size
        return np.asarray(np.exp(-(rates[s] * 2.0**w) * distances))

    def diagonal(self) -> Floats:
        """Return the kernel values of the examples with themselves, (m, n), which are 1."""
        # m n numbers may be 400 MB.
        return np.broadcast_to(1.0, self.shape[:2])

    def part(self, rows: Indices, columns: Indices) -> "SubsetPool":
        """Return the pool between some of the t examples and some of the training examples."""
        is_same = self.test is None and np.array_equal(rows, columns)
        test = None if is_same else Vectors(self.features[""][rows])
        return SubsetPool(self.measures, Vectors(self.train[columns]), test)

    def refuse_stack(self) -> None:
        """Raise ValueError if all Gram matrices together are too large to be stored."""
        m, t, n = self.shape
        if 8 * m * t * n > LARGEST_STACK:
            raise ValueError(
                f"subsets of features: expected Gram matrices of at most {LARGEST_STACK / 2**30:g} GiB, got {m} of "
                f"{t} x {n}, {8 * m * t * n / 2**30:.3g} GiB; take fewer kernels, or easy_mkl, lp_mkl, rkl or "
                "uniform_svm, which store none"
            )


def _symmetric(values: Floats, diagonal: float) -> Floats:
    """Return the matrix (n, n) of values of the rows of pairs and one value of the diagonal."""
    rows, n = values.shape
    first, matrix = np.arange(n), np.full((n, n), diagonal)
    for row in range(rows):
        second = (first + row + 1) % n
        matrix[first, second] = values[row]
        matrix[second, first] = values[row]
    return matrix
