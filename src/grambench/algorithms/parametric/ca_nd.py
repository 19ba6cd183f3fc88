"""CA-nD: continuous alignment with one parameter a feature (Afkanpour et al. 2013, Algorithm 1 with eq. 4).

Each search starts from equal parameters, the weighted mean of those that CA-1D finds (Section B.2), and subtracts
lambda ||sigma - mean(sigma)||^2 from the objective. The paper uses Matlab's fmincon; here L-BFGS-B on ln sigma, with
the analytic gradient. `grambench.algorithms.stagewise` says what else differs.
"""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from grambench.algorithms import stagewise
from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.parametric import ca_1d
from grambench.common.parameters import Rule
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.kernels.search import space

NEEDS = "family"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(stagewise.Stopping):
    """Parameters of CA-nD; those of CA-1D, and one more.

    Attributes
    ----------
    regulariser : float
        lambda of eq. (4), which draws the parameters to their mean; 0 leaves them alone.
    """

    regulariser: Annotated[float, Rule("be at least 0 and finite", lambda value: 0.0 <= value < np.inf)] = 0.0


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards.

    CA-1D is run by the first fit on a pool alone, since the regulariser changes nothing of it. It is counted by every
    fit, so that the work of one does not hang on what was fitted before.
    """
    common = ca_1d.Parameters(
        iterations=parameters.iterations,
        gain=parameters.gain,
        epsilon=parameters.epsilon,
        longest=parameters.longest,
    )
    family = continuous(pool)
    before = (common, labels.tobytes())
    if before not in family.kept:
        family.kept[before] = ca_1d.fit(common, pool, labels, order=order, rng=rng)
    simple: Fit = family.kept[before]
    start = np.full(family.features, simple.weights @ np.concatenate(simple.thetas or []))

    def search(slope: Floats) -> Floats:
        objective = family.objective(slope)

        def penalised(sigma: Floats) -> tuple[float, Floats]:
            value, gradient = objective(sigma)
            spread = sigma - sigma.mean()
            return value - parameters.regulariser * (spread @ spread), gradient - 2.0 * parameters.regulariser * spread

        return space(penalised, start, family.low, family.high)[0]

    found = stagewise.learn(family, labels, search, parameters)
    return replace(found, work=simple.work + found.work)
