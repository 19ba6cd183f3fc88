"""Pegasos: stochastic sub-gradient descent on the problem of OBSCURE (Orabona et al. 2010, Section 4.1).

This is the algorithm of Shalev-Shwartz et al. (2007), extended to group norms and without its projection. It is
Algorithm 2 of OBSCURE from w = 0, without the online stage and without a bound on the norm.

Formula
-------
    minimise f(w) = λ/2 ‖w‖²_{2,p} + 1/n Σ_i max(0, 1 − margin_i),   λ = 1/(C n)
    η_t = q / (λ t),   1/p + 1/q = 1

Complexity
----------
A visit costs O(m C). A step, taken where the margin is below 1, adds m rows to the scores of two classes, O(m n).
Memory is O(m n C). E passes make E n visits.

Deviations
----------
Nothing is projected. Shalev-Shwartz et al. (2007) project w after each step onto a ball that contains the optimum, as
Section 3 of OBSCURE recalls; in their paper of 2011 this step is optional. As in `obscure`, examples are passed over in
an order that is drawn anew for each pass.

References
----------
Shalev-Shwartz, Singer and Srebro (2007). Pegasos: primal estimated sub-gradient solver for SVM. International
Conference on Machine Learning, 807-814. DOI 10.1145/1273496.1273598

Shalev-Shwartz, Singer, Srebro and Cotter (2011). Pegasos: primal estimated sub-gradient solver for SVM. Mathematical
Programming 127, 3-30. DOI 10.1007/s10107-010-0420-4

Orabona, Luo and Caputo (2010). Online-batch strongly convex multi kernel learning. IEEE Conference on Computer Vision
and Pattern Recognition.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.group_norm import GroupNormClassifier, GroupNormParameters, UpdateRule, dual_norm
from grambench.common.parameters import at_least
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(GroupNormParameters):
    """Parameters of Pegasos.

    Attributes
    ----------
    epochs : int
        Passes, at least 1, each in an order of its own.
    """

    epochs: Annotated[int, at_least(1)] = 10


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over random permutations of the examples."""
    check_class_numbers(pool, labels, order)
    regularisation, rounds = 1.0 / (parameters.C * len(order)), parameters.epochs * len(order)
    classifier = GroupNormClassifier(pool, labels, dual_norm(parameters.p), rounds, regularisation)
    rule = UpdateRule(regularisation=regularisation)
    classifier.run(rule, parameters.epochs, lambda: rng.permutation(order))
    return classifier.fit()
