"""Hedge weights of the OMKC algorithms (Hoi et al. 2013, Sections 3.2 and 4)."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.budget import PerceptronBudget
from grambench.common.lazy_numba import largest, njit
from grambench.common.parameters import within

RESCALE_BELOW = 2.0**-500


@dataclass(frozen=True, slots=True, kw_only=True)
class Discount(PerceptronBudget):
    """The discount of a kernel's weight at a mistake.

    Attributes
    ----------
    beta : float
        Factor of a kernel's weight at each of its mistakes, in (0, 1].
    """

    beta: Annotated[float, within("(0, 1]")] = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling(Discount):
    """The discount of a kernel's weight at a mistake, and the smoothing of the draws.

    Attributes
    ----------
    delta : float
        Smoothing of the sampling probabilities, in (0, 1).
    """

    delta: Annotated[float, within("(0, 1)")] = 0.01


@njit(cache=True)
def discount(weights, discounted, beta):  # type: ignore[no-untyped-def]
    """Multiply the weights of some kernels by beta, and scale all up before the largest underflows.

    The scale is a power of two, which changes no quotient of two weights by a single bit. Weights are not normalised
    between rounds: the published numbers on diabetes need products of beta as they are.

    Chosen by published numbers: the vote's weights as they are.

    Parameters
    ----------
    weights : ndarray of float64 (m,)
        Positive; changed in place.
    discounted : ndarray of bool (m,)
        The kernels to be discounted.
    beta : float
        In (0, 1].
    """
    for k in range(weights.size):
        if discounted[k]:
            weights[k] *= beta
    # A common factor is taken out only when it must be: dividing in every round would change the rounding of votes.
    if largest(weights) < RESCALE_BELOW:
        for k in range(weights.size):
            weights[k] /= RESCALE_BELOW


@njit(cache=True)
def write_shares(weights, out):  # type: ignore[no-untyped-def]
    """Write w_k / sum_j w_j into `out`."""
    # Loops, since array expressions take ten times as long to compile.
    total = 0.0
    for k in range(weights.size):
        total += weights[k]
    for k in range(weights.size):
        out[k] = weights[k] / total


@njit(cache=True)
def sampling_probabilities(weights, delta):  # type: ignore[no-untyped-def]
    """Return q of eq. (6) and p of Section 4.2: q_k = w_k / max_j w_j and p_k = (1 - delta) q_k + delta / m."""
    q, p = np.empty(weights.size), np.empty(weights.size)
    most, even = largest(weights), delta / weights.size
    for k in range(weights.size):
        q[k] = weights[k] / most
        p[k] = (1.0 - delta) * q[k] + even
    return q, p
