"""DA: the combination of a grid of kernels with the largest alignment (Cortes et al. 2010, ICML, "alignf").

    maximise  A(sum_k mu_k K_k, yy')  over mu >= 0:   mu ~ argmin_{v >= 0} v'Mv - 2 v'a,
    M_kl = <K_kc, K_lc>_F,   a_k = <K_kc, yy'>_F     (their Proposition 9)

Deviation: the weights are scaled to sum to one, not to a Euclidean norm of one, so that the C of the SVM means the
same for every algorithm.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.alignment import CENTRING, centred, centred_labels
from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.settings import Refined
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import nnls


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Refined):
    """Parameters of DA."""


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards."""
    pool = pool.refined(parameters.refine)
    grams = np.stack([centred(gram) for gram in pool.grams()])
    y = centred_labels(labels)
    flat = grams.reshape(len(grams), -1)
    weights = nnls.minimise(flat @ flat.T, (grams @ y) @ y)
    total = weights.sum()
    shares = weights / total if total > 0.0 else np.full(len(grams), 1.0 / len(grams))  # no kernel aligned at all
    m, n, _ = grams.shape
    passes = m * (CENTRING + 1) + m * (m + 1) // 2  # centred, a_k; M is symmetric
    work = Work(kernel_values=grams.size, row_additions=passes * n)
    return Fit(weights=shares, thetas=pool.thetas, work=work)
