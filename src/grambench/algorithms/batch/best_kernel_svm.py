"""Best kernel: a support vector machine on the base kernel with the best cross-validated accuracy.

The baseline that no combination of kernels should lose to. The folds are stratified and drawn from the given stream;
the first of several equal kernels is taken.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.kernel_fit import Calls, KernelFit, check_loss_weight, stratified_folds
from grambench.solvers import certificates, svm
from grambench.solvers.combination import Combination


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of the best-kernel machine.

    Attributes
    ----------
    C : float
        Weight of the hinge loss.
    folds : int
        Folds of the cross-validation that chooses the kernel.
    """

    C: float = 1.0
    folds: int = 3

    def __post_init__(self) -> None:
        check_loss_weight(self.C)
        if self.folds < 2:
            raise ValueError(f"folds must be at least 2, got {self.folds}")


def fit(
    parameters: Parameters, grams: NDArray[np.float64], labels: NDArray[np.int8], *, rng: np.random.Generator
) -> KernelFit:
    """Choose the kernel and train the machine on all examples.

    Parameters
    ----------
    parameters : Parameters
        C and the number of folds.
    grams : ndarray of float64 (m, n, n)
        Base Gram matrices.
    labels : ndarray of int8 (n,)
        -1 or +1.
    rng : Generator
        Draws the folds.

    Raises
    ------
    ValueError
        If no class has two examples, so that a fold leaves nothing to train on.
    """
    calls = Calls()
    right = np.zeros(len(grams), dtype=np.int64)
    for held_out in stratified_folds(labels, parameters.folds, rng):
        kept = np.setdiff1d(np.arange(len(labels)), held_out)
        if kept.size == 0:
            raise ValueError(f"cross-validation: expected a class with at least 2 examples, got {len(labels)} examples")
        for k, gram in enumerate(grams):
            machine = svm.train(Combination.single(gram[np.ix_(kept, kept)]), labels[kept], parameters.C)
            values = gram[np.ix_(held_out, kept)] @ machine.dual + machine.bias
            right[k] += np.count_nonzero((values >= 0.0) == (labels[held_out] > 0))
            calls.svm += 1
    best = int(np.argmax(right))
    machine = svm.train(Combination.single(grams[best]), labels, parameters.C)
    calls.svm += 1
    calls.record(machine.objective)
    return KernelFit(
        weights=np.eye(len(grams))[best],
        dual=machine.dual,
        bias=machine.bias,
        certificate=certificates.machine(grams[best], labels, parameters.C, machine.dual, machine.bias),
        calls=calls,
    )
