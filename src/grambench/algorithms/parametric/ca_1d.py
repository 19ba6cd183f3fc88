"""CA-1D: continuous alignment with one parameter for all features (Afkanpour et al. 2013, Algorithm 1).

The paper searches the parameter with Matlab's fmincon from nine starts, 10^-3 to 10^5; here a scan of the range with
refinement of its best lobes. `grambench.algorithms.stagewise` says what else differs.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms import stagewise
from grambench.algorithms.fit import Fit, continuous
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "family"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(stagewise.Stopping):
    """Parameters of CA-1D; see the paper's Section 3."""


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards."""
    family = continuous(pool)
    return stagewise.learn(family, labels, lambda slope: np.array([family.search(slope)[0]]), parameters)
