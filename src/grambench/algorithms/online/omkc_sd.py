"""OMKC(S,D): stochastic updating, deterministic combination (Hoi et al. 2013, Algorithm 3).

All Perceptrons vote, as in OMKC(D,D). Only those of the kernels drawn in the round are updated, which saves support
vectors.

Formula
-------
    q_k = θ_k / max_j θ_j,   p_k = (1 − δ) q_k + δ/m,   z_k ~ Bernoulli(p_k)
    ŷ = sign Σ_k q_k sign f_k(x)
    θ_k ← β θ_k  and  f_k ← f_k + y K_k(x, ·)     for every k with z_k = 1 and sign f_k(x) ≠ y

θ is the paper's w, and z_k the draw, which the paper calls m_k. Its z_k stands for a mistake of the kernel, which is
written sign f_k(x) ≠ y here.

Complexity
----------
As OMKC(D,D), O(M n + T m), where M counts only the mistakes of kernels in rounds that drew them.

Deviations
----------
sign(0) = +1 for each kernel and for the vote, and the order of summation is that of `grambench.algorithms.rows`, as
in `omkc_dd`. The vote is divided by the sum of its weights, as there.

The paper allows β and δ in (0, 1) (δ in Algorithms 2 and 4; the input of Algorithm 3 lacks it). β = 1 is allowed as in
`omkc_dd`, and δ = 1, since Section 4.2 says what it leads to.

Chosen by published numbers: sign(0) = +1; additions in four lanes.

References
----------
Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2

Freund and Schapire (1997). A decision-theoretic generalization of on-line learning and an application to boosting.
Journal of Computer and System Sciences 55, 119-139. DOI 10.1006/jcss.1997.1504
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from grambench.algorithms import omkc
from grambench.algorithms.hedge import Sampling
from grambench.common.parameters import within


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Sampling):
    """Parameters of OMKC(S,D).

    Attributes
    ----------
    beta : float
        Factor of a kernel's weight at each of its mistakes in a round that drew it, in (0, 1].
    delta : float
        Smoothing of the sampling probabilities, in (0, 1]; by 1 all kernels are drawn equally often.
    """

    delta: Annotated[float, within("(0, 1]")] = 0.01


fit = partial(omkc.fit, updates="drawn", votes="all")
start = partial(omkc.start, updates="drawn", votes="all")
