"""MEMO: weights by the margin and the simplicity of the kernel (Lauriola, Polato and Aiolli 2018, ESANN).

"Minimum effort, maximum output": the weights maximise the squared distance between the convex hulls of the two classes
and the Frobenius norm of the combined kernel. Of kernels of one trace, the one with the larger norm is the less
complex, as its spectral ratio, trace / norm, is smaller.

Formula
-------
    maximise γ²(μ) + θ/2 μ'Qμ   over μ ≥ 0, Σ μ = 1,   K(μ) = Σ_k μ_k K_k
    γ²(μ) = min_γ (1 − λ) γ'Y K(μ) Y γ + λ ‖γ‖²,   γ ≥ 0, Σ = 1 over each class
    Q_kl = ⟨K_k, K_l⟩_F / mean_h ‖K_h‖²_F,   so that μ'Qμ ∝ ‖K(μ)‖²_F

Every K_k counts as scaled to a mean diagonal of 1, so that all K(μ) have the same trace. The SVM is
trained on the learned kernel afterwards.

Complexity
----------
O(m² n²) for Q. An evaluation trains one L2-SVM, started from the last one; a gradient adds all γ'YK_kYγ in O(m n s)
with s support vectors.

Deviations
----------
γ² is concave in μ, but μ'Qμ is convex, so that for θ > 0 more than one maximum may exist. The search starts at equal
weights, as the authors' does, and ends at a stationary point. It is a gradient projection and not steps of a given
rate. It ends where the linear model within the constraint promises at most `gap` of the value.

The authors have λ = 0, and stop at the last weights if γ falls below a smallest margin. With λ > 0, as in EasyMKL, γ²
is positive even if the hulls meet.

The text of the paper was not available; the problem is that of the authors' program in MKLpy (Lauriola and Aiolli
2020), and the reading of μ'Qμ as the inverse of a spectral ratio is ours.

References
----------
Lauriola, Polato and Aiolli (2018). The minimum effort maximum output principle applied to multiple kernel learning.
European Symposium on Artificial Neural Networks.

Lauriola and Aiolli (2020). MKLpy: a python-based framework for multiple kernel learning. arXiv 2007.09982.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import HullDescent
from grambench.common.parameters import NOT_NEGATIVE
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers.gradient_projection import Slope, Value
from grambench.solvers.projections import simplex


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(HullDescent):
    """Parameters of MEMO.

    Attributes
    ----------
    theta : float
        Weight of the simplicity of the kernel, at least 0.
    """

    theta: Annotated[float, NOT_NEGATIVE] = 0.1


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights; the SVM is trained afterwards. With one class only, all weights are equal."""
    oracle, share, tolerance = Oracle(pool, labels), parameters.regulariser, PRECISION * parameters.gap
    scales, equal = oracle.unit_scales(), np.full(pool.shape[0], 1.0 / pool.shape[0])
    if len(np.unique(labels)) < 2 or not scales.any():
        return oracle.fit_kernel(equal)
    flat = oracle.grams.reshape(len(scales), -1)
    products = scales[:, None] * (flat @ flat.T) * scales
    products *= parameters.theta / np.diagonal(products).mean()
    oracle.work.row_additions += len(scales) * (len(scales) + 1) // 2 * len(labels)

    def evaluate(weights: Floats) -> Value:
        dual, square = oracle.nearest_points(scales * weights, share, tolerance)
        image = products @ weights
        value = square + 0.5 * float(weights @ image)

        def slope() -> Slope:
            forms = (1.0 - share) * scales * oracle.combination.quadratic_forms(dual)
            ascent: Floats = forms + image
            return Slope(-ascent, (float(ascent.max()) - float(ascent @ weights)) / value)

        return Value(-value, slope)

    weights, converged = oracle.minimise(evaluate, oracle.on_nonzero(simplex), equal, parameters)
    return oracle.fit_kernel(scales * weights, converged)
