"""Splits: which examples train, validate and test, one generator for each way to draw them.

Row indices only: kernels and scales of features are computed from the training rows elsewhere, so that nothing of the
test examples enters a fit.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.oracle import stratified_folds
from grambench.common.errors import DataError
from grambench.common.types import Indices, Order
from grambench.config import protocols
from grambench.datasets.store import PreparedDataset
from grambench.experiments.run import Run
from grambench.experiments.seeds import seeds

# A run is tried first on at most TRIAL_SIZE examples of each part, but on at least LEAST_OF_CLASS of each class.
TRIAL_SIZE, LEAST_OF_CLASS, MOST_OF_CLASS = 40, 2, 10


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows to train the candidates of a selection on, and rows to compare them on."""

    train: Indices
    validation: Indices


@dataclass(frozen=True, slots=True)
class Split:
    """The rows of one repetition.

    Attributes
    ----------
    train, test : ndarray of int
        Rows of the training examples of the final model, and of the test examples.
    folds : sequence of Fold
        What hyperparameters are selected on; none if there are no validation examples.
    order_seed : SeedSequence
        Seed of the order in which online algorithms see training examples.
    order : ndarray of int32 (n,) or None
        Positions in `train` in that order, of which folds see their own; None if each training set has an order of its
        own.
    """

    train: Indices
    test: Indices
    folds: Sequence[Fold]
    order_seed: np.random.SeedSequence
    order: Order | None = None

    @property
    def refits(self) -> bool:
        """Whether the final model has other training examples than the candidates."""
        return len(self.folds) != 1 or self.folds[0].train is not self.train

    def order_of(self, train: Indices) -> Order:
        """Return the order in which online algorithms see some training examples, as positions among them."""
        if self.order is None:
            return shuffled(len(train), self.order_seed)
        return within(self.order, np.isin(self.train, train))

    def shortened(self, train: Indices) -> "Split":
        """Return the split with fewer training examples of its only fold."""
        if not self.folds:
            return replace(self, train=train)
        fold = Fold(train, self.folds[0].validation)
        return replace(self, train=np.concatenate([train, fold.validation]) if self.refits else train, folds=[fold])

    def reduced(self, labels: NDArray[np.int8]) -> "Split":
        """Return the split with the first examples of each class in each part, as many as a trial has."""
        size = min(MOST_OF_CLASS, max(LEAST_OF_CLASS, TRIAL_SIZE // len(np.unique(labels))))
        parts = [fold.validation for fold in self.folds]
        parts += [fold.train for fold in self.folds] if len(self.folds) == 1 else []
        parts += [] if self.folds else [self.train]
        rows = np.concatenate([first_of_each(size, labels, part) for part in parts])

        def reduce(part: Indices) -> Indices:
            return part[np.isin(part, rows)]

        folds = [Fold(reduce(fold.train), reduce(fold.validation)) for fold in self.folds]
        train = reduce(self.train) if self.refits else folds[0].train
        order = None if self.order is None else within(self.order, np.isin(self.train, rows))
        return replace(self, train=train, test=first_of_each(size, labels, self.test), folds=folds, order=order)


def within(order: Order, subset: NDArray[np.bool_]) -> Order:
    """Return the order of a subset of n examples, as positions in the subset."""
    position = np.cumsum(subset, dtype=np.int32) - 1
    return np.asarray(position[order[subset[order]]], dtype=np.int32)


SeededSplits = Iterator[tuple[Split, np.random.SeedSequence]]


def splits(run: Run, dataset: PreparedDataset) -> SeededSplits:
    """Yield the split of each repetition of a run, with the seed of the algorithms' own draws.

    Splits depend on the project's seed, the data set's name and the number of the repetition alone. A split that all
    repetitions share is the same object each time.

    Raises
    ------
    DataError
        If there are too few examples, or no official split where one is needed.
    """
    yield from SPLITTERS[run.offline.splitter](run.offline, run, dataset)


def random(protocol: protocols.RandomSplits, run: Run, dataset: PreparedDataset) -> SeededSplits:
    """Yield repeated random splits."""
    counts = protocol.counts(dataset.name, len(dataset.labels))
    for number in run.repetitions:
        split_seed, fit_seed = seeds(run.seed, dataset.name, number)
        permutation = np.random.default_rng(split_seed).permutation(len(dataset.labels))[: sum(counts)]
        train, validation, test = np.split(permutation, np.cumsum(counts)[:-1])
        yield _split(train, validation, test, protocol.refit, split_seed), fit_seed


def official(protocol: protocols.OfficialSplit, run: Run, dataset: PreparedDataset) -> SeededSplits:
    """Yield the split that comes with the data, the same one for every repetition."""
    if dataset.test is None:
        raise DataError(f"{dataset.name}: expected a data set with a split of its own, got one without")
    split_seed, _ = seeds(run.seed, dataset.name, 0)
    train, test = (np.flatnonzero(dataset.test == part) for part in (False, True))
    permutation = np.random.default_rng(split_seed).permutation(len(train))
    cut = max(1, round(protocol.validation * len(train)))
    fold = Fold(train[np.sort(permutation[cut:])], train[np.sort(permutation[:cut])])
    split = Split(train, test, [fold], split_seed, shuffled(len(train), split_seed))
    if not protocol.refit:
        split = Split(fold.train, test, [fold], split_seed, split.order_of(fold.train))
    for number in run.repetitions:
        yield split, seeds(run.seed, dataset.name, number)[1]


def nested(protocol: protocols.NestedCV, run: Run, dataset: PreparedDataset) -> SeededSplits:
    """Yield the outer folds of nested cross-validation.

    RKL, Section 6 (Gai et al. 2010): "For each data set, we split it to five parts, and each time we use four parts as
    the training set and the remaining one as the test set", and C is chosen by 3-fold cross-validation on the training
    set. Numbers beyond the last outer fold, in replications, are those of other partitions of the same examples.

    Chosen by published numbers: folds that keep the shares of the classes, the remainder in the first.
    """
    labels, count, folds = dataset.labels, protocol.outer_folds, protocol.inner_folds
    rarest = int(np.unique(labels, return_counts=True)[1].min())
    if rarest < max(count, folds + 1):
        need = f"{count} outer folds with {folds} inner folds need more than {rarest} examples of each class"
        raise DataError(f"{dataset.name}: {need}")
    members: Sequence[Indices] = []
    for number in run.repetitions:
        partition, part = divmod(number, count)
        start = partition * (count + 1)  # of the seeds: one of the partition, then one of each outer fold
        if not (members and part):
            split_seed, _ = seeds(run.seed, dataset.name, start)
            members = stratified_folds(labels, count, np.random.default_rng(split_seed))
        test = members[part]
        train = np.setdiff1d(np.arange(len(labels)), test)
        split_seed, fit_seed = seeds(run.seed, dataset.name, start + 1 + part)
        inner = stratified_folds(labels[train], folds, np.random.default_rng(split_seed))
        validation = [train[rows] for rows in inner]
        yield Split(train, test, [Fold(np.setdiff1d(train, rows), rows) for rows in validation], split_seed), fit_seed


def per_class(protocol: protocols.PerClassSplits, run: Run, dataset: PreparedDataset) -> SeededSplits:
    """Yield random splits with equally many examples of each class; an official test part is used whole."""
    sizes = protocol.counts(dataset.name)
    official_test = np.zeros(len(dataset.labels), dtype=np.bool_) if dataset.test is None else dataset.test
    names = dataset.classes or ("-1", "+1")
    for number in run.repetitions:
        split_seed, fit_seed = seeds(run.seed, dataset.name, number)
        rng = np.random.default_rng(split_seed)
        parts: list[list[Indices]] = [[], [], []]
        for label, name in zip(np.unique(dataset.labels), names, strict=True):
            members = rng.permutation(np.flatnonzero((dataset.labels == label) & ~official_test))
            counts = [len(members) - sizes[1], sizes[1], 0] if sizes[0] == 0 else list(sizes)
            if sum(counts) > len(members) or counts[0] < 1:
                raise DataError(f"{dataset.name}: expected {sum(counts)} examples of {name}, got {len(members)}")
            for part, rows in zip(parts, np.split(members, np.cumsum(counts)), strict=False):
                part.append(rows)
        train, validation, test = (np.concatenate(part) for part in parts)
        if dataset.test is not None:
            test = np.flatnonzero(dataset.test)
        yield _split(train, validation, test, protocol.refit, fit_seed), fit_seed


SPLITTERS: dict[str, Callable[..., SeededSplits]] = {
    "random": random,
    "official": official,
    "nested": nested,
    "per_class": per_class,
}


def _split(
    train: Indices, validation: Indices, test: Indices, refit: bool, order_seed: np.random.SeedSequence
) -> Split:
    folds = [Fold(train, validation)] if len(validation) else []
    return Split(np.concatenate([train, validation]) if refit else train, test, folds, order_seed)


def first_of_each(count: int, labels: NDArray[np.int8], rows: Indices) -> Indices:
    """Return the first so many examples of each class among some rows, class by class."""
    return np.concatenate([rows[labels[rows] == label][:count] for label in np.unique(labels)])


def shuffled(n: int, seed: np.random.SeedSequence) -> NDArray[np.int32]:
    """Return the order in which online algorithms see n training examples.

    It has a random stream of its own beside the one that drew the split, so that it changes no split.
    """
    stream = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 1))
    return np.random.default_rng(stream).permutation(n).astype(np.int32)
