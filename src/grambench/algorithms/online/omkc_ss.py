"""OMKC(S,S): stochastic updating, stochastic combination (Hoi et al. 2013, Algorithm 4).

Deviations from the printed algorithm: sign(0) = +1 for each kernel and for the vote, so that a round that draws no
kernel predicts +1, and the order of summation of `grambench.algorithms.scores`, as in `omkc_dd`. The support vectors
after a round are those of the kernels drawn in that round.
"""

import numpy as np

from grambench.algorithms import omkc
from grambench.algorithms.fit import Fit
from grambench.algorithms.online.omkc_sd import Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; support vectors are counted over the kernels drawn in the round."""
    return omkc.learn(parameters, pool, labels, order, rng, updates="drawn", votes="drawn")
