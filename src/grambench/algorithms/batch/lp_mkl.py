"""lp-norm MKL: multiple-kernel learning under ‖θ‖_p ≤ 1 (Kloft et al. 2011, JMLR 12, Algorithm 1).

The norm p sets how sparse the weights are: p = 1 selects few kernels, and a large p weights all of them nearly alike.
For any p ≥ 1 an SVM at θ and new weights from the norms of its parts alternate until the duality gap is closed.

Formula
-------
    minimise J(θ) = max_α  Σ_i α_i − 1/2 Σ_k θ_k q_k(α)   over θ ≥ 0, ‖θ‖_p ≤ 1
    ‖w_k‖² = θ_k² q_k,   θ_k ∝ ‖w_k‖^{2/(p+1)}     (their eq. 21)

q_k = v'K_k v with v_i = y_i α_i. CA's D1 and D2 (Afkanpour et al. 2013, Table 1) are this algorithm on a grid of a
continuous family, with p = 1 and p = 2.

Complexity
----------
For 1.05 <= p <= 4, a step of the direct solver takes O(n), and O(m n) where theta changes. Each coefficient that a
batch of steps changes adds O(m n).

For other p, an iteration trains one SVM, started from the last one, and corrects all K_k v in O(m n) for each
coefficient that changes. A Newton step adds O(u³ + m u² + m³) for u free coefficients.

For many kernels that are not stored, an iteration computes all kernel values twice, in O(n² + m) memory.

Deviations
----------
For 1.05 <= p <= 4, SMO maximises the dual Σ_i α_i − 1/2 ‖q‖_{p/(p−1)} over α directly (Vishwanathan et al. 2010). An
iteration is one batch of its steps, and the objective recorded after it is the SVM's value at θ. The optimum is the
same.

For other p, and if a kernel is indefinite, θ and the SVM alternate. Far from the optimum the logarithm of θ moves 1.5
times as far as the update says, which saves iterations. Near the optimum, Newton's method on the logarithms finds the θ
that the update would not change, q_k proportional to θ_k^(p−1). The SVM responds to θ by its free coefficients, whose
derivative is that of a linear system. The steps are damped, more after one that went too far and less after one that
did not go far enough. Where the objective rises, θ goes back to where it was and takes the paper's own step, which
never raises it.

K_k v is kept for every kernel and corrected for the coefficients that change. That gives all q_k, and K(θ) v at the
next θ, without reading the kernels of all support vectors again.

From 300 kernels on, a pool that stores no Gram matrices is asked for q(α) and K(θ) alone. θ then moves by the paper's
step with Anderson acceleration (`grambench.solvers.lp_fixed_point`), for any p. These sums have 32 bits, and the
certified gap is off by about 1e-6.

References
----------
Kloft, Brefeld, Sonnenburg and Zien (2011). lp-norm multiple kernel learning. Journal of Machine Learning Research 12,
953-997.

Vishwanathan, Sun, Theera-Ampornpunt and Varma (2010). Multiple kernel learning and the SMO algorithm. Advances in
Neural Information Processing Systems 23, 2361-2369.

Afkanpour, Szepesvári and Bowling (2013). Alignment based kernel learning with a continuous set of base kernels. Machine
Learning 91, 305-324. DOI 10.1007/s10994-013-5361-8
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import Descent
from grambench.common.parameters import Rule, at_least
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates, lp_fixed_point, lp_smo
from grambench.solvers.certificates import Certificate
from grambench.solvers.svm import MAX_STEPS, SVM

LEARNS_FROM_SUMS = True

DIRECT = (1.05, 4.0)  # values of p for which the dual is solved directly
MANY = 300  # kernels from which on those of a pool without stored Gram matrices are never stored
PRECISE = 1e-6  # tolerance of an SVM on many kernels; at 1e-4 the gap would stay above 7 %
TOLERANCE = 0.5  # violation of the direct solution, relative to the gap
RELAXATION = 1.5
COARSE = 0.01  # tolerance of an SVM, relative to the previous gap
NEWTON_GAP = 0.4  # relative gap, times p, from which on Newton's steps are taken
DAMPING = 0.3  # of the first Newton step, relative to the share of theta_m q_m
LEAST_DAMPING, MOST_DAMPING = 0.02, 10.0
LONGEST_STEP = 4.0  # of log theta
NEGLIGIBLE_WEIGHT = 1e-12  # a weight this small beside the largest is 0 in the SVM
SYSTEM_RIDGE = 1e-8  # of free coefficients whose kernel is singular, relative to its diagonal
SMALLEST_FORM = 1e-300  # smallest form whose logarithm is taken


Solution = tuple[Floats, Floats, float, bool]  # weights, signed coefficients, bias, whether the gap was reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Descent):
    """Parameters of lp-norm MKL.

    Attributes
    ----------
    p : float
        Norm of the constraint, at least 1.
    steps : int
        Steps of the solver in one SVM, or in the whole direct solution, at most; more raise SolverError.
    refine : int
        Parts into which every step of a grid is cut.
    """

    p: Annotated[float, Rule("be at least 1 and finite", lambda value: 1.0 <= value < np.inf)] = 2.0
    gap: float = 1e-3
    steps: Annotated[int, at_least(1)] = MAX_STEPS
    refine: Annotated[int, at_least(1)] = 1


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights and train the SVM."""
    pool = pool.refined(parameters.refine)
    is_many = not pool.stores_grams and pool.shape[0] >= MANY
    oracle = Oracle(pool, labels, sums=is_many)
    least, most = DIRECT
    if is_many:
        weights, dual, bias, converged = _iterate(parameters, oracle)
    else:
        solution = _maximise(parameters, oracle) if least <= parameters.p <= most else None
        # The direct solver gives up on indefinite kernels and ill-conditioned problems.
        weights, dual, bias, converged = solution or _descend(parameters, oracle)

    def certify() -> Certificate:
        if is_many:
            sums = pool.mixture(weights) @ dual, pool.quadratic_forms(dual)
        else:
            images = certificates.images(oracle.grams, dual)
            sums = weights @ images, images @ dual
        return certificates.mkl_of_sums(*sums, labels, parameters.C, weights, dual, bias, p=parameters.p)

    return oracle.fit(weights, dual, bias, certify, converged)


def _iterate(parameters: Parameters, oracle: Oracle) -> Solution:
    """Return the weights, the SVM's coefficients and bias, and whether the gap was reached, from sums over kernels."""
    solution = lp_fixed_point.train(
        oracle.pool,
        oracle.labels,
        parameters.C,
        parameters.p,
        gap=parameters.gap,
        tolerance=PRECISE,
        max_iterations=parameters.iterations,
        max_steps=parameters.steps,
    )
    for objective in solution.objectives:
        oracle.work.svm_calls += 1
        oracle.record(objective)
    oracle.work.count_steps(solution.steps)
    return solution.weights, solution.dual, solution.bias, solution.converged


def _maximise(parameters: Parameters, oracle: Oracle) -> Solution | None:
    """Return the same by the direct solver; None if it gives up."""
    solution = lp_smo.train(
        oracle.combination,
        oracle.labels,
        parameters.C,
        parameters.p,
        gap=parameters.gap,
        tolerance=TOLERANCE * parameters.gap,
        max_batches=parameters.iterations,
        max_steps=parameters.steps,
    )
    if solution is None:
        return None
    oracle.work += Work(svm_calls=1, solver_steps=solution.steps, row_additions=solution.row_additions)
    for objective in solution.objectives:
        oracle.record(objective)
    return solution.weights, solution.dual, solution.bias, solution.converged


def _descend(parameters: Parameters, oracle: Oracle) -> Solution:
    """Return the same by Newton's method on the logarithms of the weights."""
    iterate = _Iterate(oracle, parameters.p, parameters.C)
    images, dual = np.zeros(oracle.grams.shape[:2]), np.zeros(len(oracle.labels))  # K_m v and v
    precise, tolerance, steps = PRECISION * parameters.gap, COARSE, 0
    while True:
        weights = iterate.weights()
        svm = oracle.train_svm(
            weights,
            parameters.C,
            image=weights @ images,
            tolerance=tolerance,
            max_steps=parameters.steps - steps,
        )
        oracle.combination.update_images(images, svm.dual - dual)
        dual = svm.dual
        # Forms are negative by rounding only.
        forms = np.maximum(images @ dual, 0.0)
        largest = max(float(forms.max()), SMALLEST_FORM)
        gap = lp_fixed_point.relative_gap(svm.objective, dual, forms, parameters.p)
        is_last = gap <= parameters.gap or len(oracle.steps) == parameters.iterations - 1
        # The descent ends with a precise SVM, whose steps count together with those of the coarse one.
        if is_last and tolerance > precise:
            tolerance, steps = precise, svm.steps
            continue
        oracle.record(svm.objective)
        if is_last:
            return weights, svm.dual, svm.bias, gap <= parameters.gap
        iterate.advance(svm, gap, tolerance, images, forms / largest)
        tolerance, steps = max(precise, COARSE * gap), 0


class _Iterate:
    """The logarithm of theta, and the steps that change it.

    Parameters
    ----------
    oracle : Oracle
        Trained SVMs; its combination has the weights of the latest SVM.
    p : float
        Norm of the constraint.
    C : float
        Weight of the loss.
    """

    def __init__(self, oracle: Oracle, p: float, C: float) -> None:
        self.combination, self.work, self.p, self.C = oracle.combination, oracle.work, p, C
        self.log_weights = np.zeros(len(oracle.grams))
        self.damping = DAMPING
        self.lowest = np.inf
        # Start of the latest step, the step, the paper's step from there, and whether the step was longer than it.
        self.start = self.step = self.paper_step = self.log_weights
        self.is_longer = False
        # Slope of the objective along the latest step at its start; 0 before the first step and after a return.
        self.slope = 0.0

    def weights(self) -> Floats:
        """Return theta, of p-norm 1."""
        weights: Floats = np.exp(self.log_weights - self.log_weights.max())
        weights[weights < NEGLIGIBLE_WEIGHT] = 0.0
        weights /= np.linalg.norm(weights, self.p)
        return weights

    def advance(self, svm: SVM, gap: float, tolerance: float, images: Floats, forms: Floats) -> None:
        """Take a step from an SVM with this relative gap and tolerance, K_m v (images) and q_m in any unit (forms)."""
        if self.is_longer and svm.objective * (1.0 - tolerance) > self.lowest:
            self.damping = min(8.0 * self.damping, MOST_DAMPING)
            self.log_weights, self.slope, self.is_longer = self.start + self.paper_step, 0.0, False
            return
        weights = self.combination.rows.weights
        self.lowest = svm.objective
        self.log_weights = self.log_weights - self.log_weights.max() + np.log(weights.max())
        shares = weights * forms / max(float(weights @ forms), SMALLEST_FORM)
        residual = np.log(np.maximum(forms, SMALLEST_FORM)) - (self.p - 1.0) * self.log_weights
        residual -= shares @ residual
        self._adapt(float(shares @ (residual * self.step)))
        self.paper_step = np.maximum(residual / (self.p + 1.0), -LONGEST_STEP)
        is_far = gap * self.p > NEWTON_GAP
        step = RELAXATION * self.paper_step if is_far else self._newton(svm.dual, images, shares, residual)
        self.step = np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        self.slope = float(shares @ (residual * self.step))
        self.start, self.log_weights, self.is_longer = self.log_weights, self.log_weights + self.step, True

    def _adapt(self, slope: float) -> None:
        """Adapt the damping to the slope at the end of the latest step."""
        if self.slope > 0.0 and slope < -0.1 * self.slope:
            self.damping = min(3.0 * self.damping, MOST_DAMPING)
        elif slope > 0.2 * self.slope > 0.0:
            self.damping = max(self.damping / 4.0, LEAST_DAMPING)

    def _newton(self, dual: Floats, images: Floats, shares: Floats, residual: Floats) -> Floats:
        """Return the damped step after which log q_m - (p - 1) log theta_m would be the same for every kernel."""
        m, shares = len(shares), np.maximum(shares, NEGLIGIBLE_WEIGHT)
        system = np.ones((m + 1, m + 1))
        # This row keeps ||theta||_p = 1 to first order.
        system[m] = np.append(self.combination.rows.weights**self.p, 0.0)
        try:
            system[:m, :m] = self._response(dual, images) / shares[:, None]
            system[np.arange(m), np.arange(m)] += self.p - 1.0 + self.damping
            step: Floats = np.linalg.solve(system, np.append(residual, 0.0))[:m]
        # The system of an indefinite kernel may be singular.
        except np.linalg.LinAlgError:
            return RELAXATION * self.paper_step
        return step if np.isfinite(step).all() else RELAXATION * self.paper_step

    def _response(self, dual: Floats, images: Floats) -> Floats:
        """Return -theta_m dq_m / dlog theta_k, (m, m), in units of the sum of all theta_m q_m.

        Free coefficients F keep their margins: K_FF dv_F + sum_k dtheta_k (K_k v)_F + db = 0 with the sum of dv_F 0.
        """
        free = np.flatnonzero((dual != 0.0) & (np.abs(dual) < self.C))
        kernel, (m, n) = self.combination.block(free), images.shape
        size = np.trace(kernel)
        if len(free) < 2 or not size > 0.0:
            return np.zeros((m, m))
        kernel[np.diag_indices(len(free))] += SYSTEM_RIDGE * size / len(free)
        self.work.solver_steps += 1
        self.work.row_additions += len(free) ** 3 // (3 * n)
        parts = self.combination.rows.weights[:, None] * images[:, free]
        solution = np.linalg.solve(kernel, np.column_stack([parts.T, np.ones(len(free))]))
        changes, ones = solution[:, :m], solution[:, m]
        changes = changes - np.outer(ones, changes.sum(axis=0) / ones.sum())
        total = max(float(self.combination.rows.weights @ (images @ dual)), SMALLEST_FORM)
        return np.asarray(2.0 / total * parts @ changes)
