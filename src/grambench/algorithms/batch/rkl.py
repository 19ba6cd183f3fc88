"""RKL: radius-based kernel learning by gradient projection (Gai et al. 2010, Sections 3 to 5).

RKL minimises the optimal value of an SVM over the weights, with the combined kernel divided by the squared radius of
the minimum enclosing ball (MEB) of the examples. The radius makes the problem invariant to the scaling of kernels and
to the norm of the weights.

Formula
-------
    minimise g(θ) = max_α  Σ_i α_i − 1/(2 r²(θ)) Σ_ij α_i α_j y_i y_j K(θ)_ij     (eq. 16)
    over θ ≥ 0 with Σ θ = 1, ‖θ‖_2 = 1, or no constraint;   Σ_i α_i y_i = 0,  0 ≤ α_i ≤ C

    dg/dθ_k = −1/2 r² q_k + 1/2 (v'K(θ)v) ρ_k,   q_k = v'K_k v,   ρ_k = Σ_i β_i K_k,ii − β'K_k β     (eq. 21 and 22)

r² is the squared radius of the MEB (eq. 17), with coefficients β. The coefficients of the decision function are v = y α
/ r². The inner problem is r² times a C-SVC on K(θ) with C / r² in place of C. Where eq. 17 prints K_ij(θ) in its first
sum, K_ii(θ) is meant, as eq. 8 and 22 have it.

Notes
-----
R-MKL (Do et al. 2009), which MKLpy has, is another algorithm: it puts Σ_k θ_k r_k² in place of r²(θ), with the radius
r_k of each kernel. That is l1-norm MKL on kernels scaled to a radius of 1.

Complexity
----------
An evaluation computes one MEB and trains one SVM, both started from the last ones. A gradient adds all q_k and ρ_k in
O(m n s), where s counts support vectors of either. The descent has at most `iterations` gradients.

Kernels that the pool does not store are computed again for every evaluation, and twice for every gradient, in O(n² + m)
memory.

Deviations
----------
The descent starts at equal weights (Section 6) and stops at a relative gap to the bound of
`grambench.solvers.certificates.rkl`; the paper does not say when it stops. The bound is a dual one of an
equivalent convex problem, and tight at local optima. So these are global, where the paper guarantees local ones alone.
The steps are spectral, and Armijo's rule compares with the highest of the last ten objectives
(`grambench.solvers.gradient_projection`), where the paper has the standard method.

A kernel that is the same for all pairs of examples changes neither the ball nor the SVM, so that the problem leaves its
weight open: it is set to 0. Kernels that the pool does not store are not looked at.

The descent moves u_k = θ_k tr K_k, the weights of the kernels at unit trace, from equal θ. It keeps the constraint on
u, and θ gets its own norm at the end. By Propositions 2 and 3 this is the same problem, and gradient steps in θ would
creep where the kernels differ in scale. Where all traces are equal it changes nothing.

References
----------
Do, Kalousis, Woznica and Hilario (2009). Margin and radius based multiple kernel learning. European Conference on
Machine Learning and Knowledge Discovery in Databases, 330-343.

Gai, Chen and Zhang (2010). Learning kernels with radiuses of minimum enclosing balls. Advances in Neural Information
Processing Systems 23.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import Descent
from grambench.common.errors import SolverError
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate
from grambench.solvers.gradient_projection import Slope, Value
from grambench.solvers.projections import PROJECTIONS, Norm

LEARNS_FROM_SUMS = True

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
    oracle = Oracle(pool, labels, sums=True)
    C, tolerance = parameters.C, PRECISION * parameters.gap

    diagonals = oracle.combination.diagonals
    traces, largest = diagonals.sum(axis=1), np.maximum(diagonals.max(axis=1), -diagonals.min(axis=1))
    scale = np.where(traces > 0.0, traces, 1.0) / (max(traces.max(), 0.0) or 1.0)
    rounding = ROUNDING * largest

    def evaluate(scaled: Floats) -> Value:
        weights = scaled / scale
        meb = oracle.enclose(weights, tolerance=tolerance)  # eq. 17
        r2 = meb.squared_radius
        if r2 <= weights @ rounding:
            raise SolverError("RKL: the minimum enclosing ball has radius 0; the examples must differ for every kernel")
        svm = oracle.train_svm(weights, C / r2, tolerance=tolerance)
        value = r2 * svm.objective  # eq. 16

        def slope() -> Slope:
            forms, radii = oracle.forms_and_radii(svm.dual, meb.dual)
            norm = float(weights @ forms)
            gradient = -0.5 * r2 * forms + 0.5 * norm * radii  # eq. 21 and 22
            worst = r2 * _largest_ratio(forms, radii, rounding, float(np.abs(svm.dual).sum()))
            return Slope(gradient / scale, 0.5 * r2 * (worst - norm) / value if value > 0 else 0.0)

        return Value(value, slope)

    project = oracle.on_nonzero(PROJECTIONS[parameters.norm])
    scaled, converged = oracle.minimise(evaluate, project, scale / scale.sum(), parameters)
    weights = scaled / scale
    if pool.stores_grams:
        # a kernel is constant if the first example is at a distance of 0 from all others
        distances = diagonals + diagonals[:, :1] - 2.0 * oracle.grams[:, 0]
        weights[distances.max(axis=1) <= ROUNDING * largest] = 0.0
    if parameters.norm in ORDERS:
        weights /= np.linalg.norm(weights, ORDERS[parameters.norm])
    meb = oracle.enclose(weights, tolerance=tolerance)
    svm = oracle.train_svm(weights, C / meb.squared_radius, tolerance=tolerance)

    def certify() -> Certificate:
        solution = labels, C, weights, svm.dual, svm.bias, meb.dual
        if pool.stores_grams:
            return certificates.rkl(oracle.grams, *solution)
        forms, radii = oracle.forms_and_radii(svm.dual, meb.dual)
        return certificates.rkl_of_sums(oracle.gram(weights), forms, radii, largest, *solution)

    return oracle.fit(weights, svm.dual, svm.bias, certify, converged)


def _largest_ratio(forms: Floats, radii: Floats, rounding: Floats, length: float) -> float:
    """Return max_m q_m / rho_m; infinite if a kernel with a ball of radius 0 separates examples.

    A kernel that is constant up to rounding counts as 0; `length` is the sum of all |v_i|.
    """
    flat = np.where(forms > rounding * length**2, np.inf, 0.0)
    return float(np.divide(forms, radii, out=flat, where=radii > rounding).max())
