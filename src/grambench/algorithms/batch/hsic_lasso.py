"""HSIC Lasso: a sparse sum of centred kernels that depends on the labels (Yamada et al. 2014, on blocks of features).

The Hilbert-Schmidt independence criterion (HSIC) measures how a kernel on some features depends on one on the labels. A
lasso with weights of at least 0 selects kernels of high dependence that share little with each other.

Formula
-------
    minimise 1/2 ‖L̄ − Σ_k α_k K̄_k‖²_F + λ Σ_k α_k   over α ≥ 0
    K̄_k = K_kc / ‖K_kc‖_F,   L̄ = L_c / ‖L_c‖_F = y_c y_c' / y_c'y_c,   λ = regulariser · max_k ⟨K̄_k, L̄⟩

K_kc and y_c are centred, and ⟨K̄_k, L̄⟩ is a normalised HSIC. L is the paper's kernel for classes, 1/n_c between two
examples of the class c and 0 otherwise. The learned kernel is Σ_k α_k K_k / ‖K_kc‖_F, since centring changes no SVM
with a bias. With λ = 0 this is the problem of `alignf`.

Complexity
----------
O(m² n²) for all ⟨K̄_k, K̄_l⟩, and a problem of nonnegative least squares in m variables; the SVM comes afterwards.

Deviations
----------
The paper selects features, each with a Gaussian kernel of its own, and trains another predictor on them. Here the
kernels are those of the pool, such as several on each view, and the SVM keeps their weights, scaled to sum to one.

The norms are those of the later block HSIC Lasso (Climente-González et al. 2019). Its blocks of examples, which save
memory, are not used. A ridge of 1e-9 on the diagonal of the ⟨K̄_k, K̄_l⟩ makes the minimum unique. λ is a share of the
smallest λ that selects no kernel; the paper sets the number of features instead.

The text of the paper was not available: the problem is written from what is generally known of it.

References
----------
Yamada, Jitkrittum, Sigal, Xing and Sugiyama (2014). High-dimensional feature selection by feature-wise kernelized
lasso. Neural Computation 26, 185-207. DOI 10.1162/NECO_a_00537

Climente-González, Azencott, Kaski and Yamada (2019). Block HSIC Lasso: model-free biomarker detection for ultra-high
dimensional data. Bioinformatics 35, i427-i435. DOI 10.1093/bioinformatics/btz333
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.alignment import CENTRING, centred, centred_labels, scaled_to_one
from grambench.algorithms.fit import Fit, Work
from grambench.common.parameters import Checked, within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import nnls

RIDGE = 1e-9  # far above the share of the eigenvalues that the solver takes for 0
CONSTANT = 1e-12  # a centred kernel this small beside the kernel itself is 0 up to rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of HSIC Lasso.

    Attributes
    ----------
    regulariser : float
        lambda in units of the smallest one that selects no kernel, in [0, 1).
    """

    regulariser: Annotated[float, within("[0, 1)")] = 0.1


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards. Without any dependence, all weights are equal."""
    grams, y = pool.grams(), centred_labels(labels)
    centres = np.stack([centred(gram) for gram in grams])
    m, n, _ = centres.shape
    norms, whole = np.linalg.norm(centres, axis=(1, 2)), np.array([np.linalg.norm(gram) for gram in grams])
    scales = np.divide(1.0, norms, out=np.zeros(m), where=norms > CONSTANT * whole)
    centres *= scales[:, None, None]
    flat = centres.reshape(m, -1)
    dependence = (centres @ y) @ y / max(float(y @ y), 1.0)
    matrix = flat @ flat.T + RIDGE * np.eye(m)
    weights = nnls.minimise(matrix, dependence - parameters.regulariser * max(float(dependence.max()), 0.0))
    passes = m * (CENTRING + 3) + m * (m + 1) // 2  # two norms and a form of every kernel, and the lower triangle
    work = Work(kernel_values=centres.size, row_additions=passes * n)
    return Fit(weights=scaled_to_one(scales * weights), thetas=pool.thetas, work=work)
