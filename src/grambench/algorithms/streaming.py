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

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bounded import Source
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels

Features = NDArray[np.float32]
Starts = NDArray[np.int64]
Basis = Starts | Source

LOSSES = {"perceptron": 0, "hinge": 1, "logistic": 2}  # the codes that compiled loops read


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


class LinearClassifiers:
    """One linear classifier for each of m kernels, on the features of this kernel.

    Parameters
    ----------
    starts : ndarray of int64 (m + 1,)
        Where the features of each kernel start.
    loss : str
        One of LOSSES; a classifier takes a gradient step on the loss of each example.
    eta : float
        Length of the steps.

    Attributes
    ----------
    linear : ndarray of float32 (D_1 + ... + D_m,)
        The classifiers.
    updates : ndarray of int64 (m,)
        How often each classifier has changed.
    """

    def __init__(self, starts: Starts, loss: str = "perceptron", eta: float = 1.0) -> None:
        self.starts, self._loss, self._eta = starts, LOSSES[loss], eta
        self.linear = np.zeros(starts[-1], dtype=np.float32)
        self.updates = np.zeros(len(starts) - 1, dtype=np.int64)

    def learn(self, features: Features, labels: Labels) -> tuple[Floats, NDArray[np.bool_]]:
        """Learn from b examples in turn; return f_k(x) before each label was used, and what changed, both (b, m)."""
        scores, updated = (
            np.empty((len(labels), len(self.updates))),
            np.empty((len(labels), len(self.updates)), np.bool_),
        )
        learn_block(features, labels, self.starts, self.linear, self._loss, self._eta, scores, updated)
        self.updates += updated.sum(axis=0)
        return scores, updated

    def scores(self, features: Features) -> Floats:
        """Return f_k(x), (t, m)."""
        scores = np.empty((len(features), len(self.updates)))
        _write_scores(features, self.starts, self.linear, scores)
        return scores


class OneClassifier:
    """The state of an algorithm with one of m kernels; see OnlineState."""

    def __init__(self, starts: Starts, kernel: int, loss: str = "perceptron", eta: float = 1.0) -> None:
        self._features = slice(starts[kernel], starts[kernel + 1])
        self._classifier = LinearClassifiers(starts[kernel : kernel + 2] - starts[kernel], loss, eta)
        self.weights = np.eye(len(starts) - 1)[kernel]

    @property
    def updates(self) -> NDArray[np.int64]:
        """Updates of each kernel's classifier, (m,)."""
        return np.asarray((self.weights > 0.0) * self._classifier.updates[0])

    def block(self, features: Features, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""
        return self._classifier.learn(features[:, self._features], labels)[0][:, 0]

    def scores(self, features: Features) -> Floats:
        """Return f(x), (t,)."""
        return self._classifier.scores(features[:, self._features])[:, 0]


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


@njit(cache=True)
def loss_value(loss, margin):  # type: ignore[no-untyped-def]
    """Return the loss at a margin y f(x): its code is one of LOSSES."""
    if loss == 2:
        # The smaller of the two exponentials cannot overflow.
        return max(-margin, 0.0) + np.log1p(np.exp(-abs(margin)))
    return max(0.0, 1.0 - margin) if loss == 1 else max(0.0, -margin)


@njit(cache=True)
def step_length(loss, y, score):  # type: ignore[no-untyped-def]
    """Return minus the derivative of the loss by the score, over y: how far a gradient step of length 1 goes."""
    if loss == 0:
        return 1.0 if (score >= 0.0) != (y > 0) else 0.0
    margin = y * score
    if loss == 1:
        return 1.0 if margin < 1.0 else 0.0
    return 1.0 / (1.0 + np.exp(min(margin, 700.0)))


@njit(cache=True)
def learn_block(features, labels, starts, linear, loss, eta, scores, updated):  # type: ignore[no-untyped-def]
    """Run the classifier of every kernel over a block, each by itself.

    Parameters
    ----------
    features : ndarray of float32 (b, D_1 + ... + D_m)
        Features of the examples.
    labels : ndarray of int8 (b,)
        -1 or +1.
    starts : ndarray of int64 (m + 1,)
        Where the features of each kernel start.
    linear : ndarray of float32 (D_1 + ... + D_m,)
        The classifiers; changed in place.
    loss : int
        Code of the loss.
    eta : float
        Step size.
    scores : ndarray of float64 (b, m)
        Receives f_k(x) before the label is used.
    updated : ndarray of bool (b, m)
        Receives which classifiers changed.
    """
    for k in range(starts.size - 1):
        weights = linear[starts[k] : starts[k + 1]]
        products = np.empty(weights.size, dtype=np.float32)
        for t in range(labels.size):
            row = features[t, starts[k] : starts[k + 1]]
            score = inner_product(weights, row, products)
            scores[t, k] = score
            length = step_length(loss, labels[t], score)
            updated[t, k] = length > 0.0
            if length > 0.0:
                add_to(weights, row, eta * length * labels[t])


@njit(cache=True)
def _write_scores(features, starts, linear, out):  # type: ignore[no-untyped-def]
    """Write f_k(x) of a block into `out`, (b, m)."""
    products = np.empty(linear.size, dtype=np.float32)
    for k in range(starts.size - 1):
        for t in range(len(features)):
            out[t, k] = inner_product(
                linear[starts[k] : starts[k + 1]], features[t, starts[k] : starts[k + 1]], products
            )
