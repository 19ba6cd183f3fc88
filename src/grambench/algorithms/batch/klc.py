"""KL-C: Chapelle's radius-margin criterion for a combination of kernels ("KL-C" of Gai et al. 2010, eq. 10).

The weights minimise the product of the squared radius of the minimum enclosing ball and the squared norm of an L2-SVM,
a bound on the leave-one-out error. The problem is not convex, so the descent starts at equal weights and ends at a
stationary point.

Formula
-------
    minimise T(θ) = R²(K + I/C) ‖w‖² / 2,   K = Σ_k θ_k K_k,   over θ ≥ 0, ‖θ‖ = 1 in the l1 or the l2 norm
    dT/dθ_k = W ρ_k − 1/2 R² q_k,   ρ_k = Σ_i β_i K_k,ii − β'K_k β,   q_k = v'K_k v

‖w‖² / 2 is the value W of the L2-SVM, a hard-margin SVM on K + I/C. R² is the squared radius of the minimum enclosing
ball with that kernel (Chapelle et al. 2002, eq. 6 and Section 4).

Complexity
----------
An evaluation computes one MEB and trains one SVM, both started from the last ones. A gradient adds all q_k and ρ_k in
O(m n s), where s counts support vectors of either.

Deviations
----------
The descent starts at equal weights, as in Section 6 of Gai et al. The paper runs it under the two constraints only. Its
eq. 10 has the radius with K and not with K + I/C, and the two differ by a factor of 2 in C. The descent's steps are
spectral, and Armijo's rule compares with the highest of the last ten objectives
(`grambench.solvers.gradient_projection`), where the paper has the standard method.

Eq. 10 has a bias b, and so has this SVM. The published KL-C accuracies, though, fit the sign of f(x) − b on 17 of 22
cells, and that of f(x) on 10 (docs/papers/rkl_appendix.md). `bias` selects either: b is kept by default, and study rkl
has both.

Chosen by published numbers: the trained SVM without its b.

References
----------
Chapelle, Vapnik, Bousquet and Mukherjee (2002). Choosing multiple parameters for support vector machines. Machine
Learning 46, 131-159. DOI 10.1023/A:1012450327387

Gai, Chen and Zhang (2010). Learning kernels with radiuses of minimum enclosing balls. Advances in Neural Information
Processing Systems 23.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import Descent
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate
from grambench.solvers.gradient_projection import Slope, Value
from grambench.solvers.projections import PROJECTIONS, Norm


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Descent):
    """Parameters of KL-C.

    Attributes
    ----------
    norm : str
        Constraint on the weights: "l1" or "l2".
    bias : bool
        Whether the decision function has the SVM's bias, or none, which most published numbers fit better. The
        certificate is that of the SVM with its bias.
    gap : float
        Decrease of the linear model within the constraint, relative to T, to stop at.
    """

    norm: Literal["l1", "l2"] = "l1"
    bias: bool = True


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights and train the SVM."""
    oracle = Oracle(pool, labels)
    C, norm, tolerance = parameters.C, parameters.norm, PRECISION * parameters.gap

    def evaluate(weights: Floats) -> Value:
        meb = oracle.enclose(weights, ridge=1.0 / C, tolerance=tolerance)
        svm = oracle.train_svm(weights, C, loss="squared", tolerance=tolerance)
        value = meb.squared_radius * svm.objective  # eq. 10, but for the deviations above

        def slope() -> Slope:
            forms, radii = oracle.forms_and_radii(svm.dual, meb.dual)
            gradient: Floats = svm.objective * radii - 0.5 * meb.squared_radius * forms
            decrease = _largest_decrease(gradient[oracle.nonzero], weights[oracle.nonzero], norm)
            return Slope(gradient, decrease / value if value > 0 else 0.0)

        return Value(value, slope)

    equal = np.full(len(oracle.grams), 1.0 / len(oracle.grams))
    weights, converged = oracle.minimise(evaluate, oracle.on_nonzero(PROJECTIONS[norm]), equal, parameters)
    meb = oracle.enclose(weights, ridge=1.0 / C, tolerance=tolerance)
    svm = oracle.train_svm(weights, C, loss="squared", tolerance=tolerance)

    def certify() -> Certificate:
        # The SVM with its bias is certified, with or without a bias in the predictions.
        grams = oracle.grams if oracle.nonzero.all() else oracle.grams[oracle.nonzero]
        solution = weights[oracle.nonzero], svm.dual, svm.bias, meb.dual
        return certificates.radius_margin(grams, labels, C, *solution, norm=norm)

    return oracle.fit(weights, svm.dual, svm.bias if parameters.bias else 0.0, certify, converged)


def _largest_decrease(gradient: Floats, weights: Floats, norm: Norm) -> float:
    """Return the decrease of the linear model from `weights` to the best point within the constraint.

    On the sphere, the model is that of T(theta / ||theta||) over the ball: a step along the ray does not count.
    """
    if norm == "l1":
        return float(gradient @ weights - gradient.min())
    return float(np.linalg.norm(np.minimum(gradient - (gradient @ weights) * weights, 0.0)))
