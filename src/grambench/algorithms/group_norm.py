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
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grambench.algorithms.fit import Fit, Floats, Labels, Order, State, SupportExpansion, Work
from grambench.kernels.pool import Pool, stacked
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate
from grambench.solvers.group_norm import margins, norm, shares

Ints = NDArray[np.int64]
SCALE, COUNT, SLACK, TIME, VALUES, FORGOTTEN = range(6)  # places in Steps.numbers
GROWTH = 1.5  # from the epochs of one state that is kept to those of the next


class Rule(NamedTuple):
    """With what coefficient an example is added whose margin is below 1.

    Attributes
    ----------
    step : float
        By a rule that does not descend on problem (9).
    slope : float
        By which the coefficient falls for each unit of a margin above 0.
    regularisation : float
        lambda of a rule that does; else 0.
    radius : float
        R of Algorithm 2; infinite without the proximal term and the projection.
    """

    step: float = 1.0
    slope: float = 0.0
    regularisation: float = 0.0
    radius: float = np.inf


class Steps(NamedTuple):
    """All that changes, as compiled code reads it: n examples, C classes, m kernels, room for r steps.

    Attributes
    ----------
    examples, right, wrong : ndarray of int64 (r,)
        Of each step: the example, its class, the best other one.
    coefficients : ndarray of float64 (r,)
        Of each step; theta is `scale` times what they make.
    squares : ndarray of float64 (m,)
        ||theta^k||^2 by `scale`^2.
    weights : ndarray of float64 (m,)
        w^k = weights_k theta^k.
    numbers : ndarray of float64 (6,)
        The scale; how many steps there were; s and t of Algorithm 2; kernel values so far; how many of the steps have
        been taken back, the oldest ones.
    """

    examples: Ints
    right: Ints
    wrong: Ints
    coefficients: Floats
    squares: Floats
    weights: Floats
    numbers: Floats


class Classifiers:
    """The classifiers among n training examples, and passes over these.

    Parameters
    ----------
    pool : Pool
        m kernels among them.
    labels : ndarray of int8 (n,)
        Their classes, from 0.
    q : float
        Dual norm of p, at least 2.
    rounds : int
        Examples that will be looked at in all passes, for as many steps as there can be.
    regularisation : float
        lambda of problem (9), by which states are measured.
    room : int, optional
        Steps that are held at most; all where none is given.
    """

    def __init__(
        self, pool: Pool, labels: Labels, q: float, rounds: int, regularisation: float, room: int | None = None
    ) -> None:
        m, _, n = pool.shape
        self.labels, self.q, self.regularisation = labels, q, regularisation
        self.classes, self.epochs, self.states = int(labels.max()) + 1, 0, list[State]()
        self.room = rounds if room is None else min(room, rounds)
        self._partners = pool.partners()
        self._grams = stacked(pool) if self._partners is None else np.empty((0, 0, 0))
        self._diagonal = np.ascontiguousarray(pool.diagonal().T)
        examples, right, wrong = (np.zeros(rounds, dtype=np.int64) for _ in range(3))
        self.steps = Steps(examples, right, wrong, np.zeros(rounds), np.zeros(m), np.zeros(m), np.zeros(6))
        self.steps.numbers[SCALE] = 1.0
        stored = self._partners is None
        self._scores = np.zeros((m, self.classes, n) if stored else (n, m, self.classes))  # of theta, by the scale
        # Where values are made: coefficients by class of each step, and of each that was taken back, as they came; how
        # many there are, and how many are in an example's scores.
        self._signed = np.zeros((0 if stored else 2 * rounds - self.room, self.classes))
        self._logged, self._seen = 0, np.zeros(n, dtype=np.int64)
        self._seconds, self._kept = 0.0, 0

    @property
    def updates(self) -> int:
        """Steps so far."""
        return int(self.steps.numbers[COUNT])

    @property
    def forgotten(self) -> int:
        """How many of them have been taken back."""
        return int(self.steps.numbers[FORGOTTEN])

    def epoch(self, rule: Rule, order: Order) -> int:
        """Look at some examples in their order; return how many steps were made."""
        begun, before = time.perf_counter(), self.updates
        if self._partners is None:
            _pass(self._grams, self._diagonal, order, self.labels, self.q, rule, self.steps, self._scores, self.room)
        else:
            for i in order.tolist():
                self._catch_up(i)
                if _visit(self._scores[i], i, self._diagonal, self.labels, self.q, rule, self.steps):
                    self._log(self.updates - 1, 1.0)
                    if self.updates - self.forgotten > self.room:
                        self._forget()
        self.epochs += 1
        self._seconds += time.perf_counter() - begun
        return self.updates - before

    def _catch_up(self, i: int) -> None:
        """Bring the scores of an example up to date."""
        first, last = int(self._seen[i]), self._logged
        if first < last:
            values = self._partners.values(i, first)  # type: ignore[union-attr]
            self._scores[i] += values @ self._signed[first:last]
            self._seen[i] = last
            self.steps.numbers[VALUES] += values.size

    def _log(self, r: int, sign: float) -> None:
        """Take down that step number r was made, or taken back."""
        steps, coefficients = self.steps, self._signed[self._logged]
        coefficients[steps.right[r]] = sign * steps.coefficients[r]
        coefficients[steps.wrong[r]] = -sign * steps.coefficients[r]
        self._partners.append(int(steps.examples[r]))  # type: ignore[union-attr]
        self._logged += 1

    def _forget(self) -> None:
        """Take the oldest step back."""
        r = self.forgotten
        oldest = int(self.steps.examples[r])
        self._catch_up(oldest)
        _take_back(self._scores[oldest], self._diagonal, self.q, self.steps)
        self._log(r, -1.0)

    def scores(self) -> Floats:
        """Return s(x, y) of all examples, (n, C)."""
        if self._partners is not None:
            for i in range(len(self.labels)):
                self._catch_up(i)
        by_kernel = self._scores if self._partners is None else self._scores.transpose(1, 2, 0)
        total = np.zeros(by_kernel.shape[1:])
        for weight, scores in zip(self.steps.weights, by_kernel, strict=True):  # in one order for either layout
            total += weight * scores
        return np.asarray(self.steps.numbers[SCALE] * total.T)

    @property
    def norm(self) -> float:
        """||w||_{2,p}."""
        return float(self.steps.numbers[SCALE] * norm(self.steps.squares, self.q) / self.q)

    def objective(self) -> tuple[float, float]:
        """Return f(w) of problem (9), and the share of examples that are classified wrongly."""
        begun = time.perf_counter()
        found = margins(self.scores(), self.labels)
        self._seconds += time.perf_counter() - begun  # for what is done here need not be done later
        loss = float(np.maximum(0.0, 1.0 - found).mean())
        return 0.5 * self.regularisation * self.norm**2 + loss, float(np.mean(found <= 0.0))

    def keep(self, stage: int, *, always: bool = False) -> None:
        """Keep the state after this epoch, if enough epochs have passed since the last that was kept."""
        if not always and self.epochs < max(self._kept + 1, GROWTH * self._kept):
            return
        self._kept = self.epochs
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
        steps, there = self.steps, slice(self.forgotten, self.updates)
        alpha = np.zeros((len(self.labels), self.classes))
        coefficients = steps.coefficients[there] * steps.numbers[SCALE]
        np.add.at(alpha, (steps.examples[there], steps.right[there]), coefficients)
        np.subtract.at(alpha, (steps.examples[there], steps.wrong[there]), coefficients)
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
            certify=self._certificate if self.regularisation > 0.0 and self._partners is None else None,
            work=self.states[-1].work,
        )

    def _certificate(self) -> Certificate:
        return certificates.group_norm(self._grams, self.labels, self.regularisation, self.q, self.alpha())

    def work(self) -> Work:
        """Return what has been used so far; a step on one kernel, or back, adds two rows of n numbers in the end."""
        m, steps = len(self.steps.weights), self.updates + self.forgotten
        return Work(kernel_values=int(self.steps.numbers[VALUES]), row_additions=2 * m * steps)


def check_problem(p: float, C: float) -> None:
    """Raise ValueError unless p and C = 1 / (lambda n) make a problem (9)."""
    if not 1.0 < p <= 2.0:
        raise ValueError(f"p must lie in (1, 2], got {p}")
    if not 0.0 < C < np.inf:
        raise ValueError(f"C must be positive and finite, got {C}")


def dual_norm(p: float) -> float:
    """Return q with 1/p + 1/q = 1."""
    return p / (p - 1.0)


@njit(cache=True)
def _pass(grams, diagonal, order, labels, q, rule, steps, scores, room):  # type: ignore[no-untyped-def]
    """Pass over an order with Gram matrices (m, n, n) and scores (m, C, n)."""
    m, classes, n = scores.shape
    own = np.empty((m, classes))
    for i in order:
        for k in range(m):
            for c in range(classes):
                own[k, c] = scores[k, c, i]
        if _visit(own, i, diagonal, labels, q, rule, steps):
            r = int(steps.numbers[COUNT]) - 1
            _add(grams, r, 1.0, steps, scores)
            steps.numbers[VALUES] += m * n
            r = int(steps.numbers[FORGOTTEN])
            if steps.numbers[COUNT] - r > room:
                for k in range(m):
                    for c in range(classes):
                        own[k, c] = scores[k, c, steps.examples[r]]
                _take_back(own, diagonal, q, steps)
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
def _take_back(own, diagonal, q, steps):  # type: ignore[no-untyped-def]
    """Take back the oldest step, on an example of these scores, (m, C) of theta by the scale, but for all scores."""
    numbers = steps.numbers
    r = int(numbers[FORGOTTEN])
    i, right, wrong, coefficient = steps.examples[r], steps.right[r], steps.wrong[r], steps.coefficients[r]
    for k in range(len(steps.squares)):
        loss = own[k, right] - own[k, wrong] - coefficient * diagonal[i, k]
        steps.squares[k] = max(0.0, steps.squares[k] - 2.0 * coefficient * loss)
    numbers[FORGOTTEN] += 1.0
    steps.weights[:] = shares(steps.squares, q) / q


@njit(cache=True)
def _visit(own, i, diagonal, labels, q, rule, steps):  # type: ignore[no-untyped-def]
    """Look at an example by its scores, (m, C) of theta by the scale; return whether a step was made."""
    numbers, y = steps.numbers, labels[i]
    wrong, best, right = -1, 0.0, 0.0
    for c in range(own.shape[1]):
        score = 0.0
        for k in range(len(own)):
            score += steps.weights[k] * own[k, c]
        if c == y:
            right = score
        elif wrong < 0 or score > best:
            wrong, best = c, score
    margin = numbers[SCALE] * (right - best)
    added = margin < 1.0
    step = min(rule.step, rule.step - rule.slope * margin)
    if rule.regularisation > 0.0:
        step = _descend(i, added, diagonal, q, rule, steps)
    if added:
        _append(own, i, y, wrong, step / numbers[SCALE], diagonal, steps)
    if rule.radius < np.inf:
        length = numbers[SCALE] * norm(steps.squares, q)
        if length > q * rule.radius:
            numbers[SCALE] *= q * rule.radius / length
    if added:
        steps.weights[:] = shares(steps.squares, q) / q  # line 9, which no common factor of theta changes
    return added


@njit(cache=True)
def _descend(i, added, diagonal, q, rule, steps):  # type: ignore[no-untyped-def]
    """Do lines 8 to 11 of Algorithm 2 but for the addition; return eta_t."""
    numbers, regularisation = steps.numbers, rule.regularisation
    numbers[TIME] += 1.0
    if rule.radius < np.inf:
        d = regularisation * numbers[TIME] + numbers[SLACK]
        length = regularisation / q * numbers[SCALE] * norm(steps.squares, q)
        if added:
            length += norm(2.0 * diagonal[i], q)
        numbers[SLACK] += 0.5 * (np.sqrt(d * d + q * (length / rule.radius) ** 2) - d)
    rate = regularisation * numbers[TIME] + numbers[SLACK]
    if rate > regularisation:  # but in the first step of Pegasos, which comes from theta = 0
        numbers[SCALE] *= 1.0 - regularisation / rate
    return q / rate


@njit(cache=True)
def _append(own, i, y, wrong, coefficient, diagonal, steps):  # type: ignore[no-untyped-def]
    place = int(steps.numbers[COUNT])
    for k in range(len(steps.squares)):
        gain = own[k, y] - own[k, wrong] + coefficient * diagonal[i, k]
        steps.squares[k] += 2.0 * coefficient * gain
    steps.examples[place], steps.right[place], steps.wrong[place] = i, y, wrong
    steps.coefficients[place] = coefficient
    steps.numbers[COUNT] += 1.0
