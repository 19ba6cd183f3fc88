"""DU: equal weights on a grid of kernels (CA, Table 1; Afkanpour et al. 2013).

The paper's classifiers with fixed frequencies (Section 3.1) are this one on values of their own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.learned_kernel import Dictionary, LearnedKernel, check_refinement, on_grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of DU.

    Attributes
    ----------
    values : sequence of float
        The kernels' parameters; the dictionary's grid where there are none.
    refine : int
        Parts into which every step of that grid is cut.
    """

    values: tuple[float, ...] = ()
    refine: int = 1

    def __post_init__(self) -> None:
        check_refinement(self.refine)


def fit(
    parameters: Parameters, dictionary: Dictionary, labels: NDArray[np.int8], *, rng: np.random.Generator
) -> LearnedKernel:
    """Return the kernel; the machine is trained on it afterwards.

    Parameters
    ----------
    parameters : Parameters
        The grid, where it is not the dictionary's.
    dictionary : Dictionary
        The family on the n training examples.
    labels : ndarray of int8 (n,)
        Not used.
    rng : Generator
        Not used.
    """
    grid = np.array(parameters.values) if parameters.values else dictionary.refined(parameters.refine)
    return LearnedKernel(parameters=on_grid(grid), weights=np.full(len(grid), 1.0 / len(grid)))
