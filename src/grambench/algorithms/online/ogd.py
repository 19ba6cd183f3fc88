"""Online gradient descent: one kernel, and a gradient step on the loss of every example (Kivinen et al. 2004).

The classifier moves against the gradient of the hinge or logistic loss of each example in turn. On features that
approximate the kernel this is FOGD (Fourier) and NOGD (Nyström) of Lu et al. (2016).

Formula
-------
    f ← f − η l'(y f(x)) y K(x, ·),   l(z) = max(0, 1 − z) or log(1 + exp(−z));   ŷ = sign f(x)

Complexity
----------
On a Gram matrix a step costs O(n), since the scores of all n examples are kept; on D features a round costs O(D).

Deviations
----------
The step size is constant, as in the experiments of Lu et al., and there is no regulariser and no bound on the norm.
sign(0) = +1, as for the Perceptron.

References
----------
Kivinen, Smola and Williamson (2004). Online learning with kernels. IEEE Transactions on Signal Processing 52,
2165-2176. DOI 10.1109/TSP.2004.830991

Lu, Hoi, Wang, Zhao and Liu (2016). Large scale online kernel learning. Journal of Machine Learning Research 17(47).
"""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.fit import Fit, Trace
from grambench.algorithms.gradient import GradientParameters, gradient_pass
from grambench.algorithms.settings import OneKernel
from grambench.algorithms.streaming import OneClassifier, OnlineState, Starts
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(OneKernel, GradientParameters):
    """Parameters of online gradient descent; see `OneKernel` and `GradientParameters`."""


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Run one pass.

    Raises
    ------
    ValueError
        If the pool has no kernel of that index.
    """
    check_two_classes(pool, labels, order)
    kernel, weights = parameters.among(pool.shape[0]), np.zeros(pool.shape[0])
    weights[kernel] = 1.0
    passed = gradient_pass(parameters, pool, labels, order, [kernel])
    updated, scores = passed.updated, passed.scores[:, kernel].copy()
    trace = Trace(
        mistakes=(scores >= 0.0) != (labels[order] > 0),
        scores=scores,
        support_vectors=np.cumsum(updated[:, kernel]),
        weights=np.tile(weights, (len(order), 1)),
        updates=updated.sum(axis=0),
    )
    return Fit(weights=weights, predictor=passed.predictor(weights, order), trace=trace, work=passed.work(len(labels)))


def start(parameters: Parameters, starts: Starts, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example; see `grambench.algorithms.streaming`."""
    return OneClassifier(starts, parameters.among(len(starts) - 1), parameters.loss, parameters.eta)
