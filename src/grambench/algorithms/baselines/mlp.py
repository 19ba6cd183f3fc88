"""MLP: a neural network with one hidden layer of rectified linear units (Rumelhart, Hinton and Williams 1986).

A small network learns its own features. f(x) are the log-odds.

Formula
-------
    f(x) = v' max(0, W x + a) + b,   minimise  Σ_i log(1 + exp(−y_i f(x_i))) + α/2 (‖W‖² + ‖v‖²)

No kernel is used, and no work is counted.

Complexity
----------
O(n d h) for each of at most `iterations` gradients, with n examples of d features and h hidden units.

Deviations
----------
This is scikit-learn's MLPClassifier with L-BFGS, which suits a few thousand examples. It may stop before a minimum.
Sparse features are converted to dense ones.

References
----------
Rumelhart, Hinton and Williams (1986). Learning representations by back-propagating errors. Nature 323, 533-536. DOI
10.1038/323533a0
"""

import warnings
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import draw_seed, fit_model, to_dense
from grambench.common.parameters import POSITIVE, Checked, at_least
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of the network.

    Attributes
    ----------
    alpha : float
        Weight of the squared weights of the network.
    hidden : int
        The number of hidden units.
    iterations : int
        Largest number of iterations of L-BFGS.
    """

    alpha: Annotated[float, POSITIVE] = 1.0
    hidden: Annotated[int, at_least(1)] = 32
    iterations: Annotated[int, at_least(1)] = 200


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train the network."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(
        (parameters.hidden,),
        alpha=parameters.alpha,
        solver="lbfgs",
        max_iter=parameters.iterations,
        random_state=draw_seed(rng),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit_model(model, pool, labels, _log_odds, dense=True)


def _log_odds(model: Any, features: Any) -> Floats:
    with np.errstate(divide="ignore"):  # of a probability of 0
        log_probabilities = model.predict_log_proba(to_dense(features)).clip(-700.0)
    return np.asarray(log_probabilities[:, 1] - log_probabilities[:, 0])
