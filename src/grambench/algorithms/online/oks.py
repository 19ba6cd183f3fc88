"""OKS: online kernel selection for classification (Yang et al. 2012, Algorithm 2).

In each round one kernel is drawn from Multi(p); a mistake of its classifier costs its weight a factor exp(-eta / p) and
adds the example with the coefficient lambda y / p. Under one kernel it is the Perceptron with a step size.

As printed, a score of exactly 0 is a mistake on both classes (line 6). The default eta is the paper's, from Theorem 3;
of its two passes the paper gives delta only, see `horizon`. The prediction of a round is that of the drawn kernel;
after the last round it is that of the selected one. How several passes go on is said in `grambench.algorithms.bandit`.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.bandit import ExponentialWeights, OnlineClassifiers, RoundRule, run
from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.fit import Fit
from grambench.common.parameters import POSITIVE
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(ExponentialWeights):
    """Parameters of OKS; see `ExponentialWeights` and `BanditParameters` in `grambench.algorithms.bandit`.

    Attributes
    ----------
    step : float
        Step size lambda of the classifiers; it changes no draw, no mistake and no selected kernel.
    """

    step: Annotated[float, POSITIVE] = 1.0


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select a kernel; support vectors are counted over all kernels."""
    check_two_classes(pool, labels, order)
    etas = parameters.etas(pool.shape[0], len(order))
    rules = [_round_rule(eta, parameters.step) for eta in etas]
    return run(parameters, OnlineClassifiers(pool, parameters), rules, labels, order, rng)


def _round_rule(eta: float, step: float) -> RoundRule:
    def learn(score: float, y: int, p: float) -> tuple[float, float]:
        if y * score > 0.0:  # z = 0, line 6
            return 0.0, 0.0
        return eta / p, step * y / p  # lines 7 and 8

    return learn
