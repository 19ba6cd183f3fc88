"""LP-beta: SVMs of each kernel, combined by a linear program (Gehler and Nowozin 2009, ICCV, Section 2.3).

Every kernel has SVMs of its own, one-vs-rest. Their scores of examples that they were not trained on
make a linear program in the kernels' weights beta on the simplex,

    min -rho + 1/(nu n) sum xi_i,  sum_f beta_f (s_f(x_i, y_i) - s_f(x_i, y)) + xi_i >= rho for all y != y_i, xi >= 0,

and the SVMs trained on all examples are summed with them (Orabona et al. 2010, (2) with one weight a kernel). The
constraints are added as they are broken, for each example that of the best wrong class.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.checks import check_classes
from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.one_vs_rest import one_vs_rest_labels
from grambench.algorithms.oracle import stratified_folds
from grambench.algorithms.settings import Cost
from grambench.common.errors import SolverError
from grambench.common.parameters import at_least, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool, stacked
from grambench.solvers import svm
from grambench.solvers.combination import Combination

BROKEN = 1e-7  # by which a constraint has to be broken to be added
ROUNDS = 100  # of added constraints, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Cost):
    """Parameters of LP-beta.

    Attributes
    ----------
    nu : float
        Of the linear program, in (0, 1): the share of examples whose margin may be below rho.
    folds : int
        Of the cross-validation whose scores the program has.
    """

    C: float = 10.0
    nu: Annotated[float, within("(0, 1)")] = 0.1
    folds: Annotated[int, at_least(2)] = 5


@dataclass(frozen=True, slots=True)
class PerKernel:
    """s(x, y) = sum_f weights_f (sum_i dual_fiy k_f(x, x_i) + bias_fy).

    Attributes
    ----------
    weights : ndarray of float64 (m,)
    dual : ndarray of float64 (m, n, C)
        Signed coefficients of each kernel's own SVMs.
    bias : ndarray of float64 (m, C)
    """

    weights: Floats
    dual: Floats
    bias: Floats

    @property
    def support(self) -> NDArray[np.intp]:
        """The support vectors of any kernel's SVMs that have a weight."""
        return np.flatnonzero(self.dual.any(axis=(0, 2)))

    def scores(self, pool: Pool) -> Floats:
        """Return s(x, y), (t, C)."""
        grams, used = pool.grams(), np.flatnonzero(self.weights).tolist()
        return np.asarray(sum(self.weights[f] * (grams[f] @ self.dual[f] + self.bias[f]) for f in used))


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train all SVMs, and combine them.

    Raises
    ------
    SolverError
        If an SVM or the program has no solution.
    """
    check_classes(pool, labels, order)
    grams, classes, work = stacked(pool), int(labels.max()) + 1, Work()
    m, n = grams.shape[:2]
    work.kernel_values = grams.size
    unknown = np.zeros((m, n, classes))
    for held in stratified_folds(labels, parameters.folds, rng):
        known = np.setdiff1d(np.arange(n), held)
        for f, gram in enumerate(grams):
            dual, bias = _machines(gram[np.ix_(known, known)], labels[known], classes, parameters.C, work)
            unknown[f, held] = gram[np.ix_(held, known)] @ dual + bias
    weights = combine(unknown, labels, parameters.nu)
    dual, bias = np.zeros((m, n, classes)), np.zeros((m, classes))
    for f in np.flatnonzero(weights).tolist():
        dual[f], bias[f] = _machines(grams[f], labels, classes, parameters.C, work)
    return Fit(weights=weights, predictor=PerKernel(weights, dual, bias), work=work)


def _machines(gram: Floats, labels: Labels, classes: int, C: float, work: Work) -> tuple[Floats, Floats]:
    """Return coefficients (n, C) and biases (C,) of the SVMs of one kernel; a class without examples loses."""
    dual, bias = np.zeros((len(gram), classes)), np.full(classes, -1.0)
    combination = Combination.single(np.ascontiguousarray(gram))
    for number in np.unique(labels).tolist():
        trained = svm.train(combination, one_vs_rest_labels(labels, number), C)
        dual[:, number], bias[number] = trained.dual, trained.bias
        work.svm_calls += 1
        work.solver_steps += trained.steps
        work.row_additions += 2 * trained.steps
    return dual, bias


def combine(scores: Floats, labels: Labels, nu: float) -> Floats:
    """Return the weights of m kernels by the program, of scores (m, n, C) of examples (n,).

    Raises
    ------
    SolverError
        If the program is not solved.
    """
    from scipy import sparse  # SciPy's programs take long to load
    from scipy.optimize import linprog

    m, n, _ = scores.shape
    everyone = np.arange(n)
    lead = scores[:, everyone, labels][:, :, None] - scores  # of the right class over each
    cost = np.concatenate([np.zeros(m), np.full(n, 1.0 / (nu * n)), [-1.0]])
    simplex: Any = sparse.csr_array(np.concatenate([np.ones(m), np.zeros(n + 1)])[None])
    bounds = [(0.0, None)] * (m + n) + [(None, None)]
    beta, rho, slack = np.full(m, 1.0 / m), np.inf, np.zeros(n)
    rows: list[tuple[int, int]] = []
    for _ in range(ROUNDS):
        margins = np.tensordot(beta, lead, 1)
        margins[everyone, labels] = np.inf
        worst = margins.argmin(axis=1)
        broken = np.flatnonzero(margins[everyone, worst] + slack < rho - BROKEN)
        if not len(broken):
            return np.asarray(np.maximum(beta, 0.0) / np.maximum(beta, 0.0).sum())
        rows += [(int(i), int(worst[i])) for i in broken]
        examples, wrong = np.array(rows).T
        places = np.arange(len(rows))
        own = sparse.csr_array((-np.ones(len(rows)), (places, examples)), shape=(len(rows), n))
        leads, ones = (sparse.csr_array(part) for part in (-lead[:, examples, wrong].T, np.ones((len(rows), 1))))
        matrix: Any = sparse.hstack([leads, own, ones])
        found: Any = linprog(
            cost, A_ub=matrix, b_ub=np.zeros(len(rows)), A_eq=simplex, b_eq=[1.0], bounds=bounds, method="highs"
        )
        if found.status != 0:
            raise SolverError(f"LP-beta: the linear program was not solved: {found.message}")
        beta, slack, rho = found.x[:m], found.x[m : m + n], float(found.x[-1])
    raise SolverError(f"LP-beta: constraints were still broken after {ROUNDS} rounds")
