"""Perceptron: the kernel Perceptron with one fixed kernel (Rosenblatt 1958; the baseline of OMKC, Section 5.1).

The published numbers need the linear kernel, which is the first of the pool.

Deviation from the pseudo-code of OMKC's Algorithm 1, line 8, which counts y f(x) <= 0 as a mistake: the published
numbers need sign(0) = +1, so that a score of exactly 0 is a mistake on a negative example only. They also need the
order of summation in `grambench.algorithms.scores`.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.budget import Budget
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit
from grambench.algorithms.scores import single_kernel_fit
from grambench.algorithms.settings import OneKernel
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(OneKernel, Budget):
    """Parameters of the Perceptron.

    Attributes
    ----------
    kernel : int
        Index of its kernel in the pool; 0 is the linear kernel of OMKC's pool.
    """


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass.

    Raises
    ------
    ValueError
        If the pool has no kernel of that index.
    """
    rows = check_input(pool, labels, order)
    capacity = parameters.capacity(len(order))
    return single_kernel_fit(rows, parameters.among(len(rows.values)), labels, order, capacity)
