"""Steps on classifiers of C classes whose kernels share their coefficients: of OBSCURE, Pegasos, OM-2 and UFO-MKL.

theta^k_y = sum_i alpha_iy phi_k(x_i) is the dual vector of kernel k and class y, with the same alpha for all kernels;
w^k = (||theta^k|| / ||theta||_{2,q})^(q-2) theta^k / q (Orabona et al. 2010, line 9 of Algorithm 1). A step adds a
coefficient to the right class of an example and takes it from the best wrong one. Problem (9) is

    f(w) = lambda / 2 ||w||_{2,p}^2 + 1/n sum_i max(0, 1 - margin_i),  1/p + 1/q = 1,
    ||w||_{2,p} = ||theta||_{2,q} / q,

with the margin what the right class scores above the best other; of equal scores the first class is the best.

The scores of all examples are kept for every kernel. If Gram matrices are stored, a step adds m of their rows to the
scores of two classes. If kernel values are computed on demand, the scores of an example are brought up to date when it
is visited: by the product of the coefficients of all steps since its last visit with the kernel values of their
examples. Either takes n m values for each step. Shrinking theta changes one factor.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Fit, State, SupportExpansion, Work
from grambench.common.lazy_numba import njit
from grambench.common.parameters import POSITIVE, Checked, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Partners, Pool, stacked
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate
from grambench.solvers.group_norm import margins, norm, shares

Ints = NDArray[np.int64]
EPOCH_GROWTH = 1.5  # factor from the epochs of one recorded state to those of the next


class UpdateRule(NamedTuple):
    """The coefficient with which an example is added if its margin is below 1.

    Attributes
    ----------
    step : float
        Coefficient of a rule that does not descend on problem (9).
    slope : float
        Decrease of the coefficient for each unit of a margin above 0.
    regularisation : float
        lambda of a rule that descends on problem (9); else 0.
    radius : float
        R of Algorithm 2; infinite without the proximal term and the projection.
    averages : bool
        Whether theta is the sum of all sub-gradients so far, of which UFO-MKL has a closed form of w.
    sparsity : float
        alpha of UFO-MKL.
    """

    step: float = 1.0
    slope: float = 0.0
    regularisation: float = 0.0
    radius: float = np.inf
    averages: bool = False
    sparsity: float = 0.0


class GroupNormProblem(NamedTuple):
    """The data of problem (9) for compiled code.

    Attributes
    ----------
    diagonal : ndarray of float64 (n, m)
        k(x, x) of every example and kernel.
    lengths : ndarray of float64 (n,)
        Norm of every example's difference of two classes, ||2 k(x, x)||_{2,q}.
    labels : ndarray of int8 (n,)
        Classes, from 0.
    q : float
        Dual norm of p, at least 2.
    """

    diagonal: Floats
    lengths: Floats
    labels: Labels
    q: float


class Steps(NamedTuple):
    """The state of a descent with m kernels and at most r steps.

    Single numbers are arrays (1,), since compiled loops change them.

    Attributes
    ----------
    examples, classes, rivals : ndarray of int64 (r,)
        Example of each step, its class, and the best other class.
    coefficients : ndarray of float64 (r,)
        The coefficient of each step; theta is `scale` times the sum of the steps.
    squares : ndarray of float64 (m,)
        ||theta^k||^2 by `scale`^2.
    weights : ndarray of float64 (m,)
        w^k = weights_k theta^k.
    scale : ndarray of float64 (1,)
        The factor of all steps.
    n_steps : ndarray of int64 (1,)
        Number of steps so far.
    visited : ndarray of int64 (1,)
        t, the number of examples that a descent has visited.
    slack : ndarray of float64 (1,)
        s of Algorithm 2.
    """

    examples: Ints
    classes: Ints
    rivals: Ints
    coefficients: Floats
    squares: Floats
    weights: Floats
    scale: Floats
    n_steps: Ints
    visited: Ints
    slack: Floats

    @classmethod
    def empty(cls, kernels: int, max_steps: int) -> "Steps":
        """Return the state before the first step."""
        examples, classes, rivals = np.zeros((3, max_steps), dtype=np.int64)
        n_steps, visited = np.zeros((2, 1), dtype=np.int64)
        return cls(
            examples=examples,
            classes=classes,
            rivals=rivals,
            coefficients=np.zeros(max_steps),
            squares=np.zeros(kernels),
            weights=np.zeros(kernels),
            scale=np.ones(1),
            n_steps=n_steps,
            visited=visited,
            slack=np.zeros(1),
        )


class StoredScores:
    """Scores beside stored Gram matrices: each step adds rows to the scores of two classes.

    Parameters
    ----------
    pool : Pool
        m kernels among n examples.
    problem, steps
        Data that the steps read, and the state that they change.
    classes : int
        Number of classes, C.
    """

    def __init__(self, pool: Pool, problem: GroupNormProblem, steps: Steps, classes: int) -> None:
        m, _, n = pool.shape
        self.grams = stacked(pool)
        self._problem, self._steps = problem, steps
        self._scores = np.zeros((m, classes, n))

    def visit(self, order: Order, rule: UpdateRule) -> None:
        """Visit examples in their order, and make the steps that the rule asks for."""
        _pass(self.grams, self._problem, order, rule, self._steps, self._scores, np.empty(self._scores.shape[:2]))

    def by_kernel(self) -> Floats:
        """Return the scores by theta without its scale, (m, C, n)."""
        return self._scores

    @property
    def kernel_values(self) -> int:
        """The kernel evaluations so far."""
        return int(self.grams.shape[0] * self.grams.shape[1] * self._steps.n_steps[0])


class ScoresOnDemand:
    """Scores without Gram matrices: those of an example are brought up to date when it is visited.

    Parameters
    ----------
    pool : Pool
        m kernels among n examples.
    partners : Partners
        Empty list of examples, to which the steps append theirs.
    problem, steps, classes
        See StoredScores.
    """

    def __init__(self, pool: Pool, partners: Partners, problem: GroupNormProblem, steps: Steps, classes: int) -> None:
        m, _, n = pool.shape
        self._partners, self._problem, self._steps = partners, problem, steps
        # The scores of one example lie together, since they are updated and read together.
        self._scores = np.zeros((n, m, classes))
        # The coefficients of each step for every class, and how many steps are in each example's scores.
        self._step_coefficients = np.zeros((len(steps.examples), classes))
        self._included = np.zeros(n, dtype=np.int64)
        self._kernel_values = 0

    def visit(self, order: Order, rule: UpdateRule) -> None:
        """Visit examples in their order, and make the steps that the rule asks for."""
        steps = self._steps
        for i in order.tolist():
            self._catch_up(i)
            if _visit_example(self._scores[i], i, self._problem, rule, steps):
                r = int(steps.n_steps[0]) - 1
                self._step_coefficients[r, steps.classes[r]] = steps.coefficients[r]
                self._step_coefficients[r, steps.rivals[r]] = -steps.coefficients[r]
                self._partners.append(i)

    def by_kernel(self) -> Floats:
        """Return the scores by theta without its scale, (m, C, n)."""
        for i in range(len(self._scores)):
            self._catch_up(i)
        return self._scores.transpose(1, 2, 0)

    @property
    def kernel_values(self) -> int:
        """The kernel evaluations so far."""
        return self._kernel_values

    def _catch_up(self, i: int) -> None:
        """Bring the scores of an example up to date."""
        first, end = int(self._included[i]), int(self._steps.n_steps[0])
        if first < end:
            values = self._partners.values(i, first)
            self._scores[i] += values @ self._step_coefficients[first:end]
            self._included[i] = end
            self._kernel_values += values.size


class GroupNormClassifier:
    """A multi-class classifier that learns in passes over n training examples.

    Parameters
    ----------
    pool : Pool
        m kernels among the training examples.
    labels : ndarray of int8 (n,)
        Classes of the examples, from 0.
    q : float
        Dual norm of p, at least 2.
    rounds : int
        Number of visits to examples in all passes, which bounds the number of steps.
    regularisation : float
        lambda of problem (9), whose objective states record.
    """

    def __init__(self, pool: Pool, labels: Labels, q: float, rounds: int, regularisation: float) -> None:
        self.labels, self.q, self.regularisation = labels, q, regularisation
        self.classes, self.epochs, self.states = max(2, int(labels.max()) + 1), 0, list[State]()
        self.steps = Steps.empty(pool.shape[0], rounds)
        partners, diagonal = pool.partners(), np.ascontiguousarray(pool.diagonal().T)
        lengths = np.array([norm(2.0 * each, q) for each in diagonal])
        problem = GroupNormProblem(diagonal, lengths, labels, q)
        self._scores: StoredScores | ScoresOnDemand = (
            StoredScores(pool, problem, self.steps, self.classes)
            if partners is None
            else ScoresOnDemand(pool, partners, problem, self.steps, self.classes)
        )
        self._seconds, self._recorded = 0.0, 0

    @property
    def updates(self) -> int:
        """The number of steps so far."""
        return int(self.steps.n_steps[0])

    def run(
        self, rule: UpdateRule, epochs: int, orders: Callable[[], Order], stage: int = 1, *, until_no_step: bool = False
    ) -> None:
        """Pass over the examples, each time in the next order, and record some states of the stage and the last one.

        The passes end early with one that makes no step, if they go on only until then.
        """
        for epoch in range(epochs):
            order, start_time, before = orders(), time.process_time(), self.updates
            self._scores.visit(order, rule)
            self.epochs += 1
            self._seconds += time.process_time() - start_time
            is_last = epoch == epochs - 1 or (until_no_step and self.updates == before)
            self._record(stage, always=is_last)
            if is_last:
                break

    def scores(self) -> Floats:
        """Return s(x, y) of all examples, (n, C)."""
        by_kernel = self._scores.by_kernel()
        total = np.zeros(by_kernel.shape[1:])
        # A loop over the kernels adds in one order for both layouts, which a product of arrays would not.
        for weight, scores in zip(self.steps.weights, by_kernel, strict=True):
            total += weight * scores
        return np.asarray(self.steps.scale[0] * total.T)

    def objective(self) -> tuple[float, float]:
        """Return f(w) of problem (9), and the training error."""
        start_time = time.process_time()
        training_margins = margins(self.scores(), self.labels)
        # Bringing scores up to date is work of the fit, which need not be done again later.
        self._seconds += time.process_time() - start_time
        loss = float(np.maximum(0.0, 1.0 - training_margins).mean())
        return self.regulariser() + loss, float(np.mean(training_margins <= 0.0))

    def regulariser(self) -> float:
        """Return the part of the objective that does not depend on the examples."""
        w_norm = float(self.steps.scale[0] * norm(self.steps.squares, self.q) / self.q)
        return 0.5 * self.regularisation * w_norm**2

    def norms(self) -> Floats:
        """Return ||w^k|| by the scale of theta, (m,)."""
        return np.asarray(np.sqrt(np.maximum(self.steps.squares, 0.0)) * self.steps.weights)

    def _record(self, stage: int, *, always: bool) -> None:
        """Record the state after this epoch, if enough epochs have passed since the last recorded one."""
        if not always and self.epochs < max(self._recorded + 1, EPOCH_GROWTH * self._recorded):
            return
        self._recorded = self.epochs
        objective, error = self.objective()
        self.states.append(
            State(
                stage=stage,
                epochs=self.epochs,
                seconds=self._seconds,
                objective=objective,
                training_error=error,
                work=self.work(),
                predictor=self.predictor(),
                rounds=self.epochs * len(self.labels),
                updates=self.updates,
            )
        )

    def alpha(self) -> Floats:
        """Return the coefficients of theta, (n, C)."""
        steps, taken = self.steps, slice(self.updates)
        alpha = np.zeros((len(self.labels), self.classes))
        coefficients = steps.coefficients[taken] * steps.scale[0]
        np.add.at(alpha, (steps.examples[taken], steps.classes[taken]), coefficients)
        np.subtract.at(alpha, (steps.examples[taken], steps.rivals[taken]), coefficients)
        return alpha

    def predictor(self) -> SupportExpansion:
        """Return the predictor s(x, y) from the examples with a coefficient."""
        alpha = self.alpha()
        support = np.flatnonzero(alpha.any(axis=1)).astype(np.int32)
        return SupportExpansion(self.steps.weights.copy(), support, alpha[support])

    def fit(self) -> Fit:
        """Return the Fit of the last state; its weights are the kernels' shares of the sum of norms."""
        norms, certify = self.norms(), None
        # the certificate needs Gram matrices and a regularised problem
        if self.regularisation > 0.0 and isinstance(self._scores, StoredScores):
            certify = partial(self.certificate, self._scores.grams)
        return Fit(
            weights=norms / norms.sum() if norms.any() else norms,
            predictor=self.states[-1].predictor,
            train_scores=self.scores(),
            states=self.states,
            certify=certify,
            work=self.states[-1].work,
        )

    def certificate(self, grams: Floats) -> Certificate:
        """Return the certificate from Gram matrices (m, n, n)."""
        return certificates.group_norm(grams, self.labels, self.regularisation, self.q, self.alpha())

    def work(self) -> Work:
        """Return the work so far; a step adds two rows of n numbers for each kernel."""
        m = len(self.steps.weights)
        return Work(kernel_values=self._scores.kernel_values, row_additions=2 * m * self.updates)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNormParameters(Checked):
    """Parameters of problem (9).

    Attributes
    ----------
    p : float
        Norm of the kernels' norms, in (1, 2]; near 1 is sparse in the kernels.
    C : float
        1 / (lambda n), above 0.
    """

    p: Annotated[float, within("(1, 2]")] = 1.05
    C: Annotated[float, POSITIVE] = 100.0


def dual_norm(p: float | None, kernels: int = 1) -> float:
    """Return q with 1/p + 1/q = 1; without a p, q = 2 ln m of m kernels, or 2 where that is less."""
    return max(2.0, 2.0 * np.log(kernels)) if p is None else p / (p - 1.0)


@njit(cache=True)
def _pass(grams, problem, order, rule, steps, scores, scores_i):  # type: ignore[no-untyped-def]
    """Pass over an order with Gram matrices (m, n, n) and scores (m, C, n); `scores_i` is working memory, (m, C)."""
    m, classes, _ = scores.shape
    for i in order:
        for k in range(m):
            for c in range(classes):
                scores_i[k, c] = scores[k, c, i]
        if _visit_example(scores_i, i, problem, rule, steps):
            _add_to_scores(grams, steps.n_steps[0] - 1, steps, scores)


@njit(cache=True)
def _add_to_scores(grams, r, steps, scores):  # type: ignore[no-untyped-def]
    """Add step number r to the scores."""
    m, _, n = scores.shape
    coefficient = steps.coefficients[r]
    for k in range(m):
        row, label_scores, rival_scores = (
            grams[k, steps.examples[r]],
            scores[k, steps.classes[r]],
            scores[k, steps.rivals[r]],
        )
        for j in range(n):
            term = coefficient * row[j]
            label_scores[j] += term
            rival_scores[j] -= term


@njit(cache=True)
def _visit_example(scores_i, i, problem, rule, steps):  # type: ignore[no-untyped-def]
    """Visit example i with its scores without scale, (m, C); return whether a step was taken.

    The line numbers refer to OBSCURE's Algorithm 2. Lines 5, 6, 11 and 13 are also lines 5, 7 and 9 of Algorithm 1.
    """
    scale, q, y = steps.scale, problem.q, problem.labels[i]
    # C stands for no rival yet: with a literal number, the functions called with it would be compiled twice.
    classes = scores_i.shape[1]
    rival, rival_score, label_score = classes, 0.0, 0.0
    for c in range(classes):
        score = 0.0
        for k in range(len(scores_i)):
            score += steps.weights[k] * scores_i[k, c]
        if c == y:
            label_score = score
        elif rival == classes or score > rival_score:
            rival, rival_score = c, score  # line 5
    margin = scale[0] * (label_score - rival_score)
    added = margin < 1.0  # line 6
    step = rule.step - rule.slope * margin if rule.slope * margin > 0.0 else rule.step
    if rule.averages:
        steps.visited[0] += 1
    elif rule.regularisation > 0.0:
        step = _descend(i, added, problem, rule, steps)  # lines 8 to 11
    if added:
        _append_step(scores_i, i, y, rival, step / scale[0], problem, steps)  # line 11
    if rule.radius < np.inf:
        length = scale[0] * norm(steps.squares, q)
        if length > q * rule.radius:
            scale[0] *= q * rule.radius / length  # line 12
    if rule.averages:
        # They change in every round, since the number of examples does.
        _average(rule, q, steps)
    elif added:
        # A common factor of theta does not change the weights, so they change with steps alone.
        _weigh(q, steps)  # line 13
    return added


@njit(cache=True)
def _weigh(q, steps):  # type: ignore[no-untyped-def]
    """Write the weights of Algorithm 2."""
    weights = shares(steps.squares, q)
    # Loops, since array expressions take ten times as long to compile.
    for k in range(weights.size):
        steps.weights[k] = weights[k] / q


@njit(cache=True)
def _average(rule, q, steps):  # type: ignore[no-untyped-def]
    """Write the weights of UFO-MKL after t examples, by which w^k = weights_k theta^k."""
    t, rest, largest, total = steps.visited[0], steps.weights, 0.0, 0.0
    for k in range(rest.size):
        excess = (np.sqrt(steps.squares[k]) if steps.squares[k] > 0.0 else 0.0) - rule.sparsity * t
        rest[k] = excess if excess > 0.0 else 0.0
        largest = rest[k] if rest[k] > largest else largest
    for k in range(rest.size):
        # Relative to the largest, since powers of a high order underflow.
        total += (rest[k] / largest) ** q if largest > 0.0 else 0.0
    for k in range(rest.size):
        if rest[k] > 0.0:
            share = (rest[k] / largest / total ** (1.0 / q)) ** (q - 2.0)
            steps.weights[k] = share * rest[k] / np.sqrt(steps.squares[k]) / (rule.regularisation * t)


@njit(cache=True)
def _descend(i, added, problem, rule, steps):  # type: ignore[no-untyped-def]
    """Do lines 8 to 11 of OBSCURE's Algorithm 2 but for the addition; return eta_t."""
    q, regularisation, slack = problem.q, rule.regularisation, steps.slack
    steps.visited[0] += 1
    if rule.radius < np.inf:
        d = regularisation * steps.visited[0] + slack[0]  # line 8
        length = regularisation / q * steps.scale[0] * norm(steps.squares, q)
        if added:
            length += problem.lengths[i]
        slack[0] += 0.5 * (np.sqrt(d * d + q * (length / rule.radius) ** 2) - d)  # line 9
    rate = regularisation * steps.visited[0] + slack[0]  # line 10
    # The first step of Pegasos has the rate lambda and would make the scale 0, by which coefficients are divided; it
    # comes from theta = 0, which no factor changes.
    if rate > regularisation:
        steps.scale[0] *= 1.0 - regularisation / rate  # line 11
    return q / rate


@njit(cache=True)
def _append_step(scores_i, i, y, rival, coefficient, problem, steps):  # type: ignore[no-untyped-def]
    r = steps.n_steps[0]
    for k in range(len(steps.squares)):
        gain = scores_i[k, y] - scores_i[k, rival] + coefficient * problem.diagonal[i, k]
        steps.squares[k] += 2.0 * coefficient * gain
    steps.examples[r], steps.classes[r], steps.rivals[r] = i, y, rival
    steps.coefficients[r] = coefficient
    steps.n_steps[0] += 1
