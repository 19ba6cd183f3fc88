"""CA-1D: continuous alignment with one parameter for all features (Afkanpour et al. 2013, Algorithm 1).

Kernels come from a continuous family with one parameter instead of a grid. Each iteration adds the kernel along which
the alignment with the labels rises most, with the weight that maximises the alignment.

Formula
-------
    σ_t = argmax_σ ⟨F'(K), K_σ⟩_F,   F(K) = A(K, yy')     (eq. 2 and 3)
    K ← K + η_t K_σt,   η_t = argmax_η F(K + η K_σt)     (Proposition 2)

F is the centred alignment.

Complexity
----------
Each of at most `iterations` iterations costs O(n²) for each value of σ at which the search evaluates the family, and
O(n²) for the step; the SVM comes afterwards.

Deviations
----------
The paper searches the parameter with Matlab's fmincon from nine starts, 10^-3 to 10^5; here a scan of the range is
followed by refinement of its best lobes. The range is that of the study's dictionary, low to high; the paper gives
ranges to the finite methods alone. The initial kernel ε I is centred too, as Proposition 1 has it and Algorithm 1 does
not, which changes the first weight by about one part in n. The learned weights are scaled to sum to one
(`grambench.algorithms.stagewise`).

References
----------
Afkanpour, Szepesvári and Bowling (2013). Alignment based kernel learning with a continuous set of base kernels. Machine
Learning 91, 305-324. DOI 10.1007/s10994-013-5361-8
"""

import numpy as np

from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.stagewise import Stopping as Parameters
from grambench.algorithms.stagewise import learn
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "family"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel; the SVM is trained on it afterwards."""
    family = continuous(pool)
    return learn(family, labels, lambda slope: np.array([family.search(slope)[0]]), parameters)
