"""OMKC(D,S): deterministic updating, stochastic combination (Hoi et al. 2013, Algorithm 2).

Deviations from the printed algorithm, each of which the published numbers need (docs/papers/omkc.md): kernels are
drawn with the smoothed probability p of Section 4.2, not with q (line 5); the vote of the drawn kernels is weighted by
q, as in Algorithm 4, not plain (line 8); sign(0) = +1 for each kernel and for the vote; the order of summation of
`grambench.algorithms.scores`. The support vectors after a round are those of the kernels drawn in that round.
"""

import numpy as np

from grambench.algorithms import omkc
from grambench.algorithms.fit import Fit
from grambench.algorithms.hedge import Sampling as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; support vectors are counted over the kernels drawn in the round."""
    return omkc.learn(parameters, pool, labels, order, rng, updates="all", votes="drawn")
