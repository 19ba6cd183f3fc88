"""OKS: online kernel selection for classification (Yang et al. 2012, Algorithm 2).

In each round one kernel is drawn from Multi(p); a mistake of its classifier costs its weight a factor exp(-eta / p) and
adds the example with the coefficient lambda y / p. Under one kernel it is the Perceptron with a step size.

As printed, a score of exactly 0 is a mistake on both classes (line 6). The default eta is the paper's, from Theorem 3;
of its two passes the paper gives delta only, see `horizon`. The prediction of a round is that of the drawn kernel;
after the last round it is that of the selected one. How several passes go on is said in `grambench.algorithms.bandit`.
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.bandit import Classifiers, Exponential, Rule, check, check_positive, run
from grambench.algorithms.fit import Fit, Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Exponential):
    """Parameters of OKS; see `Exponential` and `Selection` in `grambench.algorithms.bandit`.

    Attributes
    ----------
    delta : tuple of float
        Smoothing of the probabilities in each pass, in (0, 1).
    eta : float or None
        Step size of the weights; None takes sqrt(2 (1 - delta) ln m / (m T)).
    horizon : str
        T: the rounds of one "pass", or of "all".
    step : float
        Step size lambda of the classifiers; it changes no draw, no mistake and no selected kernel.
    select : str
        The kernel of the "largest" weight, or one "drawn" from Multi(q_T).
    budget : int
        Support vectors of each kernel's classifier at most, beyond the paper; 0 for no bound.
    """

    step: float = 1.0

    def __post_init__(self) -> None:
        Exponential.__post_init__(self)
        check_positive("step", self.step)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select a kernel; support vectors are counted over all kernels."""
    check(pool, labels, order)
    etas = parameters.etas(pool.shape[0], len(order))
    rules = [_rule(eta, parameters.step) for eta in etas]
    return run(parameters, Classifiers(pool, parameters), rules, labels, order, rng)


def _rule(eta: float, step: float) -> Rule:
    def learn(score: float, y: int, p: float) -> tuple[float, float]:
        if y * score > 0.0:  # z = 0, line 6
            return 0.0, 0.0
        return eta / p, step * y / p  # lines 7 and 8

    return learn
