"""Training: fit an algorithm, and train SVMs on the kernel that it learned if it has no predictor of its own.

Two-class algorithms learn C classes one-vs-rest. Algorithms for C classes learn two classes as C = 2. No
caller asks which of these it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from grambench import algorithms
from grambench.algorithms import Algorithm
from grambench.algorithms.checks import certified, check_same, checked_scores, learn, outline, scored
from grambench.algorithms.fit import (
    Expansion,
    Fit,
    Kept,
    Mixture,
    Predictor,
    State,
    SupportExpansion,
    Work,
    scores_of_supports,
)
from grambench.algorithms.one_vs_rest import OneVsRest, one_vs_rest_labels
from grambench.common import clock
from grambench.common.errors import SolverError
from grambench.common.types import Floats, Labels, Order, Settings
from grambench.kernels.pool import Pool
from grambench.solvers import svm
from grambench.solvers.certificates import Certificate
from grambench.solvers.combination import Combination

NEGLIGIBLE = 1e-4  # share of the largest weight below which a kernel does not count as selected


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples of a task.

    Attributes
    ----------
    pool : Pool
        Kernels between the examples and the training ones.
    labels : ndarray of int8
        Labels of the examples: class numbers from 0, or -1 and +1 if `classes` is 0.
    order : ndarray of int32
        The order in which an online algorithm sees them.
    classes : int
        C, the number of classes; 0 for the labels -1 and +1.
    """

    pool: Pool
    labels: Labels
    order: Order
    classes: int = 0

    @property
    def y_true(self) -> Any:
        """Class numbers from 0, (t,)."""
        return class_numbers(self.labels, self.classes)


def class_numbers(labels: Labels, classes: int) -> Any:
    """Return the class numbers from 0 of labels, which they are themselves, or -1 and +1 if `classes` is 0."""
    return labels.astype(np.intp) if classes else (labels > 0).astype(np.intp)


class Generators:
    """The random numbers of the fits of one repetition: the same for each, as if it was the only one."""

    def __init__(self, seed: np.random.SeedSequence) -> None:
        self._seed = seed
        self._used: list[tuple[np.random.Generator, Any]] = []

    def new(self) -> np.random.Generator:
        """Return a new generator for a fit."""
        rng = np.random.default_rng(np.random.SeedSequence(self._seed.entropy, spawn_key=self._seed.spawn_key))
        self._used.append((rng, _state(rng)))
        return rng

    @property
    def used(self) -> bool:
        """Whether any fit has drawn a random number, or spawned a generator that can draw some."""
        return any(_state(rng) != before for rng, before in self._used)


def _state(rng: np.random.Generator) -> Any:
    return rng.bit_generator.state, rng.bit_generator.seed_seq.n_children_spawned  # type: ignore[attr-defined]


def fit(algorithm: Algorithm, settings: Settings, sample: Examples, rng: np.random.Generator) -> Fit:
    """Fit an algorithm to a sample, under the contract of `grambench.algorithms.fit`."""
    parameters = algorithms.parameters(algorithm.name, settings)
    return learn(algorithm, parameters, sample.pool, sample.labels, order=sample.order, rng=rng)


@dataclass(frozen=True, slots=True)
class Binary:
    """f(x) = s(x, 1) - s(x, 0) of an algorithm for C = 2 classes."""

    predictor: Predictor

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        scores = scored(self.predictor, pool, 2)
        return np.asarray(scores[:, 1] - scores[:, 0])


@dataclass(frozen=True, slots=True)
class Model:
    """A predictor, C of its SVM (NaN if the predictor is the algorithm's own), and the work of training the SVM."""

    predictor: Predictor
    C: float
    work: Work


@dataclass(frozen=True, slots=True)
class Learned:
    """What an algorithm has learned from a sample: one fit, or one for each class one-vs-rest.

    Attributes
    ----------
    sample : Examples
        The training examples.
    fits : list of Fit
        One fit, or C fits, which have no certificates.
    certificates : list of Certificate
        Of the C fits, if they were asked for.
    """

    sample: Examples
    fits: list[Fit]
    certificates: Sequence[Certificate] = ()

    @property
    def one_vs_rest(self) -> bool:
        """Whether there is a fit for each class."""
        return len(self.fits) > 1

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,); of C fits, the mean of their shares.

        If every fit has kernels of its own in a continuous family, they stand one after the other.
        """
        if not self.one_vs_rest:
            return self.fits[0].weights
        shares = [fit.weights / fit.weights.sum() if fit.weights.any() else fit.weights for fit in self.fits]
        if self.thetas is not None:
            return np.concatenate(shares) / len(shares)
        total = np.zeros(len(shares[0]))
        for share in shares:
            total += share / len(shares)
        return total

    @property
    def thetas(self) -> list[Floats] | None:
        """Parameters of the kernels in a continuous family; None if kernels are of the pool."""
        if any(fit.thetas is None for fit in self.fits):
            return None
        return [theta for fit in self.fits for theta in fit.thetas or []]

    @property
    def states(self) -> Sequence[State]:
        """The states of a single fit."""
        return () if self.one_vs_rest else self.fits[0].states

    @property
    def work(self) -> Work:
        """The work of all fits."""
        return sum((fit.work for fit in self.fits), Work())

    @property
    def certificate(self) -> Certificate:
        """The largest gap and the largest KKT residual of all fits; NaN unless all have a certificate."""
        residuals, gaps = zip(*self.certificates or map(certified, self.fits), strict=True)
        return Certificate(kkt=float(np.max(residuals)), gap=float(np.max(gaps)))

    @property
    def predicts(self) -> bool:
        """Whether the algorithm has predictors of its own, so that no SVM is trained."""
        return all(fit.predictor is not None for fit in self.fits)

    def train_scores(self, model: Model) -> Floats:
        """Return a model's scores of the training examples, which the fit may have."""
        scores = self.fits[0].train_scores if model.predictor is self.fits[0].predictor else None
        if scores is None:
            return scores_of(model.predictor, self.sample)
        return checked_scores(scores, len(self.sample.labels), self.sample.classes or None, "train_scores")

    def models(
        self, C_values: Sequence[float], steps: int | None = None, trace: float | None = None
    ) -> Iterator[Model]:
        """Yield the algorithm's own predictor, or SVMs at ascending C until one cannot be trained; see `svms`."""
        sample = self.sample
        if not self.one_vs_rest:
            yield from svms(self.fits[0], sample, C_values, steps=steps, trace=trace)
            return
        trained = []
        for number, fit in enumerate(self.fits):
            binary = Examples(sample.pool, one_vs_rest_labels(sample.labels, number), sample.order)
            trained.append([_without_kernel(svm) for svm in svms(fit, binary, C_values, steps=steps, trace=trace)])
        for of_classes in zip(*trained, strict=False):
            work = sum((model.work for model in of_classes), Work())
            yield Model(OneVsRest([model.predictor for model in of_classes]), of_classes[0].C, work)


def learn_task(
    algorithm: Algorithm, settings: Settings, sample: Examples, generators: Generators, *, certify: bool = False
) -> Learned:
    """Fit an algorithm to a sample of two or more classes; compute the certificates of C fits where they are asked for.

    Raises
    ------
    SolverError
        If a solver gives up, or an algorithm for C classes returns no predictor.
    """
    if algorithms.is_multiclass(algorithm.name):
        numbered = sample if sample.classes else replace(sample, labels=sample.y_true.astype(np.int8))
        multiclass = fit(algorithm, settings, numbered, generators.new())
        if multiclass.predictor is None:
            raise SolverError(f"{algorithm.name}: expected a predictor of all classes, got a kernel alone")
        if not sample.classes:
            states = [replace(state, predictor=Binary(state.predictor)) for state in multiclass.states]
            scores = multiclass.train_scores
            if scores is not None:
                of_classes = checked_scores(scores, len(sample.labels), 2, "train_scores")
                scores = of_classes[:, 1] - of_classes[:, 0]
            multiclass = replace(multiclass, predictor=Binary(multiclass.predictor), train_scores=scores, states=states)
        return Learned(sample, [multiclass])
    if not sample.classes:
        return Learned(sample, [fit(algorithm, settings, sample, generators.new())])
    fits, certificates = [], []
    for number in range(sample.classes):
        binary = Examples(sample.pool, one_vs_rest_labels(sample.labels, number), sample.order)
        of_class = fit(algorithm, settings, binary, generators.new())
        if certify:
            with clock.paused():
                certificates.append(certified(of_class))
        # A certificate may hold the Gram matrices of its class, and there may be a hundred classes.
        fits.append(replace(of_class, certify=None))
    return Learned(sample, fits, certificates)


def fit_twice(algorithm: Algorithm, settings: Settings, sample: Examples, seed: np.random.SeedSequence) -> Learned:
    """Fit an algorithm as `learn_task` does; raise ContractError if a second fit with the same seed differs."""
    first, again = (learn_task(algorithm, settings, sample, Generators(seed)) for _ in range(2))
    for fits in zip(first.fits, again.fits, strict=True):
        check_same(algorithm.name, *(outline(fit, sample.pool) for fit in fits))
    return first


def svms(
    learned: Fit, sample: Examples, C_values: Sequence[float], *, steps: int | None = None, trace: float | None = None
) -> Iterator[Model]:
    """Yield the fit's own predictor, or SVMs on its kernel at ascending C until one takes too many steps.

    Parameters
    ----------
    learned : Fit
        The learned kernel.
    sample : Examples
        The training examples.
    C_values : sequence of float
        The C values to try.
    steps : int, optional
        The number of solver steps after which an SVM is given up, and larger C values with it.
    trace : float, optional
        The trace to which the learned kernel is scaled.

    Raises
    ------
    SolverError
        If not even the first SVM can be trained.
    """
    if learned.predictor is not None:
        yield Model(learned.predictor, np.nan, Work())
        return
    steps = svm.MAX_STEPS if steps is None else steps
    gram, weights = learned.gram(sample.pool), learned.weights
    if trace is not None:
        scale = trace / (float(np.trace(gram)) or trace)  # a kernel that is 0 stays so
        gram, weights = scale * gram, scale * weights
    used = int(np.count_nonzero(weights))
    combination, cache, start = Combination.single(gram), Kept(), None
    counted = learned.work.kernel_values and (learned.thetas is None or sample.pool.holds(learned.thetas))
    work = Work(kernel_values=0 if counted else used * gram.size, row_additions=used * len(gram))
    for C in C_values:
        try:
            trained = svm.train(combination, sample.labels, C, start=start, max_steps=steps)
        except SolverError as error:
            if start is None:
                raise SolverError(f"no SVM could be trained at C = {C:g}: {error}") from None
            # The work of the model that was yielded last is that of the whole call: giving up has taken work too.
            work.svm_calls += 1
            work.solver_steps += steps
            work.row_additions += 2 * steps
            return
        start = trained.dual
        work += Work(svm_calls=1, solver_steps=trained.steps, row_additions=2 * trained.steps)
        yield Model(Mixture(weights, learned.thetas, trained.dual, trained.bias, cache), C, work)


def _without_kernel(model: Model) -> Model:
    """Return a model without the kernel values that it keeps: there may be a hundred, each on a kernel of its own."""
    predictor = model.predictor
    return replace(model, predictor=replace(predictor, kept=None)) if isinstance(predictor, Mixture) else model


def scores_of(predictor: Predictor, sample: Examples) -> Floats:
    """Return a predictor's scores of a sample, (t,), or (t, C) of C classes."""
    return scored(predictor, sample.pool, sample.classes or None)


def scores_of_each(predictors: Sequence[Predictor], sample: Examples) -> list[Floats]:
    """Return the scores of several predictors; if all are SupportExpansions, each kernel value is computed once."""
    on_supports = [predictor for predictor in predictors if type(predictor) is SupportExpansion]
    if not predictors or len(on_supports) < len(predictors):
        return [scores_of(predictor, sample) for predictor in predictors]
    count, classes = sample.pool.shape[1], sample.classes or None
    return [checked_scores(scores, count, classes) for scores in scores_of_supports(on_supports, sample.pool)]


def by_class(scores: Floats) -> Floats:
    """Return scores with a column for each class; of two classes, the negative and the score."""
    return scores if scores.ndim == 2 else np.stack([-scores, scores], axis=1)


def predicted(scores: Floats) -> Any:
    """Return the class number of each score: the first of the largest, and 1 for a single score of 0 or more."""
    return scores.argmax(axis=1) if scores.ndim == 2 else (scores >= 0.0).astype(np.intp)


def counts(work: Work, n: int) -> dict[str, int]:
    """Return the metrics of the work of a fit to n examples; operations are kernel evaluations and entries added."""
    # NumPy's integers may overflow in the product below; Python's cannot.
    metrics = {name: int(count) for name, count in asdict(work).items()}
    return metrics | {"operations": metrics["kernel_values"] + n * metrics["row_additions"]}


def support_vectors(predictor: Predictor) -> float:
    """Return the number of examples with a coefficient, for any class; NaN if a predictor does not say."""
    if isinstance(predictor, Binary):
        return support_vectors(predictor.predictor)
    if isinstance(support := getattr(predictor, "support", None), np.ndarray) and support.ndim == 1:
        return float(len(support))
    of_classes = predictor.predictors if isinstance(predictor, OneVsRest) else [predictor]
    used = [binary.dual != 0.0 for binary in of_classes if isinstance(binary, Expansion | Mixture)]
    return float(np.count_nonzero(np.any(used, axis=0))) if used else np.nan


def kernels_selected(weights: Floats) -> float:
    """Return the number of kernels whose weight is not negligible beside the largest; NaN if no kernel was learned."""
    return float(np.count_nonzero(weights > NEGLIGIBLE * weights.max())) if weights.any() else np.nan
