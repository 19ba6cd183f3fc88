"""CKA: each kernel weighted by its own centred alignment (Cortes, Mohri and Rostamizadeh 2012, JMLR 13, "align").

Each kernel's weight is proportional to its own centred alignment with the labels. Unlike `alignf`, it does not look at
how the kernels overlap.

Formula
-------
    μ_k ∝ ⟨K_kc, yy'⟩_F / ‖K_kc‖_F     (their Section 4.1)

K_kc is the centred Gram matrix of kernel k. This is the alignment but for the norm of yy', which all kernels share.

Complexity
----------
O(m n²), a few passes over each Gram matrix; the SVM comes afterwards.

Deviations
----------
The weights are scaled to sum to one, so that the C of the SVM means the same for every algorithm; the paper leaves the
scale open. ⟨K_kc, yy'⟩ = y_c'K_k y_c is below 0 for an indefinite matrix only, or by rounding; it counts as 0 then.

References
----------
Cortes, Mohri and Rostamizadeh (2012). Algorithms for learning kernels based on centered alignment. Journal of Machine
Learning Research 13, 795-828.
"""

import numpy as np

from grambench.algorithms.alignment import ALIGNMENT, alignment, scaled_to_one
from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.settings import Refined as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards."""
    pool = pool.refined(parameters.refine)
    grams = pool.grams()
    weights = scaled_to_one(np.maximum([alignment(gram, labels) for gram in grams], 0.0))
    m, n = len(grams), len(labels)
    return Fit(weights=weights, thetas=pool.thetas, work=Work(kernel_values=m * n * n, row_additions=ALIGNMENT * m * n))
