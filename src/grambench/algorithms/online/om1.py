"""OM-1: online multiple kernel learning, deterministic (Jin et al. 2010, Algorithm 1; named so by Yang et al. 2012).

OMKC(D,D) with a step size: each kernel's Perceptron adds step y k(x, .) at its mistakes, and its sign is voted on with
Hedge weights. A step above 0 changes no sign, so the pass is that of `omkc_dd`, with its deviations: a score of 0
predicts +1. The step is a parameter because Yang et al. tune it; here one can see that it changes nothing.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms import omkc
from grambench.algorithms.fit import Fit
from grambench.algorithms.hedge import Discount
from grambench.common.parameters import POSITIVE
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Discount):
    """Parameters of OM-1.

    Attributes
    ----------
    step : float
        Step size of the Perceptrons, above 0; it changes nothing.
    """

    step: Annotated[float, POSITIVE] = 1.0


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; support vectors are counted over all kernels."""
    return omkc.learn(parameters, pool, labels, order, rng, updates="all", votes="all")
