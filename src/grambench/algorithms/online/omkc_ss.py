"""OMKC(S,S): stochastic updating, stochastic combination (Hoi et al. 2013, Algorithm 4).

In each round some kernels are drawn by their weights. Only the drawn kernels vote, and only their Perceptrons are
updated.

Formula
-------
    q_k = θ_k / max_j θ_j,   p_k = (1 − δ) q_k + δ/m,   z_k ~ Bernoulli(p_k)
    ŷ = sign Σ_k z_k q_k sign f_k(x)
    θ_k ← β θ_k  and  f_k ← f_k + y K_k(x, ·)     for every k with z_k = 1 and sign f_k(x) ≠ y

The support vectors after a round are those of the kernels drawn in that round.

θ is the paper's w, and z_k its m_k, the draw; its own z_k, a mistake of the kernel, is sign f_k(x) ≠ y here.

Complexity
----------
As OMKC(S,D), O(M n + T m), where M counts only the mistakes of kernels in rounds that drew them.

Deviations
----------
sign(0) = +1 for each kernel and for the vote, so a round that draws no kernel predicts +1. The order of summation is
that of `grambench.algorithms.rows`, as in `omkc_dd`. The vote is divided by the sum of the weights of the kernels
that vote.

δ = 1 is allowed, as in `omkc_sd`, and β = 1, as in `omkc_dd`.

Chosen by published numbers: sign(0) = +1; additions in four lanes.

References
----------
Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2

Freund and Schapire (1997). A decision-theoretic generalization of on-line learning and an application to boosting.
Journal of Computer and System Sciences 55, 119-139. DOI 10.1006/jcss.1997.1504
"""

from functools import partial

from grambench.algorithms import omkc
from grambench.algorithms.online.omkc_sd import Parameters as Parameters

fit = partial(omkc.fit, updates="drawn", votes="drawn")
start = partial(omkc.start, updates="drawn", votes="drawn")
