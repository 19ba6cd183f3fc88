"""Best alignment: the one kernel of a grid with the largest alignment (Cristianini et al. 2002).

The choice of ALSVM in OKS (Yang et al. 2012), with the alignment centred.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.alignment import ALIGNMENT, alignment
from grambench.algorithms.fit import Fit, Step, Work
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The best alignment has no parameters."""


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select the kernel; the SVM is trained on it afterwards."""
    m, n = pool.shape[0], len(labels)
    alignments = [alignment(gram, labels) for gram in pool.grams()]
    best = int(np.argmax(alignments))
    work = Work(kernel_values=m * n * n, row_additions=ALIGNMENT * m * n)
    steps = [Step(0, 0, alignments[best])]
    if pool.thetas is None:
        return Fit(weights=np.eye(m)[best], steps=steps, work=work)
    # The record lists the selected kernel only, not the grid.
    thetas = pool.thetas[best : best + 1]
    return Fit(weights=np.ones(1), thetas=thetas, steps=steps, work=work)
