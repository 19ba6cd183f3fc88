"""Parts of a data set that are tested in turn, and the folds inside what is left for training.

RKL, Section 6 (Gai et al. 2010): "For each data set, we split it to five parts, and each time we use four parts as the
training set and the remaining one as the test set", and C is chosen by 3-fold cross-validation on the training set. The
paper scales features and Gram matrices once, on all data; here every split, those of the cross-validation too, scales
them on its own training examples, so that nothing of what it is tested on is known to a fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.oracle import stratified_folds
from grambench.common.errors import DataError
from grambench.datasets.store import PreparedDataset
from grambench.experiments.data import Pools, Sample, dense, shuffled, standardised
from grambench.experiments.seeds import seeds
from grambench.experiments.specification import Specification

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Split:
    """What one fit sees, and what it is tested on."""

    train: Sample
    test: Sample


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


def parts(specification: Specification, dataset: PreparedDataset) -> Iterator[Part]:
    """Yield the parts that a nested run asks for; they depend on the seed and the data set's name alone.

    Numbers beyond the last part, in replications, are those of other partitions of the same examples.

    Raises
    ------
    DataError
        If the features are sparse, or a class is too small to be in every training and test set.
    """
    dense(dataset)
    protocol, labels = specification.protocol, dataset.labels
    count, folds = protocol["parts"], protocol["folds"]
    rarest = min(np.count_nonzero(labels == label) for label in (-1, 1))
    if rarest < max(count, folds + 1):
        raise DataError(
            f"{dataset.name}: {count} parts of {folds} folds need more than {rarest} examples of each class"
        )
    members: list[Indices] = []
    for number in specification.repeats:
        partition, part = divmod(number, count)
        first = partition * (count + 1)  # of the seeds: one of the parts, and one of each part's folds and draws
        if not (members and part):
            shared, _ = seeds(specification.seed, dataset.name, first)
            members = stratified_folds(labels, count, np.random.default_rng(shared))
        test = members[part]
        train = np.setdiff1d(np.arange(len(labels)), test)
        shared, draws = seeds(specification.seed, dataset.name, first + 1 + part)
        held_out = stratified_folds(labels[train], folds, np.random.default_rng(shared))
        pairs = [(train, test), *((np.setdiff1d(train, train[fold]), train[fold]) for fold in held_out)]
        outer, *inner = (split(specification, dataset, *pair, shared) for pair in pairs)
        yield Part(outer, inner, draws)


def split(
    specification: Specification, dataset: PreparedDataset, train: Indices, test: Indices, seed: np.random.SeedSequence
) -> Split:
    """Scale features to zero mean and unit variance, and Gram matrices to a trace, by the training examples.

    The paper's unit trace is taken to be that of all N examples, so that n training examples have n / N: the uniform
    SVM is then nearer to its published numbers, with musk1 at 61.3 (published 61.4) and not 71.4
    (`benchmarks/rkl_readings.py`).

    Parameters
    ----------
    specification : Specification
        The kernels, and the trace of every Gram matrix, were it that of all N examples.
    dataset : PreparedDataset
        With dense features.
    train, test : ndarray of int (n,), (t,)
        Indices of the examples.
    seed : SeedSequence
        Of the order in which online algorithms see the training examples.
    """
    features, labels = dense(dataset), dataset.labels
    known, unknown = standardised(features[train], features[test])
    pools = Pools(specification, known, specification.protocol["trace"] * len(train) / len(labels))
    order = shuffled(len(train), seed)
    first = Sample(pools.train(), labels[train], order)
    return Split(first, Sample(pools.between(unknown), labels[test], order))
