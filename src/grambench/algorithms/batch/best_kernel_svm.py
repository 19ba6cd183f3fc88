"""Best kernel: an SVM on the base kernel with the best cross-validated accuracy.

The baseline that no combination of kernels should lose to. The folds are stratified and drawn from the given stream;
the first of several equal kernels is taken.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit, Step, Work, predictor_on
from grambench.algorithms.oracle import stratified_folds
from grambench.algorithms.settings import Cost
from grambench.common.parameters import at_least
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool, stacked
from grambench.solvers import certificates, svm
from grambench.solvers.combination import Combination


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Cost):
    """Parameters of the best-kernel SVM.

    Attributes
    ----------
    folds : int
        Folds of the cross-validation that chooses the kernel.
    """

    folds: Annotated[int, at_least(2)] = 3


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Choose the kernel and train the SVM on all examples.

    Raises
    ------
    ValueError
        If no class has two examples, so that a fold leaves nothing to train on.
    """
    grams, work = stacked(pool), Work()
    work.kernel_values = grams.size

    def train_on(gram: Floats, chosen: Labels) -> svm.SVM:
        trained = svm.train(Combination.single(gram), chosen, parameters.C)
        work.svm_calls += 1
        work.solver_steps += trained.steps
        work.row_additions += 2 * trained.steps
        return trained

    right = np.zeros(len(grams), dtype=np.int64)
    for held_out in stratified_folds(labels, parameters.folds, rng):
        kept = np.setdiff1d(np.arange(len(labels)), held_out)
        if kept.size == 0:
            raise ValueError(f"cross-validation: expected a class with at least 2 examples, got {len(labels)} examples")
        for k, gram in enumerate(grams):
            trained = train_on(gram[np.ix_(kept, kept)], labels[kept])
            values = gram[np.ix_(held_out, kept)] @ trained.dual + trained.bias
            right[k] += np.count_nonzero((values >= 0.0) == (labels[held_out] > 0))
    best = int(np.argmax(right))
    trained = train_on(grams[best], labels)
    weights = np.eye(len(grams))[best]
    return Fit(
        weights=weights,
        predictor=predictor_on(pool, weights, trained.dual, trained.bias),
        thetas=pool.thetas,
        steps=[Step(work.svm_calls, 0, trained.objective)],
        certify=partial(certificates.svm, grams[best], labels, parameters.C, trained.dual, trained.bias),
        work=work,
    )
