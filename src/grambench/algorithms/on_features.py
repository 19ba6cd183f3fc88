"""Models on features, without kernels: the building blocks of the baselines.

The baselines import scikit-learn inside `fit`, since planning a run loads every module but needs none of scikit-learn.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.common.types import Floats, Labels
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True)
class OnFeatures:
    """f(x) as a function of features.

    Attributes
    ----------
    function : callable
        (t, d) features -> (t,) values.
    views : bool
        Whether the function takes the features of all views, concatenated.
    """

    function: Callable[[Any], Floats]
    views: bool = False

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        features = side_by_side(views_of(pool)) if self.views else features_of(pool)
        return np.asarray(self.function(features), dtype=np.float64)


def views_of(pool: Pool) -> dict[str, Any]:
    """Return the features of a pool's examples by view, (t, d_v): all features as "" where there are no views."""
    features_of(pool)
    views = {view: values for view, values in pool.features.items() if view}
    return views or dict(pool.features)


def side_by_side(views: Mapping[str, Any]) -> Floats:
    """Return the features of all views, (t, d)."""
    return np.hstack([to_dense(values) for values in views.values()])


def to_dense(features: Any) -> Floats:
    """Return dense features, (t, d)."""
    return features if isinstance(features, np.ndarray) else np.asarray(features.toarray())


def features_of(pool: Pool) -> Any:
    """Return the features of a pool's examples, (t, d), dense or sparse; raise ValueError if the pool has none."""
    if "" not in pool.features:
        raise ValueError(
            "expected a pool with features, which this algorithm learns from instead of kernels, "
            f"got one with {', '.join(pool.features) or 'none'}"
        )
    return pool.features[""]


def check_both_classes(labels: Labels) -> None:
    """Raise ValueError if there is one class only, which scikit-learn's models reject."""
    if len(classes := np.unique(labels)) < 2:
        raise ValueError(f"expected examples of two classes, got {len(labels)} of class {classes[0]:+d}")


def signs(labels: Labels) -> Floats:
    """Return +1 for the class of an example and -1 for all others, (n, C), of class numbers (n,)."""
    return 2.0 * np.eye(int(labels.max()) + 1)[labels] - 1.0


def without_kernels(pool: Pool, function: Callable[[Any], Floats], *, views: bool = False) -> Fit:
    """Return the Fit of a function of features, in which every kernel of the pool has weight 0; see OnFeatures."""
    return Fit(weights=np.zeros(pool.shape[0]), predictor=OnFeatures(function, views))


def fit_model(
    model: Any, pool: Pool, labels: Labels, scores: Callable[[Any, Any], Floats] | None = None, *, dense: bool = False
) -> Fit:
    """Return the Fit of a model of scikit-learn on the features of a pool, which are made dense if that is asked for.

    `scores` returns f(x) from the model and features (t, d); by default it is the model's decision function.
    """
    check_both_classes(labels)
    features = features_of(pool)
    model.fit(to_dense(features) if dense else features, labels)
    return without_kernels(pool, partial(scores, model) if scores else model.decision_function)


def centred_share(model: Any, features: Any) -> Floats:
    """Return a model's probability of +1, less 1/2, (t,)."""
    return np.asarray(model.predict_proba(features)[:, 1] - 0.5)


def shares_of_classes(model: Any, features: Any) -> Floats:
    """Return a model's probability of each class, (t, C); a class without training examples has 0."""
    shares, classes = model.predict_proba(features), model.classes_
    scores = np.zeros((len(shares), int(classes[-1]) + 1))
    scores[:, classes] = shares
    return scores


def draw_seed(rng: np.random.Generator) -> int:
    """Return a random seed for a model that takes a whole number."""
    return int(rng.integers(2**31))
