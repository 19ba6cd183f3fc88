"""RKL-W: one Gaussian kernel whose width is learned by radius and margin (Gai et al. 2010, Sections 3 and 4).

RKL's criterion does not need a combination: any parameter of which the kernel is a differentiable function can be
learned by it. Here the kernel is one of a continuous family, a Gaussian in the paper's example, and the parameter its
width.

Formula
-------
    minimise g(σ) = max_α  Σ_i α_i − 1/(2 r²(σ)) Σ_ij α_i α_j y_i y_j K_σ,ij     (eq. 16)
    over σ within the family's bounds;   Σ_i α_i y_i = 0,  0 ≤ α_i ≤ C

    dg/dσ = −1/2 r² v'K_σ' v − 1/2 (v'K_σ v) β'K_σ' β,   v = y α / r²,   K_σ' = dK_σ/dσ     (eq. 21 and 22)

r² is the squared radius of the minimum enclosing ball (MEB) of eq. 17, with coefficients β. The diagonal of K_σ is
constant and drops out of dr²/dσ.

Complexity
----------
An evaluation computes K_σ in O(n²), one MEB and one SVM, both started from the last ones. A gradient costs O(n²).

Deviations
----------
The paper prints the derivative by θ = 1/σ² and no experiment. The descent moves ln σ from the middle of the bounds, by
gradient projection as for combinations. g is not convex in σ, and the descent ends at a stationary point: it stops
where the linear model of g falls by less than the gap, relative to g, within a factor of e of σ. The certificate is
that of the SVM on the learned kernel.

References
----------
Gai, Chen and Zhang (2010). Learning kernels with radiuses of minimum enclosing balls. Advances in Neural Information
Processing Systems 23.
"""

from functools import partial

import numpy as np

from grambench.algorithms.batch.rkl import ROUNDING
from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import Descent as Parameters
from grambench.common.errors import SolverError
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import GridPool, Pool
from grambench.solvers import certificates, meb, svm
from grambench.solvers.combination import Combination
from grambench.solvers.gradient_projection import Slope, Value

NEEDS = "family"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the width and train the SVM.

    Raises
    ------
    SolverError
        If all examples are the same point, whose ball has radius 0.
    """
    family, one, tolerance = continuous(pool), np.ones(1), PRECISION * parameters.gap
    bounds, computed = np.log([family.low, family.high]), family.computed
    oracle = Oracle(GridPool(family, values=np.array([family.high])), labels)

    def solve(log: Floats) -> tuple[meb.MEB, svm.SVM]:
        oracle.combination = Combination.single(family.gram(np.exp(log)))
        ball = oracle.enclose(one, tolerance=tolerance)  # eq. 17
        if ball.squared_radius <= ROUNDING:
            raise SolverError("RKL-W: the minimum enclosing ball has radius 0; the examples must differ")
        return ball, oracle.train_svm(one, parameters.C / ball.squared_radius, tolerance=tolerance)

    def evaluate(log: Floats) -> Value:
        ball, trained = solve(log)
        value = ball.squared_radius * trained.objective  # eq. 16

        def slope() -> Slope:
            sigma = np.exp(log)
            form, by_form = family.objective(trained.dual)(sigma)
            _, of_centre = family.objective(ball.dual)(sigma)
            # eq. 21 and 22, by the logarithm of sigma
            gradient = -0.5 * sigma * (ball.squared_radius * by_form + form * of_centre)
            decrease = gradient @ (log - np.clip(log - np.sign(gradient), *bounds))
            return Slope(gradient, float(decrease) / value if value > 0 else 0.0)

        return Value(value, slope)

    middle = bounds.mean(keepdims=True)
    log, converged = oracle.minimise(evaluate, lambda point: np.clip(point, *bounds), middle, parameters)
    ball, trained = solve(log)
    oracle.pool, oracle.work.kernel_values = GridPool(family, values=np.exp(log)), family.computed - computed
    gram, C, solution = oracle.combination.grams[0], parameters.C / ball.squared_radius, (trained.dual, trained.bias)
    return oracle.fit(one, *solution, partial(certificates.svm, gram, labels, C, *solution), converged)
