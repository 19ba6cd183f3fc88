"""Platt scaling: probabilities from scores by a sigmoid (Platt 1999), fitted by Newton's method (Lin et al. 2007)."""

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats

ITERATIONS = 100
HESSIAN_RIDGE = 1e-12  # on the diagonal of the Hessian
SMALLEST_STEP = 1e-10
GRADIENT_TOLERANCE = 1e-5  # at which Newton's method ends
SMALLEST, LARGEST = 1e-200, 1e100  # a scale of scores that can be divided by, and a scaled score whose square is finite


def fit(scores: Floats, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the slope a and the offset b of P(y = 1 | f) = 1 / (1 + exp(a f + b)).

    Parameters
    ----------
    scores : ndarray of float64 (n,)
        Scores f of examples, none much larger than 1.
    positive : ndarray of bool (n,)
        Whether y = 1.

    Notes
    -----
    Targets are Platt's, (n+ + 1) / (n+ + 2) and 1 / (n- + 2), with which the fit exists for separable scores too.
    """
    positives, negatives = np.count_nonzero(positive), np.count_nonzero(~positive)
    target = np.where(positive, (positives + 1.0) / (positives + 2.0), 1.0 / (negatives + 2.0))
    f, a, b = scores, 0.0, float(np.log((negatives + 1.0) / (positives + 1.0)))
    value = _loss(a * f + b, target)
    for _ in range(ITERATIONS):
        p = probability(f, a, b)
        difference, weight = target - p, p * (1.0 - p)
        gradient = np.array([difference @ f, difference.sum()])
        if np.abs(gradient).max() < GRADIENT_TOLERANCE:
            break
        off = float(weight @ f)
        hessian = np.array([[float(weight @ f**2) + HESSIAN_RIDGE, off], [off, float(weight.sum()) + HESSIAN_RIDGE]])
        direction = -np.linalg.solve(hessian, gradient)
        step = 1.0
        while step >= SMALLEST_STEP:
            trial_loss = _loss((a + step * direction[0]) * f + b + step * direction[1], target)
            if trial_loss < value + 1e-4 * step * float(gradient @ direction):
                a, b, value = a + step * direction[0], b + step * direction[1], trial_loss
                break
            step /= 2.0
        else:
            break
    return float(a), float(b)


def probability(scores: Floats, a: float, b: float) -> Floats:
    """Return P(y = 1 | f) of some scores, (t,), without overflow."""
    z = a * scores + b
    small = np.exp(-np.abs(z))
    return np.where(z >= 0.0, small, 1.0) / (1.0 + small)


def _loss(z: Floats, target: Floats) -> float:
    """Return the cross-entropy of targets at arguments z = a f + b."""
    return float(np.sum(np.logaddexp(0.0, -np.abs(z)) + np.where(z >= 0.0, target * z, (target - 1.0) * z)))


def probabilities(scores: Floats, y_true: NDArray[np.intp], test_scores: Floats) -> Floats:
    """Return the probability of each class from scores, calibrated on other scores.

    Parameters
    ----------
    scores : ndarray of float64 (n, C)
        Scores to calibrate on, of two classes in two columns of opposite sign.
    y_true : ndarray of int (n,)
        Class numbers of the examples.
    test_scores : ndarray of float64 (t, C)
        Scores to convert.

    Returns
    -------
    ndarray of float64 (t, C)
        Probabilities; more than two classes have one sigmoid each (one-vs-rest), normalised.
    """
    # Newton's method has absolute tolerances, so scores are scaled to at most 1 first.
    largest = float(np.abs(scores).max(initial=0.0))
    scale = largest if largest > SMALLEST else 1.0
    scores, test_scores = scores / scale, np.clip(test_scores / scale, -LARGEST, LARGEST)
    classes = scores.shape[1]
    if classes == 2:
        positive = probability(test_scores[:, 1], *fit(scores[:, 1], y_true == 1))
        return np.stack([1.0 - positive, positive], axis=1)
    values = np.stack(
        [probability(test_scores[:, label], *fit(scores[:, label], y_true == label)) for label in range(classes)],
        axis=1,
    )
    total = values.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, values / np.where(total > 0.0, total, 1.0), 1.0 / classes)
