"""MKL l2: multiple-kernel learning on the l2 sphere by gradient projection ("MKL L2" of Gai et al. 2010, Section 6).

The weights minimise the optimal value of an SVM on the combined kernel, with a Euclidean norm of one, so that all
kernels keep some weight. The descent projects gradient steps onto the sphere.

Formula
-------
    minimise J(θ) = max_α  Σ_i α_i − 1/2 Σ_k θ_k q_k(α)   over θ ≥ 0, ‖θ‖_2 = 1

The gradient is that of SimpleMKL (Rakotomamonjy et al. 2008, eq. 11). J falls along every ray, so its minimum in the
ball lies on the sphere and is that of lp-norm MKL with p = 2, whose duality gap is used.

Complexity
----------
An evaluation trains one SVM, started from the last one; a gradient adds all q_k in O(m n s) with s support vectors.

Deviations
----------
The descent stops at the duality gap. Its steps are spectral, and Armijo's rule compares with the highest of the last
ten objectives (`grambench.solvers.gradient_projection`), where the paper has the standard method.

References
----------
Gai, Chen and Zhang (2010). Learning kernels with radiuses of minimum enclosing balls. Advances in Neural Information
Processing Systems 23.

Rakotomamonjy, Bach, Canu and Grandvalet (2008). SimpleMKL. Journal of Machine Learning Research 9, 2491-2521.
"""

from functools import partial

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import Descent as Parameters
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.gradient_projection import Slope, Value
from grambench.solvers.projections import sphere


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights and train the SVM."""
    oracle = Oracle(pool, labels)
    C, tolerance = parameters.C, PRECISION * parameters.gap

    def evaluate(weights: Floats) -> Value:
        svm = oracle.train_svm(weights, C, tolerance=tolerance)

        def slope() -> Slope:
            forms = oracle.combination.quadratic_forms(svm.dual)
            difference = 0.5 * (np.linalg.norm(forms) - weights @ forms)
            return Slope(-0.5 * forms, float(difference / svm.objective) if svm.objective > 0 else 0.0)

        return Value(svm.objective, slope)

    weights, converged = oracle.minimise(evaluate, oracle.on_nonzero(sphere), np.ones(len(oracle.grams)), parameters)
    svm = oracle.train_svm(weights, C, tolerance=tolerance)
    certify = partial(certificates.mkl, oracle.grams, labels, C, weights, svm.dual, svm.bias, p=2)
    return oracle.fit(weights, svm.dual, svm.bias, certify, converged)
