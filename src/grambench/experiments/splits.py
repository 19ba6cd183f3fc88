"""Splits of a data set into what is learned from and what is tested on, with the kernels' Gram matrices.

RKL, Section 6 (Gai et al. 2010): "For each data set, we split it to five parts, and each time we use four parts as the
training set and the remaining one as the test set", and C is chosen by 3-fold cross-validation on the training set. The
paper scales features and Gram matrices once, on all data; here every split, those of the cross-validation too, scales
them on its own training examples, so that nothing of what it is tested on is known to a fit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.kernel_fit import KernelFit, stratified_folds
from grambench.common.errors import DataError
from grambench.datasets.store import PreparedDataset
from grambench.experiments.seeds import seeds
from grambench.kernels.functions import Kernel
from grambench.kernels.grams import compute, squared_distances

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

CONSTANT = 1e-12  # of a feature's mean: a spread that rounding alone makes


@dataclass(frozen=True, slots=True)
class Split:
    """What one fit sees, and what it is tested on; m kernels, n training and t test examples.

    Attributes
    ----------
    train, test : ndarray of float64 (m, n, n), (m, t, n)
        Kernel values among the training examples, and of the test examples with them.
    train_labels, test_labels : ndarray of int8 (n,), (t,)
        -1 or +1.
    """

    train: Floats
    test: Floats
    train_labels: NDArray[np.int8]
    test_labels: NDArray[np.int8]

    def right(self, fit: KernelFit) -> int:
        """Return how many test examples are on the right side; a decision value of 0 is positive."""
        return int(np.count_nonzero((fit.decision_values(self.test) >= 0.0) == (self.test_labels > 0)))


@dataclass(frozen=True, slots=True)
class Part:
    """One outer part.

    Attributes
    ----------
    outer : Split
        The part as the test set, the others as the training set.
    inner : list of Split
        Those of the cross-validation inside the training set.
    draws : SeedSequence
        Seed of the algorithms' own draws.
    """

    outer: Split
    inner: list[Split]
    draws: np.random.SeedSequence


def parts(
    dataset: PreparedDataset,
    kernels: Sequence[Kernel],
    *,
    count: int,
    folds: int,
    trace: float,
    root: int,
    wanted: range,
) -> Iterator[Part]:
    """Yield parts of a data set one by one; they depend on the seed and the data set's name alone.

    Parameters
    ----------
    dataset : PreparedDataset
        With dense features.
    kernels : sequence of m Kernels
        Base kernels.
    count, folds : int
        Number of parts, and of folds of the cross-validation.
    trace : float
        Of every Gram matrix, were it that of all examples; see `split`.
    root : int
        The project's seed.
    wanted : range
        Numbers of the parts to yield, from 0.

    Raises
    ------
    DataError
        If the features are sparse, or a class is too small to be in every training and test set.
    """
    if not isinstance(dataset.features, np.ndarray):
        raise DataError(f"{dataset.name}: expected dense features, which nested studies standardise, got sparse ones")
    rarest = min(np.count_nonzero(dataset.labels == label) for label in (-1, 1))
    if rarest < max(count, folds + 1):
        raise DataError(
            f"{dataset.name}: {count} parts of {folds} folds need more than {rarest} examples of each class"
        )
    shared, _ = seeds(root, dataset.name, 0)
    members = stratified_folds(dataset.labels, count, np.random.default_rng(shared))
    for number in wanted:
        test = members[number]
        train = np.setdiff1d(np.arange(len(dataset.labels)), test)
        shared, draws = seeds(root, dataset.name, 1 + number)
        held_out = stratified_folds(dataset.labels[train], folds, np.random.default_rng(shared))
        pairs = [(train, test), *((np.setdiff1d(train, train[fold]), train[fold]) for fold in held_out)]
        outer, *inner = (split(dataset.features, dataset.labels, kernels, *pair, trace=trace) for pair in pairs)
        yield Part(outer, inner, draws)


def split(
    features: Floats,
    labels: NDArray[np.int8],
    kernels: Sequence[Kernel],
    train: Indices,
    test: Indices,
    *,
    trace: float,
) -> Split:
    """Scale features to zero mean and unit variance, and Gram matrices to a trace, by the training examples.

    The paper's unit trace is taken to be that of all N examples, so that n training examples have n / N: the uniform
    SVM is then nearer to its published numbers, with musk1 at 61.3 (published 61.4) and not 71.4
    (`benchmarks/rkl_readings.py`). A feature that is constant keeps its unit.

    Parameters
    ----------
    features : ndarray of float64 (N, d)
        All examples.
    labels : ndarray of int8 (N,)
        -1 or +1.
    kernels : sequence of m Kernels
        Base kernels.
    train, test : ndarray of int (n,), (t,)
        Indices of the examples.
    trace : float
        Of every Gram matrix, were it that of all N examples: n of them get n / N of it.
    """
    known, unknown = features[train], features[test]
    centre, spread = known.mean(axis=0), known.std(axis=0)
    spread[spread <= CONSTANT * np.abs(centre)] = 1.0
    known, unknown = (known - centre) / spread, (unknown - centre) / spread
    inner, cross = known @ known.T, unknown @ known.T
    distances, values = np.empty_like(cross), np.empty((len(kernels), *cross.shape))
    squared_distances(cross, np.square(unknown).sum(axis=1), np.square(known).sum(axis=1), distances)
    grams = compute(inner, kernels)
    share = trace * len(train) / len(labels)
    for kernel, gram, value in zip(kernels, grams, values, strict=True):
        kernel.fill(cross, distances, value)
        scale = share / np.trace(gram)
        gram *= scale
        value *= scale
    return Split(grams, values, labels[train], labels[test])
