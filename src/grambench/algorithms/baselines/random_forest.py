"""Random forest: the mean of many trees, each on a bootstrap sample (Breiman 2001, Machine Learning 45).

Each tree learns from a bootstrap sample and searches each split among a random share of the features. The forest
averages the trees.

Formula
-------
    s(x, c) = mean over the trees of the share of class c in the leaf of x

No kernel is used, and no work is counted.

Complexity
----------
O(trees · f · n log² n) for balanced trees, where f is the number of features among which a split is searched.

Deviations
----------
This is scikit-learn's RandomForestClassifier on one thread. One forest learns all classes, not one for each class.
Features may be dense or sparse.

References
----------
Breiman (2001). Random forests. Machine Learning 45, 5-32. DOI 10.1023/A:1010933404324
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import draw_seed, fit_model, shares_of_classes
from grambench.common.parameters import Checked, at_least, within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"
MANY_CLASSES = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of the random forest.

    Attributes
    ----------
    trees : int
        The number of trees.
    max_features : float or None
        Share of the features among which each split is searched, at least one feature; None for the root of their
        number.
    """

    trees: Annotated[int, at_least(1)] = 100
    max_features: Annotated[float | None, within("(0, 1]")] = None


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Grow the trees."""
    from sklearn.ensemble import RandomForestClassifier

    check_class_numbers(pool, labels, order)
    share = "sqrt" if parameters.max_features is None else float(parameters.max_features)  # a whole number is a count
    model = RandomForestClassifier(parameters.trees, max_features=share, n_jobs=1, random_state=draw_seed(rng))
    return fit_model(model, pool, labels, shares_of_classes)
