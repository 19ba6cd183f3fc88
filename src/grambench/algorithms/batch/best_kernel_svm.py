"""Best kernel: an SVM on the base kernel with the best cross-validated accuracy.

Each kernel has its own SVM, and cross-validation selects one kernel. This is the baseline that a combination of kernels
should beat.

Formula
-------
    k* = argmax_k  correct predictions of the C-SVC on K_k in cross-validation,   then a C-SVC on K_k*

The folds are stratified and random; ties go to the first kernel.

Complexity
----------
m · folds SVMs on n (1 − 1/folds) examples each, and one on all. They read O(m n²) kernel values.

Deviations
----------
None; the baseline has no paper of its own.

References
----------
Cortes and Vapnik (1995). Support-vector networks. Machine Learning 20, 273-297. DOI 10.1007/BF00994018
"""

from functools import partial

import numpy as np

from grambench.algorithms.fit import Fit, Step, Work, predictor_on
from grambench.algorithms.oracle import cross_validated_hits
from grambench.algorithms.per_kernel import train_svm
from grambench.algorithms.settings import CrossValidated as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool, stacked
from grambench.solvers import certificates
from grambench.solvers.combination import Combination


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select the kernel and train the SVM on all examples."""
    grams, work = stacked(pool), Work()
    work.kernel_values = grams.size
    best = int(np.argmax(cross_validated_hits(grams, labels, parameters, np.arange(len(labels)), rng, work)))
    trained = train_svm(Combination.single(grams[best]), labels, parameters.C, work)
    weights = np.eye(len(grams))[best]
    return Fit(
        weights=weights,
        predictor=predictor_on(pool, weights, trained.dual, trained.bias),
        thetas=pool.thetas,
        steps=[Step(work.svm_calls, 0, trained.objective)],
        certify=partial(certificates.svm, grams[best], labels, parameters.C, trained.dual, trained.bias),
        work=work,
    )
