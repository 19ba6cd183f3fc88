"""DU: equal weights on a grid of kernels (CA, Table 1; Afkanpour et al. 2013).

All kernels of a grid of a continuous family get the same weight. It shows what a learned combination adds.

Formula
-------
    K = 1/m Σ_k K_σk

The paper's classifiers with fixed frequencies (Section 3.1) are this algorithm on other `values`.

Complexity
----------
O(m) for the weights; the SVM comes afterwards, O(m n²) kernel values.

Deviations
----------
None.

References
----------
Afkanpour, Szepesvári and Bowling (2013). Alignment based kernel learning with a continuous set of base kernels. Machine
Learning 91, 305-324. DOI 10.1007/s10994-013-5361-8
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.settings import Refined
from grambench.common.parameters import Rule
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "family"
VALUES = Rule("be finite and not negative", lambda values: all(0.0 <= value < np.inf for value in values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Refined):
    """Parameters of DU.

    Attributes
    ----------
    values : sequence of float
        The kernels' parameters; the dictionary's grid where there are none.
    """

    values: Annotated[tuple[float, ...], VALUES] = ()

    def __post_init__(self) -> None:
        Refined.__post_init__(self)
        if self.values and self.refine != 1:
            raise ValueError("values and refine: expected one of them, got both")


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Return the kernel; the SVM is trained on it afterwards."""
    thetas = pool.refined(parameters.refine).thetas
    if parameters.values:
        continuous(pool)
        thetas = [np.array([float(value)]) for value in parameters.values]
    m = pool.shape[0] if thetas is None else len(thetas)
    return Fit(weights=np.full(m, 1.0 / m), thetas=thetas)
