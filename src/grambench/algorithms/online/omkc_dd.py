"""OMKC(D,D): deterministic updating, deterministic combination (Hoi et al. 2013, Algorithm 1).

Deviations from the printed algorithm: it counts y f_k(x) <= 0 as a mistake of kernel k (line 8); the published numbers
need sign(0) = +1 for each kernel and for the weighted vote, and the order of summation in
`grambench.algorithms.scores`. Its theta is divided by W_t in every round (line 12), which changes no sign but that of
a rounding error; the published numbers on diabetes need the vote without the division. It allows beta in (0, 1);
Figure 4 goes up to 1, and so does this.
"""

import numpy as np

from grambench.algorithms import omkc
from grambench.algorithms.fit import Fit
from grambench.algorithms.hedge import Discount as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass; support vectors are counted over all kernels."""
    return omkc.learn(parameters, pool, labels, order, rng, updates="all", votes="all")
