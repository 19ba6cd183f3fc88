"""Logistic regression with a group lasso penalty, by accelerated proximal gradient descent (FISTA).

    minimise  1/n sum_i log(1 + exp(-y_i (z_i'w + b))) + lambda sum_g ||w_g||

over w of groups of equal size and a bias b without a penalty (Beck and Teboulle 2009, SIAM J. Imaging Sci. 2). The
momentum restarts where it points uphill (O'Donoghue and Candes 2015, Found. Comput. Math. 15).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from grambench.common.types import Floats, Labels
from grambench.solvers import certificates

CHECK_EVERY = 10  # steps between two evaluations of the duality gap


class Solution(NamedTuple):
    """Coefficients (G, p) of G groups, the bias, the relative duality gap, and the number of steps."""

    coefficients: Floats
    bias: float
    gap: float
    steps: int


def largest_penalty(features: Floats, labels: Labels, groups: int) -> float:
    """Return the smallest lambda at which all coefficients are 0, for features (n, G p)."""
    residual = np.where(labels > 0, np.mean(labels < 0), -np.mean(labels > 0))
    return float(np.linalg.norm((features.T @ residual).reshape(groups, -1), axis=1).max() / len(labels))


def minimise(features: Floats, labels: Labels, groups: int, penalty: float, *, gap: float, max_steps: int) -> Solution:
    """Return a solution within a relative duality gap, or the one after `max_steps` steps.

    Parameters
    ----------
    features : ndarray of float64 (n, G p)
        Features, group by group.
    labels : ndarray of int8 (n,)
        -1 or +1; both occur.
    groups : int
        G.
    penalty : float
        lambda.
    gap : float
        Relative duality gap to stop at.
    max_steps : int
        Largest number of steps.
    """
    n, centre = len(labels), features.mean(axis=0)
    # With centred features, the bias hardly depends on the coefficients, and steps are longer.
    centred = np.column_stack([features - centre, np.ones(n)])
    wide = n < centred.shape[1]
    step = 4.0 * n / float(np.linalg.eigvalsh(centred @ centred.T if wide else centred.T @ centred)[-1])
    point = ahead = np.zeros(centred.shape[1])
    momentum, certificate = 1.0, certificates.Certificate(np.inf, np.inf)
    for count in range(1, max_steps + 1):
        gradient = -centred.T @ (labels * expit(-labels * (centred @ ahead))) / n
        moved = ahead - step * gradient
        by_group = moved[:-1].reshape(groups, -1)
        norms = np.linalg.norm(by_group, axis=1, keepdims=True)
        by_group *= np.maximum(0.0, 1.0 - step * penalty / np.maximum(norms, np.finfo(np.float64).tiny))
        if (ahead - moved) @ (moved - point) > 0.0:
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = moved + (momentum - 1.0) / following * (moved - point)
        point, momentum = moved, following
        if count % CHECK_EVERY == 0 or count == max_steps:
            coefficients = point[:-1].reshape(groups, -1)
            bias = float(point[-1] - centre @ point[:-1])
            certificate = certificates.group_lasso(features, labels, penalty, coefficients, bias)
            if certificate.gap <= gap:
                break
    return Solution(coefficients, bias, certificate.gap, count)
