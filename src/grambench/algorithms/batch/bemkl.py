"""BEMKL: Bayesian efficient multiple kernel learning by a variational approximation (Gönen 2012, ICML).

All kernels share the coefficients of the examples, and a probit model with a margin weights the output of each kernel.
The posterior is approximated by a product of distributions, each updated in turn in closed form.

Formula
-------
    a_i ~ N(0, 1/λ_i),   g_ki ~ N(Σ_j a_j K_k,ji, σ²),   e_k ~ N(0, 1/ω_k),   b ~ N(0, 1/γ)
    f_i ~ N(Σ_k e_k g_ki + b, 1),   y_i f_i > ν
    λ_i, γ ~ Gamma(1, 1),   ω_k ~ Gamma(10^−s, 10^s)   (shape and scale)

f(x) = Σ_k E[e_k] Σ_j E[a_j] k_k(x_j, x) + E[b] predicts. The sparsity s is 0 for weights that are all used, and 10 for
weights of which most vanish, as in the author's examples. Every K_k counts as scaled to a mean diagonal of 1.

Complexity
----------
O(m n³) once for Σ_k K_k². An iteration takes O(n³) for the covariance of a, and O(m n²).

Deviations
----------
The author's program starts at random values, this one at g_k = f = (1 + ν) y, e = 1 and b = 0. The result then does not
depend on a seed or on how the examples are numbered.

It stops after 200 iterations. Here the updates end earlier if no E[f_i] changes by more than `tolerance`. In place of
the probability of a class, the sign of f(x) predicts; more classes are learned one-vs-rest, and f(x) decides.

The text of the paper was not available; the model and the updates are those of the author's program.

An e_k below 0 stays in f(x), and is recorded as a weight of 0.

References
----------
Gönen (2012). Bayesian efficient multiple kernel learning. International Conference on Machine Learning, 1-8.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit, Step, Work
from grambench.algorithms.oracle import Oracle
from grambench.algorithms.per_kernel import PerKernel
from grambench.common.parameters import POSITIVE, Checked, at_least, within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of BEMKL.

    Attributes
    ----------
    sigma : float
        Standard deviation of the intermediate outputs, from 1e-6 to 1e6.
    margin : float
        nu, half of the gap between the classes, from 0 to 1e6.
    sparsity : float
        s of the prior of the weights, from 0 to 100.
    tolerance : float
        Largest change of an E[f_i] in an iteration at which the updates end.
    iterations : int
        Largest number of iterations.
    """

    sigma: Annotated[float, within("[1e-6, 1e6]")] = 0.1
    margin: Annotated[float, within("[0, 1e6]")] = 1.0
    sparsity: Annotated[float, within("[0, 100]")] = 0.0
    tolerance: Annotated[float, POSITIVE] = 1e-2
    iterations: Annotated[int, at_least(1)] = 200


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Approximate the posterior; with one class only, that class is predicted on equal weights."""
    # SciPy takes long to import.
    from scipy.linalg.lapack import dpotrf, dtrtri
    from scipy.special import log_ndtr

    oracle, y, precision = Oracle(pool, labels), labels.astype(np.float64), parameters.sigma**-2
    scales, (m, n, _), nu = oracle.unit_scales(), oracle.grams.shape, parameters.margin
    if abs(y.sum()) == n:
        return Fit(weights=scales / m, predictor=PerKernel(np.ones(m), np.zeros((m, n)), y[0] * np.eye(m)[0]))
    flat = (scales[:, None, None] * oracle.grams).reshape(m * n, n)
    squares = precision * (flat.T @ flat)
    shape, scale = 10.0**-parameters.sparsity, 10.0**parameters.sparsity
    b_e, covariance = np.append(0.0, np.ones(m)), np.eye(m + 1)
    f = (1.0 + nu) * y
    outputs, of_a, of_b, work = np.tile(f, (m, 1)), np.ones(n), 1.0, Work(kernel_values=oracle.grams.size)
    changes = []
    for _ in range(parameters.iterations):
        inverse = dtrtri(dpotrf(squares + np.diag(of_a), lower=1)[0], lower=1)[0]
        a = inverse.T @ (inverse @ (precision * (outputs.ravel() @ flat)))
        of_a = 1.5 / (1.0 + 0.5 * (a**2 + (inverse**2).sum(axis=0)))
        moments = np.outer(b_e, b_e) + covariance
        of_outputs = np.linalg.inv(precision * np.eye(m) + moments[1:, 1:])
        means = precision * (flat @ a).reshape(m, n) + np.outer(b_e[1:], f) - moments[1:, :1]
        outputs = of_outputs @ means
        of_b = 1.5 / (1.0 + 0.5 * moments[0, 0])
        of_e = (shape + 0.5) / (1.0 / scale + 0.5 * np.diagonal(moments)[1:])
        design = np.vstack([np.ones(n), outputs])
        second = design @ design.T + np.diag(np.append(of_b, of_e))
        second[1:, 1:] += n * of_outputs
        covariance = np.linalg.inv(second)
        b_e = covariance @ (design @ f)
        values = b_e @ design
        # The mean of a normal variable above nu, or below -nu; logarithms, since both terms may vanish.
        distance = y * values - nu
        old, f = f, values + y * np.exp(-0.5 * distance**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(distance))
        changes.append(float(np.abs(f - old).max()))
        work += Work(solver_steps=1, row_additions=n * n // 3 + 2 * m * n)
        if changes[-1] <= parameters.tolerance:
            break
    weights = scales * b_e[1:]
    predictor = PerKernel(np.ones(m), weights[:, None] * a, np.append(b_e[0], np.zeros(m - 1)))
    return Fit(
        weights=np.maximum(weights, 0.0),
        predictor=predictor,
        steps=[Step(0, 0, change) for change in changes],
        converged=changes[-1] <= parameters.tolerance,
        work=work,
    )
