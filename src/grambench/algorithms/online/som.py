"""SOM: online multiple kernel learning with single stochastic updates (Jin et al. 2010, Algorithm 3).

In each round one kernel is drawn by the weights, and only its classifier sees the example. A mistake multiplies the
kernel's weight by β and adds the example.

Formula
-------
    p = (1 − δ) w / Σ_j w_j + δ/m,   k ~ Multi(p)
    where y f_k(x) ≤ 0:   w_k ← β w_k,   f_k ← f_k + λ y K_k(x, ·)

OKS divides the exponent and the step by p.

Complexity
----------
As OKS, O(s + m) a round with s support vectors of the drawn kernel. On D features of each kernel a round costs O(D + m)
beside the features.

Deviations
----------
A score of exactly 0 is a mistake on both classes. Yang et al. (2012) compare with SOM in two passes and select the
kernel of the largest weight. They do not give the δ of its passes, which is by default that of OKS.

On a stream (`approximation`, or `partial_fit` with a `budget`) there is one pass, with the first δ.

References
----------
Jin, Hoi and Yang (2010). Online multiple kernel learning: algorithms and mistake bounds. Algorithmic Learning Theory,
390-404.

Yang, Mahdavi, Jin, Yi and Hoi (2012). Online kernel selection: algorithms and evaluations. AAAI Conference on
Artificial Intelligence.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.bandit import BanditParameters, DrawRule, OnlineClassifiers, run
from grambench.algorithms.bandit_state import KernelSelection
from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.fit import Fit
from grambench.algorithms.streaming import Basis, OnlineState
from grambench.common.parameters import POSITIVE, within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

ZERO_IS_MISTAKE = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(BanditParameters):
    """Parameters of SOM; see `BanditParameters` in `grambench.algorithms.bandit`.

    Attributes
    ----------
    beta : float
        Discount of the drawn kernel's weight at a mistake, in (0, 1].
    step : float
        Step size lambda of the classifiers; it changes no draw, no mistake and no selected kernel.
    """

    beta: Annotated[float, within("(0, 1]")] = 0.8
    step: Annotated[float, POSITIVE] = 1.0


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select a kernel; support vectors are counted over all kernels."""
    check_two_classes(pool, labels, order)
    rules = [_rule(parameters, delta) for delta in parameters.delta]
    return run(parameters, OnlineClassifiers(pool, parameters), rules, labels, order, rng)


def start(parameters: Parameters, basis: Basis, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example, for one pass; see `grambench.algorithms.streaming`."""
    return KernelSelection(parameters, _rule(parameters, parameters.delta[0]), basis, rng)


def _rule(parameters: Parameters, delta: float) -> DrawRule:
    return DrawRule(delta, -float(np.log(parameters.beta)), parameters.step, divides=False)
