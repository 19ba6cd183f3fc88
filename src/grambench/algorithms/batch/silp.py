"""SILP: multiple-kernel learning under an l1 constraint by cutting planes (Sonnenburg et al. 2006, JMLR 7).

The problem is that of SimpleMKL, as a linear program with one constraint for every dual vector of an SVM. The program
is solved with the vectors known so far, and the SVM at its solution gives the next one (their Algorithm 1).

Formula
-------
    minimise t   over θ ≥ 0, Σ θ = 1,   subject to   t ≥ Σ_i α_i − 1/2 Σ_k θ_k q_k(α)   for every feasible α

q_k = v'K_k v with v_i = y_i α_i.

Complexity
----------
Iteration number t trains one SVM, computes all q_k in O(m n s) with s support vectors, and solves a linear program in m
+ 1 variables with t constraints.

Deviations
----------
The linear programs are solved by HiGHS, through SciPy.

References
----------
Sonnenburg, Rätsch, Schäfer and Schölkopf (2006). Large scale multiple kernel learning. Journal of Machine Learning
Research 7, 1531-1565.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

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
        weights, bound, mixture = _solve_master_program(cuts)
    svm = oracle.train_svm(best, parameters.C, tolerance=tolerance)
    # Without cuts the first SVM was optimal.
    mixed_dual = mixture @ np.array([cut.dual for cut in cuts]) if cuts else None
    solution = (best, svm.dual, svm.bias)
    certify = partial(certificates.mkl, oracle.grams, labels, parameters.C, *solution, p=1, bound=mixed_dual)
    return oracle.fit(*solution, certify, converged=lowest - bound <= parameters.gap * lowest)


def _solve_master_program(cuts: list[Cut]) -> tuple[Floats, float, Floats]:
    """Solve the linear program with k cuts.

    Returns
    -------
    weights : ndarray of float64 (m,)
        Optimal theta of the program with these cuts.
    bound : float
        Value of the program, a lower bound of the value of the learning problem.
    mixture : ndarray of float64 (k,)
        Multipliers of the cuts, summing to 1; the mixture of the SVMs' duals has a value of at least the bound.
    """
    sums = np.array([np.abs(cut.dual).sum() for cut in cuts])
    forms = np.array([cut.forms for cut in cuts])
    # HiGHS's tolerances are absolute, so the program is scaled to values of at most 1.
    scale = sums.max()
    m = forms.shape[1]
    # imported late: it takes longer to import than a whole study to check
    from scipy.optimize import linprog

    program = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.column_stack([-0.5 * forms / scale, -np.ones(len(cuts))]),
        b_ub=-sums / scale,
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0.0, None)] * m + [(None, None)],
        method="highs",
        # The smallest tolerances that HiGHS allows.
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if program.x is None:
        raise SolverError(f"SILP: no solution of the linear program with {len(cuts)} cuts ({program.message})")
    weights: Floats = np.maximum(program.x[:m], 0.0)
    mixture = np.maximum(-program.ineqlin.marginals, 0.0)
    return weights / weights.sum(), float(scale * program.x[m]), mixture / mixture.sum()
