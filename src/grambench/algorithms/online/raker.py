"""Raker: random features and an ensemble of kernels with exponential weights (Shen, Chen and Giannakis 2019).

Each kernel has a classifier that takes a gradient step on the loss of every example, and the weighted mean of their
scores predicts. The weight of a kernel falls exponentially with the loss of its classifier.

Formula
-------
    f(x) = Σ_k w_k f_k(x),   ŷ = sign f(x),   w_k = θ_k / Σ_j θ_j
    f_k ← f_k − η l'(y f_k(x)) y K_k(x, ·),   θ_k ← θ_k exp(−η l(y f_k(x)))     for every k

The loss l is the hinge or the logistic loss of the margin. The paper has K_k on random Fourier features, with
`approximation: fourier` of an estimator; a fit to Gram matrices uses the kernels themselves.

Complexity
----------
On D features a round costs O(m D), and the memory is O(m D). On Gram matrices a step of a kernel costs O(n), since the
scores of all n examples are kept.

Deviations
----------
The paper bounds the loss and its derivative, and adds a regulariser of weight λ = 1e-3 to it; here there is none. One
step size η serves both updates, as in the paper, but its default is not 1/√T, since a stream has no end that is known.

`adaraker` runs Rakers that start anew on intervals of all lengths.

References
----------
Shen, Chen and Giannakis (2019). Random feature-based online multi-kernel learning in environments with unknown
dynamics. Journal of Machine Learning Research 20(22).
"""

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bandit import normalised_weights
from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.fit import Fit, Trace
from grambench.algorithms.gradient import GradientParameters as Parameters
from grambench.algorithms.gradient import gradient_pass
from grambench.algorithms.streaming import LOSSES, Features, LinearClassifiers, OnlineState, Starts, loss_value
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; support vectors are counted over all kernels."""
    check_two_classes(pool, labels, order)
    m = pool.shape[0]
    passed = gradient_pass(parameters, pool, labels, order, range(m))
    combined, logarithms, weights = np.empty(len(order)), np.zeros(m), np.empty(passed.scores.shape)
    combine_scores(passed.scores, labels[order], LOSSES[parameters.loss], parameters.eta, logarithms, combined, weights)
    trace = Trace(
        mistakes=(combined >= 0.0) != (labels[order] > 0),
        scores=combined,
        support_vectors=np.cumsum(passed.updated.sum(axis=1)),
        weights=weights,
        updates=passed.updated.sum(axis=0),
    )
    last = weights[-1]
    return Fit(weights=last, predictor=passed.predictor(last, order), trace=trace, work=passed.work(len(labels)))


def start(parameters: Parameters, starts: Starts, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example; see `grambench.algorithms.streaming`."""
    return RakerOnFeatures(parameters, starts)


class RakerOnFeatures:
    """The state of a pass on features; see `grambench.algorithms.streaming.OnlineState`."""

    def __init__(self, parameters: Parameters, starts: Starts) -> None:
        self._classifiers = LinearClassifiers(starts, parameters.loss, parameters.eta)
        self._loss, self._eta = LOSSES[parameters.loss], parameters.eta
        self._logarithms = np.zeros(len(starts) - 1)

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,)."""
        return normalised_weights(self._logarithms)

    @property
    def updates(self) -> NDArray[np.int64]:
        """Updates of each kernel's classifier, (m,)."""
        return self._classifiers.updates

    def block(self, features: Features, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""
        scores, _ = self._classifiers.learn(features, labels)
        combined = np.empty(len(labels))
        combine_scores(scores, labels, self._loss, self._eta, self._logarithms, combined, np.empty(scores.shape))
        return combined

    def scores(self, features: Features) -> Floats:
        """Return f(x), (t,)."""
        return np.asarray(self._classifiers.scores(features) @ self.weights)


@njit(cache=True)
def combine_scores(scores, labels, loss, eta, logarithms, combined, weights):  # type: ignore[no-untyped-def]
    """Write the weighted means of the scores (T, m), and the weights after each round; change the logarithms (m,)."""
    before = np.empty(logarithms.size)
    write_weights(logarithms, before)
    for t in range(labels.size):
        combined[t] = 0.0
        for k in range(logarithms.size):
            combined[t] += before[k] * scores[t, k]
            logarithms[k] -= eta * loss_value(loss, labels[t] * scores[t, k])
        before = weights[t]
        write_weights(logarithms, before)


@njit(cache=True)
def write_weights(logarithms, out):  # type: ignore[no-untyped-def]
    """Write exp(logarithms), divided by their sum."""
    largest, total = logarithms.max(), 0.0
    for k in range(logarithms.size):
        out[k] = np.exp(logarithms[k] - largest)
        total += out[k]
    for k in range(logarithms.size):
        out[k] /= total
