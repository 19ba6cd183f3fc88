"""Best alignment: the one kernel of a grid with the largest alignment (Cristianini et al. 2002).

The algorithm computes the centred alignment of each kernel with the labels. It selects the kernel with the largest one;
no kernel is combined.

Formula
-------
    k* = argmax_k A(K_k, yy'),   A(K, yy') = ⟨K_c, y_c y_c'⟩_F / (‖K_c‖_F ‖y_c y_c'‖_F)

K_c and y_c are centred. This is the selection of ALSVM in OKS (Yang et al. 2012).

Complexity
----------
O(m n²); the SVM comes afterwards.

Deviations
----------
The alignment is centred, while that of Cristianini et al. is not. Yang et al. do not say whether theirs is, and cite
Cortes et al. for it, who centre.

Chosen by published numbers: a centred alignment.

References
----------
Cristianini, Kandola, Elisseeff and Shawe-Taylor (2002). On kernel-target alignment. Advances in Neural Information
Processing Systems 14.

Cortes, Mohri and Rostamizadeh (2010). Two-stage learning kernel algorithms. International Conference on Machine
Learning.

Yang, Mahdavi, Jin, Yi and Hoi (2012). Online kernel selection: algorithms and evaluations. AAAI Conference on
Artificial Intelligence.
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
