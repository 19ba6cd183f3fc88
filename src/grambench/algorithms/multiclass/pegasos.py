"""Pegasos: stochastic sub-gradient descent on the problem of OBSCURE (Orabona et al. 2010, Section 4.1).

Shalev-Shwartz et al. 2007, extended to group norms: Algorithm 2 of Orabona et al. from w = 0, with
eta_t = q / (lambda t), without a bound on the norm.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.group_norm import GroupNormClassifier, GroupNormParameters, UpdateRule, dual_norm
from grambench.common.parameters import at_least
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(GroupNormParameters):
    """Parameters of Pegasos.

    Attributes
    ----------
    epochs : int
        Passes, at least 1, each in an order of its own.
    """

    epochs: Annotated[int, at_least(1)] = 10


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over random permutations of the examples."""
    check_class_numbers(pool, labels, order)
    regularisation, rounds = 1.0 / (parameters.C * len(order)), parameters.epochs * len(order)
    classifier = GroupNormClassifier(pool, labels, dual_norm(parameters.p), rounds, regularisation)
    for epoch in range(parameters.epochs):
        classifier.epoch(UpdateRule(regularisation=regularisation), rng.permutation(order))
        classifier.record(1, always=epoch == parameters.epochs - 1)
    return classifier.fit()
