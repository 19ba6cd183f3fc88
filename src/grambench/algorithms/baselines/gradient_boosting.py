"""Gradient boosting: trees that correct each other, on binned features (Friedman 2001, Annals of Statistics 29).

Each tree is fitted to the gradient of the loss of the trees before it. Features are binned, which makes the search for
splits fast.

Formula
-------
    f ← f + ν · tree,   tree ≈ −gradient of Σ_i log(1 + exp(−y_i f(x_i)))

ν is the learning rate, and f(x) are the log-odds. No kernel is used, and no work is counted.

Complexity
----------
O(n d) for each level of each of `trees` trees, with n examples of d features.

Deviations
----------
This is scikit-learn's HistGradientBoostingClassifier, which follows LightGBM (Ke et al. 2017). Its leaves have at least
20 examples, so that fewer than 40 training examples would give the majority: by default, leaves have 20 examples or a
tenth of all if that is fewer. Sparse features are converted to dense ones.

References
----------
Friedman (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, 1189-1232. DOI
10.1214/aos/1013203451

Ke, Meng, Finley, Wang, Chen, Ma, Ye and Liu (2017). LightGBM: a highly efficient gradient boosting decision tree.
Advances in Neural Information Processing Systems 30.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import draw_seed, fit_model, to_dense
from grambench.common.parameters import POSITIVE, Checked, at_least
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of gradient boosting.

    Attributes
    ----------
    learning_rate : float
        By which every tree is shrunk.
    trees : int
        The number of trees.
    leaf : int or None
        The least number of examples of a leaf; None for 20, or a tenth of all examples if that is fewer.
    """

    learning_rate: Annotated[float, POSITIVE] = 0.1
    trees: Annotated[int, at_least(1)] = 100
    leaf: Annotated[int | None, at_least(1)] = None


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Grow the trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        learning_rate=parameters.learning_rate,
        max_iter=parameters.trees,
        min_samples_leaf=parameters.leaf or max(1, min(20, len(labels) // 10)),
        early_stopping=False,  # else fewer trees beyond 10,000 examples
        random_state=draw_seed(rng),
    )
    return fit_model(model, pool, labels, _log_odds, dense=True)


def _log_odds(model: Any, features: Any) -> Floats:
    return np.asarray(model.decision_function(to_dense(features)))
