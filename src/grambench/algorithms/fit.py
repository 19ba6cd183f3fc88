"""What every algorithm takes and returns: the whole contract, said once.

::

    fit(parameters, pool, labels, *, order, rng) -> Fit

Parameters of every `fit`
-------------------------
parameters : Parameters
    The module's own frozen dataclass, checked.
pool : grambench.kernels.pool.Pool
    m kernels among n training examples; nothing that it hands out may be written to.
labels : ndarray of int8 (n,)
    -1 or +1, read-only; class numbers from 0 for the algorithms of `grambench.algorithms.multiclass`.
order : ndarray of int32 (T,)
    Distinct examples in the order of presentation, read-only. An algorithm that learns online passes over them once, or
    several times in this same order. To one that learns from all at once the order means nothing: it learns from the
    whole pool, and a protocol that has not shown all examples yet gives it a pool of those that it has.
rng : Generator
    The only source of randomness.

It raises ValueError for what it cannot learn from, and SolverError where a solver gives up. The same arguments give the
same Fit, bit for bit. `grambench.algorithms.checks` holds every Fit against this page while a run goes on: records are
of these types and arrays are plain ones, not of a subclass, which may show other values to each who asks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats as Floats
from grambench.common.types import Labels as Labels
from grambench.common.types import Order as Order
from grambench.kernels.pool import Continuous, Pool
from grambench.solvers.certificates import Certificate


class Predictor(Protocol):
    """What was learned, as a function of examples."""

    def scores(self, pool: Pool) -> Floats:
        """Return f(x) of the t examples of a pool (m, t, n), an array (t,); 0 or more predicts +1.

        Of C classes s(x, y), an array (t, C); the first of the largest is predicted. In every study a score of exactly
        0 is +1, as OMKC's published numbers need it. Estimators predict by scikit-learn's rule, for which it is not:
        see `grambench.estimators.classifier.KernelClassifier.decision_function`.
        """


class Step(NamedTuple):
    """The state after one iteration: calls of either solver so far, and the objective in the algorithm's own terms."""

    svm_calls: int
    meb_calls: int
    objective: float


@dataclass(slots=True, kw_only=True)
class Work:
    """What a fit has used, in counts that do not depend on the computer.

    Attributes
    ----------
    kernel_values : int
        Entries of Gram matrices that it made, each counted once; every time, where none are kept: in a search over a
        continuous parameter, and of single values (Pool.values).
    row_additions : int
        Additions of one array of n numbers to another: a support vector to the scores of all examples, a row of a Gram
        matrix to a combination's, a step's two rows to a solver's gradient; n for a pass over a Gram matrix, n^2 / 6
        for a factorisation.
    solver_steps : int
        Steps of the solvers of SVMs and MEBs; linear systems solved.
    svm_calls, meb_calls : int
        SVMs trained, and minimum enclosing balls found.
    """

    kernel_values: int = 0
    row_additions: int = 0
    solver_steps: int = 0
    svm_calls: int = 0
    meb_calls: int = 0

    def __add__(self, other: "Work") -> "Work":
        counts = {each.name: int(getattr(self, each.name)) + int(getattr(other, each.name)) for each in fields(Work)}
        return Work(**counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """E passes over T examples with m kernels, round by round, pass after pass; most algorithms pass once, E = 1.

    Attributes
    ----------
    mistakes : ndarray of bool (E T,)
        Whether the prediction of the round was wrong.
    scores : ndarray of float64 (E T,)
        f(x) by which the round's example was predicted, before its label was known.
    support_vectors : ndarray of int64 (E T,)
        Support vectors of the combined classifier after the round, as the algorithm's paper counts them: of each kernel
        at most as many as there were rounds.
    weights : ndarray of float64 (E T, m)
        Weight of each kernel after the round, not negative, summing to one.
    updates : ndarray of int64 (m,)
        Updates of each kernel's classifier in all passes, at most one a round.
    """

    mistakes: NDArray[np.bool_]
    scores: Floats
    support_vectors: NDArray[np.int64]
    weights: Floats
    updates: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What an algorithm that descends for long had on its way.

    Attributes
    ----------
    stage : int
        Of an algorithm that has several, from 1.
    epochs, rounds, updates : int
        Passes over the examples, examples looked at and steps made, of all stages so far.
    seconds : float
        Of the fit so far, without what only measures the state.
    objective, training_error : float
        In the algorithm's own terms, and the share of the training examples that are classified wrongly.
    work : Work
        So far.
    predictor : Predictor
        What it would predict by.
    """

    stage: int
    epochs: int
    rounds: int
    updates: int
    seconds: float
    objective: float
    training_error: float
    work: Work
    predictor: Predictor


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What was learned.

    Attributes
    ----------
    weights : ndarray of float64 (r,)
        Of the learned kernel sum_i weights_i k_i, not negative; the k_i are the kernels of the pool, or of `thetas`.
    predictor : Predictor or None
        None where an SVM is still to be trained on the learned kernel, which is the protocol's to do.
    thetas : list of r ndarrays of float64, (1,) or (d,), or None
        Parameters of the learned kernel's parts in the pool's continuous family; None where they are of the pool.
    trace : Trace or None
        Of an algorithm that learns online.
    steps : sequence of Step
        After each iteration of a descent.
    states : sequence of State
        After some epochs, of an algorithm whose way is of interest; the last is what was learned.
    converged : bool or None
        Whether it reached what it stops at, such as a gap, as far as it can tell itself; False where its iterations ran
        out. None where there is nothing that it could miss, or it does not say.
    certify : callable or None
        Returns the certificate of how far the fit can be from the optimum, found without the solvers. It takes time,
        and nobody but who asks for it spends it.
    work : Work
        What it has used.
    """

    weights: Floats
    predictor: Predictor | None = None
    thetas: list[Floats] | None = None
    trace: Trace | None = None
    steps: Sequence[Step] = ()
    states: Sequence[State] = ()
    converged: bool | None = None
    certify: Callable[[], Certificate] | None = None
    work: Work = field(default_factory=Work)

    def gram(self, pool: Pool) -> Floats:
        """Return the learned kernel's values between the examples of a pool, (t, n)."""
        return mixture(pool, self.weights, self.thetas)


def mixture(pool: Pool, weights: Floats, thetas: list[Floats] | None) -> Floats:
    """Return sum_i weights_i K_i between the examples of a pool, (t, n), of its own kernels or of its family's."""
    total = np.zeros(pool.shape[1:])
    if not weights.any():
        return total
    if thetas is not None and not pool.holds(thetas):
        return continuous(pool).mixture(weights, thetas)
    grams = pool.grams()
    for k in np.flatnonzero(weights).tolist():  # by number: a pool may make a Gram matrix only where one is asked for
        total += weights[k] * grams[k]
    return total


def continuous(pool: Pool) -> Continuous:
    """Return the pool's continuous family; raise ValueError where it has none."""
    if pool.family is None:
        raise ValueError("expected kernels with a continuous parameter; give the study a `dictionary`")
    return pool.family


@dataclass(frozen=True, slots=True)
class Expansion:
    """f(x) = sum_m weights_m sum_i dual_i K_m(x, x_i) + bias, each kernel's sum by itself.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Of the pool's kernels.
    dual : ndarray of float64 (n,)
        Signed coefficients.
    bias : float
    """

    weights: Floats
    dual: Floats
    bias: float

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        values = np.full(pool.shape[1], self.bias)
        grams = pool.grams()
        for k in np.flatnonzero(self.weights).tolist():
            values += self.weights[k] * (grams[k] @ self.dual)
        return values


ROWS = 256  # examples whose scores are computed together, where kernel values are made when they are asked for


@dataclass(frozen=True, slots=True)
class SupportExpansion:
    """s(x, y) = sum_k weights_k sum_s dual_sy k_k(x, x_s) for C classes.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Of the pool's kernels.
    support : ndarray of int32 (s,)
        Training examples.
    dual : ndarray of float64 (s, C)
        Their coefficients for each class.
    """

    weights: Floats
    support: NDArray[np.int32]
    dual: Floats

    def scores(self, pool: Pool) -> Floats:
        """Return s(x, y), (t, C)."""
        values = np.zeros((pool.shape[1], self.dual.shape[1]))
        for start in range(0, len(values), ROWS):
            rows = np.arange(start, min(start + ROWS, len(values)))
            values[rows] = pool.mixed(self.weights, rows, self.support) @ self.dual
        return values


class Kept:
    """A learned kernel's values between the examples of the pool that they were asked for last."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self._values: Floats = np.empty(0)

    def values(self, pool: Pool, weights: Floats, thetas: list[Floats] | None) -> Floats:
        """Return them, (t, n)."""
        if self._pool is not pool:
            self._pool, self._values = pool, mixture(pool, weights, thetas)
        return self._values


@dataclass(frozen=True, slots=True)
class Mixture:
    """f(x) = sum_i dual_i k(x, x_i) + bias on a learned kernel k, its values summed before they are multiplied.

    Attributes
    ----------
    weights, thetas
        The learned kernel, see Fit.
    dual : ndarray of float64 (n,)
        Signed coefficients.
    bias : float
    kept : Kept, optional
        Shared by SVMs on the same learned kernel, so that its values are computed once for all of them.
    """

    weights: Floats
    thetas: list[Floats] | None
    dual: Floats
    bias: float
    kept: Kept | None = None

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        return (self.kept or Kept()).values(pool, self.weights, self.thetas) @ self.dual + self.bias


def predictor_on(pool: Pool, weights: Floats, dual: Floats, bias: float) -> Predictor:
    """Return the decision function of an SVM on a combination of the pool's kernels."""
    return Expansion(weights, dual, bias) if pool.thetas is None else Mixture(weights, pool.thetas, dual, bias)
