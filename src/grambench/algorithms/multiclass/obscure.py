"""OBSCURE: online-batch strongly convex multi-kernel learning of more than two classes (Orabona et al. 2010).

OBSCURE learns all classes and the weights of kernels at once, by stochastic steps on a regularised multi-class hinge
loss. A first, online stage (Algorithm 1) bounds the norm of the optimum, and a second stage (Algorithm 2) descends
within that bound.

Formula
-------
    minimise f(w) = λ/2 ‖w‖²_{2,p} + 1/n Σ_i max(0, 1 − margin_i),   λ = 1/(C n)     (problem 9)
    margin_i = s(x_i, y_i) − max_{y ≠ y_i} s(x_i, y),   s(x, y) = Σ_k w^k_y · φ_k(x)

`grambench.algorithms.group_norm` has the steps, which all algorithms on this problem share. The first stage passes over
the examples until a pass makes no step, or `online` times.

Complexity
----------
A visit costs O(m C). A step, taken where the margin is below 1, adds m rows to the scores of two classes, O(m n).
Memory is O(m n C). E = `online` + `batch` passes make at most E n visits.

Deviations
----------
Algorithms 1 and 2 draw each example at random. Here the examples are passed over in an order that is drawn anew for
each pass.

The bound is the printed one, R² = 2 f(w) / λ after the first stage. The authors' program takes 2 / λ where that is
less, which holds too since f(0) = 1, and is `bounded`.

References
----------
Orabona, Luo and Caputo (2010). Online-batch strongly convex multi kernel learning. IEEE Conference on Computer Vision
and Pattern Recognition.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.group_norm import GroupNormClassifier, GroupNormParameters, UpdateRule, dual_norm
from grambench.common.parameters import POSITIVE, at_least
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(GroupNormParameters):
    """Parameters of OBSCURE.

    Attributes
    ----------
    eta : float
        Step of the first stage, above 0.
    online : int
        Passes of the first stage at most, at least 0.
    batch : int
        Passes of the second stage, at least 0.
    bounded : bool
        Whether R is also at most sqrt(2 / lambda).
    """

    eta: Annotated[float, POSITIVE] = 2.0
    online: Annotated[int, at_least(0)] = 5
    batch: Annotated[int, at_least(0)] = 5
    bounded: bool = False

    def __post_init__(self) -> None:
        GroupNormParameters.__post_init__(self)
        if self.online + self.batch < 1:
            raise ValueError(f"online and batch must be passes, at least one in all, got {self.online}, {self.batch}")


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over random permutations of the examples."""
    check_class_numbers(pool, labels, order)
    n, epochs = len(order), parameters.online + parameters.batch
    regularisation = 1.0 / (parameters.C * n)
    classifier = GroupNormClassifier(pool, labels, dual_norm(parameters.p), epochs * n, regularisation)
    online = UpdateRule(step=parameters.eta)
    classifier.run(online, parameters.online, lambda: rng.permutation(order), until_no_step=True)
    # Without a first stage f(0) = 1.
    objective = classifier.states[-1].objective if classifier.states else 1.0
    radius = np.sqrt(2.0 * objective / regularisation)  # line 12 of Algorithm 1
    if parameters.bounded:
        radius = min(radius, np.sqrt(2.0 / regularisation))
    descent = UpdateRule(regularisation=regularisation, radius=radius)
    classifier.run(descent, parameters.batch, lambda: rng.permutation(order), stage=2)
    return classifier.fit()
