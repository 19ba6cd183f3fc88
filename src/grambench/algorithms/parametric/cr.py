"""CR: continuous regularised risk (Argyriou et al. 2005, COLT; CA, Table 1, Afkanpour et al. 2013).

`grambench.algorithms.greedy_risk` with a search over one parameter: a scan of the range with refinement of its best
lobes, where the papers use a gradient method from several starts.
"""

import numpy as np

from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.greedy_risk import Parameters, learn
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "family"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel and its predictor."""
    family = continuous(pool)
    return learn(parameters, family, labels, family.search)
