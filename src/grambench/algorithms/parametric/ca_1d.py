"""CA-1D: continuous alignment with one parameter for all features (Afkanpour et al. 2013, Algorithm 1).

The paper searches the parameter with Matlab's fmincon from nine starts, 10^-3 to 10^5; here a scan of the range with
refinement of its best lobes. `grambench.algorithms.stagewise` says what else differs.
"""

import numpy as np

from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.stagewise import Stopping as Parameters
from grambench.algorithms.stagewise import learn
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "family"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards."""
    family = continuous(pool)
    return learn(family, labels, lambda slope: np.array([family.search(slope)[0]]), parameters)
