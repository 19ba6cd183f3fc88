"""What goes into a fit and what comes out of it, held against the contract of `grambench.algorithms.fit`.

Protocols run algorithms through `learn` and predictors through `scored`: inputs cannot be written to, and an output
that breaks the contract is an error, with what was expected and what was got, instead of a number in a table.
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
from grambench.kernels.pool import Pool, Rows
from grambench.solvers.certificates import Certificate

SUM = 1e-6  # by which weights may miss a sum of one
COUNTS = 2**53  # from where on a float64, as records hold them, does not tell a count from the next


def learn(
    algorithm: Algorithm, parameters: Any, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator
) -> Fit:
    """Run an algorithm on arguments that it cannot change.

    Raises
    ------
    ContractError
        If what it returns breaks the contract.
    """
    given = labels.copy(), order.copy()  # a view can be made writeable again where what it is of can be written to
    for array in given:
        array.flags.writeable = False
    fit = algorithm.fit(parameters, pool, given[0], order=given[1], rng=rng)
    check(fit, pool, labels, order)
    return fit


def scored(predictor: Predictor, pool: Pool, classes: int | None = None) -> Floats:
    """Return a predictor's scores of the examples of a pool, (t,), or of C classes (t, C), if they are finite.

    Raises
    ------
    ContractError
        If they are not, are not as many, or are no plain array of float64: a masked one hides scores from a measure.
    """
    scores = predictor.scores(pool)
    _array("scores", scores, (pool.shape[1],) if classes is None else (pool.shape[1], classes), np.float64)
    return scores


def outline(fit: Fit, pool: Pool) -> dict[str, Any]:
    """Return what two fits with one seed have in common: all but measured seconds, with the scores of some examples."""
    shared = {name: getattr(fit, name) for name in ("weights", "thetas", "trace", "steps", "converged", "work")}
    states = [replace(state, seconds=0.0, predictor=None) for state in fit.states]  # type: ignore[arg-type]
    scores = None if fit.predictor is None else fit.predictor.scores(pool)
    return shared | {"states": states, "scores": scores}


def check_same(name: str, first: Mapping[str, Any], again: Mapping[str, Any]) -> None:
    """Raise ContractError where what came of two fits with the same seed differs in a bit.

    Parameters
    ----------
    name : str
        Of the algorithm.
    first, again : mapping
        What came of either, under the same names.
    """
    for each, value in first.items():
        if not same(value, again[each]):
            raise ContractError(
                f"{name}: expected the same {each} from two fits with the same seed, got others; "
                "draw random numbers from rng alone, and keep nothing from fit to fit"
            )


def same(first: Any, second: Any) -> bool:
    """Return whether two fits, traces or other records of one kind are equal, bit for bit, in all their fields."""
    if isinstance(first, np.random.Generator):
        return bool(first.bit_generator.state == second.bit_generator.state)
    if callable(first):  # a certificate that is yet to be computed
        return bool(callable(second) and same(first(), second()))
    if isinstance(first, np.ndarray):
        alike = type(first) is type(second) and first.dtype == second.dtype and first.shape == second.shape
        return bool(alike and first.tobytes() == second.tobytes())
    if hasattr(first, "__dataclass_fields__"):
        names = first.__dataclass_fields__
        return type(first) is type(second) and all(same(getattr(first, n), getattr(second, n)) for n in names)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, float) and math.isnan(first):
        return isinstance(second, float) and math.isnan(second)
    return bool(type(first) is type(second) and first == second)


def certified(fit: Fit) -> Certificate:
    """Return a fit's certificate, NaN where it has none; raise ContractError where it says nothing."""
    if fit.certify is None:
        return Certificate(math.nan, math.nan)
    certificate = fit.certify()
    if type(certificate) is not Certificate or math.isnan(certificate.gap) or math.isnan(certificate.kkt):
        raise ContractError(f"certificate: expected numbers, got {certificate}")
    return certificate


def check(fit: Fit, pool: Pool, labels: Labels, order: Order) -> None:
    """Raise ContractError unless a fit on a pool is what the contract says."""
    _record("fit", fit, Fit)
    (m, _, n), parts = pool.shape, pool.shape[0]
    if fit.thetas is not None:
        if type(fit.thetas) is not list:
            raise ContractError(f"thetas: expected a list, got {type(fit.thetas).__name__}")
        parts = len(fit.thetas)
        features = pool.family.features if pool.family else 1
        for number, theta in enumerate(fit.thetas):
            shape = (features,) if np.shape(theta) == (features,) else (1,)
            _array(f"thetas[{number}]", theta, shape, np.float64)
    _array("weights", fit.weights, (parts,), np.float64)
    _not_negative("weights", fit.weights)
    if fit.predictor is not None:
        _check_predictor("predictor", fit.predictor, n, n if fit.trace is None else np.size(fit.trace.mistakes))
    elif not fit.weights.any():
        raise ContractError("weights: expected a kernel to train an SVM on, got weights that are all 0")
    _check_work("work", fit.work)
    for number, step in enumerate(fit.steps):
        _record(f"steps[{number}]", step, Step)
        for name in ("svm_calls", "meb_calls"):
            _count(f"steps[{number}].{name}", getattr(step, name))
        if not math.isfinite(step.objective):
            raise ContractError(f"steps: expected finite objectives, got {step.objective}")
    for number, state in enumerate(fit.states):
        _check_state(f"states[{number}]", state, n)
    if not isinstance(fit.converged, bool | np.bool_ | None):
        raise ContractError(f"converged: expected True, False or None, got {fit.converged!r}")
    if fit.trace is not None:
        _record("trace", fit.trace, Trace)
        _check_trace(fit.trace, m, labels[order] > 0)


def _check_predictor(name: str, predictor: Any, n: int, rounds: int) -> None:
    """Hold against the contract what counts of support vectors are taken from; scores are checked one by one."""
    if not callable(getattr(predictor, "scores", None)):
        raise ContractError(f"{name}: expected a method `scores`, got {type(predictor).__name__} without one")
    if isinstance(predictor, Expansion | Mixture):
        _array(f"{name}.dual", predictor.dual, (n,), np.float64)
    elif len(support := np.atleast_1d(getattr(predictor, "support", 0))) > max(n, rounds) and support.ndim == 1:
        raise ContractError(f"{name}.support: expected at most {max(n, rounds)} examples, got {len(support)}")


def _check_state(name: str, state: State, n: int) -> None:
    _record(name, state, State)
    for count in ("stage", "epochs", "rounds", "updates"):
        _count(f"{name}.{count}", getattr(state, count))
    for number in ("seconds", "objective", "training_error"):
        if not math.isfinite(value := getattr(state, number)):
            raise ContractError(f"{name}.{number}: expected a finite number, got {value}")
    if not 0.0 <= state.training_error <= 1.0:
        raise ContractError(f"{name}.training_error: expected a share from 0 to 1, got {state.training_error:g}")
    _check_work(f"{name}.work", state.work)
    _check_predictor(f"{name}.predictor", state.predictor, n, n)


def _check_work(name: str, work: Work) -> None:
    _record(name, work, Work)
    for each in Work.__dataclass_fields__:
        _count(f"{name}.{each}", getattr(work, each))


def _check_trace(trace: Trace, m: int, positive: Any) -> None:
    positive = np.tile(positive, max(1, np.size(trace.mistakes) // len(positive)))  # as many whole passes as there are
    rounds = len(positive)
    _array("trace.mistakes", trace.mistakes, (rounds,), np.bool_)
    _array("trace.scores", trace.scores, (rounds,), np.float64)
    _array("trace.support_vectors", trace.support_vectors, (rounds,), np.int64)
    _array("trace.weights", trace.weights, (rounds, m), np.float64)
    _array("trace.updates", trace.updates, (m,), np.int64)
    for name in ("support_vectors", "weights", "updates"):
        _not_negative(f"trace.{name}", getattr(trace, name))
    over = trace.support_vectors > m * np.arange(1, rounds + 1)  # where kernels share none
    if over.any():
        first = int(np.argmax(over))
        raise ContractError(
            f"trace.support_vectors: expected at most {m * (first + 1)} of {m} kernels after {first + 1} rounds, "
            f"got {trace.support_vectors[first]}"
        )
    if (most := trace.updates.max()) > rounds:
        raise ContractError(f"trace.updates: expected at most one in each of {rounds} rounds, got {most}")
    sums = trace.weights.sum(axis=1)
    worst = int(np.abs(sums - 1.0).argmax())
    if abs(sums[worst] - 1.0) > SUM:
        raise ContractError(f"trace.weights: expected sums of 1, got {sums[worst]:g} in round {worst + 1}")
    told = trace.scores != 0.0  # where the sign decides, whatever a paper makes of 0
    wrong = told & (trace.mistakes != ((trace.scores > 0.0) != positive))
    if wrong.any():
        first = int(np.argmax(wrong))
        label = "+1" if positive[first] else "-1"
        got = f"{trace.mistakes[first]} at a score of {trace.scores[first]:g} and a label of {label}"
        raise ContractError(f"trace.mistakes: expected what the scores say, got {got} in round {first + 1}")
    at_zero, right = trace.mistakes[~told], positive[~told]
    if not any(np.array_equal(at_zero, made) for made in (~right, right, np.ones_like(right))):
        got = f"{np.count_nonzero(at_zero)} mistakes in {len(right)} rounds, {np.count_nonzero(right)} of them positive"
        raise ContractError(
            "trace.mistakes: expected a score of 0 to count as positive, as negative or as a mistake in all rounds, "
            f"got {got}"
        )


def _record(name: str, value: Any, kind: type) -> None:
    """Raise ContractError unless a value is of exactly this type; a subclass may change what it says."""
    if type(value) is not kind:
        raise ContractError(f"{name}: expected a grambench.algorithms.fit.{kind.__name__}, got {type(value).__name__}")


def _count(name: str, count: Any) -> None:
    if not isinstance(count, int | np.integer) or count < 0:
        raise ContractError(f"{name}: expected a whole number of at least 0, got {count!r}")
    if count >= COUNTS:
        got = f"one of {int(count).bit_length()} bits"
        raise ContractError(f"{name}: expected a whole number of at least 0 and below 2^53, got {got}")


def _array(name: str, values: Any, shape: Sequence[int], kind: Any) -> None:
    """Raise ContractError unless values are a plain array: a subclass may leave some of them out of a mean."""
    if type(values) is not np.ndarray or values.shape != tuple(shape) or values.dtype != kind:
        got = type(values).__name__
        if isinstance(values, np.ndarray):
            got = f"{'' if got == 'ndarray' else f'{got} of '}{values.dtype} {values.shape}"
        raise ContractError(f"{name}: expected an array of {np.dtype(kind)} {tuple(shape)}, got {got}")
    if kind is np.float64 and not np.isfinite(values).all():
        bad = int(np.count_nonzero(~np.isfinite(values)))
        raise ContractError(f"{name}: expected finite numbers, got {bad} of {values.size} that are not")


def _not_negative(name: str, values: Any) -> None:
    if values.size and values.min() < 0:
        raise ContractError(f"{name}: expected nothing below 0, got {values.min():g}")


def check_input(pool: Pool, labels: Labels, order: Order, passes: int = 1) -> Rows:
    """Check the arrays that a compiled loop is about to index, and return the rows of the pool for its passes.

    Parameters
    ----------
    pool : Pool
        Of m Gram matrices (n, n), C-contiguous.
    labels : ndarray of int8 (n,)
        -1 or +1.
    order : ndarray of int32 (T,)
        Distinct indices below n, in the order of presentation.
    passes : int
        How often the loop goes over them.

    Returns
    -------
    Rows
        Of n examples, along the order, as often as there are passes.

    Raises
    ------
    ValueError
        If a shape, a type or a value is wrong.
    """
    n, rows = len(labels), pool.along(np.tile(order, passes))
    shape = (2, passes * len(order)) if rows.on_demand else (n, n)
    for index, values in enumerate(rows.values):
        if values.shape != shape or values.dtype != np.float64 or not values.flags.c_contiguous:
            raise ValueError(
                f"Gram matrix {index}: expected contiguous float64 {shape}, got {values.dtype} {values.shape}"
            )
    check_examples(labels, order)
    return rows


def check_classes(pool: Pool, labels: Labels, order: Order) -> None:
    """Raise ValueError unless kernels are among the examples, labels class numbers, and an order is of them."""
    n = len(labels)
    if pool.shape[1:] != (n, n):
        raise ValueError(f"expected kernels among {n} examples, got Gram matrices {pool.shape[1:]}")
    if n == 0 or labels.min() < 0 or labels.max() < 1:
        raise ValueError(f"labels must be class numbers from 0 of two classes and more, got {np.unique(labels)[:5]}")
    _check_order(order, n)


def check_examples(labels: Labels, order: Order) -> None:
    """Raise ValueError unless labels are -1 or +1, and an order holds distinct indices of them."""
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError(f"labels must be -1 or +1, got {np.unique(labels)[:5]}")
    _check_order(order, len(labels))


def _check_order(order: Order, n: int) -> None:
    if order.ndim != 1 or len(order) == 0 or order.min() < 0 or order.max() >= n or len(np.unique(order)) != len(order):
        raise ValueError(f"order must hold distinct indices of 0..{n - 1}, got {order}")
