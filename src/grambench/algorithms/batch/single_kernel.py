"""Single kernel: one kernel of the pool, named by its number.

The kernel is not learned but set by a parameter, and the protocol trains an SVM on it. With the number tuned on
validation examples, this is MuSVM of Yang et al. (2012).

Formula
-------
    K = K_kernel

It reads the number of kernels in the pool and their parameters, but no kernel value.

Complexity
----------
O(m) for the weights; the SVM comes afterwards, O(n²) kernel values.

Deviations
----------
None.

References
----------
Yang, Mahdavi, Jin, Yi and Hoi (2012). Online kernel selection: algorithms and evaluations. AAAI Conference on
Artificial Intelligence.
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
