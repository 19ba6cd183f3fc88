"""RKL: radius-based kernel learning by gradient projection (Gai et al. 2010, Sections 3 to 5).

    minimise g(theta) = max_alpha  sum_i alpha_i - 1/(2 r^2(theta)) sum_ij alpha_i alpha_j y_i y_j K(theta)_ij
    (eq. 16) over theta >= 0 with sum theta = 1, ||theta||_2 = 1, or no constraint, where r^2 is the squared radius of
    the minimum enclosing ball (eq. 17), sum_i alpha_i y_i = 0 and 0 <= alpha_i <= C.

With v = y alpha / r^2, the coefficients of the decision function, the inner problem is r^2 times a C-SVC on K(theta)
with C / r^2 in place of C, and

    dg/dtheta_m = -1/2 r^2 q_m + 1/2 (v'K(theta)v) rho_m,   q_m = v'K_m v,   rho_m = sum_i beta_i K_m,ii - beta'K_m beta

(eq. 21 and 22; where eq. 17 prints K_ij(theta) in its first sum, K_ii(theta) is meant). Finite differences confirm it.

The descent starts at equal weights (Section 6) and stops at a relative gap to the bound of
`grambench.solvers.certificates.rkl`, which holds since the problem, though not convex, has no local optimum that is not
a global one; the paper does not say when it stops.

Deviation: from equal weights of the kernels as they are given, the descent moves u_m = theta_m tr K_m, the weights of
the kernels at unit trace, and keeps the constraint on u; theta gets its own norm at the end. By Propositions 2 and 3
this is the same problem, and gradient steps in theta would creep where the kernels differ in scale. With the paper's
kernels of equal trace it changes nothing.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import Descent
from grambench.common.errors import SolverError
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.gradient_projection import Slope, Value
from grambench.solvers.projections import PROJECTIONS, Norm

ORDERS = {"l1": 1, "l2": 2}
ROUNDING = 1e-14  # of a quadratic form, relative to its largest possible value


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Descent):
    """Parameters of RKL.

    Attributes
    ----------
    norm : str
        Constraint on the weights: "l1", "l2" or "none". The optimal kernel is the same up to its scale (Proposition 2).
    gap : float
        Relative gap to stop at.
    """

    norm: Norm = "l1"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights and train the SVM.

    Raises
    ------
    SolverError
        If all examples are the same point for a combination of kernels, whose ball then has radius 0.
    """
    oracle = Oracle(pool, labels)
    C, tolerance = parameters.C, PRECISION * parameters.gap

    traces = oracle.combination.diagonals.sum(axis=1)
    scale = np.where(traces > 0.0, traces, 1.0) / max(traces.max(), np.finfo(float).tiny)
    rounding = ROUNDING * np.abs(oracle.combination.diagonals).max(axis=1)

    def evaluate(scaled: Floats) -> Value:
        weights = scaled / scale
        meb = oracle.enclose(weights, tolerance=tolerance)
        r2 = meb.squared_radius
        if r2 <= weights @ rounding:
            raise SolverError("RKL: the minimum enclosing ball has radius 0; the examples must differ for every kernel")
        svm = oracle.train_svm(weights, C / r2, tolerance=tolerance)
        value = r2 * svm.objective

        def slope() -> Slope:
            forms, radii = oracle.combination.quadratic_forms(svm.dual), oracle.radii(meb.dual)
            norm = float(weights @ forms)
            gradient = -0.5 * r2 * forms + 0.5 * norm * radii
            worst = r2 * _largest_ratio(forms, radii, rounding, float(np.abs(svm.dual).sum()))
            return Slope(gradient / scale, 0.5 * r2 * (worst - norm) / value if value > 0 else 0.0)

        return Value(value, slope)

    scaled, converged = oracle.minimise(evaluate, PROJECTIONS[parameters.norm], scale / scale.sum(), parameters)
    weights = scaled / scale
    if parameters.norm in ORDERS:
        weights /= np.linalg.norm(weights, ORDERS[parameters.norm])
    meb = oracle.enclose(weights, tolerance=tolerance)
    svm = oracle.train_svm(weights, C / meb.squared_radius, tolerance=tolerance)
    certify = partial(certificates.rkl, oracle.grams, labels, C, weights, svm.dual, svm.bias, meb.dual)
    return oracle.fit(weights, svm.dual, svm.bias, certify, converged)


def _largest_ratio(forms: Floats, radii: Floats, rounding: Floats, length: float) -> float:
    """Return max_m q_m / rho_m; infinite if a kernel with a ball of radius 0 separates examples.

    A kernel that is constant up to rounding counts as 0; `length` is the sum of all |v_i|.
    """
    flat = np.where(forms > rounding * length**2, np.inf, 0.0)
    return float(np.divide(forms, radii, out=flat, where=radii > rounding).max())
