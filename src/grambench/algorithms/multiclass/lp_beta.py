"""LP-beta: SVMs of each kernel, combined by a linear program (Gehler and Nowozin 2009, ICCV, Section 2.3).

Every kernel has its own SVMs, one-vs-rest. Their scores of validation examples define a linear program, whose solution
weights the kernels.

Formula
-------
    minimise −ρ + 1/(ν n) Σ_i ξ_i   over β ≥ 0, Σ β = 1, ξ ≥ 0,   subject to
    Σ_k β_k (s_k(x_i, y_i) − s_k(x_i, y)) + ξ_i ≥ ρ   for all y ≠ y_i

s_k are the validation scores of kernel k. The SVMs trained on all examples are summed with the weights β (Orabona et
al. 2010, (2) with one weight a kernel).

Complexity
----------
m C · folds SVMs on n (1 − 1/folds) examples each, and C more on all examples for each kernel with a weight; of two
classes one SVM in place of C = 2. The linear programs have m + n + 1 variables.

Deviations
----------
The constraints are added when they are violated, for each example that of the best incorrect class.

References
----------
Gehler and Nowozin (2009). On feature combination for multiclass object classification. IEEE International Conference on
Computer Vision, 221-228. DOI 10.1109/ICCV.2009.5459169

Orabona, Luo and Caputo (2010). Online-batch strongly convex multi kernel learning. IEEE Conference on Computer Vision
and Pattern Recognition.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.one_vs_rest import one_vs_rest_labels
from grambench.algorithms.oracle import folds_to_train_on
from grambench.algorithms.per_kernel import PerKernel, cross_validated_scores, train_svm
from grambench.algorithms.settings import Cost
from grambench.common.errors import SolverError
from grambench.common.parameters import at_least, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool, stacked
from grambench.solvers.combination import Combination

VIOLATION = 1e-7  # smallest violation of a constraint that is added
MAX_ROUNDS = 100  # of adding constraints


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


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train all SVMs, and combine them.

    Raises
    ------
    ValueError
        If no class has two examples.
    SolverError
        If an SVM or the program has no solution.
    """
    check_class_numbers(pool, labels, order)
    grams, classes, work = stacked(pool), int(labels.max()) + 1, Work()
    m, n = grams.shape[:2]
    work.kernel_values = grams.size
    tasks = [(label, one_vs_rest_labels(labels, label)) for label in range(1 if classes == 2 else 0, classes)]
    folds = folds_to_train_on(labels, parameters.folds, rng)
    validation_scores = np.zeros((m, n, classes))
    for f, gram in enumerate(grams):
        for label, task in tasks:
            validation_scores[f, :, label] = cross_validated_scores(gram, task, parameters.C, folds, work)
    _complete(validation_scores)
    weights = combine(validation_scores, labels, parameters.nu)
    dual, bias = np.zeros((m, n, classes)), np.zeros((m, classes))
    for f in np.flatnonzero(weights).tolist():
        combination = Combination.single(grams[f])
        for label, task in tasks:
            trained = train_svm(combination, task, parameters.C, work)
            dual[f, :, label], bias[f, label] = trained.dual, trained.bias
    _complete(dual)
    _complete(bias)
    return Fit(weights=weights, predictor=PerKernel(weights, dual, bias), work=work)


def _complete(values: Floats) -> None:
    """Write the negative of the values of the second class (..., C) to those of the first, if there are two classes."""
    if values.shape[-1] == 2:
        values[..., 0] = -values[..., 1]


def combine(scores: Floats, labels: Labels, nu: float) -> Floats:
    """Return the weights of m kernels from the linear program of scores (m, n, C) and labels (n,).

    Raises
    ------
    SolverError
        If the program is not solved.
    """
    # SciPy's linear programs take long to import.
    from scipy import sparse
    from scipy.optimize import linprog

    m, n, _ = scores.shape
    everyone = np.arange(n)
    # Lead of the correct class over each class.
    lead = scores[:, everyone, labels][:, :, None] - scores
    cost = np.concatenate([np.zeros(m), np.full(n, 1.0 / (nu * n)), [-1.0]])
    simplex: Any = sparse.csr_array(np.concatenate([np.ones(m), np.zeros(n + 1)])[None])
    bounds = [(0.0, None)] * (m + n) + [(None, None)]
    beta, rho, slack = np.full(m, 1.0 / m), np.inf, np.zeros(n)
    rows: list[tuple[int, int]] = []
    for _ in range(MAX_ROUNDS):
        margins = np.tensordot(beta, lead, 1)
        margins[everyone, labels] = np.inf
        best_rival = margins.argmin(axis=1)
        violated = np.flatnonzero(margins[everyone, best_rival] + slack < rho - VIOLATION)
        if not len(violated):
            return np.asarray(np.maximum(beta, 0.0) / np.maximum(beta, 0.0).sum())
        rows += [(int(i), int(best_rival[i])) for i in violated]
        examples, classes = np.array(rows).T
        places = np.arange(len(rows))
        slacks = sparse.csr_array((-np.ones(len(rows)), (places, examples)), shape=(len(rows), n))
        leads, ones = (sparse.csr_array(part) for part in (-lead[:, examples, classes].T, np.ones((len(rows), 1))))
        matrix: Any = sparse.hstack([leads, slacks, ones])
        program: Any = linprog(
            cost, A_ub=matrix, b_ub=np.zeros(len(rows)), A_eq=simplex, b_eq=[1.0], bounds=bounds, method="highs"
        )
        if program.status != 0:
            raise SolverError(f"LP-beta: the linear program was not solved: {program.message}")
        beta, slack, rho = program.x[:m], program.x[m : m + n], float(program.x[-1])
    raise SolverError(f"LP-beta: constraints were still broken after {MAX_ROUNDS} rounds")
