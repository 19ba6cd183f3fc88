"""CA-nD: continuous alignment with one parameter a feature (Afkanpour et al. 2013, Algorithm 1 with eq. 4).

This is CA-1D with a bandwidth for each feature, so that the kernel also learns the relevance of features. A regulariser
draws the bandwidths to their mean.

Formula
-------
    σ_t = argmax_{σ ∈ (0, ∞)^d} ⟨F'(K), K_σ⟩_F − λ ‖σ − mean(σ)‖²     (eq. 4)
    K ← K + η_t K_σt,   η_t = argmax_η F(K + η K_σt)     (Proposition 2)

F is the centred alignment. Each search starts from equal parameters, the weighted mean of those of CA-1D (Section B.2).

Complexity
----------
A gradient costs O(n² d). Each of at most `iterations` iterations evaluates as many as L-BFGS-B needs; a fit of CA-1D
comes first.

Deviations
----------
The paper uses Matlab's fmincon; here L-BFGS-B works on ln σ, with the analytic gradient. Each σ stays within the range
of the study's dictionary, low to high, where the paper has none. The initial kernel ε I is centred too, as Proposition
1 has it and Algorithm 1 does not, which changes the first weight by about one part in n. The learned weights are scaled
to sum to one (`grambench.algorithms.stagewise`).

References
----------
Afkanpour, Szepesvári and Bowling (2013). Alignment based kernel learning with a continuous set of base kernels. Machine
Learning 91, 305-324. DOI 10.1007/s10994-013-5361-8
"""

from dataclasses import dataclass, fields, replace
from typing import Annotated

import numpy as np

from grambench.algorithms import stagewise
from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.parametric import ca_1d
from grambench.common.parameters import NOT_NEGATIVE
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

    regulariser: Annotated[float, NOT_NEGATIVE] = 0.0


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards.

    Only the first fit on a pool runs CA-1D, which does not depend on the regulariser. Every fit counts its work, which
    therefore does not depend on earlier fits.
    """
    names = [field.name for field in fields(stagewise.Stopping)]
    stopping = stagewise.Stopping(**{name: getattr(parameters, name) for name in names})
    family = continuous(pool)
    key = (stopping, labels.tobytes())
    if key not in family.kept:
        family.kept[key] = ca_1d.fit(stopping, pool, labels, order=order, rng=rng)
    one_parameter: Fit = family.kept[key]
    start = np.full(family.features, one_parameter.weights @ np.concatenate(one_parameter.thetas or []))

    def search(slope: Floats) -> Floats:
        objective = family.objective(slope)

        def penalised(sigma: Floats) -> tuple[float, Floats]:
            value, gradient = objective(sigma)
            spread = sigma - sigma.mean()
            return value - parameters.regulariser * (spread @ spread), gradient - 2.0 * parameters.regulariser * spread

        return space(penalised, start, family.low, family.high)[0]

    learned = stagewise.learn(family, labels, search, parameters)
    return replace(learned, work=one_parameter.work + learned.work)
