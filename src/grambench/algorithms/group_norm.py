"""Steps on classifiers of C classes whose kernels share their coefficients: of OBSCURE, Pegasos and OM-2.

theta^k_y = sum_i alpha_iy phi_k(x_i) is the dual vector of kernel k and class y, with the same alpha for all kernels;
w^k = (||theta^k|| / ||theta||_{2,q})^(q-2) theta^k / q (Orabona et al. 2010, line 9 of Algorithm 1). A step adds a
coefficient to the right class of an example and takes it from the best wrong one. Problem (9) is

    f(w) = lambda / 2 ||w||_{2,p}^2 + 1/n sum_i max(0, 1 - margin_i),  1/p + 1/q = 1,
    ||w||_{2,p} = ||theta||_{2,q} / q,

with the margin what the right class scores above the best other; of equal scores the first class is the best.

The scores of all examples are kept for every kernel. Where Gram matrices are stored, a step adds m of their rows to the
scores of two classes. Where values are made when they are asked for, the scores of an example are brought up to date
when it is looked at: by the kernel values between it and the examples of the steps since it was seen last, a product of
matrices. Either takes n m values for each step. Shrinking theta is a change of one factor.

With a budget, the oldest step is taken back as soon as there is one too many.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.fit import Fit, State, SupportExpansion, Work
from grambench.common.parameters import POSITIVE, Checked, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Partners, Pool, stacked
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate
from grambench.solvers.group_norm import margins, norm, shares

Ints = NDArray[np.int64]
GROWTH = 1.5  # from the epochs of one recorded state to those of the next


class UpdateRule(NamedTuple):
    """The coefficient with which an example is added if its margin is below 1.

    Attributes
    ----------
    step : float
        The coefficient of a rule that does not descend on problem (9).
    slope : float
        By which the coefficient falls for each unit of a margin above 0.
    regularisation : float
        lambda of a rule that descends on problem (9); else 0.
    radius : float
        R of Algorithm 2; infinite without the proximal term and the projection.
    """

    step: float = 1.0
    slope: float = 0.0
    regularisation: float = 0.0
    radius: float = np.inf


class Problem(NamedTuple):
    """What all compiled steps read.

    Attributes
    ----------
    diagonal : ndarray of float64 (n, m)
        k(x, x) of every example and kernel.
    labels : ndarray of int8 (n,)
        Classes, from 0.
    q : float
        Dual norm of p, at least 2.
    """

    diagonal: Floats
    labels: Labels
    q: float


class Steps(NamedTuple):
    """The state of a descent with m kernels and at most r steps; single numbers are arrays (1,), which loops change.

    Attributes
    ----------
    examples, right, wrong : ndarray of int64 (r,)
        The example of each step, its class, and the best other class.
    coefficients : ndarray of float64 (r,)
        The coefficient of each step; theta is `scale` times the sum of the steps.
    squares : ndarray of float64 (m,)
        ||theta^k||^2 by `scale`^2.
    weights : ndarray of float64 (m,)
        w^k = weights_k theta^k.
    scale : ndarray of float64 (1,)
        The factor of all steps.
    n_steps, forgotten : ndarray of int64 (1,)
        The number of steps so far, and how many of them, the oldest, have been taken back.
    visited : ndarray of int64 (1,)
        t of Algorithm 2, the number of examples that a descent has looked at.
    slack : ndarray of float64 (1,)
        s of Algorithm 2.
    """

    examples: Ints
    right: Ints
    wrong: Ints
    coefficients: Floats
    squares: Floats
    weights: Floats
    scale: Floats
    n_steps: Ints
    forgotten: Ints
    visited: Ints
    slack: Floats

    @classmethod
    def empty(cls, kernels: int, most: int) -> "Steps":
        """Return the state before the first of at most so many steps."""
        examples, right, wrong = (np.zeros(most, dtype=np.int64) for _ in range(3))
        n_steps, forgotten, visited = (np.zeros(1, dtype=np.int64) for _ in range(3))
        squares, weights = np.zeros(kernels), np.zeros(kernels)
        return cls(
            examples,
            right,
            wrong,
            np.zeros(most),
            squares,
            weights,
            np.ones(1),
            n_steps,
            forgotten,
            visited,
            np.zeros(1),
        )


class Scores(ABC):
    """The scores of all training examples, by theta without its scale, for every kernel and class."""

    @abstractmethod
    def visit(self, order: Order, rule: UpdateRule) -> None:
        """Look at some examples in their order, and make the steps that the rule asks for."""

    @abstractmethod
    def by_kernel(self) -> Floats:
        """Return the scores, (m, C, n)."""

    @property
    @abstractmethod
    def kernel_values(self) -> int:
        """The kernel evaluations so far."""


class StoredScores(Scores):
    """Scores beside stored Gram matrices: each step adds rows to the scores of two classes.

    Parameters
    ----------
    pool : Pool
        m kernels among n examples.
    problem, steps
        What the steps read, and what they change.
    classes : int
        C.
    budget : int
        Largest number of steps that are not taken back.
    """

    def __init__(self, pool: Pool, problem: Problem, steps: Steps, classes: int, budget: int) -> None:
        m, _, n = pool.shape
        self.grams = stacked(pool)
        self._problem, self._steps, self._budget = problem, steps, budget
        self._scores = np.zeros((m, classes, n))

    def visit(self, order: Order, rule: UpdateRule) -> None:
        """See Scores."""
        _pass(self.grams, self._problem, order, rule, self._steps, self._scores, self._budget)

    def by_kernel(self) -> Floats:
        """See Scores."""
        return self._scores

    @property
    def kernel_values(self) -> int:
        """See Scores; a step back reads rows that have been read before."""
        return int(self.grams.shape[0] * self.grams.shape[1] * self._steps.n_steps[0])


class ScoresOnDemand(Scores):
    """Scores without Gram matrices: those of an example are brought up to date when it is looked at.

    Parameters
    ----------
    pool : Pool
        m kernels among n examples.
    partners : Partners
        An empty list of its examples.
    problem, steps, classes, budget
        See StoredScores.
    """

    def __init__(
        self, pool: Pool, partners: Partners, problem: Problem, steps: Steps, classes: int, budget: int
    ) -> None:
        m, _, n = pool.shape
        self._partners, self._problem, self._steps, self._budget = partners, problem, steps, budget
        # The scores of one example lie together, since they are updated and read together.
        self._scores = np.zeros((n, m, classes))
        # The log has a row for each step, and one for each step that is taken back: its coefficient for every class.
        self._log_coefficients = np.zeros((2 * len(steps.examples) - budget, classes))
        # How many rows the log has, and how many of them are in each example's scores.
        self._logged, self._seen = 0, np.zeros(n, dtype=np.int64)
        self._kernel_values = 0

    def visit(self, order: Order, rule: UpdateRule) -> None:
        """See Scores."""
        n_steps, forgotten = self._steps.n_steps, self._steps.forgotten
        for i in order.tolist():
            self._catch_up(i)
            if _visit(self._scores[i], i, self._problem, rule, self._steps):
                self._log(int(n_steps[0]) - 1, 1.0)
                if n_steps[0] - forgotten[0] > self._budget:
                    self._forget()

    def by_kernel(self) -> Floats:
        """See Scores."""
        for i in range(len(self._scores)):
            self._catch_up(i)
        return self._scores.transpose(1, 2, 0)

    @property
    def kernel_values(self) -> int:
        """See Scores."""
        return self._kernel_values

    def _catch_up(self, i: int) -> None:
        """Bring the scores of an example up to date."""
        first, last = int(self._seen[i]), self._logged
        if first < last:
            values = self._partners.values(i, first)
            self._scores[i] += values @ self._log_coefficients[first:last]
            self._seen[i] = last
            self._kernel_values += values.size

    def _log(self, r: int, sign: float) -> None:
        """Write down that step number r was made, or taken back."""
        steps, coefficients = self._steps, self._log_coefficients[self._logged]
        coefficients[steps.right[r]] = sign * steps.coefficients[r]
        coefficients[steps.wrong[r]] = -sign * steps.coefficients[r]
        self._partners.append(int(steps.examples[r]))
        self._logged += 1

    def _forget(self) -> None:
        """Take the oldest step back."""
        r = int(self._steps.forgotten[0])
        oldest = int(self._steps.examples[r])
        self._catch_up(oldest)
        _take_back(self._scores[oldest], self._problem, self._steps)
        self._log(r, -1.0)


class GroupNormClassifier:
    """A classifier among n training examples, and passes over these.

    Parameters
    ----------
    pool : Pool
        m kernels among them.
    labels : ndarray of int8 (n,)
        Their classes, from 0.
    q : float
        Dual norm of p, at least 2.
    rounds : int
        Examples that will be looked at in all passes, which bounds the number of steps.
    regularisation : float
        lambda of problem (9), by which states are measured.
    budget : int, optional
        Largest number of steps that are not taken back; all of them if None.
    """

    def __init__(
        self, pool: Pool, labels: Labels, q: float, rounds: int, regularisation: float, budget: int | None = None
    ) -> None:
        self.labels, self.q, self.regularisation = labels, q, regularisation
        self.classes, self.epochs, self.states = int(labels.max()) + 1, 0, list[State]()
        self.steps = Steps.empty(pool.shape[0], rounds)
        budget = rounds if budget is None else min(budget, rounds)
        partners, problem = pool.partners(), Problem(np.ascontiguousarray(pool.diagonal().T), labels, q)
        self._scores: StoredScores | ScoresOnDemand = (
            StoredScores(pool, problem, self.steps, self.classes, budget)
            if partners is None
            else ScoresOnDemand(pool, partners, problem, self.steps, self.classes, budget)
        )
        self._seconds, self._recorded = 0.0, 0

    @property
    def updates(self) -> int:
        """The number of steps so far."""
        return int(self.steps.n_steps[0])

    @property
    def forgotten(self) -> int:
        """The number of steps that have been taken back."""
        return int(self.steps.forgotten[0])

    def epoch(self, rule: UpdateRule, order: Order) -> int:
        """Look at some examples in their order; return how many steps were made."""
        begun, before = time.perf_counter(), self.updates
        self._scores.visit(order, rule)
        self.epochs += 1
        self._seconds += time.perf_counter() - begun
        return self.updates - before

    def scores(self) -> Floats:
        """Return s(x, y) of all examples, (n, C)."""
        by_kernel = self._scores.by_kernel()
        total = np.zeros(by_kernel.shape[1:])
        # A loop over the kernels adds in one order for both layouts, which a product of arrays would not.
        for weight, scores in zip(self.steps.weights, by_kernel, strict=True):
            total += weight * scores
        return np.asarray(self.steps.scale[0] * total.T)

    @property
    def norm(self) -> float:
        """||w||_{2,p}."""
        return float(self.steps.scale[0] * norm(self.steps.squares, self.q) / self.q)

    def objective(self) -> tuple[float, float]:
        """Return f(w) of problem (9), and the training error."""
        begun = time.perf_counter()
        by_example = margins(self.scores(), self.labels)
        # Bringing scores up to date is work of the fit, which need not be done again later.
        self._seconds += time.perf_counter() - begun
        loss = float(np.maximum(0.0, 1.0 - by_example).mean())
        return 0.5 * self.regularisation * self.norm**2 + loss, float(np.mean(by_example <= 0.0))

    def record(self, stage: int, *, always: bool = False) -> None:
        """Record the state after this epoch, if enough epochs have passed since the last recorded one."""
        if not always and self.epochs < max(self._recorded + 1, GROWTH * self._recorded):
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
        steps, remaining = self.steps, slice(self.forgotten, self.updates)
        alpha = np.zeros((len(self.labels), self.classes))
        coefficients = steps.coefficients[remaining] * steps.scale[0]
        np.add.at(alpha, (steps.examples[remaining], steps.right[remaining]), coefficients)
        np.subtract.at(alpha, (steps.examples[remaining], steps.wrong[remaining]), coefficients)
        return alpha

    def predictor(self) -> SupportExpansion:
        """Return s(x, y), of the examples that have a coefficient."""
        alpha = self.alpha()
        support = np.flatnonzero(alpha.any(axis=1)).astype(np.int32)
        return SupportExpansion(self.steps.weights.copy(), support, alpha[support])

    def fit(self) -> Fit:
        """Return what was learned, as the last state has it; weights are shares of the kernels' norms."""
        norms = np.sqrt(np.maximum(self.steps.squares, 0.0)) * self.steps.weights
        return Fit(
            weights=norms / norms.sum() if norms.any() else norms,
            predictor=self.states[-1].predictor,
            states=self.states,
            certify=self._certify(),
            work=self.states[-1].work,
        )

    def _certify(self) -> Callable[[], Certificate] | None:
        """Return what computes the certificate, which needs Gram matrices and a problem."""
        if self.regularisation <= 0.0 or not isinstance(self._scores, StoredScores):
            return None
        grams = self._scores.grams
        return lambda: certificates.group_norm(grams, self.labels, self.regularisation, self.q, self.alpha())

    def work(self) -> Work:
        """Return what has been used so far; a step on one kernel, or back, adds two rows of n numbers in the end."""
        m, steps = len(self.steps.weights), self.updates + self.forgotten
        return Work(kernel_values=self._scores.kernel_values, row_additions=2 * m * steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNorm(Checked):
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


def dual_norm(p: float) -> float:
    """Return q with 1/p + 1/q = 1."""
    return p / (p - 1.0)


@njit(cache=True)
def _pass(grams, problem, order, rule, steps, scores, budget):  # type: ignore[no-untyped-def]
    """Pass over an order with Gram matrices (m, n, n) and scores (m, C, n)."""
    m, classes, _ = scores.shape
    own = np.empty((m, classes))
    for i in order:
        for k in range(m):
            for c in range(classes):
                own[k, c] = scores[k, c, i]
        if _visit(own, i, problem, rule, steps):
            _add(grams, steps.n_steps[0] - 1, 1.0, steps, scores)
            r = steps.forgotten[0]
            if steps.n_steps[0] - r > budget:
                # The norms change by the scores of the oldest example as they are before its step leaves them.
                for k in range(m):
                    for c in range(classes):
                        own[k, c] = scores[k, c, steps.examples[r]]
                _take_back(own, problem, steps)
                _add(grams, r, -1.0, steps, scores)


@njit(cache=True)
def _add(grams, r, sign, steps, scores):  # type: ignore[no-untyped-def]
    """Add step number r to the scores, or take it off them."""
    m, _, n = scores.shape
    coefficient = sign * steps.coefficients[r]
    for k in range(m):
        row, right, wrong = grams[k, steps.examples[r]], scores[k, steps.right[r]], scores[k, steps.wrong[r]]
        for j in range(n):
            term = coefficient * row[j]
            right[j] += term
            wrong[j] -= term


@njit(cache=True)
def _take_back(own, problem, steps):  # type: ignore[no-untyped-def]
    """Take back the oldest step, on an example of these scores, (m, C) of theta by the scale, but for all scores."""
    r = steps.forgotten[0]
    i, right, wrong, coefficient = steps.examples[r], steps.right[r], steps.wrong[r], steps.coefficients[r]
    for k in range(len(steps.squares)):
        loss = own[k, right] - own[k, wrong] - coefficient * problem.diagonal[i, k]
        # Differences of squares may fall below 0 by rounding, which the root of a norm would turn into NaN.
        steps.squares[k] = max(0.0, steps.squares[k] - 2.0 * coefficient * loss)
    steps.forgotten[0] += 1
    steps.weights[:] = shares(steps.squares, problem.q) / problem.q


@njit(cache=True)
def _visit(own, i, problem, rule, steps):  # type: ignore[no-untyped-def]
    """Look at an example by its scores, (m, C) of theta by the scale; return whether a step was made."""
    scale, q, y = steps.scale, problem.q, problem.labels[i]
    wrong, best, right = -1, 0.0, 0.0
    for c in range(own.shape[1]):
        score = 0.0
        for k in range(len(own)):
            score += steps.weights[k] * own[k, c]
        if c == y:
            right = score
        elif wrong < 0 or score > best:
            wrong, best = c, score
    margin = scale[0] * (right - best)
    added = margin < 1.0
    step = min(rule.step, rule.step - rule.slope * margin)
    if rule.regularisation > 0.0:
        step = _descend(i, added, problem, rule, steps)
    if added:
        _append(own, i, y, wrong, step / scale[0], problem, steps)
    if rule.radius < np.inf:
        length = scale[0] * norm(steps.squares, q)
        if length > q * rule.radius:
            scale[0] *= q * rule.radius / length
    if added:
        # Line 9. A common factor of theta does not change the weights, so they change with steps alone.
        steps.weights[:] = shares(steps.squares, q) / q
    return added


@njit(cache=True)
def _descend(i, added, problem, rule, steps):  # type: ignore[no-untyped-def]
    """Do lines 8 to 11 of Algorithm 2 but for the addition; return eta_t."""
    q, regularisation, slack = problem.q, rule.regularisation, steps.slack
    steps.visited[0] += 1
    if rule.radius < np.inf:
        d = regularisation * steps.visited[0] + slack[0]
        length = regularisation / q * steps.scale[0] * norm(steps.squares, q)
        if added:
            length += norm(2.0 * problem.diagonal[i], q)
        slack[0] += 0.5 * (np.sqrt(d * d + q * (length / rule.radius) ** 2) - d)
    rate = regularisation * steps.visited[0] + slack[0]
    # The first step of Pegasos has the rate lambda and would make the scale 0, by which coefficients are divided; it
    # comes from theta = 0, which no factor changes.
    if rate > regularisation:
        steps.scale[0] *= 1.0 - regularisation / rate
    return q / rate


@njit(cache=True)
def _append(own, i, y, wrong, coefficient, problem, steps):  # type: ignore[no-untyped-def]
    r = steps.n_steps[0]
    for k in range(len(steps.squares)):
        gain = own[k, y] - own[k, wrong] + coefficient * problem.diagonal[i, k]
        steps.squares[k] += 2.0 * coefficient * gain
    steps.examples[r], steps.right[r], steps.wrong[r] = i, y, wrong
    steps.coefficients[r] = coefficient
    steps.n_steps[0] += 1
