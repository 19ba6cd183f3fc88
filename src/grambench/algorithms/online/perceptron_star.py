"""Perceptron(*): the kernel Perceptron with the best kernel of an online validation (OMKC, Section 5.1).

Each kernel's Perceptron runs over the first tenth of the examples; the one with the fewest mistakes then starts anew
over the whole order, whose every round is counted.

What the paper leaves out, as the published numbers need it: a tenth is 0.1 n rounded half up; the first kernel wins
ties; sign(0) = +1 and the order of summation as in `perceptron`.
"""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from grambench.algorithms.budget import Budget, held
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.scores import expert_pass, single_kernel_fit
from grambench.common.parameters import within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Budget):
    """Parameters of Perceptron(*).

    Attributes
    ----------
    validation : float
        Share of the examples, from the start of the order, on which the kernel is selected; in (0, 1].
    """

    validation: Annotated[float, within("(0, 1]")] = 0.1


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select the kernel, then run one pass with it."""
    rows = check_input(pool, labels, order)
    head = order[: max(1, int(np.floor(parameters.validation * len(order) + 0.5)))]
    room = parameters.room(len(order))
    passes = [expert_pass(rows, k, labels, head, room) for k in range(len(rows.values))]
    trials = np.array([((scores >= 0.0) != (labels[head] > 0)).sum() for scores in passes])
    best = int(np.argmin(trials))
    selected = single_kernel_fit(rows, best, labels, order, room)
    updates, forgotten = int(trials.sum()), int((trials - held(trials, room)).sum())
    # The rows of the selected kernel's trial are needed again in its pass, which counts them.
    kernel_values = (updates - int(trials[best])) * len(labels)
    return replace(selected, work=selected.work + Work(kernel_values=kernel_values, row_additions=updates + forgotten))
