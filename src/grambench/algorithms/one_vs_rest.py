"""Two-class algorithms for more than two classes, one-vs-rest.

The class of the largest score is predicted, the first of equal ones. As in the comparisons of RKL and OBSCURE, each of
the C problems has its own learned kernel and its own SVM.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grambench.algorithms.checks import scored
from grambench.algorithms.fit import Expansion, Predictor, scores_of_classes
from grambench.common.types import Floats, Indices, Labels
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True)
class OneVsRest:
    """s(x, y) = f_y(x).

    Attributes
    ----------
    predictors : sequence of C Predictors
        Predictor of each class against all others.
    """

    predictors: Sequence[Predictor]

    def scores(self, pool: Pool) -> Floats:
        """Return s(x, y), (t, C); raise ContractError if the scores of a class break the contract."""
        expansions = [each for each in self.predictors if isinstance(each, Expansion)]
        if len(expansions) == len(self.predictors):
            return scores_of_classes(expansions, pool)
        return np.stack([scored(predictor, pool) for predictor in self.predictors], axis=1)


def one_vs_rest_labels(labels: Indices, label: int) -> Labels:
    """Return +1 for the examples of one class and -1 for all others, (n,)."""
    return np.where(labels == label, 1, -1).astype(np.int8)
