"""Perceptron(*): the kernel Perceptron with the best kernel of an online validation (OMKC, Section 5.1).

Each kernel's Perceptron runs over the first tenth of the examples. The kernel with the fewest mistakes then starts anew
over the whole order, whose every round is counted.

Formula
-------
    k* = argmin_k  mistakes of the Perceptron of kernel k on the first 0.1 n examples

Complexity
----------
The m validation passes and the final pass cost O(n) kernel evaluations and additions for each of their mistakes, in all
at most O(m n²/10 + n²).

Deviations
----------
The paper leaves three things open, which are settled as the published numbers need it. A tenth is 0.1 n rounded half
up; the first kernel wins ties; sign(0) = +1 and the order of summation are those of `perceptron`.

Chosen by published numbers: sign(0) = +1; additions in four lanes; validation on 0.1 n examples rounded half up, the
first kernel at ties.

References
----------
Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2
"""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from grambench.algorithms.budget import PerceptronBudget
from grambench.algorithms.checks import check_input
from grambench.algorithms.fit import Fit
from grambench.algorithms.scores import learn_alone, perceptrons_on_pool, single_kernel_fit
from grambench.common.parameters import within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(PerceptronBudget):
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
    validation = order[: max(1, int(np.floor(parameters.validation * len(order) + 0.5)))]
    classifiers = perceptrons_on_pool(pool, rows, parameters, len(validation))
    learned = learn_alone(classifiers, labels, validation)
    mistakes = ((learned.scores >= 0.0) != (labels[validation] > 0)[:, None]).sum(axis=0)
    best = int(np.argmin(mistakes))
    selected = single_kernel_fit(pool, rows, best, parameters, labels, order)
    work = sum((classifiers.work(sizes, len(labels)) for sizes in learned.sizes.T), selected.work)
    if parameters.capacity(len(order)) == len(order):
        # The rows of the selected kernel's validation are needed again in its pass, which counts them.
        work.kernel_values -= int(mistakes[best]) * len(labels)
    return replace(selected, work=work)
