"""GRAM: weights by the ratio of radius and margin (Lauriola, Polato and Aiolli 2017, ICANN).

The weights minimise the squared radius of the minimum enclosing ball (MEB) of the examples, divided by the squared
distance between the convex hulls of the two classes. This ratio bounds the leave-one-out error of a hard-margin SVM.

Formula
-------
    minimise r²(μ) / γ²(μ)   over μ ≥ 0, Σ μ = 1,   K(μ) = (1 − λ) Σ_k μ_k K_k + λ I
    r²(μ) = max_β Σ_i β_i K(μ)_ii − β'K(μ)β,   β ≥ 0, Σ β = 1
    γ²(μ) = min_γ γ'Y K(μ) Y γ,   γ ≥ 0, Σ = 1 over each class

r² is convex and γ² concave in μ, so that their ratio has no local minimum that is not a global one. At any μ,

    min_k ρ_k / q_k,   ρ_k = (1 − λ) (Σ_i β_i K_k,ii − β'K_kβ) + λ (1 − ‖β‖²),   q_k = (1 − λ) γ'YK_kYγ + λ ‖γ‖²

bounds the least ratio from below. Every K_k counts as scaled to a mean diagonal of 1. The SVM is trained on the
learned kernel afterwards.

Complexity
----------
An evaluation computes one MEB and trains one L2-SVM, both started from the last ones. A gradient adds all ρ_k and q_k
in O(m n s), where s counts support vectors of either.

Deviations
----------
The paper has λ = 0. Here λ > 0, by default .001, since γ² is 0 if the hulls meet, and no ratio is defined then.

The authors take exponentiated gradient steps of a rate that is given, until a number of steps or the error on
validation examples stops them. Here gradient projection ends at a relative gap to the bound.

The weights are those of KL-C under the l1 norm with C = (1 − λ) / λ on kernels of mean diagonal 1. KL-C predicts by its
L2-SVM, and its C is tuned; GRAM stays near the hard margin, and the C that is tuned is that of the SVM on the learned
kernel. MKLpy's "R-MKL" (Do et al. 2009) has Σ_k μ_k r_k² in place of r²(μ).

The text of the paper was not available; the problem is that of the authors' program in MKLpy (Lauriola and Aiolli
2020).

References
----------
Lauriola, Polato and Aiolli (2017). Radius-margin ratio optimization for dot-product boolean kernel learning.
International Conference on Artificial Neural Networks, 183-191.

Lauriola and Aiolli (2020). MKLpy: a python-based framework for multiple kernel learning. arXiv 2007.09982.

Do, Kalousis, Woznica and Hilario (2009). Margin and radius based multiple kernel learning. European Conference on
Machine Learning and Knowledge Discovery in Databases, 330-343.
"""

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import HullDescent as Parameters
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers.gradient_projection import Slope, Value
from grambench.solvers.projections import simplex


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights; the SVM is trained afterwards. With one class only, all weights are equal."""
    oracle, share, tolerance = Oracle(pool, labels), parameters.regulariser, PRECISION * parameters.gap
    scales, equal = oracle.unit_scales(), np.full(pool.shape[0], 1.0 / pool.shape[0])
    if len(np.unique(labels)) < 2 or not scales.any():
        return oracle.fit_kernel(equal)

    def evaluate(weights: Floats) -> Value:
        meb = oracle.enclose(scales * weights, ridge=share / (1.0 - share), tolerance=tolerance)
        dual, square = oracle.nearest_points(scales * weights, share, tolerance)
        ratio = (1.0 - share) * meb.squared_radius / square

        def slope() -> Slope:
            forms, radii = ((1.0 - share) * scales * sums for sums in oracle.forms_and_radii(dual, meb.dual))
            gradient: Floats = (radii - ratio * forms) / square
            radii = radii + share * (1.0 - float(meb.dual @ meb.dual))
            ratios = radii[oracle.nonzero] / (forms[oracle.nonzero] + share * float(dual @ dual))
            return Slope(gradient, 1.0 - float(ratios.min()) / ratio)

        return Value(ratio, slope)

    weights, converged = oracle.minimise(evaluate, oracle.on_nonzero(simplex), equal, parameters)
    return oracle.fit_kernel(scales * weights, converged)
