"""Single kernel: one kernel of the pool, named by its number.

With the number tuned on validation examples and an SVM trained on the kernel, this is MuSVM of Yang et al. (2012).
Of the pool it looks at the number of kernels and their parameters, and at no kernel value.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.settings import OneKernel
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(OneKernel):
    """Parameters of the single kernel."""


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Return the kernel; the SVM is trained on it afterwards.

    Raises
    ------
    ValueError
        If the pool has no kernel of that number.
    """
    m = pool.shape[0]
    return Fit(weights=np.eye(m)[parameters.among(m)], thetas=pool.thetas)
