"""OKS: online kernel selection for classification (Yang et al. 2012, Algorithm 2).

In each round one kernel is drawn by the weights, and only its classifier sees the example. A mistake reduces the weight
exponentially, more for kernels that are rarely drawn, and after the last round the kernel with the largest weight is
selected.

Formula
-------
    q = w / Σ_j w_j,   p = (1 − δ) q + δ/m,   k ~ Multi(p)
    where y f_k(x) ≤ 0:   w_k ← w_k exp(−η / p_k),   f_k ← f_k + λ y / p_k K_k(x, ·)

Under one kernel this is the Perceptron with a step size. The prediction of a round is that of the drawn kernel. After
the last round it is that of the selected kernel.

Complexity
----------
A round costs O(s + m): s kernel evaluations between the example and the s support vectors of the drawn kernel, and a
draw. E passes over n examples cost at most O(E n (n + m)), and in general far less, as s counts only mistakes in rounds
that drew the kernel. On D features of each kernel a round costs O(D + m) beside the features.

Deviations
----------
Lines 9 and 11 print q_t = w_t / Σ_j w_j and output q_T, from the weights before the update of round t, though line 5 of
the next round draws by p_{t+1}. Here a round draws with all updates before it, and the selected kernel has the largest
weight after the last update. The weights of the fit are 1 for this kernel and 0 for the others; q is in the trace.

As printed, a score of exactly 0 is a mistake on both classes (line 6). The default η is the paper's, from Theorem 3.
The paper makes two passes and gives δ for each, but neither T nor η for them, see `horizon`.
`grambench.algorithms.bandit` says how several passes continue.

The fit predicts with the Perceptron of the selected kernel. OKS-SVM, an SVM on this kernel, is `then: single_kernel` in
study oks; an estimator trains one as `KernelClassifier("single_kernel", [name])` with the name of the kernel.

On a stream (`approximation`, or `partial_fit` with a `budget`) the number of rounds T is not known and there is one
pass. Round t then has the default η for T = t, with all losses so far, and the first δ.

References
----------
Yang, Mahdavi, Jin, Yi and Hoi (2012). Online kernel selection: algorithms and evaluations. AAAI Conference on
Artificial Intelligence.

Auer, Cesa-Bianchi and Gentile (2002). Adaptive and self-confident on-line learning algorithms. Journal of Computer and
System Sciences 64, 48-75. DOI 10.1006/jcss.2001.1795
"""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from grambench.algorithms.bandit import DrawRule, ExponentialWeights, OnlineClassifiers, run
from grambench.algorithms.bandit_state import KernelSelection
from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.fit import Fit
from grambench.algorithms.streaming import Basis, OnlineState, kernel_count
from grambench.common.parameters import POSITIVE
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

ZERO_IS_MISTAKE = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(ExponentialWeights):
    """Parameters of OKS; see `ExponentialWeights` and `BanditParameters` in `grambench.algorithms.bandit`.

    Attributes
    ----------
    step : float
        Step size lambda of the classifiers; it changes no draw, no mistake and no selected kernel.
    """

    step: Annotated[float, POSITIVE] = 1.0


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select a kernel; support vectors are counted over all kernels."""
    check_two_classes(pool, labels, order)
    etas = zip(parameters.delta, parameters.etas(pool.shape[0], len(order)), strict=True)
    rules = [DrawRule(delta, eta, parameters.step, divides=True) for delta, eta in etas]
    return run(parameters, OnlineClassifiers(pool, parameters), rules, labels, order, rng)


def start(parameters: Parameters, basis: Basis, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example, for one pass; see `grambench.algorithms.streaming`."""
    first = replace(parameters, delta=parameters.delta[:1])
    # That of T = 1, which round t divides by the square root of t.
    eta = first.etas(kernel_count(basis), 1)[0]
    rule = DrawRule(first.delta[0], eta, first.step, divides=True, decays=first.eta is None)
    return KernelSelection(first, rule, basis, rng)
