"""CR: continuous regularised risk (Argyriou et al. 2005, COLT; CA, Table 1, Afkanpour et al. 2013).

`grambench.algorithms.greedy_risk` with a search over one parameter: a scan of the range with refinement of its best
lobes, where the papers use a gradient method from several starts.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms import greedy_risk
from grambench.algorithms.fit import Fit, continuous
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "family"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(greedy_risk.Parameters):
    """Parameters of CR; see grambench.algorithms.greedy_risk."""


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel and its predictor."""
    family = continuous(pool)
    return greedy_risk.learn(parameters, family, labels, family.search)
