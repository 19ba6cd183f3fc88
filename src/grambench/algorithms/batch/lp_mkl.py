"""lp-norm MKL: multiple-kernel learning under ||theta||_p <= 1 (Kloft et al. 2011, JMLR 12, Algorithm 1).

For any p >= 1 the machine at theta and the weights of its parts alternate: ||w_m||^2 = theta_m^2 q_m with
q_m = v'K_m v, and theta_m proportional to ||w_m||^(2/(p+1)) (their eq. 21), until the duality gap is closed.

CA's D1 and D2 (Afkanpour et al. 2013, Table 1) are this one on a grid of a continuous family, p = 1 and p = 2.

Deviation: the logarithm of theta moves 1.5 times as far as the update says, which halves the iterations; where the
objective rises, it goes back to the paper's own step for good, which never raises it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Fit, Labels, Order, check_refinement
from grambench.algorithms.oracle import PRECISION, Oracle, check_loss_weight, check_stopping
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.svm import MAX_STEPS

RELAXATION = 1.5
TINY = 1e-300  # a weight that has vanished, where its logarithm is needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of lp-norm MKL.

    Attributes
    ----------
    C : float
        Weight of the hinge loss.
    p : float
        Norm of the constraint, at least 1.
    gap : float
        Relative duality gap to stop at.
    iterations : int
        Iterations at most.
    steps : int
        Steps of the solver in one machine at most; more raise SolverError.
    refine : int
        Parts into which every step of a grid is cut.
    """

    C: float = 1.0
    p: float = 2.0
    gap: float = 1e-3
    iterations: int = 500
    steps: int = MAX_STEPS
    refine: int = 1

    def __post_init__(self) -> None:
        check_loss_weight(self.C)
        if not 1.0 <= self.p < np.inf:
            raise ValueError(f"p must be at least 1 and finite, got {self.p}")
        check_stopping(self.gap, self.iterations)
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, got {self.steps}")
        check_refinement(self.refine)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights and train the machine."""
    oracle = Oracle(pool.refined(parameters.refine), labels)
    p, C = parameters.p, parameters.C
    dual_norm = np.inf if p == 1.0 else p / (p - 1.0)
    weights = np.full(len(oracle.grams), len(oracle.grams) ** (-1.0 / p))
    relaxation, last = RELAXATION, np.inf
    for iteration in range(parameters.iterations):
        machine = oracle.machine(weights, C, tolerance=PRECISION * parameters.gap, max_steps=parameters.steps)
        forms = np.maximum(oracle.combination.quadratic_forms(machine.dual), 0.0)  # negative by rounding only
        oracle.record(machine.objective)
        largest = max(forms.max(), TINY)  # the powers of a high order leave the range of numbers unless it is 1
        bound = np.abs(machine.dual).sum() - 0.5 * largest * np.linalg.norm(forms / largest, dual_norm)
        if machine.objective - bound <= parameters.gap * machine.objective or iteration == parameters.iterations - 1:
            break
        if machine.objective > last:
            relaxation = 1.0
        last = machine.objective
        logs = _update(np.log(np.maximum(weights, TINY)), forms, p, relaxation)
        weights = np.exp(logs - logs.max())
        weights /= np.linalg.norm(weights, p)
    certificate = certificates.mkl(oracle.grams, labels, C, weights, machine.dual, machine.bias, p=p)
    return oracle.fit(weights, machine.dual, machine.bias, certificate)


def _update(logs: NDArray[np.float64], forms: NDArray[np.float64], p: float, relaxation: float) -> NDArray[np.float64]:
    """Return log theta after one update, up to a constant."""
    norms = 2.0 * logs + np.log(np.maximum(forms, TINY))  # log ||w_m||^2
    return logs + relaxation * (norms / (p + 1.0) - logs)
