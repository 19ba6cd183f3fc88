"""DA: the combination of a grid of kernels with the largest alignment (Cortes et al. 2010, ICML, "alignf").

The weights maximise the centred alignment of the combined kernel with the labels. They account for how much the kernels
overlap.

Formula
-------
    maximise  A(Σ_k μ_k K_k, yy')  over μ ≥ 0:   μ ∝ argmin_{v ≥ 0} v'Mv − 2 v'a
    M_kl = ⟨K_kc, K_lc⟩_F,   a_k = ⟨K_kc, yy'⟩_F     (their Proposition 9)

K_kc is the centred Gram matrix of kernel k.

Complexity
----------
O(m² n²) for M and a, and a problem of nonnegative least squares in m variables; the SVM comes afterwards.

Deviations
----------
The weights are scaled to sum to one, not to a Euclidean norm of one, so that the C of the SVM means the same for every
algorithm.

References
----------
Cortes, Mohri and Rostamizadeh (2010). Two-stage learning kernel algorithms. International Conference on Machine
Learning, 239-246.
"""

import numpy as np

from grambench.algorithms.alignment import CENTRING, centred, centred_labels, scaled_to_one
from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.settings import Refined as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import nnls


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards."""
    pool = pool.refined(parameters.refine)
    grams = np.stack([centred(gram) for gram in pool.grams()])
    y = centred_labels(labels)
    flat = grams.reshape(len(grams), -1)
    weights = nnls.minimise(flat @ flat.T, (grams @ y) @ y)
    m, n, _ = grams.shape
    # Centring and a_k for every kernel, and the lower triangle of M.
    passes = m * (CENTRING + 1) + m * (m + 1) // 2
    work = Work(kernel_values=grams.size, row_additions=passes * n)
    return Fit(weights=scaled_to_one(weights), thetas=pool.thetas, work=work)
