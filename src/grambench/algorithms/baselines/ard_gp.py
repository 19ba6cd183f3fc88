"""ARD GP: a Gaussian process with a width for each feature (Neal 1996; Rasmussen and Williams 2006).

The marginal likelihood of the labels selects all widths at once, without validation examples. A feature that tells
nothing gets a large width (automatic relevance determination), so that one kernel is learned from the data.

Formula
-------
    k(x, x') = a exp(−1/2 Σ_j (x_j − x'_j)² / l_j²),   s(x, c) = k(x)' (K + σ²I)⁻¹ (y_c − m_c) + m_c
    maximise  Σ_c −1/2 (y_c − m_c)' (K + σ²I)⁻¹ (y_c − m_c) − 1/2 log|K + σ²I|   over a, l and σ²

y_c is +1 for the examples of class c and −1 for all others, m_c its mean. No kernel of the pool is used, and no work is
counted.

Complexity
----------
O(n³ + n² d) for each of at most about `iterations` evaluations, with n examples of d features, whatever the number of
classes.

Deviations
----------
This is regression on labels, where a classifier would approximate the posterior (Laplace, expectation propagation) at
many times the cost. All classes share a, l and σ². L-BFGS starts once, at the median distance of two training examples
for each width, and ends after `iterations`. The objective is that of scikit-learn's GaussianProcessRegressor. Its
gradient takes O(n² d) time and O(n²) memory, where scikit-learn's needs memory for d matrices (n, n). Sparse features
are converted to dense ones.

References
----------
Neal (1996). Bayesian learning for neural networks. Lecture Notes in Statistics 118. DOI 10.1007/978-1-4612-0745-0

Rasmussen and Williams (2006). Gaussian processes for machine learning, Sections 2.3 and 5.4. MIT Press.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import check_both_classes, features_of, signs, to_dense, without_kernels
from grambench.common.parameters import Checked, at_least
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"
MANY_CLASSES = True

SCALES, WIDTHS, NOISES = (1e-2, 1e2), (1e-2, 1e3), (1e-3, 1e1)  # bounds of a, of l in median distances, and of sigma^2


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of the Gaussian process.

    Attributes
    ----------
    iterations : int
        The largest number of iterations of L-BFGS.
    """

    iterations: Annotated[int, at_least(1)] = 30


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Maximise the marginal likelihood, and solve for the coefficients."""
    from scipy.optimize import minimize

    check_class_numbers(pool, labels, order)
    check_both_classes(labels)
    features, y = to_dense(features_of(pool)), signs(labels)
    means = y.mean(axis=0)
    pairs = np.triu_indices(len(labels), 1)
    unit = float(np.sqrt(np.median(_squared(features, features)[pairs]))) or 1.0  # equal examples are no unit
    start = np.log([1.0, *[unit] * features.shape[1], 0.1])
    bounds: Any = np.log([SCALES, *[tuple(unit * width for width in WIDTHS)] * features.shape[1], NOISES])
    options: Any = {"maxiter": parameters.iterations}
    loss: Any = partial(_loss, features=features, y=y - means)
    found = minimize(loss, start, method="L-BFGS-B", jac=True, bounds=bounds, options=options)
    scale, widths, noise = _split(found.x)
    kernel = scale * np.exp(-0.5 * _squared(features / widths, features / widths))
    coefficients = np.linalg.solve(kernel + noise * np.eye(len(y)), y - means)
    return without_kernels(pool, partial(_scores, features / widths, widths, scale * coefficients, means))


def _split(logarithms: Floats) -> tuple[float, Floats, float]:
    """Return a, the widths (d,) and sigma^2."""
    values = np.exp(logarithms)
    return float(values[0]), values[1:-1], float(values[-1])


def _loss(logarithms: Floats, features: Floats, y: Floats) -> tuple[float, Floats]:
    """Return minus the logarithm of the marginal likelihood, and its gradient, (d + 2,)."""
    from scipy.linalg import cho_solve, cholesky

    (scale, widths, noise), (n, outputs) = _split(logarithms), y.shape
    scaled = features / widths
    kernel = scale * np.exp(-0.5 * _squared(scaled, scaled))
    factor = cholesky(kernel + noise * np.eye(n), lower=True)
    coefficients = cho_solve((factor, True), y)
    loss = 0.5 * np.sum(y * coefficients) + outputs * (np.log(np.diag(factor)).sum() + 0.5 * n * np.log(2.0 * np.pi))
    slope = coefficients @ coefficients.T - outputs * cho_solve((factor, True), np.eye(n))
    by_pair = slope * kernel
    # sum_ij b_ij (z_i - z_j)^2 / 2 of each feature, without an array of all pairs and features
    of_widths = by_pair.sum(axis=1) @ scaled**2 - np.sum(scaled * (by_pair @ scaled), axis=0)
    return float(loss), -np.array([0.5 * by_pair.sum(), *of_widths, 0.5 * noise * np.trace(slope)])


def _squared(first: Floats, second: Floats) -> Floats:
    """Return squared distances, (t, n)."""
    norms = np.square(first).sum(axis=1)[:, None] + np.square(second).sum(axis=1)
    return np.asarray(np.maximum(norms - 2.0 * first @ second.T, 0.0))


def _scores(train: Floats, widths: Floats, coefficients: Floats, means: Floats, features: Any) -> Floats:
    return np.asarray(np.exp(-0.5 * _squared(to_dense(features) / widths, train)) @ coefficients + means)
