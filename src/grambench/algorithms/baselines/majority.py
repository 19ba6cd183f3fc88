"""Majority: the more frequent class of the training examples, a control that every other has to beat.

The algorithm ignores the features. It predicts the class that is more frequent among the training examples.

Formula
-------
    f(x) = mean of the labels, for every x

For equally frequent classes f(x) is 0, which predicts +1 in studies.

Complexity
----------
O(n).

Deviations
----------
None.

References
----------
None.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The majority has no parameters."""


@dataclass(frozen=True, slots=True)
class Constant:
    """f(x) = value."""

    value: float

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        return np.full(pool.shape[1], self.value)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Compute the mean label; no kernel is used."""
    return Fit(weights=np.zeros(pool.shape[0]), predictor=Constant(float(labels.mean(dtype=np.float64))))
