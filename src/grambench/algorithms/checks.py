"""Checks of the arguments and results of `fit` against the contract of `grambench.algorithms.fit`.

Protocols run algorithms through `learn` and predictors through `scored`. Inputs are read-only. An output that breaks
the contract raises an error with the expected and the actual value, instead of becoming a number in a table.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grambench.algorithms import Algorithm
from grambench.algorithms.fit import Expansion, Fit, Mixture, Predictor, State, Step, Trace, Work
from grambench.common.errors import ContractError
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import GramRows, Pool
from grambench.solvers.certificates import Certificate

SUM_TOLERANCE = 1e-6  # largest deviation of a sum of weights from 1
COUNT_LIMIT = 2**53  # beyond it a float64, the type of records, does not represent every whole number


def learn(
    algorithm: Algorithm, parameters: Any, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator
) -> Fit:
    """Run an algorithm on arguments that it cannot change.

    Raises
    ------
    ContractError
        If what it returns breaks the contract.
    """
    # Copies, since an algorithm can make a read-only view of a writeable array writeable again.
    copies = labels.copy(), order.copy()
    for array in copies:
        array.flags.writeable = False
    fit = algorithm.fit(parameters, pool, copies[0], order=copies[1], rng=rng)
    check(fit, pool, labels, order)
    return fit


def scored(predictor: Predictor, pool: Pool, classes: int | None = None) -> Floats:
    """Return a predictor's scores of the examples of a pool, (t,), or of C classes (t, C).

    Raises
    ------
    ContractError
        If a score is not finite, or the scores are not a plain array of float64 of this shape. A masked array, for
        example, would hide scores from a metric.
    """
    return checked_scores(predictor.scores(pool), pool.shape[1], classes)


def checked_scores(scores: Floats, count: int, classes: int | None = None, name: str = "scores") -> Floats:
    """Return the scores of `count` examples; raise ContractError where `scored` does."""
    _check_array(name, scores, (count,) if classes is None else (count, classes), np.float64)
    return scores


def outline(fit: Fit, pool: Pool) -> dict[str, Any]:
    """Return what two fits with one seed must have in common: everything but seconds, and the scores of a pool."""
    names = ("weights", "train_scores", "thetas", "trace", "steps", "converged", "work")
    compared = {name: getattr(fit, name) for name in names}
    states = [replace(state, seconds=0.0, predictor=None) for state in fit.states]  # type: ignore[arg-type]
    scores = None if fit.predictor is None else fit.predictor.scores(pool)
    return compared | {"states": states, "scores": scores}


def check_same(name: str, first: Mapping[str, Any], again: Mapping[str, Any]) -> None:
    """Raise ContractError if the results of two fits with the same seed differ in a bit.

    Parameters
    ----------
    name : str
        Name of the algorithm.
    first, again : mapping
        Results of the two fits, under the same names.
    """
    for field, value in first.items():
        if not same(value, again[field]):
            raise ContractError(
                f"{name}: expected the same {field} from two fits with the same seed, got others; "
                "draw random numbers from rng alone, and keep nothing from fit to fit"
            )


def same(first: Any, second: Any) -> bool:
    """Return whether two fits, traces or other records are equal, bit for bit, in all fields."""
    if isinstance(first, np.random.Generator):
        return bool(first.bit_generator.state == second.bit_generator.state)
    # The function that computes a certificate.
    if callable(first):
        return bool(callable(second) and same(first(), second()))
    if isinstance(first, np.ndarray):
        same_type = type(first) is type(second) and first.dtype == second.dtype and first.shape == second.shape
        return bool(same_type and first.tobytes() == second.tobytes())
    if hasattr(first, "__dataclass_fields__"):
        names = first.__dataclass_fields__
        return type(first) is type(second) and all(same(getattr(first, n), getattr(second, n)) for n in names)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, float) and math.isnan(first):
        return isinstance(second, float) and math.isnan(second)
    return bool(type(first) is type(second) and first == second)


def certified(fit: Fit) -> Certificate:
    """Return a fit's certificate, of NaN if it has none; raise ContractError if the fit returns no numbers."""
    if fit.certify is None:
        return Certificate(math.nan, math.nan)
    certificate = fit.certify()
    if type(certificate) is not Certificate or math.isnan(certificate.gap) or math.isnan(certificate.kkt):
        raise ContractError(f"certificate: expected numbers, got {certificate}")
    return certificate


def check(fit: Fit, pool: Pool, labels: Labels, order: Order) -> None:
    """Raise ContractError unless a fit on a pool satisfies the contract."""
    _check_type("fit", fit, Fit)
    (m, _, n), n_kernels = pool.shape, pool.shape[0]
    if fit.thetas is not None:
        if type(fit.thetas) is not list:
            raise ContractError(f"thetas: expected a list, got {type(fit.thetas).__name__}")
        n_kernels = len(fit.thetas)
        features = pool.family.features if pool.family else 1
        for number, theta in enumerate(fit.thetas):
            shape = (features,) if np.shape(theta) == (features,) else (1,)
            _check_array(f"thetas[{number}]", theta, shape, np.float64)
    _check_array("weights", fit.weights, (n_kernels,), np.float64)
    _check_not_negative("weights", fit.weights)
    if fit.predictor is not None:
        _check_predictor("predictor", fit.predictor, n, n if fit.trace is None else np.size(fit.trace.mistakes))
    elif not fit.weights.any():
        raise ContractError("weights: expected a kernel to train an SVM on, got weights that are all 0")
    if fit.train_scores is not None:
        if fit.predictor is None:
            raise ContractError("train_scores: expected a predictor whose scores they are, got none")
        _check_array("train_scores", fit.train_scores, (n, *np.shape(fit.train_scores)[1:]), np.float64)
    _check_work("work", fit.work)
    for number, step in enumerate(fit.steps):
        _check_type(f"steps[{number}]", step, Step)
        for name in ("svm_calls", "meb_calls"):
            _check_count(f"steps[{number}].{name}", getattr(step, name))
        if not math.isfinite(step.objective):
            raise ContractError(f"steps: expected finite objectives, got {step.objective}")
    for number, state in enumerate(fit.states):
        _check_state(f"states[{number}]", state, n)
    if not isinstance(fit.converged, bool | np.bool_ | None):
        raise ContractError(f"converged: expected True, False or None, got {fit.converged!r}")
    if fit.trace is not None:
        _check_type("trace", fit.trace, Trace)
        _check_trace(fit.trace, m, labels[order] > 0)


def _check_predictor(name: str, predictor: Any, n: int, rounds: int) -> None:
    """Check the arrays from which support vectors are counted; `scored` checks scores."""
    if not callable(getattr(predictor, "scores", None)):
        raise ContractError(f"{name}: expected a method `scores`, got {type(predictor).__name__} without one")
    if isinstance(predictor, Expansion | Mixture):
        _check_array(f"{name}.dual", predictor.dual, (n,), np.float64)
    elif len(support := np.atleast_1d(getattr(predictor, "support", 0))) > max(n, rounds) and support.ndim == 1:
        raise ContractError(f"{name}.support: expected at most {max(n, rounds)} examples, got {len(support)}")


def _check_state(name: str, state: State, n: int) -> None:
    _check_type(name, state, State)
    for count in ("stage", "epochs", "rounds", "updates"):
        _check_count(f"{name}.{count}", getattr(state, count))
    for number in ("seconds", "objective", "training_error"):
        if not math.isfinite(value := getattr(state, number)):
            raise ContractError(f"{name}.{number}: expected a finite number, got {value}")
    if not 0.0 <= state.training_error <= 1.0:
        raise ContractError(f"{name}.training_error: expected a share from 0 to 1, got {state.training_error:g}")
    _check_work(f"{name}.work", state.work)
    _check_predictor(f"{name}.predictor", state.predictor, n, n)


def _check_work(name: str, work: Work) -> None:
    _check_type(name, work, Work)
    for count in Work.__dataclass_fields__:
        _check_count(f"{name}.{count}", getattr(work, count))


def _check_trace(trace: Trace, m: int, positive: Any) -> None:
    # The labels of every complete pass.
    positive = np.tile(positive, max(1, np.size(trace.mistakes) // len(positive)))
    rounds = len(positive)
    _check_array("trace.mistakes", trace.mistakes, (rounds,), np.bool_)
    _check_array("trace.scores", trace.scores, (rounds,), np.float64)
    _check_array("trace.support_vectors", trace.support_vectors, (rounds,), np.int64)
    _check_array("trace.weights", trace.weights, (rounds, m), np.float64)
    _check_array("trace.updates", trace.updates, (m,), np.int64)
    for name in ("support_vectors", "weights", "updates"):
        _check_not_negative(f"trace.{name}", getattr(trace, name))
    # The bound is reached if the kernels share no support vectors.
    excess = trace.support_vectors > m * np.arange(1, rounds + 1)
    if excess.any():
        first = int(np.argmax(excess))
        raise ContractError(
            f"trace.support_vectors: expected at most {m * (first + 1)} of {m} kernels after {first + 1} rounds, "
            f"got {trace.support_vectors[first]}"
        )
    if (most := trace.updates.max()) > rounds:
        raise ContractError(f"trace.updates: expected at most one in each of {rounds} rounds, got {most}")
    sums = trace.weights.sum(axis=1)
    worst_round = int(np.abs(sums - 1.0).argmax())
    if abs(sums[worst_round] - 1.0) > SUM_TOLERANCE:
        raise ContractError(f"trace.weights: expected sums of 1, got {sums[worst_round]:g} in round {worst_round + 1}")
    # Papers differ in what a score of 0 predicts; elsewhere the sign decides.
    nonzero = trace.scores != 0.0
    inconsistent = nonzero & (trace.mistakes != ((trace.scores > 0.0) != positive))
    if inconsistent.any():
        first = int(np.argmax(inconsistent))
        label = "+1" if positive[first] else "-1"
        got = f"{trace.mistakes[first]} at a score of {trace.scores[first]:g} and a label of {label}"
        raise ContractError(f"trace.mistakes: expected what the scores say, got {got} in round {first + 1}")
    mistakes, positive = trace.mistakes[~nonzero], positive[~nonzero]
    if not any(np.array_equal(mistakes, convention) for convention in (~positive, positive, np.ones_like(positive))):
        n_positive = np.count_nonzero(positive)
        got = f"{np.count_nonzero(mistakes)} mistakes in {len(positive)} rounds, {n_positive} of them positive"
        raise ContractError(
            "trace.mistakes: expected a score of 0 to count as positive, as negative or as a mistake in all rounds, "
            f"got {got}"
        )


def _check_type(name: str, value: Any, kind: type) -> None:
    """Raise ContractError unless a value has exactly this type; a subclass could change its behaviour."""
    if type(value) is not kind:
        raise ContractError(f"{name}: expected a grambench.algorithms.fit.{kind.__name__}, got {type(value).__name__}")


def _check_count(name: str, count: Any) -> None:
    if not isinstance(count, int | np.integer) or count < 0:
        raise ContractError(f"{name}: expected a whole number of at least 0, got {count!r}")
    if count >= COUNT_LIMIT:
        got = f"one of {int(count).bit_length()} bits"
        raise ContractError(f"{name}: expected a whole number of at least 0 and below 2^53, got {got}")


def _check_array(name: str, values: Any, shape: Sequence[int], kind: Any) -> None:
    """Raise ContractError unless values are a plain array; a subclass could leave some of them out of a mean."""
    if type(values) is not np.ndarray or values.shape != tuple(shape) or values.dtype != kind:
        got = type(values).__name__
        if isinstance(values, np.ndarray):
            got = f"{'' if got == 'ndarray' else f'{got} of '}{values.dtype} {values.shape}"
        raise ContractError(f"{name}: expected an array of {np.dtype(kind)} {tuple(shape)}, got {got}")
    if kind is np.float64 and not np.isfinite(values).all():
        n_bad = int(np.count_nonzero(~np.isfinite(values)))
        raise ContractError(f"{name}: expected finite numbers, got {n_bad} of {values.size} that are not")


def _check_not_negative(name: str, values: Any) -> None:
    if values.size and values.min() < 0:
        raise ContractError(f"{name}: expected nothing below 0, got {values.min():g}")


def check_input(pool: Pool, labels: Labels, order: Order, passes: int = 1) -> GramRows:
    """Check the arrays that a compiled loop indexes, and return the rows of the pool for its passes.

    Parameters
    ----------
    pool : Pool
        Pool of m Gram matrices (n, n), C-contiguous.
    labels : ndarray of int8 (n,)
        -1 or +1.
    order : ndarray of int32 (T,)
        Distinct indices below n, in the order of presentation.
    passes : int
        Number of passes over the order.

    Returns
    -------
    GramRows
        Rows of kernel values along the order, repeated for each pass.

    Raises
    ------
    ValueError
        If a shape, a type or a value is wrong.
    """
    n, rows = len(labels), pool.along(np.tile(order, passes))
    shape = (1, passes * len(order)) if rows.on_demand else (n, n)
    for index, values in enumerate(rows.values):
        if values.shape != shape or values.dtype != np.float64 or not values.flags.c_contiguous:
            raise ValueError(
                f"Gram matrix {index}: expected contiguous float64 {shape}, got {values.dtype} {values.shape}"
            )
    check_two_classes(pool, labels, order)
    return rows


def check_two_classes(pool: Pool, labels: Labels, order: Order) -> None:
    """Raise ValueError unless kernels are among the examples, labels are -1 or +1, and the order holds examples.

    Unlike `check_input`, this reads no kernel value, since no compiled loop has to be protected.
    """
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError(f"labels must be -1 or +1, got {np.unique(labels)[:5]}")
    _check_examples(pool, order, len(labels))


def check_class_numbers(pool: Pool, labels: Labels, order: Order, *, online: bool = False) -> None:
    """Raise ValueError unless labels are class numbers, or 0 alone if `online`, and kernels and the order fit."""
    if len(labels) == 0 or labels.min() < 0 or not (online or labels.max()):
        raise ValueError(f"labels must be class numbers from 0 of two classes and more, got {np.unique(labels)[:5]}")
    _check_examples(pool, order, len(labels))


def _check_examples(pool: Pool, order: Order, n: int) -> None:
    if pool.shape[1:] != (n, n):
        raise ValueError(f"expected kernels among {n} examples, got Gram matrices {pool.shape[1:]}")
    if order.ndim != 1 or len(order) == 0 or order.min() < 0 or order.max() >= n or len(np.unique(order)) != len(order):
        raise ValueError(f"order must hold distinct indices of 0..{n - 1}, got {order}")
