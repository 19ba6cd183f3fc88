"""OMKC(D,S): deterministic updating, stochastic combination (Hoi et al. 2013, Algorithm 2).

All Perceptrons that err are updated, as in OMKC(D,D). Only the kernels that are drawn in the round vote.

Formula
-------
    q_k = θ_k / max_j θ_j,   p_k = (1 − δ) q_k + δ/m,   z_k ~ Bernoulli(p_k)
    ŷ = sign Σ_k z_k q_k sign f_k(x)
    θ_k ← β θ_k  and  f_k ← f_k + y K_k(x, ·)     for every k with sign f_k(x) ≠ y

The support vectors after a round are those of the kernels drawn in that round.

θ is the paper's w, and z_k its m_k, the draw; its own z_k, a mistake of the kernel, is sign f_k(x) ≠ y here.

Complexity
----------
A mistake of a kernel's Perceptron costs O(n) kernel evaluations and additions, since the scores of all n examples are
kept for each kernel. With M mistakes of all kernels together, a pass over T examples costs O(M n + T m) and O(m n)
memory.

Deviations
----------
Each of these deviations from the printed algorithm is one that the published numbers need (docs/papers/omkc.md).
Kernels are drawn with the smoothed probability p of Section 4.2, not with q (line 5), though Algorithm 2 has the δ of p
among its inputs. The vote of the drawn kernels is weighted by q, as in Algorithm 4, not plain (line 8). A score of 0
predicts +1, for each kernel and for the vote, and the order of summation is that of `grambench.algorithms.rows`.

The vote is divided by the sum of the weights of the kernels that vote, as in `omkc_dd`.

Chosen by published numbers: sign(0) = +1; additions in four lanes; kernels drawn by p, weighted by q.

References
----------
Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2

Freund and Schapire (1997). A decision-theoretic generalization of on-line learning and an application to boosting.
Journal of Computer and System Sciences 55, 119-139. DOI 10.1006/jcss.1997.1504
"""

from functools import partial

from grambench.algorithms import omkc
from grambench.algorithms.hedge import Sampling

Parameters = Sampling
fit = partial(omkc.fit, updates="all", votes="drawn")
start = partial(omkc.start, updates="all", votes="drawn")
