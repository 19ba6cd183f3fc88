"""SVMs and MEBs on combinations of the pool's kernels, the building blocks of most batch algorithms.

m base kernels, n training examples. The learned kernel is K(theta) = sum_m theta_m K_m and the decision function is
f(x) = sum_i dual_i K(theta)(x, x_i) + bias.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Fit, Predictor, Step, Work, predictor_on
from grambench.algorithms.per_kernel import cross_validated_scores, train_svm
from grambench.algorithms.settings import CrossValidated, Descent, HullDescent
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool, stacked
from grambench.solvers import certificates, gradient_projection, meb, svm
from grambench.solvers.certificates import Certificate
from grambench.solvers.combination import Combination, SummedCombination
from grambench.solvers.gradient_projection import Minimum, Value

PRECISION = 0.1  # of SVMs and MEBs inside a descent, relative to the gap that it stops at


class Descending:
    """The work of a descent, its recorded iterations, and gradient projection.

    Parameters
    ----------
    kernel_values : int
        Kernel evaluations so far.

    Attributes
    ----------
    work : Work
        Work so far.
    steps : list of Step
        The recorded iterations.
    """

    def __init__(self, kernel_values: int) -> None:
        self.work, self.steps = Work(kernel_values=kernel_values), list[Step]()

    def record(self, objective: float) -> None:
        """Record the end of an iteration at this objective."""
        self.steps.append(Step(self.work.svm_calls, self.work.meb_calls, objective))

    def minimise(
        self,
        evaluate: Callable[[Floats], Value],
        project: Callable[[Floats], Floats],
        start: Floats,
        stop: Descent | HullDescent,
    ) -> Minimum:
        """Minimise an objective by gradient projection, and record its iterations.

        Parameters
        ----------
        evaluate, project, start
            See `grambench.solvers.gradient_projection.minimise`.
        stop : Descent or HullDescent
            Relative gap and number of iterations at which it stops.
        """
        return gradient_projection.minimise(
            evaluate, project, start, gap=stop.gap, iterations=stop.iterations, record=self.record
        )


class Oracle(Descending):
    """SVMs and MEBs at changing kernel weights, each solver started from its last solution.

    Parameters
    ----------
    pool : Pool
        Base kernels among the training examples.
    labels : ndarray of int8 (n,)
        -1 or +1.
    sums : bool
        Whether a pool that stores no Gram matrices is asked for sums over its kernels alone.

    Attributes
    ----------
    grams : ndarray of float64 (m, n, n)
        Base Gram matrices; none if the pool is asked for sums alone.
    combination : Combination
        K(theta) at the weights of the last call.
    nonzero : ndarray of bool (m,)
        Kernels that are not 0 on the training examples; all if all are 0.
    work, steps
        See Descending; the combination counts its own row additions.
    """

    def __init__(self, pool: Pool, labels: Labels, *, sums: bool = False) -> None:
        self.pool, self.labels = pool, labels
        if sums and not pool.stores_grams:
            super().__init__(0)
            self.combination: Combination = SummedCombination(pool)
        else:
            self.grams = stacked(pool)
            super().__init__(self.grams.size)
            self.combination = Combination(self.grams)
        svm.check_labels(self.combination, labels)
        self.nonzero = self.combination.diagonals.any(axis=1)
        self.nonzero |= not self.nonzero.any()
        self._computed = pool.computed
        self._svm_dual: Floats | None = None
        self._meb_dual: Floats | None = None

    def on_nonzero(self, project: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
        """Return a projection of weights, (m,), that leaves none to a kernel that is 0, which tells nothing."""

        def project_nonzero(point: Floats) -> Floats:
            projected = np.zeros_like(point)
            projected[self.nonzero] = project(point[self.nonzero])
            return projected

        return project if self.nonzero.all() else project_nonzero

    def train_svm(self, weights: Floats, C: float, **options: Any) -> svm.SVM:
        """Train an SVM at kernel weights theta, (m,), from the previous dual v; the option `image` is K(theta) v."""
        self.combination.reweight(weights)
        trained = train_svm(self.combination, self.labels, C, self.work, start=self._svm_dual, **options)
        self._svm_dual = trained.dual
        return trained

    def enclose(self, weights: Floats, *, ridge: float = 0.0, tolerance: float) -> meb.MEB:
        """Return the minimum enclosing ball at kernel weights theta, (m,)."""
        self.combination.reweight(weights)
        # An SVM at the same weights reads these rows afterwards.
        if self._svm_dual is not None:
            self.combination.compute(self._svm_dual != 0.0)
        ball = meb.enclose(self.combination, ridge=ridge, start=self._meb_dual, tolerance=tolerance)
        self._meb_dual = ball.dual
        self.work.meb_calls += 1
        self.work.count_steps(ball.steps)
        return ball

    def forms_and_radii(self, dual: Floats, centre: Floats) -> tuple[Floats, Floats]:
        """Return q_m = v'K_m v and rho_m = sum_i beta_i K_m,ii - beta'K_m beta of every base kernel, each (m,).

        These are derivatives: the q_m of ||w||^2 at fixed v, and the rho_m of r^2.
        """
        forms, of_centre = self.combination.quadratic_forms(np.stack([dual, centre]))
        return forms, self.combination.diagonal_sums(centre) - of_centre

    def unit_scales(self) -> Floats:
        """Return the factors that scale each base kernel to a mean diagonal of 1, (m,); 0 for a kernel that is 0."""
        diagonals = self.combination.diagonals.mean(axis=1)
        scales: Floats = np.divide(1.0, diagonals, out=np.zeros_like(diagonals), where=diagonals > 0.0)
        return scales

    def nearest_points(self, weights: Floats, share: float, tolerance: float) -> tuple[Floats, float]:
        """Return the nearest points of the convex hulls of two classes, and their squared distance.

        The distance is (1 - share) v'K(theta)v + share v'v at v = Y gamma, (n,), the coefficients of the points: those
        of each class are of one sign, and sum to 1 or -1. They are those of an L2-SVM, see `easy_mkl`.
        """
        if share < 1.0:
            dual = self.train_svm(weights, (1.0 - share) / share, loss="squared", tolerance=tolerance).dual.copy()
        else:
            self.combination.reweight(weights)
            dual = self.labels.astype(np.float64)
        for label in (-1, 1):
            dual[self.labels == label] /= np.abs(dual[self.labels == label].sum())
        form = float(dual @ self.combination.product(dual))
        return dual, (1.0 - share) * form + share * float(dual @ dual)

    def gram(self, weights: Floats) -> Floats:
        """Return K(theta), (n, n), without the combination's rows."""
        is_summed = isinstance(self.combination, SummedCombination)
        return self.pool.mixture(weights) if is_summed else np.tensordot(weights, self.grams, 1)

    def fit_svm(self, weights: Floats, C: float) -> Fit:
        """Train the SVM at the final kernel weights, and return its Fit."""
        trained = self.train_svm(weights, C, tolerance=svm.TOLERANCE)
        self.record(trained.objective)

        def certify() -> Certificate:
            return certificates.svm(self.gram(weights), self.labels, C, trained.dual, trained.bias)

        return self.fit(weights, trained.dual, trained.bias, certify)

    def fit(
        self,
        weights: Floats,
        dual: Floats,
        bias: float,
        certify: Callable[[], Certificate],
        converged: bool | None = None,
    ) -> Fit:
        """Return the Fit of kernel weights and the SVM trained with them."""
        predictor = predictor_on(self.pool, weights, dual, bias)
        return replace(self.fit_kernel(weights, converged), predictor=predictor, certify=certify)

    def fit_kernel(self, weights: Floats, converged: bool | None = None) -> Fit:
        """Return the Fit of kernel weights, with which the protocol trains an SVM."""
        work = Work(kernel_values=self.pool.computed - self._computed, row_additions=self.combination.row_additions)
        thetas = self.pool.thetas
        return Fit(weights=weights, thetas=thetas, steps=self.steps, converged=converged, work=self.work + work)


class FormedKernels(Descending):
    """SVMs on kernels that are formed anew at each point of a descent, each started from the last one.

    Parameters
    ----------
    labels : ndarray of int8 (n,)
        -1 or +1.
    settings : Descent
        C, and where the descent stops.
    kernel_values : int
        Kernel evaluations so far.
    """

    def __init__(self, labels: Labels, settings: Descent, kernel_values: int) -> None:
        super().__init__(kernel_values)
        self.labels, self.settings, self._dual = labels, settings, np.zeros(len(labels))

    def train_svm(self, gram: Floats, kernels: int) -> svm.SVM:
        """Train an SVM on a Gram matrix (n, n) that a number of kernels was combined to."""
        combination, C, tolerance = Combination.single(gram), self.settings.C, PRECISION * self.settings.gap
        trained = train_svm(combination, self.labels, C, self.work, start=self._dual, tolerance=tolerance)
        self.work.row_additions += kernels * len(gram)
        self._dual = trained.dual
        return trained

    def fit(self, weights: Floats, predictor: Predictor, gram: Floats, trained: svm.SVM, *, converged: bool) -> Fit:
        """Return the Fit of the last kernel (n, n), certified as an SVM on it."""
        certify = partial(certificates.svm, gram, self.labels, self.settings.C, trained.dual, trained.bias)
        return Fit(
            weights=weights,
            predictor=predictor,
            steps=self.steps,
            converged=converged,
            certify=certify,
            work=self.work,
        )


def stratified_folds(labels: Labels, folds: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Split the examples into folds with equal shares of all classes; the first folds take the remainders.

    scikit-learn's StratifiedKFold spreads the remainders to make the folds equally large. The accuracy of RKL's
    uniform SVM on splice, 51.7 +- 0.1, is the share of the larger class in the folds returned here.

    Parameters
    ----------
    labels : ndarray of int8 (n,)
        -1 or +1, or class numbers.
    folds : int
        Number of folds.
    rng : Generator
        Shuffles each class.

    Returns
    -------
    list of ndarray of int64
        Indices of each fold, ascending.
    """
    classes = [rng.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    shares = [np.array_split(members, folds) for members in classes]
    return [np.sort(np.concatenate(fold)) for fold in zip(*shares, strict=True)]


def folds_to_train_on(labels: Labels, folds: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return `stratified_folds`; raise ValueError if no class has two examples, as a fold leaves none to train on."""
    found = stratified_folds(labels, folds, rng)
    if max(map(len, found)) == len(labels):
        raise ValueError("cross-validation: expected a class with at least 2 examples, got one of each class")
    return found


def in_order(order: Order, n: int) -> NDArray[np.int64]:
    """Return the indices of n examples, those in the order first; draws along it do not depend on their numbers."""
    return np.concatenate([order, np.setdiff1d(np.arange(n), order)])


def cross_validated_hits(
    grams: Floats,
    labels: Labels,
    parameters: CrossValidated,
    sequence: NDArray[np.int64],
    rng: np.random.Generator,
    work: Work,
) -> NDArray[np.int64]:
    """Return how many examples an SVM on each kernel predicts correctly in cross-validation, (m,).

    Parameters
    ----------
    grams, labels, rng
        Of the fit; `rng` draws the folds.
    parameters : CrossValidated
        C and the number of folds.
    sequence : ndarray of int64 (n,)
        The examples in the order in which they are drawn.
    work : Work
        Work of the fit, to which that of the SVMs is added.

    Raises
    ------
    ValueError
        If no class has two examples, see `folds_to_train_on`.
    """
    folds = [np.sort(sequence[fold]) for fold in folds_to_train_on(labels[sequence], parameters.folds, rng)]
    values = [cross_validated_scores(gram, labels, parameters.C, folds, work) for gram in grams]
    return np.array([np.count_nonzero((scores >= 0.0) == (labels > 0)) for scores in values])
