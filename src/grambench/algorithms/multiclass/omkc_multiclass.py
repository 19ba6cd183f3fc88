"""OMKC(D,D) (multi-class): deterministic combination of multi-class Perceptrons, beyond Hoi et al. 2013.

Every kernel has a Perceptron of C classes (Crammer and Singer 2003), and a weighted vote predicts the class. At each
mistake of its Perceptron, a kernel's weight is multiplied by β.

Formula
-------
    ŷ = argmax_y Σ_k θ_k [ŷ_k = y],   ŷ_k = argmax_y f_k,y(x)
    where ŷ_k ≠ y:   θ_k ← β θ_k,   f_k,y ← f_k,y + K_k(x, ·),   f_k,ŷ_k ← f_k,ŷ_k − K_k(x, ·)

Of equal scores and sums, the first class is predicted. Two classes, +1 the first, are `omkc_dd`. A `budget`
(grambench.algorithms.budget) bounds memory.

Complexity
----------
A mistake of a kernel's Perceptron costs O(n) kernel evaluations and additions, and every round O(m C). Memory is O(m n
C).

Deviations
----------
Section 6 of the paper leaves multi-class problems and bounded memory open; this is our extension.

References
----------
Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2

Crammer and Singer (2003). Ultraconservative online algorithms for multiclass problems. Journal of Machine Learning
Research 3, 951-991.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.budget import Budget
from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit, State, Work
from grambench.common.parameters import within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool, stacked


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Budget):
    """Parameters of OMKC(D,D) of more than two classes.

    Attributes
    ----------
    beta : float
        Factor of a kernel's weight after a mistake of its Perceptron, in (0, 1).
    """

    beta: Annotated[float, within("(0, 1)")] = 0.8


@dataclass(frozen=True, slots=True)
class ClassVote:
    """s(x, y): the sum of the weights of the kernels whose Perceptron predicts y.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Weights of the kernels.
    dual : ndarray of float64 (m, n, C)
        Coefficients of each Perceptron.
    """

    weights: Floats
    dual: Floats

    def scores(self, pool: Pool) -> Floats:
        """Return s(x, y), (t, C)."""
        votes, grams = np.zeros((pool.shape[1], self.dual.shape[2])), pool.grams()
        for k, weight in enumerate(self.weights):
            votes[np.arange(len(votes)), (grams[k] @ self.dual[k]).argmax(axis=1)] += weight
        return votes

    @property
    def support(self) -> NDArray[np.intp]:
        """The support vectors of all kernels."""
        return np.flatnonzero(self.dual.any(axis=(0, 2)))


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over the order once."""
    check_class_numbers(pool, labels, order)
    grams, classes = stacked(pool), int(labels.max()) + 1
    m, n = grams.shape[:2]
    logarithms, dual, capacity = np.zeros(m), np.zeros((m, n, classes)), parameters.capacity(len(order))
    mistakes, updates, removals = _pass(
        grams, labels, order, np.log(parameters.beta), capacity, np.zeros((m, classes, n)), logarithms, dual
    )
    weights = np.exp(logarithms - logarithms.max())
    weights /= weights.sum()
    predictor = ClassVote(weights, dual)
    work = Work(kernel_values=n * updates, row_additions=2 * (updates + removals))
    training_error = float(np.mean(predictor.scores(pool).argmax(axis=1) != labels))
    state = State(
        stage=1,
        epochs=1,
        rounds=len(order),
        updates=updates,
        seconds=0.0,
        objective=mistakes / len(order),
        training_error=training_error,
        work=work,
        predictor=predictor,
    )
    return Fit(weights=weights, predictor=predictor, states=[state], work=work)


@njit(cache=True)
def _pass(grams, labels, order, discount, capacity, scores, logarithms, dual):  # type: ignore[no-untyped-def]
    """Pass over the order; return the mistakes of the vote, and the updates and removals of all Perceptrons."""
    m, classes, n = scores.shape
    support, predicted = np.empty((m, capacity), dtype=np.int64), np.empty((m, capacity), dtype=np.int64)
    counts, votes = np.zeros(m, dtype=np.int64), np.empty(classes)
    mistakes, updates, removals = 0, 0, 0
    for i in order:
        y = labels[i]
        votes[:] = 0.0
        # Weights are relative to the largest, whose logarithm falls without a bound.
        largest = logarithms.max()
        for k in range(m):
            best = 0
            for c in range(1, classes):
                if scores[k, c, i] > scores[k, best, i]:
                    best = c
            votes[best] += np.exp(logarithms[k] - largest)
            if best == y:
                continue
            logarithms[k] += discount
            # The oldest support vector is removed before the new one takes its slot in the ring.
            slot = counts[k] % capacity
            if counts[k] >= capacity:
                removals += 1
                old, old_prediction = support[k, slot], predicted[k, slot]
                dual[k, old, labels[old]] -= 1.0
                dual[k, old, old_prediction] += 1.0
                for j in range(n):
                    scores[k, labels[old], j] -= grams[k, old, j]
                    scores[k, old_prediction, j] += grams[k, old, j]
            support[k, slot], predicted[k, slot] = i, best
            counts[k] += 1
            updates += 1
            dual[k, i, y] += 1.0
            dual[k, i, best] -= 1.0
            for j in range(n):
                scores[k, y, j] += grams[k, i, j]
                scores[k, best, j] -= grams[k, i, j]
        mistakes += votes.argmax() != y
    return mistakes, updates, removals
