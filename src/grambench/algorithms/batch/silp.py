"""SILP: multiple-kernel learning under an l1 constraint by cutting planes (Sonnenburg et al. 2006, JMLR 7).

Their Algorithm 1: the semi-infinite linear program min t over theta on the simplex, subject to
t >= sum_i alpha_i - 1/2 sum_m theta_m q_m(alpha) for every feasible alpha, is solved with the alphas found so far; the
SVM at its solution gives the next one. The linear programs are HiGHS's, through SciPy.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import Descent
from grambench.common.errors import SolverError
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Descent):
    """Parameters of SILP.

    Attributes
    ----------
    gap : float
        Relative distance of the SVM's value from the linear program's to stop at.
    """


class Cut(NamedTuple):
    """One constraint of the linear program: an SVM's dual, (n,), and its quadratic forms q, (m,)."""

    dual: Floats
    forms: Floats


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights and train the SVM."""
    oracle = Oracle(pool, labels)
    tolerance = PRECISION * parameters.gap
    weights = best = np.full(len(oracle.grams), 1.0 / len(oracle.grams))
    lowest, bound = np.inf, 0.0
    cuts: list[Cut] = []
    mixture = np.ones(1)
    for _ in range(parameters.iterations):
        svm = oracle.train_svm(weights, parameters.C, tolerance=tolerance)
        if svm.objective < lowest:
            lowest, best = svm.objective, weights
        oracle.record(lowest)
        if lowest - bound <= parameters.gap * lowest:
            break
        cuts.append(Cut(svm.dual, oracle.combination.quadratic_forms(svm.dual)))
        weights, bound, mixture = _master(cuts)
    svm = oracle.train_svm(best, parameters.C, tolerance=tolerance)
    mixed = mixture @ np.array([cut.dual for cut in cuts]) if cuts else None  # none where the first SVM is 0
    found = (best, svm.dual, svm.bias)
    certify = partial(certificates.mkl, oracle.grams, labels, parameters.C, *found, p=1, bound=mixed)
    return oracle.fit(*found, certify, converged=lowest - bound <= parameters.gap * lowest)


def _master(cuts: list[Cut]) -> tuple[Floats, float, Floats]:
    """Solve the linear program with k cuts.

    Returns
    -------
    weights : ndarray of float64 (m,)
        The best theta for the SVMs so far.
    bound : float
        The value, a lower bound of the whole problem's.
    mixture : ndarray of float64 (k,)
        The cuts' multipliers, summing to 1: the mixture of the SVMs' duals has a value of at least the bound.
    """
    sums = np.array([np.abs(cut.dual).sum() for cut in cuts])
    forms = np.array([cut.forms for cut in cuts])
    scale = sums.max()  # HiGHS's tolerances are absolute
    m = forms.shape[1]
    solution = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.column_stack([-0.5 * forms / scale, -np.ones(len(cuts))]),
        b_ub=-sums / scale,
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0.0, None)] * m + [(None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},  # the least it allows
    )
    if solution.x is None:
        raise SolverError(f"SILP: no solution of the linear program with {len(cuts)} cuts ({solution.message})")
    weights: Floats = np.maximum(solution.x[:m], 0.0)
    mixture = np.maximum(-solution.ineqlin.marginals, 0.0)
    return weights / weights.sum(), float(scale * solution.x[m]), mixture / mixture.sum()
