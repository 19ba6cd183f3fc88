"""RFM: the recursive feature machine, a kernel whose metric is learned (Radhakrishnan et al. 2024, Science 383).

Ridge regression with a Laplace kernel is fitted, and the average gradient outer product of its predictor says in which
directions of the features predictions change. This becomes the metric of the kernel, and the regression is fitted
again, some times.

Formula
-------
    k_M(x, x') = exp(−‖x − x'‖_M / L),   ‖z‖_M² = z' M z,   s(x, c) = Σ_i α_ic k_M(x, x_i)
    (K_M + λI) α = Y,   M ← 1/n Σ_i Σ_c ∇s(x_i, c) ∇s(x_i, c)'

y_ic is +1 if example i is of class c, and −1 if not. M starts as the identity. No kernel of the pool is used, and no
work is counted.

Complexity
----------
O(n³ + C n² d + n d²) for each of `iterations` + 1 regressions, with n examples of d features and C classes.

Deviations
----------
M is scaled to the trace d, that of the identity, so that L keeps its unit, the median distance of two training
examples. The gradient of a kernel at its own centre, where it has none, is 0. The metric of the last iteration is used,
not that with the least validation error. Sparse features are converted to dense ones.

Notes
-----
The authors' package xrfm needs PyTorch, which nothing else here does, and splits large tables by trees. A few hundred
examples need neither.

References
----------
Radhakrishnan, Beaglehole, Pandit and Belkin (2024). Mechanism for feature learning in neural networks and
backpropagation-free machine learning models. Science 383, 1461-1467. DOI 10.1126/science.adi5639
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import check_both_classes, features_of, signs, to_dense, without_kernels
from grambench.common.parameters import POSITIVE, Checked, at_least
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"
MANY_CLASSES = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of the recursive feature machine.

    Attributes
    ----------
    regulariser : float
        λ.
    bandwidth : float
        L, in units of the median distance of two training examples.
    iterations : int
        How many times the metric is learned.
    """

    regulariser: Annotated[float, POSITIVE] = 1e-2
    bandwidth: Annotated[float, POSITIVE] = 1.0
    iterations: Annotated[int, at_least(1)] = 5


@dataclass(frozen=True, slots=True)
class Machine:
    """s(x, c) of a metric.

    Attributes
    ----------
    train : ndarray of float64 (n, d)
        The training examples.
    metric : ndarray of float64 (d, d)
        M.
    bandwidth : float
        L, in units of the features.
    coefficients : ndarray of float64 (n, C)
        α.
    """

    train: Floats
    metric: Floats
    bandwidth: float
    coefficients: Floats

    def scores(self, features: Any) -> Floats:
        """Return s(x, c), (t, C)."""
        distances = lengths(to_dense(features), self.train, self.metric)
        return np.exp(distances / -self.bandwidth) @ self.coefficients

    def outer_product(self, features: Floats) -> Floats:
        """Return the average gradient outer product of some examples (t, d), (d, d)."""
        distances = lengths(features, self.train, self.metric)
        values = np.exp(distances / -self.bandwidth)
        slopes = np.divide(values, distances, out=np.zeros_like(values), where=distances > 0.0) / -self.bandwidth
        total = np.zeros_like(self.metric)
        for of_class in self.coefficients.T:
            weights = slopes * of_class
            gradients = (weights.sum(axis=1)[:, None] * features - weights @ self.train) @ self.metric
            total += gradients.T @ gradients
        return total / len(features)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the metric, and fit the last regression."""
    check_class_numbers(pool, labels, order)
    check_both_classes(labels)
    features, y = to_dense(features_of(pool)), signs(labels)
    n, d = features.shape
    metric = np.eye(d)
    # equal examples are no unit
    unit = float(np.median(lengths(features, features, metric)[np.triu_indices(n, 1)])) or 1.0
    bandwidth = unit * parameters.bandwidth
    for _ in range(parameters.iterations):
        learned = _regression(features, y, metric, bandwidth, parameters.regulariser).outer_product(features)
        trace = float(np.trace(learned))
        metric = learned * (d / trace) if trace > 0.0 else metric
    return without_kernels(pool, _regression(features, y, metric, bandwidth, parameters.regulariser).scores)


def _regression(features: Floats, y: Floats, metric: Floats, bandwidth: float, regulariser: float) -> Machine:
    """Return the ridge regression with a metric."""
    from scipy.linalg import solve

    gram = np.exp(lengths(features, features, metric) / -bandwidth)
    return Machine(features, metric, bandwidth, solve(gram + regulariser * np.eye(len(y)), y, assume_a="pos"))


def lengths(first: Floats, second: Floats, metric: Floats) -> Floats:
    """Return the distances ‖x − x'‖_M, (t, n), 0 where rounding alone makes one."""
    moved = first @ metric
    norms = np.sum(moved * first, axis=1)[:, None] + np.sum((second @ metric) * second, axis=1)
    squared = norms - 2.0 * moved @ second.T
    return np.sqrt(np.where(squared > 1e-12 * norms, squared, 0.0))
