"""D1 and D2: lp-norm MKL on a grid of kernels (CA, Table 1, Afkanpour et al. 2013; Kloft et al. 2011).

`grambench.algorithms.batch.lp_mkl` on the Gram matrices of the grid; C changes the weights and the machine.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.batch import lp_mkl
from grambench.algorithms.learned_kernel import Dictionary, LearnedKernel, check_refinement, on_grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(lp_mkl.Parameters):
    """Parameters of lp-norm MKL, see grambench.algorithms.batch.lp_mkl, and one more.

    Attributes
    ----------
    refine : int
        Parts into which every step of the dictionary's grid is cut.
    """

    refine: int = 1

    def __post_init__(self) -> None:
        lp_mkl.Parameters.__post_init__(self)
        check_refinement(self.refine)


def fit(
    parameters: Parameters, dictionary: Dictionary, labels: NDArray[np.int8], *, rng: np.random.Generator
) -> LearnedKernel:
    """Learn the kernel and the machine.

    Parameters
    ----------
    parameters : Parameters
        C, p, when to stop, and the grid's refinement.
    dictionary : Dictionary
        The family on the n training examples, and the grid.
    labels : ndarray of int8 (n,)
        -1 or +1.
    rng : Generator
        Not used.
    """
    grid = dictionary.refined(parameters.refine)
    weights, machine, calls = lp_mkl.descend(parameters, dictionary.grams(grid), labels)
    return LearnedKernel(
        parameters=on_grid(grid),
        weights=weights,
        dual=machine.dual,
        bias=machine.bias,
        steps=[step.objective for step in calls.steps],
    )
