"""Localised MKL: kernel weights that depend on the example, by a softmax gate (Gönen and Alpaydın 2008, ICML).

A gate on the features decides how much each kernel counts for an example. Training alternates between an SVM on the
gated kernels and a step of the gate along the gradient of the SVM's optimal value.

Formula
-------
    f(x) = Σ_k η_k(x) Σ_i v_i η_k(x_i) k_k(x, x_i) + b,   η_k(x) = exp(a_k'x + a_k0) / Σ_l exp(a_l'x + a_l0)
    J = max_α  Σ_i α_i − 1/2 Σ_ij v_i v_j K_η(x_i, x_j),   K_η(x, x') = Σ_k η_k(x) k_k(x, x') η_k(x'),   v_i = y_i α_i
    ∂J/∂a_k = −Σ_i (R_ki − η_k(x_i) Σ_l R_li) x_i,   R_ki = v_i η_k(x_i) Σ_j v_j η_k(x_j) k_k(x_i, x_j)

The gradient is the paper's double sum over i and j, whose two halves are equal; that of a_k0 has 1 in place of x_i.

Notes
-----
No kernel has one weight for all examples, so none is recorded. A mean of η_k would show weight on kernels of pure
noise, which the gate gives to examples where no kernel matters.

The certificate is that of the SVM at the gate that was found. It does not bound how far the gate is from the best one:
from other first gates the descent may end at a J that is several times as large.

Complexity
----------
An evaluation of J trains one SVM, started from the last one, on a kernel formed in O(m n²). A gradient takes
O(m n s + m n d), with s support vectors and d features.

Deviations
----------
J is not convex. The descent ends where the gradient is short, which can be a plateau of the softmax, or after
`iterations` steps. The steps are spectral ones with a nonmonotone rule, in place of the paper's plain gradient steps.

The gate sees features of mean 0 and variance 1. It starts, as in the paper, from small random numbers, which the seed
of a run decides.

References
----------
Gönen and Alpaydın (2008). Localized multiple kernel learning. International Conference on Machine Learning, 352-359.
DOI 10.1145/1390156.1390201
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import features_of, to_dense
from grambench.algorithms.oracle import FormedKernels
from grambench.algorithms.settings import Descent
from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool, stacked
from grambench.solvers import svm
from grambench.solvers.gradient_projection import Slope, Value

NEEDS = "features"
SPREAD = 0.01  # standard deviation of the gate's first coefficients
CONSTANT = 1e-12  # of a feature's mean: a spread that rounding alone makes


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Descent):
    """Parameters of localised MKL.

    Attributes
    ----------
    gap : float
        Length of the gradient, relative to J, to stop at.
    """

    iterations: int = 50


class Inputs(NamedTuple):
    """Mean and standard deviation of the training features, (d,), by which the gate's inputs are scaled."""

    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, features: Floats) -> "Inputs":
        """Return those of some examples; a constant feature keeps its scale."""
        centre, scale = features.mean(axis=0), features.std(axis=0)
        return cls(centre, np.where(scale > CONSTANT * np.abs(centre), scale, 1.0))

    def of_examples(self, features: Any) -> Floats:
        """Return the inputs (t, d + 1), the last of which is 1."""
        return np.column_stack([(to_dense(features) - self.centre) / self.scale, np.ones(features.shape[0])])


def gates(coefficients: Floats, inputs: Floats) -> Floats:
    """Return eta of the examples, (m, t), for coefficients (m, d + 1)."""
    exponents = coefficients @ inputs.T
    shares = np.exp(exponents - exponents.max(axis=0))
    return np.asarray(shares / shares.sum(axis=0))


@dataclass(frozen=True, slots=True)
class Localised:
    """f(x) = sum_k eta_k(x) sum_i duals_ki K_k(x, x_i) + bias.

    Attributes
    ----------
    inputs : Inputs
        Scale of the gate's inputs.
    coefficients : ndarray of float64 (m, d + 1)
        a, the last column of which is a_k0.
    duals : ndarray of float64 (m, n)
        v_i eta_k(x_i).
    bias : float
        Offset of the decision function.
    """

    inputs: Inputs
    coefficients: Floats
    duals: Floats
    bias: float

    @property
    def support(self) -> NDArray[np.intp]:
        """The support vectors."""
        return np.flatnonzero(self.duals.any(axis=0))

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        shares = gates(self.coefficients, self.inputs.of_examples(features_of(pool)))
        values = np.full(pool.shape[1], self.bias)
        for share, gram, dual in zip(shares, pool.grams(), self.duals, strict=True):
            values += share * (gram @ dual)
        return values


class Objective(FormedKernels):
    """J and its gradient."""

    def __init__(self, grams: Floats, inputs: Floats, labels: Labels, parameters: Parameters) -> None:
        super().__init__(labels, parameters, grams.size)
        self._grams, self._inputs = grams, inputs

    def train(self, coefficients: Floats) -> tuple[Floats, Floats, svm.SVM]:
        """Return eta of the training examples, (m, n), the Gram matrix K_eta and its SVM."""
        shares = gates(coefficients.reshape(len(self._grams), -1), self._inputs)
        gram = _gated(self._grams, shares)
        return shares, gram, self.train_svm(gram, len(self._grams))

    def evaluate(self, coefficients: Floats) -> Value:
        """Return J, and the function that computes its slope."""
        shares, _, trained = self.train(coefficients)
        value = trained.objective

        def slope() -> Slope:
            gated, support = trained.dual * shares, np.flatnonzero(trained.dual)
            forms = np.stack([v * (each @ v) for v, each in zip(gated, self._grams, strict=True)])
            self.work.row_additions += len(self._grams) * len(support)
            gradient = -((forms - shares * forms.sum(axis=0)) @ self._inputs).ravel()
            return Slope(gradient, float(np.linalg.norm(gradient)) / value if value > 0.0 else 0.0)

        return Value(value, slope)


@njit(cache=True)
def _gated(grams, shares):  # type: ignore[no-untyped-def]
    """Return K_eta, (n, n), from the Gram matrices (m, n, n) and eta (m, n)."""
    m, n, _ = grams.shape
    gram = np.zeros((n, n))
    for i in range(n):
        # One row at a time stays in the processor's cache while all kernels add to it.
        row = gram[i, i:]
        for k in range(m):
            values, others, share = grams[k, i, i:], shares[k, i:], shares[k, i]
            for j in range(n - i):
                row[j] += share * values[j] * others[j]
        # A loop, since assigning a slice compiles the text of an error for three seconds.
        for j in range(i + 1, n):
            gram[j, i] = gram[i, j]
    return gram


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the gate and train the SVM."""
    features = to_dense(features_of(pool))
    inputs = Inputs.of(features)
    objective = Objective(stacked(pool), inputs.of_examples(features), labels, parameters)
    start = rng.normal(scale=SPREAD, size=pool.shape[0] * (features.shape[1] + 1))
    coefficients, converged = objective.minimise(objective.evaluate, lambda point: point, start, parameters)
    shares, gram, trained = objective.train(coefficients)
    predictor = Localised(inputs, coefficients.reshape(len(shares), -1), trained.dual * shares, trained.bias)
    return objective.fit(np.zeros(len(shares)), predictor, gram, trained, converged=converged)
