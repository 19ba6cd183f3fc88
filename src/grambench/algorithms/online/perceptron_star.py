"""Perceptron(*): the kernel Perceptron with the best kernel of an online validation (OMKC, Section 5.1).

Each kernel's Perceptron runs over the first tenth of the examples; the one with the fewest mistakes then starts anew
over the whole order, whose every round is counted.

What the paper leaves out, as the published numbers need it: a tenth is 0.1 n rounded half up; the first kernel wins
ties; sign(0) = +1 and the order of summation as in `perceptron`.
"""

from dataclasses import dataclass, replace

import numpy as np

from grambench.algorithms.budget import Budget, held
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Labels, Order, Work
from grambench.algorithms.scores import expert_pass, perceptron_fit
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Budget):
    """Parameters of Perceptron(*).

    Attributes
    ----------
    validation : float
        Share of the examples, from the start of the order, on which the kernel is chosen; in (0, 1].
    budget : int
        Support vectors at most, beyond the paper; 0 for no bound.
    """

    validation: float = 0.1

    def __post_init__(self) -> None:
        Budget.__post_init__(self)
        if not 0.0 < self.validation <= 1.0:
            raise ValueError(f"validation must lie in (0, 1], got {self.validation}")


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Choose the kernel, then run one pass with it."""
    rows = check_input(pool, labels, order)
    head = order[: max(1, int(np.floor(parameters.validation * len(order) + 0.5)))]
    room = parameters.room(len(order))
    passes = [expert_pass(rows.only(k), labels, head, room) for k in range(len(rows.values))]
    trials = np.array([((scores >= 0.0) != (labels[head] > 0)).sum() for scores in passes])
    best = int(np.argmin(trials))
    chosen = perceptron_fit(rows, best, labels, order, room)
    tried, forgotten = int(trials.sum()), int((trials - held(trials, room)).sum())
    made = (tried - int(trials[best])) * len(labels)  # the pass needs the rows of its own trial again
    return replace(chosen, work=chosen.work + Work(kernel_values=made, row_additions=tried + forgotten))
