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
from grambench.algorithms.experts import learn_each, pass_work
from grambench.algorithms.fit import Fit, Trace
from grambench.algorithms.gradient import GradientParameters, expansions, gradient_classifiers
from grambench.algorithms.settings import OneKernel
from grambench.algorithms.streaming import LinearClassifiers, OneClassifier, OnlineState, Starts
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
    kernel, m = parameters.among(pool.shape[0]), pool.shape[0]
    classifiers, weights = gradient_classifiers(pool, labels, [kernel]), np.eye(m)[kernel]
    learned = learn_each(classifiers, order, labels[order], parameters.loss, parameters.eta)
    trace = Trace(
        mistakes=(learned.scores[:, 0] >= 0.0) != (labels[order] > 0),
        scores=learned.scores[:, 0],
        support_vectors=learned.sizes[:, 0],
        weights=np.tile(weights, (len(order), 1)),
        updates=(weights > 0.0) * learned.sizes[-1],
    )
    predictor = expansions(weights, np.where(weights > 0.0, learned.dual, 0.0), order)
    return Fit(
        weights=weights, predictor=predictor, trace=trace, work=pass_work(int(learned.sizes[-1, 0]), len(labels))
    )


def start(parameters: Parameters, starts: Starts, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example; see `grambench.algorithms.streaming`."""
    kernel = parameters.among(len(starts) - 1)
    return OneClassifier(LinearClassifiers(starts, [kernel]), kernel, parameters.loss, parameters.eta)
