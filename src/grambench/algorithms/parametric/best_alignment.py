"""Best alignment: the one kernel of a grid with the largest alignment (Cristianini et al. 2002).

The choice of ALSVM in OKS (Yang et al. 2012), with the alignment centred.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.alignment import alignment
from grambench.algorithms.learned_kernel import Dictionary, LearnedKernel, on_grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The best alignment has no parameters."""


def fit(
    parameters: Parameters, dictionary: Dictionary, labels: NDArray[np.int8], *, rng: np.random.Generator
) -> LearnedKernel:
    """Choose the kernel; the machine is trained on it afterwards.

    Parameters
    ----------
    parameters : Parameters
        None.
    dictionary : Dictionary
        The family on the n training examples, and the grid.
    labels : ndarray of int8 (n,)
        -1 or +1.
    rng : Generator
        Not used.
    """
    reached = [alignment(dictionary.family.gram(parameter), labels) for parameter in on_grid(dictionary.grid)]
    best = int(np.argmax(reached))
    return LearnedKernel(
        parameters=on_grid(dictionary.grid[best : best + 1]), weights=np.ones(1), steps=[reached[best]]
    )
