"""Single kernel: one kernel of the pool, named by its number.

With the number tuned on validation examples and an SVM trained on the kernel, this is MuSVM of Yang et al. (2012).
It reads the number of kernels in the pool and their parameters, but no kernel value.
"""

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.settings import OneKernel as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Return the kernel; the SVM is trained on it afterwards.

    Raises
    ------
    ValueError
        If the pool has no kernel of that number.
    """
    m = pool.shape[0]
    return Fit(weights=np.eye(m)[parameters.among(m)], thetas=pool.thetas)
