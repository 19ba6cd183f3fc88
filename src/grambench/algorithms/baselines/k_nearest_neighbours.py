"""k nearest neighbours: the share of a class among the nearest training examples (Cover and Hart 1967).

An example belongs to the class of most of its neighbours. No model is trained.

Formula
-------
    f(x) = 1/k Σ_{i among the k nearest} [y_i = 1] − 1/2

Distances are Euclidean. No kernel is used, and no work is counted.

Complexity
----------
O(n d) for each prediction, with n examples of d features.

Deviations
----------
This is scikit-learn's KNeighborsClassifier. With fewer than k training examples, all of them are neighbours. A tie
gives the class +1.

References
----------
Cover and Hart (1967). Nearest neighbor pattern classification. IEEE Transactions on Information Theory 13, 21-27. DOI
10.1109/TIT.1967.1053964
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import centred_share, fit_model
from grambench.common.parameters import Checked, at_least
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of k nearest neighbours.

    Attributes
    ----------
    k : int
        The number of neighbours.
    """

    k: Annotated[int, at_least(1)] = 5


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Store the training examples."""
    from sklearn.neighbors import KNeighborsClassifier

    k = min(parameters.k, len(labels))
    # a search in all examples has no last bits that depend on a tree
    return fit_model(KNeighborsClassifier(k, algorithm="brute"), pool, labels, centred_share)
