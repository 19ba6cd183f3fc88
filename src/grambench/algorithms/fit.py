"""The contract of all algorithms: the arguments and the result of `fit`.

::

    fit(parameters, pool, labels, *, order, rng) -> Fit

Parameters of every `fit`
-------------------------
parameters : Parameters
    The module's own frozen dataclass, checked.
pool : grambench.kernels.pool.Pool
    m kernels among n training examples; its arrays are read-only.
labels : ndarray of int8 (n,)
    -1 or +1, read-only; class numbers from 0 for the algorithms of `grambench.algorithms.multiclass`.
order : ndarray of int32 (T,)
    Distinct examples in the order of presentation, read-only. An online algorithm passes over them once, or several
    times in the same order. A batch algorithm learns from the whole pool, and uses the order only to draw examples
    whatever their numbers; a protocol that has presented only some of the examples passes a pool of these.
rng : Generator
    The only source of randomness.

`fit` raises ValueError for data that it cannot learn from, and SolverError if a solver does not converge. The same
arguments give the same Fit, bit for bit. `grambench.algorithms.checks` checks every Fit during a run: records have
exactly these types, and arrays are plain ones. A subclass could show different values to different readers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats
from grambench.kernels.pool import Continuous, Pool
from grambench.solvers.certificates import Certificate


class Predictor(Protocol):
    """A learned function of examples."""

    def scores(self, pool: Pool) -> Floats:
        """Return f(x) of the t examples of a pool (m, t, n), an array (t,); 0 or more predicts +1.

        For C classes, return s(x, y), an array (t, C); the first class of the largest score is predicted. In every
        study a score of exactly 0 predicts +1, as OMKC's published numbers need. Estimators follow scikit-learn's rule,
        under which it does not: see `grambench.estimators.classifier.KernelClassifier.decision_function`.

        An algorithm that learns two classes learns more of them one-vs-rest, where the largest score decides. The scale
        of its scores therefore must not depend on the labels, such as on the number of mistakes.

        Chosen by published numbers: sign(0) = +1.
        """


class Step(NamedTuple):
    """The state after one iteration: SVMs and MEBs trained so far, and the algorithm's objective."""

    svm_calls: int
    meb_calls: int
    objective: float


@dataclass(slots=True, kw_only=True)
class Work:
    """The computational work of a fit, in counts that do not depend on the computer.

    Attributes
    ----------
    kernel_values : int
        Kernel evaluations. A stored entry of a Gram matrix counts once; entries that are not stored count every time:
        those of a search over a continuous parameter, and single values (Pool.values).
    row_additions : int
        Additions of one array of n numbers to another, such as a support vector's row to the scores of all examples, or
        the two rows of a solver's step to its gradient. A pass over a Gram matrix counts n, a factorisation n^2 / 6.
    solver_steps : int
        Steps of the solvers of SVMs and MEBs, and linear systems solved.
    svm_calls, meb_calls : int
        SVMs trained, and minimum enclosing balls computed.
    """

    kernel_values: int = 0
    row_additions: int = 0
    solver_steps: int = 0
    svm_calls: int = 0
    meb_calls: int = 0

    def count_steps(self, steps: int) -> None:
        """Count steps of a solver, each of which adds two rows of a Gram matrix to a gradient."""
        self.solver_steps += steps
        self.row_additions += 2 * steps

    def __add__(self, other: "Work") -> "Work":
        names = Work.__dataclass_fields__
        return Work(**{name: int(getattr(self, name)) + int(getattr(other, name)) for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """E passes over T examples with m kernels, round by round, pass after pass; most algorithms pass once, E = 1.

    Attributes
    ----------
    mistakes : ndarray of bool (E T,)
        Whether the round's example was misclassified.
    scores : ndarray of float64 (E T,)
        f(x) of the round's example, computed before its label was used.
    support_vectors : ndarray of int64 (E T,)
        Support vectors of the combined classifier after the round, as the algorithm's paper counts them; at most one
        for each kernel and round.
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
    """An intermediate state of a long descent.

    Attributes
    ----------
    stage : int
        Number of the algorithm's stage, from 1.
    epochs, rounds, updates : int
        Passes over the examples, examples visited and steps taken, in all stages so far.
    seconds : float
        Processor time of the fit so far, without the time that measuring the states took.
    objective, training_error : float
        The algorithm's objective, and the share of misclassified training examples.
    work : Work
        Work of the fit so far.
    predictor : Predictor
        Predictor of this state.
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
    """The result of a fit.

    Attributes
    ----------
    weights : ndarray of float64 (r,)
        Weights of the learned kernel sum_i weights_i k_i, not negative; the k_i are those of the pool, or of `thetas`.
    predictor : Predictor or None
        None if the protocol is to train an SVM on the learned kernel.
    train_scores : ndarray of float64 (n,) or (n, C), or None
        The predictor's scores of the training examples, where the fit has them; they are computed otherwise.
    thetas : list of r ndarrays of float64, (1,) or (d,), or None
        Parameters of the k_i in the pool's continuous family; None if the k_i are kernels of the pool.
    trace : Trace or None
        Rounds of an online algorithm.
    steps : sequence of Step
        States after each iteration of a descent.
    states : sequence of State
        States after some epochs, of an algorithm whose progress is of interest; the last is the result.
    converged : bool or None
        Whether the stopping criterion, such as a gap, was reached; False if the iterations ran out first. None for an
        algorithm without such a criterion, or one that does not report it.
    certify : callable or None
        Returns a bound on the distance from the optimum, computed without the solvers. It is called only on demand,
        since it takes time.
    work : Work
        Computational work of the fit.
    norms : dict of float or None
        Norms of the groups of coefficients by name, of an algorithm that learns on groups of features.
    """

    weights: Floats
    predictor: Predictor | None = None
    train_scores: Floats | None = None
    thetas: list[Floats] | None = None
    trace: Trace | None = None
    steps: Sequence[Step] = ()
    states: Sequence[State] = ()
    converged: bool | None = None
    certify: Callable[[], Certificate] | None = None
    work: Work = field(default_factory=Work)
    norms: dict[str, float] | None = None

    def gram(self, pool: Pool) -> Floats:
        """Return the learned kernel's values between the examples of a pool, (t, n)."""
        return mixture(pool, self.weights, self.thetas)


def mixture(pool: Pool, weights: Floats, thetas: list[Floats] | None) -> Floats:
    """Return sum_i weights_i K_i between the examples of a pool, (t, n), of its own kernels or of its family's."""
    if not weights.any():
        return np.zeros(pool.shape[1:])
    if thetas is not None and not pool.holds(thetas):
        return continuous(pool).mixture(weights, thetas)
    return pool.mixture(weights)


def continuous(pool: Pool) -> Continuous:
    """Return the pool's continuous family; raise ValueError if it has none."""
    if pool.family is None:
        hint = 'kernels="default" or {"family": "gaussian", "low": 0.1, "high": 10, "count": 9, "spacing": "log"}'
        text = "expected kernels with a continuous parameter; give the study a `dictionary`"
        raise ValueError(f"{text}; of an estimator: {hint}")
    return pool.family


@dataclass(frozen=True, slots=True)
class Expansion:
    """f(x) = sum_m weights_m sum_i dual_i K_m(x, x_i) + bias, each kernel's sum by itself.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Weights of the pool's kernels.
    dual : ndarray of float64 (n,)
        Signed coefficients.
    bias : float
        Offset of the decision function.
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


def scores_of_classes(expansions: Sequence[Expansion], pool: Pool) -> Floats:
    """Return the scores of C decision functions, (t, C), reading each kernel once."""
    values = np.tile([each.bias for each in expansions], (pool.shape[1], 1))
    weights, duals = (np.stack(part, axis=1) for part in zip(*((e.weights, e.dual) for e in expansions), strict=True))
    grams = pool.grams()
    for k in np.flatnonzero(weights.any(axis=1)).tolist():
        used = np.flatnonzero(weights[k])
        values[:, used] += grams[k] @ (weights[k, used] * duals[:, used])
    return values


BLOCK_ROWS = 256  # rows of kernel values that are computed together; several classifiers share them


@dataclass(frozen=True, slots=True)
class SupportExpansion:
    """s(x, y) = sum_k weights_k sum_s dual_sy k_k(x, x_s) for C classes.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        Weights of the pool's kernels.
    support : ndarray of int32 (s,)
        Indices of the support vectors among the training examples.
    dual : ndarray of float64 (s, C)
        Coefficients of the support vectors for each class.
    """

    weights: Floats
    support: NDArray[np.int32]
    dual: Floats

    def scores(self, pool: Pool) -> Floats:
        """Return s(x, y), (t, C)."""
        return scores_of_supports([self], pool)[0]


def scores_of_supports(expansions: Sequence[SupportExpansion], pool: Pool) -> list[Floats]:
    """Return the scores of several classifiers, (t, C) each, computing each kernel value once."""
    weights = np.stack([each.weights for each in expansions])
    support = np.unique(np.concatenate([each.support for each in expansions]))
    places = [np.searchsorted(support, each.support) for each in expansions]
    scores = [np.zeros((pool.shape[1], each.dual.shape[1])) for each in expansions]
    block = max(1, BLOCK_ROWS // len(expansions))
    for start in range(0, pool.shape[1], block):
        rows = np.arange(start, min(start + block, pool.shape[1]))
        sums = pool.mixed(weights, rows, support)
        for each, values, columns, out in zip(expansions, sums, places, scores, strict=True):
            out[rows] = values.take(columns, axis=1) @ each.dual
    return scores


class Kept:
    """The last Gram matrix of a learned kernel, so that several SVMs on it compute it once."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self._values: Floats = np.empty(0)

    def values(self, pool: Pool, weights: Floats, thetas: list[Floats] | None) -> Floats:
        """Return the kernel's values between the examples of a pool, (t, n)."""
        if self._pool is not pool:
            self._pool, self._values = pool, mixture(pool, weights, thetas)
        return self._values


@dataclass(frozen=True, slots=True)
class Mixture:
    """f(x) = sum_i dual_i k(x, x_i) + bias on a learned kernel k, its values summed before they are multiplied.

    Attributes
    ----------
    weights, thetas
        Weights and parameters of the learned kernel, see Fit.
    dual : ndarray of float64 (n,)
        Signed coefficients.
    bias : float
        Offset of the decision function.
    kept : Kept, optional
        Cache of the Gram matrix, shared by SVMs on the same learned kernel.
    """

    weights: Floats
    thetas: list[Floats] | None
    dual: Floats
    bias: float
    kept: Kept | None = None

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        return (self.kept or Kept()).values(pool, self.weights, self.thetas) @ self.dual + self.bias


class Supported:
    """Base of predictors that depend on some training examples alone, those of `support`, (s,)."""

    __slots__ = ()
    support: NDArray[np.int32]

    def on_support(self) -> tuple[NDArray[np.intp], Predictor]:
        """Return the examples of `support`, ascending, and the predictor on these examples alone."""
        examples, places = np.unique(self.support, return_inverse=True)
        restricted: Any = replace(cast(Any, self), support=places.astype(np.int32))
        return examples.astype(np.intp), restricted


def on_support(predictor: Predictor) -> tuple[NDArray[np.intp], Predictor] | None:
    """Return the training examples that scores depend on, (s,), and the predictor on these examples alone.

    None for a predictor that may depend on all. The last bits of the scores differ, since products have other sizes.
    """
    if isinstance(predictor, Supported):
        examples, restricted = predictor.on_support()
        return (examples, restricted) if examples.size else None
    if not isinstance(predictor, Expansion | Mixture):
        return None
    support = np.flatnonzero(predictor.dual) if predictor.dual.any() else np.zeros(1, dtype=np.intp)
    return support, replace(predictor, dual=predictor.dual[support])


def predictor_on(pool: Pool, weights: Floats, dual: Floats, bias: float) -> Predictor:
    """Return the decision function of an SVM on a combination of the pool's kernels."""
    if pool.thetas is None and pool.stores_grams:
        return Expansion(weights, dual, bias)
    return Mixture(weights, pool.thetas, dual, bias)
