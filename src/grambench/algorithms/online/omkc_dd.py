"""OMKC(D,D): deterministic updating, deterministic combination (Hoi et al. 2013, Algorithm 1).

Each kernel has a Perceptron, and a weighted vote of all Perceptrons predicts. At each mistake of its Perceptron, a
kernel's weight is multiplied by β (Hedge).

Formula
-------
    ŷ = sign Σ_k θ_k sign f_k(x)
    θ_k ← β θ_k  and  f_k ← f_k + y K_k(x, ·)     for every k with sign f_k(x) ≠ y

Complexity
----------
A mistake of a kernel's Perceptron costs O(n) kernel evaluations and additions, since the scores of all n examples are
kept for each kernel. With M mistakes of all kernels together, a pass over T examples costs O(M n + T m) and O(m n)
memory.

Deviations
----------
The printed algorithm counts y f_k(x) ≤ 0 as a mistake of kernel k (line 8). The published numbers need sign(0) = +1 for
each kernel and for the weighted vote, and the order of summation in `grambench.algorithms.rows`.

Line 12 prints θ^{t+1} = w^t / W_t, the weights before the update of round t. The text defines θ^t = w^t / W_t, so that
a round votes with all updates before it, as here.

The printed θ is divided by its sum in every round (line 12), which changes no sign but that of a rounding error. The
published numbers on diabetes need the sign of the vote without the division. Here the vote is divided as a whole, which
keeps its sign, so that votes of several rounds, and of several classes one-vs-rest, can be compared.

Chosen by published numbers: sign(0) = +1; additions in four lanes; the vote's weights as they are; the C library's
exponential.

The paper allows β in (0, 1); its Figure 4 goes up to 1, and so does this.

References
----------
Hoi, Jin, Zhao and Yang (2013). Online multiple kernel classification. Machine Learning 90, 289-316. DOI
10.1007/s10994-012-5319-2

Freund and Schapire (1997). A decision-theoretic generalization of on-line learning and an application to boosting.
Journal of Computer and System Sciences 55, 119-139. DOI 10.1006/jcss.1997.1504
"""

from functools import partial

from grambench.algorithms import omkc
from grambench.algorithms.hedge import Discount

Parameters = Discount
fit = partial(omkc.fit, updates="all", votes="all")
start = partial(omkc.start, updates="all", votes="all")
