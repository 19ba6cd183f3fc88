"""UFO-MKL: ultra-fast optimisation for sparse multi-kernel learning (Orabona and Jie 2011).

UFO-MKL learns all classes and the weights of kernels at once, with a regulariser that gives many kernels a weight of
exactly 0. Each step adds a sub-gradient of one example's loss, and the next solution is a closed form of their sum.

Formula
-------
    minimise f(w) = λ/2 ‖w‖²_{2,p} + α ‖w‖_{2,1} + 1/n Σ_i max(0, 1 − margin_i),   λ = 1/(C n)
    margin_i = s(x_i, y_i) − max_{y ≠ y_i} s(x_i, y),   s(x, y) = Σ_k w^k_y · φ_k(x)
    where margin < 1:   θ ← θ + φ(x, y) − φ(x, ŷ),   ŷ the best other class
    v_k = max(0, ‖θ^k‖ − α t),   w^k = (v_k / ‖v‖_q)^(q−2) v_k / (λ t ‖θ^k‖) θ^k     after t examples

1/p + 1/q = 1, and by default q = 2 ln m. The last line minimises t (λ/2 ‖w‖²_{2,p} + α ‖w‖_{2,1}) − θ · w. The number α
is `sparsity`: a kernel has no weight while ‖θ^k‖ is at most α t.

Complexity
----------
A visit costs O(m C). A step, taken where the margin is below 1, adds m rows to the scores of two classes, O(m n).
Memory is O(m n C). E passes make E n visits.

Deviations
----------
Examples are not drawn but passed over in an order that is drawn anew for each pass, as in `obscure`. q is at least 2,
since p is at most 2. The last w is the solution, not a mean of all. The paper's experiments are not
reproduced here, and the default of α is ours.

References
----------
Orabona and Jie (2011). Ultra-fast optimization algorithm for sparse multi kernel learning. International Conference on
Machine Learning, 249-256.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.group_norm import GroupNormClassifier, UpdateRule, dual_norm
from grambench.common.parameters import POSITIVE, Checked, at_least, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of UFO-MKL.

    Attributes
    ----------
    C : float
        1 / (lambda n), above 0.
    sparsity : float
        alpha, at least 0; 0 gives every kernel a weight.
    p : float or None
        Norm of the kernels' norms, in (1, 2]; None takes that of q = 2 ln m, or 2 where that is less.
    epochs : int
        Passes, at least 1, each in an order of its own.
    """

    C: Annotated[float, POSITIVE] = 100.0
    sparsity: Annotated[float, at_least(0)] = 0.01
    p: Annotated[float | None, within("(1, 2]")] = None
    epochs: Annotated[int, at_least(1)] = 10


class UFOClassifier(GroupNormClassifier):
    """A multi-class classifier with the regulariser of UFO-MKL."""

    def __init__(self, parameters: Parameters, pool: Pool, labels: Labels) -> None:
        q = dual_norm(parameters.p, pool.shape[0])
        regularisation, rounds = 1.0 / (parameters.C * len(labels)), parameters.epochs * len(labels)
        super().__init__(pool, labels, q, rounds, regularisation)
        self._sparsity = parameters.sparsity
        self.rule = UpdateRule(regularisation=regularisation, sparsity=self._sparsity, averages=True)

    def regulariser(self) -> float:
        """Return lambda / 2 ||w||_{2,p}^2 + alpha ||w||_{2,1}."""
        norms, p = self.norms(), dual_norm(self.q)
        return float(0.5 * self.regularisation * (norms**p).sum() ** (2.0 / p) + self._sparsity * norms.sum())

    def certificate(self, grams: Floats) -> Certificate:
        """Return the certificate from Gram matrices (m, n, n)."""
        mean = self.alpha() / self.steps.visited[0]
        return certificates.sparse_group_norm(grams, self.labels, self.regularisation, self._sparsity, self.q, mean)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over random permutations of the examples."""
    check_class_numbers(pool, labels, order)
    classifier = UFOClassifier(parameters, pool, labels)
    classifier.run(classifier.rule, parameters.epochs, lambda: rng.permutation(order))
    return classifier.fit()
