"""CR: continuous regularised risk (Argyriou et al. 2005, COLT; CA, Table 1, Afkanpour et al. 2013).

`grambench.algorithms.greedy_risk` with a search over one parameter: a scan of the range with refinement of its best
lobes, where the papers use a gradient method from several starts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms import greedy_risk
from grambench.algorithms.learned_kernel import Dictionary, LearnedKernel

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(greedy_risk.Parameters):
    """Parameters of CR; see grambench.algorithms.greedy_risk."""


def fit(
    parameters: Parameters, dictionary: Dictionary, labels: NDArray[np.int8], *, rng: np.random.Generator
) -> LearnedKernel:
    """Learn the kernel and its predictor.

    Parameters
    ----------
    parameters : Parameters
        gamma, and when to stop.
    dictionary : Dictionary
        The family on the n training examples.
    labels : ndarray of int8 (n,)
        -1 or +1.
    rng : Generator
        Not used.
    """

    def search(c: Floats) -> tuple[float, float]:
        return dictionary.search(dictionary.family.objective(np.outer(c, c)))

    return greedy_risk.learn(parameters, dictionary, labels, search)
