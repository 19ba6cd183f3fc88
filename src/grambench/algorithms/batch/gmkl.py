"""Generalised MKL: a product of powers of kernels, learned with its SVM (Varma and Babu 2009, ICML).

The combined kernel is a product and not a sum, so that a product of Gaussians has a width for each group of features.
The exponents minimise the optimal value of the SVM and a regulariser, by projected gradient descent.

Formula
-------
    minimise T(θ) = W(θ) + σ r(θ)   over θ ≥ 0,   r(θ) = Σ_k θ_k or 1/2 Σ_k θ_k²     (their eq. 1 to 3)
    W(θ) = max_α  Σ_i α_i − 1/2 v'K(θ)v,   K(θ) = Π_k K_k^θ_k = exp(−Σ_k θ_k D_k),   v_i = y_i α_i
    ∂T/∂θ_k = σ ∂r/∂θ_k + 1/2 v'(D_k ∘ K(θ))v     (their eq. 4)

D_k = −log K_k, entry by entry. For Gaussians K_k these are squared distances, and θ_k multiplies 1/(2σ_k²).

Notes
-----
A power of a kernel exists where its entries are positive. A kernel takes part if all its entries among the training
examples are, and its diagonal is constant, to which it is scaled: Gaussian and exponential chi-square kernels. Any
other kernel, such as a polynomial or a Gaussian so narrow that entries are 0, keeps θ_k = 0. If no kernel takes part,
`fit` raises an error.

Records hold θ as weights. Their alignment is that of Σ_k θ_k K_k, which is not the learned kernel.

Complexity
----------
An evaluation of T trains one SVM, started from the last one, on a kernel formed in O(m n²). A gradient takes O(m s²),
where s is the number of support vectors.

Deviations
----------
T is not convex, and the descent ends at a stationary point. Its steps are the spectral ones of Jain, Vishwanathan and
Varma (2012), with their nonmonotone rule. The SVM's precision is fixed by the gap; theirs is tightened on the way.

The start is θ_k = 1/m, the geometric mean of the m kernels that take part. The descent stops where the linear model of
T, within 0 ≤ θ' ≤ θ + max(θ, 1/m), falls by less than the gap, relative to T.

References
----------
Varma and Babu (2009). More generality in efficient multiple kernel learning. International Conference on Machine
Learning, 1065-1072. DOI 10.1145/1553374.1553510

Jain, Vishwanathan and Varma (2012). SPG-GMKL: generalized multiple kernel learning with a million kernels. ACM SIGKDD
Conference on Knowledge Discovery and Data Mining, 750-758. DOI 10.1145/2339530.2339648
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import FormedKernels
from grambench.algorithms.settings import Descent
from grambench.common.parameters import at_least
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import svm
from grambench.solvers.gradient_projection import Slope, Value
from grambench.solvers.projections import orthant

UNEQUAL = 1e-9  # relative difference of diagonal entries that rounding may leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Descent):
    """Parameters of generalised MKL.

    Attributes
    ----------
    norm : str
        r, "l1" or "l2".
    regulariser : float
        sigma, at least 0.
    gap : float
        Decrease of the linear model of T, relative to T, to stop at.
    """

    norm: Literal["l1", "l2"] = "l1"
    regulariser: Annotated[float, at_least(0)] = 1.0
    iterations: int = 100


@dataclass(frozen=True, slots=True)
class Product:
    """f(x) = sum_i dual_i prod_k (K_k(x, x_i) / scales_k)^exponents_k + bias.

    Attributes
    ----------
    exponents : ndarray of float64 (m,)
        theta.
    scales : ndarray of float64 (m,)
        Value of each kernel of an example with itself.
    dual : ndarray of float64 (n,)
        Signed coefficients.
    bias : float
        Offset of the decision function.
    """

    exponents: Floats
    scales: Floats
    dual: Floats
    bias: float

    @property
    def support(self) -> NDArray[np.intp]:
        """The support vectors."""
        return np.flatnonzero(self.dual)

    def gram(self, pool: Pool) -> Floats:
        """Return the product of powers, (t, n)."""
        exponent, grams = np.zeros(pool.shape[1:]), pool.grams()
        for k in np.flatnonzero(self.exponents).tolist():
            exponent += self.exponents[k] * distances(grams[k], self.scales[k])
        return np.asarray(np.exp(-exponent))

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        return np.asarray(self.gram(pool) @ self.dual + self.bias)


def distances(gram: Floats, scale: float) -> Floats:
    """Return D = -log(K / scale); an entry of a test example that is 0 counts as the smallest positive number."""
    return -np.log(np.maximum(gram / scale, np.finfo(np.float64).tiny))


class Objective(FormedKernels):
    """T and its gradient.

    Attributes
    ----------
    parts : ndarray of float64 (m, n, n)
        D of the kernels that take part.
    start : ndarray of float64 (m,)
        Exponents of the geometric mean.
    """

    def __init__(self, parts: Floats, labels: Labels, parameters: Parameters, kernel_values: int) -> None:
        super().__init__(labels, parameters, kernel_values)
        self.parts, self._parameters, self.start = parts, parameters, np.full(len(parts), 1.0 / len(parts))

    def train(self, exponents: Floats) -> tuple[Floats, svm.SVM]:
        """Return K(theta), (n, n), and its SVM."""
        gram = np.exp(-np.tensordot(exponents, self.parts, 1))
        return gram, self.train_svm(gram, int(np.count_nonzero(exponents)))

    def evaluate(self, exponents: Floats) -> Value:
        """Return T, and the function that computes its slope."""
        gram, trained = self.train(exponents)
        price, penalty = np.ones(len(exponents)), exponents.sum()
        if self._parameters.norm == "l2":
            price, penalty = exponents, 0.5 * exponents @ exponents
        value = trained.objective + self._parameters.regulariser * float(penalty)

        def slope() -> Slope:
            support = np.flatnonzero(trained.dual)
            # Entries outside of the support are 0. To copy the others would take longer than to read all.
            products = np.outer(trained.dual, trained.dual) * gram
            rises = self.parts.reshape(len(self.parts), -1) @ products.ravel()
            self.work.row_additions += len(self.parts) * len(support) ** 2 // len(gram)
            gradient = self._parameters.regulariser * price + 0.5 * rises
            # The linear model falls most where every exponent moves to the end of its interval.
            moves = np.where(gradient > 0.0, exponents, np.maximum(exponents, self.start))
            return Slope(gradient, float(np.abs(gradient) @ moves) / value if value > 0.0 else 0.0)

        return Value(value, slope)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the exponents and train the SVM.

    Raises
    ------
    ValueError
        If no kernel of the pool has powers.
    """
    grams = pool.grams()
    scales = np.array([gram[0, 0] for gram in grams])
    used = np.array([_has_powers(gram) for gram in grams])
    if not used.any():
        got = f"{len(grams)} others"
        raise ValueError(f"expected a kernel with positive entries and a constant diagonal, as a Gaussian, got {got}")
    parts = np.stack([distances(grams[k], scales[k]) for k in np.flatnonzero(used).tolist()])
    objective = Objective(parts, labels, parameters, len(grams) * len(labels) ** 2)
    exponents, converged = objective.minimise(objective.evaluate, orthant, objective.start, parameters)
    gram, trained = objective.train(exponents)
    weights = np.zeros(len(grams))
    weights[used] = exponents
    predictor = Product(weights, scales, trained.dual, trained.bias)
    return objective.fit(weights, predictor, gram, trained, converged=converged)


def _has_powers(gram: Floats) -> bool:
    diagonal = np.diagonal(gram)
    return bool(gram.min() > 0.0 and np.ptp(diagonal) <= UNEQUAL * diagonal[0])
