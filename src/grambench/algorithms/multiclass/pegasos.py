"""Pegasos: stochastic sub-gradient descent on the problem of OBSCURE (Orabona et al. 2010, Section 4.1).

Shalev-Shwartz et al. 2007, extended to group norms: Algorithm 2 of Orabona et al. from w = 0, with
eta_t = q / (lambda t), without a bound on the norm.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.checks import check_classes
from grambench.algorithms.fit import Fit, Labels, Order
from grambench.algorithms.group_norm import GroupNormClassifier, UpdateRule, check_problem, dual_norm
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of Pegasos.

    Attributes
    ----------
    p : float
        Norm of the kernels' norms in problem (9), in (1, 2].
    C : float
        1 / (lambda n), above 0.
    epochs : int
        Passes, at least 1, each in an order of its own.
    """

    p: float = 1.05
    C: float = 100.0
    epochs: int = 10

    def __post_init__(self) -> None:
        check_problem(self.p, self.C)
        if self.epochs < 1:
            raise ValueError(f"epochs must be at least 1, got {self.epochs}")


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over the examples in drawn orders."""
    check_classes(pool, labels, order)
    regularisation, rounds = 1.0 / (parameters.C * len(order)), parameters.epochs * len(order)
    classifier = GroupNormClassifier(pool, labels, dual_norm(parameters.p), rounds, regularisation)
    for epoch in range(parameters.epochs):
        classifier.epoch(UpdateRule(regularisation=regularisation), rng.permutation(order))
        classifier.record(1, always=epoch == parameters.epochs - 1)
    return classifier.fit()
