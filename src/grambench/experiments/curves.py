"""Curves: what a run records of the way to the final model, one kind a function.

Each takes what was learned, the test examples, and about how many rounds of a pass to record. It returns arrays of S
values by name, and the S numbers at which they were recorded.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Step
from grambench.common.types import Floats
from grambench.experiments.training import Examples, Learned, predicted, scores_of_each, support_vectors

Rounds = NDArray[np.int64]
Curves = tuple[dict[str, Floats], Rounds]

CALLS = np.arange(1, 101)  # calls of the SVM solver at which the convergence is recorded
PRECISION = 1e-6  # relative excess of an objective that the solvers cannot tell from 0


def convergence(learned: Learned, test: Examples, count: int) -> Curves:
    """Return by how much the objective exceeds its last value, relative to it, after each number of solver calls."""
    return {"objective_excess": excess(learned.fits[0].steps)}, CALLS


def excess(steps: Sequence[Step]) -> Floats:
    """Return that excess at each of CALLS; NaN before the first iteration has ended, and if there are none."""
    if not steps:
        return np.full(len(CALLS), np.nan)
    calls = np.array([step.svm_calls for step in steps])
    objectives = np.array([step.objective for step in steps])
    last = objectives[-1]
    relative = (objectives - last) / abs(last) if last else np.zeros(len(objectives))
    ended = np.searchsorted(calls, CALLS, side="right") - 1
    relative[relative < PRECISION] = 0.0
    return np.where(ended >= 0, relative[np.maximum(ended, 0)], np.nan)


def states(learned: Learned, test: Examples, count: int) -> Curves:
    """Return what each state of a long descent is measured by."""
    states = learned.states
    scores = scores_of_each([state.predictor for state in states], test)
    rows = [
        {
            "stage": state.stage,
            "epochs": state.epochs,
            "elapsed_seconds": state.seconds,
            "objective": state.objective,
            "training_error_percent": 100.0 * state.training_error,
            "accuracy_percent": 100.0 * float(np.mean(predicted(of_state) == test.y_true)),
            "support_vectors": support_vectors(state.predictor),
            "kernel_values": state.work.kernel_values,
        }
        for state, of_state in zip(states, scores, strict=True)
    ]
    curves = {name: np.array([row[name] for row in rows], dtype=np.float64) for name in (rows or [{}])[0]}
    return curves, np.arange(1, len(rows) + 1)


def weights(learned: Learned, test: Examples, count: int) -> Curves:
    """Return the weights of the kernels at some rounds of a pass."""
    trace = learned.fits[0].trace
    if trace is None or learned.one_vs_rest:
        return {}, np.zeros(0, dtype=np.int64)
    rounds = checkpoints(len(trace.weights), count)
    return {"weights": trace.weights[rounds - 1]}, rounds


def nothing(learned: Learned, test: Examples, count: int) -> Curves:
    """Return no curves."""
    return {}, np.zeros(0, dtype=np.int64)


KINDS: dict[str, Callable[[Learned, Examples, int], Curves]] = {
    "": nothing,
    "convergence": convergence,
    "states": states,
    "weights": weights,
}


def checkpoints(rounds: int, count: int) -> Rounds:
    """Return about `count` numbers of rounds, evenly spread, of which the last is `rounds`."""
    return np.unique(np.linspace(rounds / count, rounds, count).round().astype(np.int64).clip(1, rounds))
