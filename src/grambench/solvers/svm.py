"""SVMs with a bias on a combined Gram matrix: C-SVC and L2-SVM.

    C-SVC     maximise  sum_i alpha_i - 1/2 v'Kv          0 <= alpha_i <= C    hinge loss
    L2-SVM    maximise  sum_i alpha_i - 1/2 v'(K + I/C)v  0 <= alpha_i         squared hinge loss, C/2 sum_i xi_i^2

with v_i = y_i alpha_i and sum_i v_i = 0. The L2-SVM is a hard-margin SVM on K + I/C (Chapelle et al. 2002,
Machine Learning 46). LIBSVM has no warm start. Inside kernel learning on 569 examples, this solver takes a sixth to a
third of LIBSVM's time from a cold start, and a sixth to three tenths from the previous dual (`benchmarks/svm.py`).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import SolverError
from grambench.common.types import Floats, Labels
from grambench.solvers import smo
from grambench.solvers.combination import Combination

Loss = Literal["hinge", "squared"]

TOLERANCE = 1e-3
MAX_STEPS = 10_000_000
BALANCE_TOLERANCE = 1e-12  # a sum below this share of the positive ones is a rounding error
SHORTENING = 1e-3  # a start longer than its best length by the inverse of this factor is rescaled


@dataclass(frozen=True, slots=True, kw_only=True)
class SVM:
    """A trained SVM, f(x) = sum_i dual_i K(x, x_i) + bias.

    Attributes
    ----------
    dual : ndarray of float64 (n,)
        Signed coefficients v_i = y_i alpha_i.
    bias : float
        Offset of the decision function.
    objective : float
        Value of the dual problem.
    steps : int
        Number of steps of the solver.
    image : ndarray of float64 (n,)
        K v of all n examples, also of those that the SVM was not trained on. Its rounding errors are those of the
        gradient, so that a K v far below 1 is not precise.
    """

    dual: Floats
    bias: float
    objective: float
    steps: int
    image: Floats


def train(
    combination: Combination,
    labels: Labels,
    C: float,
    *,
    loss: Loss = "hinge",
    examples: NDArray[np.bool_] | None = None,
    start: Floats | None = None,
    image: Floats | None = None,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
) -> SVM:
    """Train an SVM.

    Parameters
    ----------
    combination : Combination
        Gram matrix of the n examples.
    labels : ndarray of int8 (n,)
        -1 or +1. With one class only, the SVM predicts that class.
    C : float
        Weight of the loss, positive and finite.
    loss : str
        "hinge" or "squared".
    examples : ndarray of bool (n,), optional
        The examples to train on, by default all; the coefficients of the others are 0.
    start : ndarray of float64 (n,), optional
        Dual to start from, such as the solution at other weights or another C; made feasible if needed.
    image : ndarray of float64 (n,), optional
        K(theta) `start` if already computed, which saves combining the rows of unchanged coefficients.
    tolerance : float
        Largest violation of the optimality conditions, in units of the margin.
    max_steps : int
        Largest number of steps.

    Raises
    ------
    ValueError
        If C or the labels are not allowed.
    SolverError
        If the problem is unbounded, or not solved after `max_steps` steps.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> svm = train(Combination.single(points @ points.T), np.array([-1, -1, 1, 1], dtype=np.int8), C=10.0)
    >>> np.sign(points @ points.T @ svm.dual + svm.bias)
    array([-1., -1.,  1.,  1.])
    """
    check(combination, labels, C)
    y = labels.astype(np.float64)
    ridge, box = (0.0, C) if loss == "hinge" else (1.0 / C, np.inf)
    boxes = np.full(len(y), box) if examples is None else np.where(examples, box, 0.0)
    lower, upper = np.where(y > 0, 0.0, -boxes), np.where(y > 0, boxes, 0.0)
    dual, image = _feasible_start(combination, start, image, lower, upper, ridge)
    gradient, steps = smo.maximise(combination.rows, image, y, ridge, lower, upper, dual, tolerance, max_steps)
    if steps < 0 or not (np.isfinite(dual).all() and np.isfinite(gradient).all()):
        raise SolverError("SVM: the dual is unbounded; the Gram matrix is indefinite or overflows")
    if steps == max_steps:
        raise SolverError(
            f"SVM: not within {tolerance} of the optimality conditions after {steps} steps; "
            "scale the kernels, lower C, or raise the tolerance"
        )
    objective = 0.5 * (np.abs(dual).sum() + gradient @ dual)  # v'(K + ridge I)v = y'v - gradient'v
    bias, image = _bias(gradient, dual, lower, upper), y - gradient - ridge * dual
    return SVM(dual=dual, bias=bias, objective=float(objective), steps=steps, image=image)


def check(combination: Combination, labels: Labels, C: float) -> None:
    """Raise ValueError unless C is allowed, and the labels are -1 or +1 of every example."""
    if not 0.0 < C < np.inf:
        raise ValueError(f"C must be positive and finite, got {C}")
    check_labels(combination, labels)


def check_labels(combination: Combination, labels: Labels) -> None:
    """Raise ValueError unless the labels are -1 or +1 of every example."""
    if labels.shape != combination.rows.diagonal.shape or not (np.abs(labels) == 1).all():
        raise ValueError(f"labels: expected {combination.rows.diagonal.size} of -1 or +1, got {np.unique(labels)[:5]}")


def feasible(start: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return `start` clipped to its bounds, the heavier sign then scaled down so that the sum is 0 up to rounding.

    A sum that is 0 up to rounding stays as it is: scaling would take every coefficient at C off its bound.
    """
    dual: Floats = np.clip(start, lower, upper)
    positive, negative = dual[dual > 0].sum(), -dual[dual < 0].sum()
    if abs(positive - negative) <= BALANCE_TOLERANCE * positive:
        return dual
    if positive > negative:
        dual[dual > 0] *= negative / positive
    elif negative > positive:
        dual[dual < 0] *= positive / negative
    return dual


def _feasible_start(
    combination: Combination, start: Floats | None, image: Floats | None, lower: Floats, upper: Floats, ridge: float
) -> tuple[Floats, Floats]:
    """Return a feasible start v and K(theta) v.

    A start that is far too long is scaled to its best length, since it would leave rounding errors behind.
    """
    if start is None:
        return np.zeros(len(lower)), np.zeros(len(lower))
    dual = feasible(start, lower, upper)
    if image is None or not np.array_equal(dual, start):
        image = combination.product(dual)
    length, curvature = np.abs(dual).sum(), dual @ image + ridge * dual @ dual
    if length < SHORTENING * curvature:
        dual = dual * (length / curvature)
        image = combination.product(dual)
    return dual, image


def _bias(gradient: Floats, dual: Floats, lower: Floats, upper: Floats) -> float:
    """Return the mean gradient of the free coefficients, or else the middle of the interval that bounded ones allow."""
    free = (dual > lower) & (dual < upper)
    if free.any():
        return float(gradient[free].mean())
    least = gradient[dual < upper].max(initial=-np.inf)
    most = gradient[dual > lower].min(initial=np.inf)
    if np.isfinite(least) and np.isfinite(most):
        return float(least + most) / 2
    return float(least if np.isfinite(least) else most)  # one class only
