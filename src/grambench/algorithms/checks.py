"""What goes into a fit and what comes out of it, held against the contract of `grambench.algorithms.fit`.

Protocols run algorithms through `learn` and predictors through `scored`: inputs cannot be written to, and an output
that breaks the contract is an error, with what was expected and what was got, instead of a number in a table.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from grambench.algorithms import Algorithm
from grambench.algorithms.fit import Fit, Floats, Labels, Order, Predictor, Trace, Work
from grambench.common.errors import ContractError
from grambench.kernels.pool import Pool, Rows
from grambench.solvers.certificates import Certificate

SUM = 1e-6  # by which weights may miss a sum of one


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
        If they are not, or are not as many.
    """
    scores = predictor.scores(pool)
    _array("scores", scores, (pool.shape[1],) if classes is None else (pool.shape[1], classes), np.floating)
    return scores


def certified(fit: Fit) -> Certificate:
    """Return a fit's certificate, NaN where it has none; raise ContractError where it says nothing."""
    if fit.certify is None:
        return Certificate(math.nan, math.nan)
    certificate = fit.certify()
    if not isinstance(certificate, Certificate) or math.isnan(certificate.gap) or math.isnan(certificate.kkt):
        raise ContractError(f"certificate: expected numbers, got {certificate}")
    return certificate


def check(fit: Fit, pool: Pool, labels: Labels, order: Order) -> None:
    """Raise ContractError unless a fit on a pool is what the contract says."""
    if not isinstance(fit, Fit):
        raise ContractError(f"fit: expected a grambench.algorithms.fit.Fit, got {type(fit).__name__}")
    parts = pool.shape[0]
    if fit.thetas is not None:
        parts = len(fit.thetas)
        features = pool.family.features if pool.family else 1
        for number, theta in enumerate(fit.thetas):
            shape = (features,) if np.shape(theta) == (features,) else (1,)
            _array(f"thetas[{number}]", theta, shape, np.floating)
    _array("weights", fit.weights, (parts,), np.floating)
    _not_negative("weights", fit.weights)
    if fit.predictor is None:
        if not fit.weights.any():
            raise ContractError("weights: expected a kernel to train a machine on, got weights that are all 0")
    elif not callable(getattr(fit.predictor, "scores", None)):
        raise ContractError(f"predictor: expected a method `scores`, got {type(fit.predictor).__name__} without one")
    for name in Work.__dataclass_fields__:
        count = getattr(fit.work, name)
        if not isinstance(count, int | np.integer) or count < 0:
            raise ContractError(f"work.{name}: expected a whole number of at least 0, got {count!r}")
    if bad := [step for step in fit.steps if not math.isfinite(step.objective)]:
        raise ContractError(f"steps: expected finite objectives, got {bad[0].objective}")
    if not isinstance(fit.converged, bool | np.bool_ | None):
        raise ContractError(f"converged: expected True, False or None, got {fit.converged!r}")
    if fit.trace is not None:
        _check_trace(fit.trace, pool.shape[0], labels[order] > 0)


def _check_trace(trace: Trace, m: int, positive: Any) -> None:
    positive = np.tile(positive, max(1, np.size(trace.mistakes) // len(positive)))  # as many whole passes as there are
    rounds = len(positive)
    _array("trace.mistakes", trace.mistakes, (rounds,), np.bool_)
    _array("trace.scores", trace.scores, (rounds,), np.floating)
    _array("trace.support_vectors", trace.support_vectors, (rounds,), np.integer)
    _array("trace.weights", trace.weights, (rounds, m), np.floating)
    _array("trace.updates", trace.updates, (m,), np.integer)
    for name in ("support_vectors", "weights", "updates"):
        _not_negative(f"trace.{name}", getattr(trace, name))
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


def _array(name: str, values: Any, shape: Sequence[int], kind: Any) -> None:
    if not isinstance(values, np.ndarray) or values.shape != tuple(shape) or not np.issubdtype(values.dtype, kind):
        got = f"{values.dtype} {values.shape}" if isinstance(values, np.ndarray) else type(values).__name__
        raise ContractError(f"{name}: expected an array of {kind.__name__} {tuple(shape)}, got {got}")
    if kind is np.floating and not np.isfinite(values).all():
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
