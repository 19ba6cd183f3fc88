"""Models on the features themselves, which the baselines are made of: no kernel of the pool is used.

scikit-learn is imported inside `fit`: a plan loads every module, and needs none of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from grambench.algorithms.fit import Fit, Work
from grambench.common.types import Floats, Labels
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True)
class OnFeatures:
    """f(x) as a function of features.

    Attributes
    ----------
    function : callable
        (t, d) features -> (t,) values.
    """

    function: Callable[[Any], Floats]

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        return np.asarray(self.function(features_of(pool)), dtype=np.float64)


def features_of(pool: Pool) -> Any:
    """Return the features of a pool's examples, (t, d), dense or sparse; raise ValueError where there are none."""
    if "" not in pool.features:
        raise ValueError(
            "expected a pool with features, which this algorithm learns from instead of kernels, "
            f"got one with {', '.join(pool.features) or 'none'}"
        )
    return pool.features[""]


def check_classes(labels: Labels) -> None:
    """Raise ValueError where there is one class only, of which scikit-learn's models make nothing."""
    if len(found := np.unique(labels)) < 2:
        raise ValueError(f"expected examples of two classes, got {len(labels)} of class {found[0]:+d}")


def without_kernels(pool: Pool, function: Callable[[Any], Floats], work: Work | None = None) -> Fit:
    """Return a function of features as what an algorithm has learned: every kernel of the pool has weight 0."""
    return Fit(weights=np.zeros(pool.shape[0]), predictor=OnFeatures(function), work=work or Work())


def seed_of(rng: np.random.Generator) -> int:
    """Return a seed for a model that takes a whole number."""
    return int(rng.integers(2**31))
