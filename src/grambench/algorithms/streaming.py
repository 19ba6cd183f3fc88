"""Online learning on features: one linear classifier for each kernel, and blocks of examples as they arrive.

An algorithm that learns online may define, beside `fit`,

::

    start(parameters, basis, rng) -> OnlineState

The basis says what a block of examples consists of. It is an array `starts` if kernel k has the features from starts[k]
to starts[k + 1] (`grambench.kernels.approximation`). With a budget it is a `Source`, which computes kernel values
between examples and support vectors (`grambench.algorithms.bounded`).

A block of examples costs the same at the first and at the millionth. How the examples are cut into blocks changes no
prediction, but for the last bits of features.

The sums of inner products have a fixed order, in which halves are added to halves: processors with vectors of any width
then give the same bits, and the compiler may use them.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bounded import BoundedClassifiers, Source
from grambench.algorithms.budget import PerceptronBudget
from grambench.algorithms.experts import (
    Classifiers,
    Learned,
    Needed,
    RoundsOfAll,
    RoundsOfEach,
    learn_each,
    step_length,
    write_scores,
)
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels

Features = NDArray[np.float32]
Starts = NDArray[np.int64]
Basis = Starts | Source


class OnlineState(Protocol):
    """What an online algorithm has learned from the examples so far."""

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,), not negative, summing to one."""

    @property
    def updates(self) -> NDArray[np.int64]:
        """Updates of each kernel's classifier, (m,)."""

    def block(self, features: Any, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""

    def scores(self, features: Any) -> Floats:
        """Return f(x), (t,)."""


def kernel_count(basis: Basis) -> int:
    """Return the number of kernels of a basis."""
    return len(basis) - 1 if isinstance(basis, np.ndarray) else basis.count


def perceptrons(basis: Basis, budget: PerceptronBudget, kernels: Sequence[int] | None = None) -> Classifiers:
    """Return Perceptrons before the first example, on features or with a budget; by default one for each kernel."""
    if isinstance(basis, np.ndarray):
        return LinearClassifiers(basis, kernels)
    return BoundedClassifiers(basis, int(budget.budget), budget.when_full, kernels)


class Linear(NamedTuple):
    """The linear classifiers of m kernels during a block.

    Attributes
    ----------
    features : ndarray of float32 (b, D_1 + ... + D_m)
        Features of the examples.
    starts : ndarray of int64 (m + 1,)
        Where the features of each kernel start.
    linear : ndarray of float32 (D_1 + ... + D_m,)
        The classifiers.
    products : ndarray of float32 (D_1 + ... + D_m,)
        Overwritten.
    """

    features: Features
    starts: Starts
    linear: Features
    products: Features

    def score(self, k: int, t: int) -> float:
        """Return f_k(x) of the example of round t."""
        first, end = self.starts[k], self.starts[k + 1]
        return inner_product(self.linear[first:end], self.features[t, first:end], self.products)  # type: ignore[no-any-return]

    def squared_norm(self, k: int, t: int) -> float:
        """Return <x, x> of the example of round t."""
        features = self.features[t, self.starts[k] : self.starts[k + 1]]
        return inner_product(features, features, self.products)  # type: ignore[no-any-return]

    def update(self, k: int, t: int, coefficient: float) -> None:
        """Add coefficient times the example of round t to f_k."""
        first, end = self.starts[k], self.starts[k + 1]
        add_to(self.linear[first:end], self.features[t, first:end], coefficient)

    def play_alone(
        self, k: int, start: int, stop: int, labels: Labels, loss: int, eta: float, scores: Floats, dual: Floats
    ) -> int:
        """Play rounds of classifier k, see `grambench.algorithms.experts.play_alone`."""
        first, end = self.starts[k], self.starts[k + 1]
        # Arrays that are cut once for all rounds: to cut them in each takes as long as a short inner product.
        weights, features, products = self.linear[first:end], self.features, self.products
        for t in range(start, stop):
            row = features[t, first:end]
            f = inner_product(weights, row, products)
            scores[t] = f
            length = step_length(loss, labels[t], f)
            if length > 0.0:
                dual[t] = eta * length * labels[t]
                add_to(weights, row, dual[t])
        return stop

    def clear(self, k: int) -> None:
        """Let f_k be 0 again."""
        for j in range(self.starts[k], self.starts[k + 1]):
            self.linear[j] = 0.0


class LinearClassifiers:
    """One linear classifier for each of m kernels; see `grambench.algorithms.experts.Classifiers`.

    Parameters
    ----------
    starts : ndarray of int64 (m + 1,)
        Where the features of each kernel start.
    kernels : sequence of r int, optional
        The kernels that have classifiers; by default all.

    Attributes
    ----------
    linear : ndarray of float32 (D_1 + ... + D_m,)
        The classifiers.
    """

    def __init__(self, starts: Starts, kernels: Sequence[int] | None = None) -> None:
        self.count, self.starts = len(starts) - 1, starts
        self._kernels = np.arange(self.count) if kernels is None else np.array(kernels)
        self.linear = np.zeros(starts[-1], dtype=np.float32)

    def experts(self, features: Features) -> Linear:
        """Return the classifiers with the features of a block, for compiled rounds."""
        return Linear(features, self.starts, self.linear, np.empty_like(self.linear))

    def play_each(self, examples: Features, rounds: RoundsOfEach) -> Learned:
        """Let each classifier play the rounds by itself."""
        scores, dual = np.zeros((2, len(self._kernels), len(examples)))
        rounds(self._kernels, scores, dual, 0, self.experts(examples))
        return Learned.of_classifiers(scores, dual)

    def play_all(self, examples: Features, rounds: RoundsOfAll, needed: Needed | None = None) -> None:
        """Let all classifiers play the rounds together; no values are missing."""
        rounds(0, self.experts(examples))

    def scores(self, examples: Features) -> Floats:
        """Return f_k(x), (t, r)."""
        scores = np.empty((len(self._kernels), len(examples)))
        write_scores(self.experts(examples), self._kernels, scores)
        return np.ascontiguousarray(scores.T)


class OneClassifier:
    """The state of an algorithm with one of m kernels; see OnlineState.

    Parameters
    ----------
    classifiers : Classifiers
        The classifier of this kernel.
    kernel : int
        Number of the kernel.
    loss, eta
        See `grambench.algorithms.experts.learn_each`.
    """

    def __init__(self, classifiers: Classifiers, kernel: int, loss: str = "perceptron", eta: float = 1.0) -> None:
        self._classifiers, self._loss, self._eta = classifiers, loss, eta
        self._kernel, self.weights = kernel, np.eye(classifiers.count)[kernel]
        self.updates = np.zeros(classifiers.count, dtype=np.int64)

    def block(self, features: Any, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""
        learned = learn_each(self._classifiers, features, labels, self._loss, self._eta)
        self.updates[self._kernel] += np.count_nonzero(learned.dual)
        return learned.scores[:, 0]

    def scores(self, features: Any) -> Floats:
        """Return f(x), (t,)."""
        return self._classifiers.scores(features)[:, 0]


@njit(cache=True)
def inner_product(weights, features, products):  # type: ignore[no-untyped-def]
    """Return the inner product of two arrays of float32 (D,); `products` (D,) is overwritten."""
    left = weights.size
    for j in range(left):
        products[j] = weights[j] * features[j]
    while left > 1:
        half = left // 2
        # A slice, since a sum as an index keeps the compiler from using vectors.
        upper = products[left - half : left]
        for j in range(half):
            products[j] += upper[j]
        left -= half
    return products[0]


@njit(cache=True)
def add_to(weights, features, factor):  # type: ignore[no-untyped-def]
    """Add `factor` times an array of float32 (D,) to another."""
    narrow = np.float32(factor)
    for j in range(weights.size):
        weights[j] += narrow * features[j]
