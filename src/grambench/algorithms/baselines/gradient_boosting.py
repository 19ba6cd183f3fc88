"""Gradient boosting: trees that correct each other, on binned features (Friedman 2001, Annals of Statistics 29).

scikit-learn's HistGradientBoostingClassifier as it comes, which follows LightGBM (Ke et al. 2017): at least 20 examples
a leaf, so that fewer than 40 training examples give the majority. f(x) are the log-odds. It takes dense features only:
sparse ones are made dense. No kernel is used, and no work is counted.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grambench.algorithms.fit import Fit, Floats, Labels, Order
from grambench.algorithms.on_features import check_classes, features_of, seed_of, without_kernels
from grambench.kernels.pool import Pool

NEEDS = "features"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of gradient boosting.

    Attributes
    ----------
    learning_rate : float
        By which every tree is shrunk.
    trees : int
        The number of trees.
    """

    learning_rate: float = 0.1
    trees: int = 100

    def __post_init__(self) -> None:
        if not 0.0 < self.learning_rate < np.inf:
            raise ValueError(f"learning_rate must be positive and finite, got {self.learning_rate}")
        if self.trees < 1:
            raise ValueError(f"trees must be at least 1, got {self.trees}")


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
