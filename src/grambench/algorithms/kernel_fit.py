"""What every batch algorithm returns, the input that every one of them accepts, and the oracle that most of them call.

m base kernels, n training examples. The learned kernel is K(theta) = sum_m theta_m K_m and the decision function is
f(x) = sum_i dual_i K(theta)(x, x_i) + bias.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.certificates import Certificate
from grambench.solvers import meb, svm
from grambench.solvers.combination import Combination

Floats = NDArray[np.float64]

PRECISION = 0.1  # of machines and balls inside a descent, relative to the gap that it stops at


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFit:
    """Kernel weights and the machine trained with them.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        theta, not negative.
    dual : ndarray of float64 (n,)
        Signed coefficients of the decision function.
    bias : float
        Of the decision function.
    certificate : Certificate
        How far the fit can be from the optimum, found without the solvers.
    calls : Calls
        What the fit called and reached.
    """

    weights: Floats
    dual: Floats
    bias: float
    certificate: Certificate
    calls: "Calls"

    def decision_values(self, grams: Floats) -> Floats:
        """Return f(x) of t examples from their kernel values with the training examples, (m, t, n)."""
        values = np.full(grams.shape[1], self.bias)
        for weight, gram in zip(self.weights, grams, strict=True):
            if weight:
                values += weight * (gram @ self.dual)
        return values


class Step(NamedTuple):
    """The state after one iteration: calls of either solver so far, and the objective in the algorithm's own terms."""

    svm_calls: int
    meb_calls: int
    objective: float


@dataclass(slots=True)
class Calls:
    """Counts of solver calls, and the objective after each iteration."""

    svm: int = 0
    meb: int = 0
    steps: list[Step] = field(default_factory=list)

    def record(self, objective: float) -> None:
        """Note that an iteration has ended at this objective."""
        self.steps.append(Step(self.svm, self.meb, objective))


class Oracle:
    """Machines and balls at changing kernel weights, each solver started from its last solution.

    Parameters
    ----------
    grams : ndarray of float64 (m, n, n)
        Base Gram matrices.
    labels : ndarray of int8 (n,)
        -1 or +1.

    Attributes
    ----------
    combination : Combination
        K(theta) at the weights of the last call.
    calls : Calls
        Calls of either solver so far.
    """

    def __init__(self, grams: Floats, labels: NDArray[np.int8]) -> None:
        self.combination = Combination(grams)
        self.labels = labels
        self.calls = Calls()
        self._machine: Floats | None = None
        self._ball: Floats | None = None

    def machine(
        self,
        weights: Floats,
        C: float,
        *,
        loss: svm.Loss = "hinge",
        image: Floats | None = None,
        tolerance: float,
        max_steps: int = svm.MAX_STEPS,
    ) -> svm.Machine:
        """Train a support vector machine at kernel weights theta, (m,); `image`: K(theta) v of the last dual v."""
        self.combination.reweight(weights)
        self.calls.svm += 1
        trained = svm.train(
            self.combination,
            self.labels,
            C,
            loss=loss,
            start=self._machine,
            image=image,
            tolerance=tolerance,
            max_steps=max_steps,
        )
        self._machine = trained.dual
        return trained

    def ball(self, weights: Floats, *, ridge: float = 0.0, tolerance: float) -> meb.Ball:
        """Find the minimum enclosing ball at kernel weights theta, (m,)."""
        self.combination.reweight(weights)
        self.calls.meb += 1
        found = meb.enclose(self.combination, ridge=ridge, start=self._ball, tolerance=tolerance)
        self._ball = found.dual
        return found

    def radii(self, centre: Floats) -> Floats:
        """Return rho_m = sum_i beta_i K_m,ii - beta'K_m beta of every base kernel, (m,): the derivative of r^2."""
        return self.combination.diagonals @ centre - self.combination.quadratic_forms(centre)


def check_loss_weight(C: float) -> None:
    """Raise ValueError unless C is positive and finite."""
    if not 0.0 < C < np.inf:
        raise ValueError(f"C must be positive and finite, got {C}")


def check_stopping(gap: float, iterations: int) -> None:
    """Raise ValueError unless a relative gap to stop at and a number of iterations make sense."""
    if not 0.0 < gap < 1.0:
        raise ValueError(f"gap must lie in (0, 1), got {gap}")
    if iterations < 1:
        raise ValueError(f"iterations must be at least 1, got {iterations}")


def stratified_folds(labels: NDArray[np.int8], folds: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Split the examples into parts with equal shares of both classes; the first parts take what is left over.

    scikit-learn's StratifiedKFold spreads the remainders so that the parts are equally large. The accuracy of RKL's
    uniform SVM on splice, 51.7 +- 0.1, is the share of the larger class in the parts made here.

    Parameters
    ----------
    labels : ndarray of int8 (n,)
        -1 or +1.
    folds : int
        Number of parts.
    rng : Generator
        Shuffles each class.

    Returns
    -------
    list of ndarray of int64
        Indices of each part, ascending.
    """
    classes = [rng.permutation(np.flatnonzero(labels == label)) for label in (-1, 1)]
    shares = [np.array_split(members, folds) for members in classes]
    return [np.sort(np.concatenate(part)) for part in zip(*shares, strict=True)]
