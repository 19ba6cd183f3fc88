"""Gradient boosting: trees that correct each other, on binned features (Friedman 2001, Annals of Statistics 29).

scikit-learn's HistGradientBoostingClassifier as it comes, which follows LightGBM (Ke et al. 2017): at least 20 examples
a leaf, so that fewer than 40 training examples give the majority. f(x) are the log-odds. It takes dense features only:
sparse ones are made dense. No kernel is used, and no work is counted.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import check_classes, features_of, seed_of, without_kernels
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
    """

    learning_rate: Annotated[float, POSITIVE] = 0.1
    trees: Annotated[int, at_least(1)] = 100


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Grow the trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    check_classes(labels)
    model = HistGradientBoostingClassifier(
        learning_rate=parameters.learning_rate,
        max_iter=parameters.trees,
        early_stopping=False,  # else fewer trees beyond 10,000 examples
        random_state=seed_of(rng),
    )
    model.fit(_dense(features_of(pool)), labels)
    return without_kernels(pool, partial(_log_odds, model))


def _log_odds(model: Any, features: Any) -> Floats:
    values: Floats = model.decision_function(_dense(features))
    return values


def _dense(features: Any) -> Any:
    return features if isinstance(features, np.ndarray) else features.toarray()
