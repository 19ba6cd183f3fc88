"""Two-class algorithms for more than two classes: one-vs-rest, each class by itself.

The class of the largest score is predicted, the first of equal ones. As RKL's and OBSCURE's comparisons have it, each
of the C problems has its own learned kernel and its own SVM.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grambench.algorithms.checks import scored
from grambench.algorithms.fit import Predictor
from grambench.common.types import Floats, Labels
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True)
class OneVsRest:
    """s(x, y) = f_y(x).

    Attributes
    ----------
    predictors : sequence of C Predictors
        Of each class one-vs-rest.
    """

    predictors: Sequence[Predictor]

    def scores(self, pool: Pool) -> Floats:
        """Return s(x, y), (t, C); raise ContractError where the scores of a class are none."""
        return np.stack([scored(predictor, pool) for predictor in self.predictors], axis=1)


def one_vs_rest_labels(labels: Labels, number: int) -> Labels:
    """Return +1 for the examples of one class and -1 for all others, (n,)."""
    return np.where(labels == number, 1, -1).astype(np.int8)
