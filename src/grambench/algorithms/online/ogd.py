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
from numpy.typing import NDArray

from grambench.algorithms.checks import check_two_classes
from grambench.algorithms.fit import Fit
from grambench.algorithms.gradient import GradientParameters, KernelExpansions, gradient_classifiers
from grambench.algorithms.scores import one_classifier_fit
from grambench.algorithms.settings import OneKernel
from grambench.algorithms.streaming import LinearClassifiers, OneClassifier, OnlineState, Starts
from grambench.common.types import Floats, Labels, Order
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
    m = pool.shape[0]
    kernel = parameters.among(m)
    weights, loss = np.eye(m)[kernel], {"loss": parameters.loss, "eta": parameters.eta}

    def predictor(support: NDArray[np.int32], dual: Floats) -> KernelExpansions:
        return KernelExpansions(weights, support, np.outer(weights, dual))

    classifiers = gradient_classifiers(pool.only([kernel]))
    return one_classifier_fit(classifiers, weights, predictor, labels, order, **loss)


def start(parameters: Parameters, starts: Starts, rng: np.random.Generator) -> OnlineState:
    """Return the state before the first example; see `grambench.algorithms.streaming`."""
    kernel = parameters.among(len(starts) - 1)
    return OneClassifier(LinearClassifiers(starts, [kernel]), kernel, parameters.loss, parameters.eta)
