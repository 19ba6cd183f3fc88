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

from typing import Any

import numpy as np

from grambench.algorithms.bandit import normalised_weights
from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.experts import LOSSES, Classifiers, Learned, learn_each, loss_value
from grambench.algorithms.fit import Fit, Trace
from grambench.algorithms.gradient import GradientParameters as Parameters
from grambench.algorithms.gradient import expansions, gradient_classifiers
from grambench.algorithms.streaming import LinearClassifiers, Starts
from grambench.common.lazy_numba import largest, njit
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; support vectors are counted over all kernels."""
    check_two_classes(pool, labels, order)
    classifiers = gradient_classifiers(pool)
    learned, scores, weights = Raker(parameters, classifiers).learn(order, labels[order])
    trace = Trace(
        mistakes=(scores >= 0.0) != (labels[order] > 0),
        scores=scores,
        support_vectors=learned.sizes.sum(axis=1),
        weights=weights,
        updates=learned.sizes[-1],
    )
    predictor, work = expansions(weights[-1], learned.dual, order), classifiers.work(learned.sizes, len(labels))
    return Fit(weights=weights[-1], predictor=predictor, trace=trace, work=work)


def start(parameters: Parameters, starts: Starts, rng: np.random.Generator) -> "Raker":
    """Return the state before the first example; see `grambench.algorithms.streaming`."""
    return Raker(parameters, LinearClassifiers(starts))


class Raker:
    """The state of a pass; see `grambench.algorithms.streaming.OnlineState`."""

    def __init__(self, parameters: Parameters, classifiers: Classifiers) -> None:
        self._parameters, self._classifiers = parameters, classifiers
        self._logarithms, self.updates = np.zeros(classifiers.count), np.zeros(classifiers.count, dtype=np.int64)

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,)."""
        return normalised_weights(self._logarithms)

    def learn(self, examples: Any, labels: Labels) -> tuple[Learned, Floats, Floats]:
        """Learn from b examples in turn; return what was learned, scores (b,), and the weights after each, (b, m)."""
        loss, eta = self._parameters.loss, self._parameters.eta
        learned = learn_each(self._classifiers, examples, labels, loss, eta)
        combined, weights = np.empty(len(labels)), np.empty(learned.scores.shape)
        combine_scores(learned.scores, labels, LOSSES[loss], eta, self._logarithms, combined, weights)
        self.updates += learned.updated.sum(axis=0)
        return learned, combined, weights

    def block(self, features: Any, labels: Labels) -> Floats:
        """Learn from b examples in turn, and return the score of each before its label was used, (b,)."""
        return self.learn(features, labels)[1]

    def scores(self, features: Any) -> Floats:
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
    most, total = largest(logarithms), 0.0
    for k in range(logarithms.size):
        out[k] = np.exp(logarithms[k] - most)
        total += out[k]
    for k in range(logarithms.size):
        out[k] /= total
