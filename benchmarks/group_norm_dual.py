"""Dual coordinate ascent for multi-class group-norm kernel learning: a lower bound of problem (9) of OBSCURE.

Orabona et al. 2010, problem (9): lambda/2 ||w||_{2,p}^2 plus the mean multi-class hinge loss. Its dual maximises

    D(beta) = sum beta - ||theta(beta)||_{2,q}^2 / (2 lambda),  beta_iy >= 0, sum_y beta_iy <= 1/n,

over the wrong classes y of each example; theta^k(beta) = sum_iy beta_iy (phi_k(x_i, y_i) - phi_k(x_i, y)). A step moves
mass of one example from the class (or from none) where the gradient is least to that where it is largest, as far as D
grows. No algorithm is run with it: it tells how far theirs are from the optimum.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.solvers.group_norm import margins, norm, shares

Floats = NDArray[np.float64]

HALVINGS = 40  # of the interval in which a step's length lies
EVERY = 10  # passes from one look at the gap to the next


class Optimum(NamedTuple):
    """The least f(w) that was met and the largest D(beta), between which the optimum lies, and the coefficients.

    Attributes
    ----------
    upper, lower : float
        Of f.
    beta : ndarray of float64 (n, C)
        At `lower`; 0 at the right classes.
    """

    upper: float
    lower: float
    beta: Floats


def solve(
    grams: Floats,
    labels: NDArray[np.int8],
    regularisation: float,
    q: float,
    *,
    gap: float = 1e-3,
    passes: int = 1000,
) -> Optimum:
    """Ascend until the bounds are within a share of the lower one, or for so many passes.

    Parameters
    ----------
    grams : ndarray of float64 (m, n, n)
        Gram matrices.
    labels : ndarray of int8 (n,)
        Classes, from 0.
    regularisation : float
        lambda.
    q : float
        Dual norm of p, at least 2.
    gap : float
        Of `upper` - `lower` by `lower`.
    passes : int
        Over all examples, at most.
    """
    m, n = grams.shape[:2]
    classes = int(labels.max()) + 1
    beta, scores, squares = np.zeros((n, classes)), np.zeros((m, classes, n)), np.zeros(m)
    diagonal = np.ascontiguousarray(np.stack([np.diagonal(gram) for gram in grams]).T)
    upper, lower = np.inf, 0.0
    for done in range(1, passes + 1):
        _pass(grams, diagonal, labels, regularisation, q, beta, scores, squares)
        if done % EVERY and done != passes:
            continue
        half = norm(squares, q) ** 2 / (2.0 * regularisation)
        lower = float(beta.sum() - half)
        decided = np.einsum("k,kci->ic", shares(squares, q) / regularisation, scores)
        upper = min(upper, float(half + np.maximum(0.0, 1.0 - margins(decided, labels)).mean()))
        if upper - lower <= gap * lower:
            break
    return Optimum(upper, lower, beta)


@njit(cache=True)
def _pass(grams, diagonal, labels, regularisation, q, beta, scores, squares):  # type: ignore[no-untyped-def]
    m, classes, n = scores.shape
    weights = shares(squares, q)
    gradient, slope, curve = np.empty(classes), np.empty(m), np.empty(m)
    for i in range(n):
        y, best, worst = labels[i], -1, -1  # -1: none, whose gradient is 0
        for c in range(classes):
            gradient[c] = 1.0
            for k in range(m):
                gradient[c] -= weights[k] * (scores[k, y, i] - scores[k, c, i]) / regularisation
            if c != y and gradient[c] > (gradient[best] if best >= 0 else 0.0):
                best = c
        spare = 1.0 / n - beta[i].sum()
        low, room = (0.0, spare) if spare > 0.0 else (np.inf, 0.0)
        for c in range(classes):
            if c != y and beta[i, c] > 0.0 and gradient[c] < low:
                worst, low, room = c, gradient[c], beta[i, c]
        if best == worst or room <= 0.0:
            continue
        both = best >= 0 and worst >= 0
        for k in range(m):
            gained = scores[k, y, i] - scores[k, best, i] if best >= 0 else 0.0
            lost = scores[k, y, i] - scores[k, worst, i] if worst >= 0 else 0.0
            slope[k], curve[k] = gained - lost, 2.0 * diagonal[i, k]  # |e_worst - e_best|^2 = |e_y - e_best|^2 = 2
        rise = (gradient[best] if best >= 0 else 0.0) - low
        rise += (weights * slope).sum() / regularisation  # of the sum alone
        length = _length(squares, slope, curve, rise, room, regularisation, q)
        if length <= 0.0:
            continue
        squares += 2.0 * length * slope + length * length * curve
        if best >= 0:
            beta[i, best] += length
        if worst >= 0:
            beta[i, worst] = beta[i, worst] - length if length < room else 0.0
        for k in range(m):
            row = grams[k, i]
            if not both:
                sign = length if best >= 0 else -length
                for j in range(n):
                    scores[k, y, j] += sign * row[j]
            if best >= 0:
                for j in range(n):
                    scores[k, best, j] -= length * row[j]
            if worst >= 0:
                for j in range(n):
                    scores[k, worst, j] += length * row[j]
        weights = shares(squares, q)


@njit(cache=True)
def _length(squares, slope, curve, rise, room, regularisation, q):  # type: ignore[no-untyped-def]
    """Return how far in [0, room] D grows: where its derivative, which falls, is 0."""
    low, high, middle = 0.0, room, room
    for _ in range(HALVINGS):
        weights = shares(squares + 2.0 * middle * slope + middle * middle * curve, q)
        if rise > (weights * (slope + middle * curve)).sum() / regularisation:
            low = middle
            if low == high:
                break
        else:
            high = middle
        middle = 0.5 * (low + high)
    return low
