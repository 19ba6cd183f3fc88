"""OM-1: online multiple kernel learning, deterministic (Jin et al. 2010, Algorithm 1; named so by Yang et al. 2012).

OM-1 is OMKC(D,D) with a step size: each kernel's Perceptron adds λ y k(x, ·) at its mistakes. Its sign is voted on with
Hedge weights.

Formula
-------
    ŷ = sign Σ_k θ_k sign f_k(x)
    θ_k ← β θ_k  and  f_k ← f_k + λ y K_k(x, ·)     for every k with sign f_k(x) ≠ y

A step λ above 0 changes no sign, so the pass is that of `omkc_dd`. Yang et al. tune the steps of OKS and
Perceptrons, and beta alone of OM-1. Here it has a step all the same, which changes nothing.

Complexity
----------
A mistake of a kernel's Perceptron costs O(n) kernel evaluations and additions, since the scores of all n examples are
kept for each kernel. With M mistakes of all kernels together, a pass over T examples costs O(M n + T m) and O(m n)
memory.

Deviations
----------
Those of `omkc_dd`: a score of 0 predicts +1, and the vote is divided by the sum of its weights.

References
----------
Jin, Hoi and Yang (2010). Online multiple kernel learning: algorithms and mistake bounds. Algorithmic Learning Theory,
390-404.

Yang, Mahdavi, Jin, Yi and Hoi (2012). Online kernel selection: algorithms and evaluations. AAAI Conference on
Artificial Intelligence.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from grambench.algorithms import omkc
from grambench.algorithms.hedge import Discount
from grambench.common.parameters import POSITIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Discount):
    """Parameters of OM-1.

    Attributes
    ----------
    step : float
        Step size of the Perceptrons, above 0; it changes nothing.
    """

    step: Annotated[float, POSITIVE] = 1.0


fit = partial(omkc.fit, updates="all", votes="all")
