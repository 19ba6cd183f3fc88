"""EasyMKL: weights by the margin between the classes' convex hulls (Aiolli and Donini 2015, Neurocomputing 169).

The first problem finds the nearest points of the convex hulls of the two classes under the sum of all kernels. Each
kernel's weight is its share of the squared distance between these points.

Formula
-------
    γ = argmin (1 − λ) γ'Y (Σ_k K_k) Y γ + λ ‖γ‖²,    γ ≥ 0, Σ = 1 over each class
    η_k ∝ γ'Y K_k Y γ

The same problem is solved once more, on the kernel Σ_k η_k K_k. Its γ is the SVM's: f(x) = Σ_i y_i γ_i k(x, x_i) + b is
0 half-way between the two points. Every K_k counts as scaled to a mean diagonal of 1, as in the authors' program, so
that λ means the same whatever scale the kernels come in.

Complexity
----------
Two L2-SVMs and m quadratic forms, O(m n²) for kernels that are stored. The algorithm has no further iterations.

Kernels that the pool does not store are computed three times, for two mixtures and once for the forms, in O(n² + m)
memory.

Deviations
----------
η sums to one, as in the authors' program; the paper's text has a Euclidean norm of one. λ = 0 is not allowed, since
hulls that meet have no direction between them.

With α = s γ and the best s for each γ, either problem is that of an L2-SVM with C = (1 − λ) / λ. Its dual, 2s − s²/2
γ'(YKY + I/C)γ, is largest at s = 2 / γ'(YKY + I/C)γ. The package's SVM solver therefore solves both problems, while the
authors use an interior-point method on all n variables.

References
----------
Aiolli and Donini (2015). EasyMKL: a scalable multiple kernel learning algorithm. Neurocomputing 169, 215-224. DOI
10.1016/j.neucom.2014.11.078
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import Oracle
from grambench.common.parameters import Checked, within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate
from grambench.solvers.svm import TOLERANCE

LEARNS_FROM_SUMS = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of EasyMKL.

    Attributes
    ----------
    regulariser : float
        lambda, in (0, 1]: towards 0 the nearest points of the hulls, at 1 the classes' means.
    """

    regulariser: Annotated[float, within("(0, 1]")] = 0.1


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights and train the SVM; with one class only, that class is predicted on equal weights."""
    oracle, share = Oracle(pool, labels, sums=True), parameters.regulariser
    scales = oracle.unit_scales()
    equal = scales / len(scales)
    if len(np.unique(labels)) < 2:
        return oracle.fit(equal, np.zeros(len(labels)), float(labels[0]), lambda: Certificate(0.0, 0.0))
    first, value = oracle.nearest_points(scales, share, TOLERANCE)
    oracle.record(value)
    forms = np.maximum(scales * oracle.combination.quadratic_forms(first), 0.0)
    # Without any positive form, the points of the hulls coincide for every kernel.
    weights = scales * forms / forms.sum() if forms.any() else equal
    dual, value = oracle.nearest_points(weights, share, TOLERANCE)
    oracle.record(value)
    bias = -0.5 * float(np.abs(dual) @ oracle.combination.product(dual))

    def certify() -> Certificate:
        at_sum = certificates.hulls(oracle.gram(scales), labels, share, first)
        at_weights = certificates.hulls(oracle.gram(weights), labels, share, dual)
        return Certificate(max(at_sum.kkt, at_weights.kkt), max(at_sum.gap, at_weights.gap))

    return oracle.fit(weights, dual, bias, certify)
