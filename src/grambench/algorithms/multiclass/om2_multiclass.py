"""OM-2 (multi-class): online multi-class multi-kernel learning (Jie et al. 2010).

This is the first stage of OBSCURE with shortened steps, in the order of presentation. All kernels and classes share the
support vectors.

Formula
-------
    s(x, y) = Σ_k w^k_y · φ_k(x),   step = min(1, 1 − margin / m^(2/q)) where positive,   q = 2 ln m

With two classes it is `om2` with p of None, shortened steps and 2 f in place of f.

Complexity
----------
A visit costs O(m C). A step, taken where the margin is below 1, adds m rows to the scores of two classes, O(m n).
Memory is O(m n C).

Deviations
----------
q is at least 2, since p is at most 2.

References
----------
Jie, Orabona, Fornoni, Caputo and Cesa-Bianchi (2010). OM-2: an online multi-class multi-kernel learning algorithm. IEEE
Online Learning for Computer Vision Workshop.

Orabona, Luo and Caputo (2010). Online-batch strongly convex multi kernel learning. IEEE Conference on Computer Vision
and Pattern Recognition.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.group_norm import GroupNormClassifier, UpdateRule, dual_norm
from grambench.common.parameters import Checked, at_least, within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of OM-2.

    Attributes
    ----------
    p : float or None
        Norm of the kernels' norms, in (1, 2]; None takes that of q = 2 ln m, or 2 where that is less.
    passes : int
        Passes over the same order, at least 1.
    """

    p: Annotated[float | None, within("(1, 2]")] = None
    passes: Annotated[int, at_least(1)] = 1


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Pass over the order."""
    check_class_numbers(pool, labels, order, online=True)
    m = pool.shape[0]
    q, rounds = dual_norm(parameters.p, m), parameters.passes * len(order)
    classifier = GroupNormClassifier(pool, labels, q, rounds, 0.0)
    classifier.run(UpdateRule(slope=m ** (-2.0 / q)), parameters.passes, lambda: order)
    return classifier.fit()
