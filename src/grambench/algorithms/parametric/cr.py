"""CR: continuous regularised risk (Argyriou et al. 2005, COLT; CA, Table 1, Afkanpour et al. 2013).

The algorithm minimises the regularised squared error over the convex hull of a continuous family of kernels. Each
iteration finds the kernel along which the risk falls most, and mixes it in by a line search.

Formula
-------
    minimise g(K) = y'(K + γ I)^{-1} y   over the convex hull of all K_σ
    c = (K + γ I)^{-1} y,   σ = argmax_σ c'K_σ c,   K ← (1 − λ) K + λ K_σ

g is the least value of Σ_i (y_i − f(x_i))² + γ ‖f‖², up to the factor γ, and convex in K. The iterations end when c'K_σ
c is not larger than c'Kc: then no kernel of the hull is better.

Complexity
----------
Each of at most `iterations` iterations costs O(n²) for each value of σ at which the search evaluates the family, and
O(n³) for each step of the line search.

Deviations
----------
The search scans the range of the parameter and refines its best lobes, where the papers use a gradient method from
several starts. The range is that of the study's dictionary, low to high; Afkanpour et al. (2013) give ranges to the
finite methods alone. The paper's tolerance is absolute; here iterations end when the bound on the remaining decrease is
small relative to g(K), or at the largest number of kernels (`grambench.algorithms.greedy_risk`).

References
----------
Argyriou, Micchelli and Pontil (2005). Learning convex combinations of continuously parameterized basic kernels.
Conference on Learning Theory, 338-352.

Afkanpour, Szepesvári and Bowling (2013). Alignment based kernel learning with a continuous set of base kernels. Machine
Learning 91, 305-324. DOI 10.1007/s10994-013-5361-8
"""

import numpy as np

from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.greedy_risk import Parameters, learn
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "family"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel and its predictor."""
    family = continuous(pool)
    return learn(parameters, family, labels, family.search)
