"""OMKC(D,D) (multi-class): deterministic combination of multi-class Perceptrons, beyond Hoi et al. 2013.

Every kernel has a Perceptron of C classes (Crammer and Singer 2003), and a weighted vote predicts the class. At each
mistake of its Perceptron, a kernel's weight is multiplied by β.

Formula
-------
    ŷ = argmax_y Σ_k θ_k [ŷ_k = y],   ŷ_k = argmax_y f_k,y(x)
    where ŷ_k ≠ y:   θ_k ← β θ_k,   f_k,y ← f_k,y + K_k(x, ·),   f_k,ŷ_k ← f_k,ŷ_k − K_k(x, ·)

Of equal scores and sums, the first class is predicted. Two classes, +1 the first, are `omkc_dd`. A `budget`
(grambench.algorithms.budget) bounds the support vectors of each Perceptron.

Complexity
----------
A round costs O(s) kernel evaluations and additions for each kernel, with its s support vectors, at most a `budget` of
them, and O(m C). Memory is O(m s C).

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
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.bounded import blocks
from grambench.algorithms.budget import Budget
from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import BLOCK_ROWS, Fit, State, Work
from grambench.common.lazy_numba import njit
from grambench.common.parameters import within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool


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
    numbers : list of ndarray of int32 (s,)
        Support vectors of each Perceptron among the training examples.
    dual : list of ndarray of float64 (s, C)
        Their coefficients.
    """

    weights: Floats
    numbers: list[NDArray[np.int32]]
    dual: list[Floats]

    def scores(self, pool: Pool) -> Floats:
        """Return s(x, y), (t, C)."""
        votes = np.zeros((pool.shape[1], self.dual[0].shape[1]))
        for k, weight in enumerate(self.weights):
            for start in range(0, len(votes), BLOCK_ROWS):
                rows = np.arange(start, min(start + BLOCK_ROWS, len(votes)))
                best = (pool.values(k, rows, self.numbers[k]) @ self.dual[k]).argmax(axis=1)
                votes[rows, best] += weight
        return votes

    @property
    def support(self) -> NDArray[np.int32]:
        """The support vectors of all kernels."""
        return np.unique(np.concatenate(self.numbers))


class PerceptronPass(NamedTuple):
    """The output of T rounds of one kernel's Perceptron.

    Attributes
    ----------
    predicted : ndarray of int64 (T,)
        Class that it predicted in each round.
    support : ndarray of int32 (s,)
        Support vectors after the last round, in their order of arrival.
    dual : ndarray of float64 (s, C)
        Their coefficients.
    kernel_values : int
        Kernel evaluations between the examples and the support vectors of their rounds.
    """

    predicted: NDArray[np.int64]
    support: NDArray[np.int32]
    dual: Floats
    kernel_values: int


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over the order once."""
    check_class_numbers(pool, labels, order)
    (m, _, n), classes, capacity = pool.shape, int(labels.max()) + 1, parameters.capacity(len(order))
    # The Perceptrons do not depend on the weights, so each runs over the whole pass by itself.
    passes = [_learn(pool, k, labels, order, classes, capacity) for k in range(m)]
    predicted = np.stack([each.predicted for each in passes], axis=1)
    logarithms = np.zeros(m)
    mistakes = _combine_votes(predicted, labels[order], classes, np.log(parameters.beta), logarithms)
    weights = np.exp(logarithms - logarithms.max())
    weights /= weights.sum()
    predictor = ClassVote(weights, [each.support for each in passes], [each.dual for each in passes])
    total = sum(each.kernel_values for each in passes)
    # A kernel value is added to the scores of two classes; additions are counted in whole rows, rounded up.
    work = Work(kernel_values=total, row_additions=-(-2 * total // n))
    state = State(
        stage=1,
        epochs=1,
        rounds=len(order),
        updates=int(np.count_nonzero(predicted != labels[order][:, None])),
        seconds=0.0,
        objective=mistakes / len(order),
        training_error=float(np.mean(predictor.scores(pool).argmax(axis=1) != labels)),
        work=work,
        predictor=predictor,
    )
    return Fit(weights=weights, predictor=predictor, states=[state], work=work)


def _learn(pool: Pool, kernel: int, labels: Labels, order: Order, classes: int, capacity: int) -> PerceptronPass:
    """Run the Perceptron of one kernel over the order, block by block."""
    predicted, support, total = np.empty(len(order), dtype=np.int64), order[:0], 0
    rivals = np.empty(0, dtype=np.int64)
    for rounds in blocks(len(order)):
        examples = np.concatenate([support, order[rounds]])
        values = pool.values(kernel, order[rounds], examples)
        columns, rivals = np.arange(len(examples)), np.append(rivals, predicted[rounds])
        first, end, evaluations = _learn_block(values, labels[examples], columns, rivals, classes, capacity)
        predicted[rounds] = rivals[len(support) :]
        support, rivals, total = examples[columns[first:end]], rivals[columns[first:end]], total + evaluations
    dual, rows = np.zeros((len(support), classes)), np.arange(len(support))
    dual[rows, labels[support]], dual[rows, rivals] = 1.0, -1.0
    return PerceptronPass(predicted, support, dual, total)


@njit(cache=True)
def _learn_block(values, labels, columns, rivals, classes, capacity):  # type: ignore[no-untyped-def]
    """Learn from b examples in turn.

    Parameters
    ----------
    values : ndarray of float64 (b, s + b)
        Kernel values between the examples, and the s support vectors and the examples.
    labels : ndarray of int8 (s + b,)
        Classes of the support vectors and the examples.
    columns : ndarray of int64 (s + b,)
        Receives the columns of the support vectors, from the oldest to the latest, from `first` to `end`.
    rivals : ndarray of int64 (s + b,)
        Classes that were predicted for the support vectors; receives those predicted for the examples.
    classes, capacity : int
        The number of classes, and the largest number of support vectors.

    Returns
    -------
    tuple of int
        `first`, `end`, and the number of kernel values read.
    """
    size, scores, total = len(labels) - len(values), np.empty(classes), 0
    first, end = 0, size
    for t in range(len(values)):
        scores[:] = 0.0
        for column in columns[first:end]:
            scores[labels[column]] += values[t, column]
            scores[rivals[column]] -= values[t, column]
        total += end - first
        # Of equal scores, the first class is the best.
        rivals[size + t] = scores.argmax()
        if rivals[size + t] != labels[size + t]:
            # A full Perceptron forgets its oldest support vector.
            first = max(first, end + 1 - capacity)
            columns[end] = size + t
            end += 1
    return first, end, total


@njit(cache=True)
def _combine_votes(predicted, labels, classes, discount, logarithms):  # type: ignore[no-untyped-def]
    """Return the mistakes of the vote on predictions (T, m); change the logarithms of the weights, (m,)."""
    votes, mistakes = np.empty(classes), 0
    for t in range(labels.size):
        votes[:] = 0.0
        # Weights are relative to the largest, whose logarithm falls without a bound.
        largest = logarithms.max()
        for k in range(logarithms.size):
            votes[predicted[t, k]] += np.exp(logarithms[k] - largest)
            if predicted[t, k] != labels[t]:
                logarithms[k] += discount
        mistakes += votes.argmax() != labels[t]
    return mistakes
