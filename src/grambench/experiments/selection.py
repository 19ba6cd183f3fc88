"""Selection: which hyperparameters, and which C of an SVM on the learned kernel, do best on validation examples.

The rules are the same under every protocol. A candidate for which a solver gives up is skipped and counted; the run
fails only if all do. Ties go to the first candidate, or to the middle one of those that tie, as the protocol says. Ties
are recorded. The papers do not say how they break them.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from grambench.algorithms import Algorithm
from grambench.algorithms.alignment import alignment
from grambench.algorithms.fit import Work
from grambench.algorithms.one_vs_rest import one_vs_rest_labels
from grambench.common import clock
from grambench.common.clock import NOT_TIMED, Seconds
from grambench.common.errors import SolverError
from grambench.common.types import Floats, Settings
from grambench.config.protocols import Offline
from grambench.experiments.training import Examples, Generators, Learned, Model, learn_task, predicted, scores_of
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True)
class Validation:
    """Training and validation examples of one fold.

    Attributes
    ----------
    train, validation : Examples
        What candidates are trained on, and what they are compared on.
    among : Pool or None
        The pool of the validation examples among themselves if candidates are compared by alignment.
    trace : float or None
        The trace to which a learned kernel is scaled before an SVM is trained on it.
    """

    train: Examples
    validation: Examples
    among: Pool | None = None
    trace: float | None = None


@dataclass(slots=True)
class Selection:
    """What the validation examples have selected.

    Attributes
    ----------
    settings : dict
        All parameters of the selected candidate.
    C : float
        C of its SVM, NaN if it has a predictor of its own.
    error : float
        Its share of misclassified validation examples; NaN if nothing was compared.
    tied : bool
        Whether another candidate had the same error.
    failed : int
        The number of candidates that were skipped.
    work : Work
        The work of all candidates.
    learned, model : Learned, Model, or None
        The selected candidate as it was trained on the last fold.
    fit_seconds, seconds : Seconds
        The time of its fits, and of the selection as a whole.
    scores, y_true : lists of ndarray
        Its scores of the validation examples and their classes, by fold.
    """

    settings: Settings
    C: float = np.nan
    error: float = np.nan
    tied: bool = False
    failed: int = 0
    work: Work = field(default_factory=Work)
    learned: Learned | None = None
    model: Model | None = None
    fit_seconds: Seconds = NOT_TIMED
    seconds: Seconds = field(default_factory=Seconds)
    scores: list[Floats] = field(default_factory=list)
    y_true: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class _Scored:
    """One candidate at one C: its model on the last fold, and its validation scores so far."""

    model: Model
    misclassified: int = 0
    scores: list[Floats] = field(default_factory=list)


@dataclass(slots=True)
class _Tally:
    """The work of all candidates, how many were skipped and why the last one was, and whether alignments tied."""

    fits: Work = field(default_factory=Work)
    svms: Work = field(default_factory=Work)
    failed: int = 0
    failure: SolverError | None = None
    tied: bool = False
    shares_kernels: bool = True

    def skip(self, reason: SolverError) -> None:
        """Count a candidate that failed; without its traceback, which would keep its arrays in memory."""
        self.failed += 1
        self.failure = reason.with_traceback(None)


class _Trained(NamedTuple):
    """One candidate's parameters, what it learned from each fold, and the seconds that this took."""

    settings: Settings
    learned: list[Learned]
    seconds: Seconds


def select(
    algorithm: Algorithm,
    candidates: Sequence[Settings],
    folds: Sequence[Validation],
    generators: Generators,
    protocol: Offline,
    *,
    certify: bool,
) -> Selection:
    """Train every candidate on each fold, and return the one with the fewest misclassified validation examples.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm.
    candidates : sequence of dict
        All parameters of the algorithm at each candidate.
    folds : sequence of Validation
        Training and validation examples.
    generators : Generators
        Random numbers of the fits.
    protocol : Offline
        The C values of an SVM that is trained on a learned kernel, the limit of its solver steps, and how ties are
        broken.
    certify : bool
        Whether fits of C classes get certificates, since the selected one is the final model.

    Raises
    ------
    SolverError
        If every candidate fails.
    """
    begun, tally, fewest, tied = clock.now(), _Tally(), math.inf, list[Selection]()
    total = sum(len(fold.validation.labels) for fold in folds)
    trained = _trained(algorithm, candidates, folds, generators, tally, certify)
    if folds[0].among is not None:
        trained = _most_aligned(trained, folds, tally)
    for candidate in trained:
        for result in _evaluated(candidate, folds, tally, protocol, several=len(candidates) > 1):
            if result.misclassified > fewest:
                continue
            if result.misclassified == fewest and protocol.ties == "first":
                tied[0].tied = True
                continue
            selected = Selection(candidate.settings, result.model.C, result.misclassified / total)
            selected.learned, selected.model = candidate.learned[-1], result.model
            selected.fit_seconds = candidate.seconds
            selected.scores, selected.y_true = result.scores, [fold.validation.y_true for fold in folds]
            tied = [*tied, selected] if result.misclassified == fewest else [selected]
            fewest = result.misclassified
        del candidate  # as in _trained
    if not tied:
        raise tally.failure or SolverError(f"{algorithm.name}: nothing was learned")
    best = tied[(len(tied) - 1) // 2]
    best.tied |= len(tied) > 1
    if protocol.counts_kernels_once and tally.shares_kernels:
        n_values = sum(math.prod(fold.train.pool.shape) for fold in folds)
        tally.fits.kernel_values = min(tally.fits.kernel_values, n_values)
    best.work, best.failed, best.tied = tally.fits + tally.svms, tally.failed, best.tied or tally.tied
    best.seconds = clock.now() - begun
    return best


def _trained(
    algorithm: Algorithm,
    candidates: Sequence[Settings],
    folds: Sequence[Validation],
    generators: Generators,
    tally: _Tally,
    certify: bool,
) -> Iterator[_Trained]:
    """Fit each candidate to the training examples of each fold; skip those that fail."""
    for settings in candidates:
        begun = clock.now()
        try:
            learned = [learn_task(algorithm, settings, fold.train, generators, certify=certify) for fold in folds]
        except SolverError as reason:
            tally.skip(reason)
            continue
        seconds = clock.now() - begun
        for on_fold in learned:
            tally.fits += on_fold.work
            pool = on_fold.sample.pool
            tally.shares_kernels &= all(fit.thetas is None or pool.holds(fit.thetas) for fit in on_fold.fits)
        yield _Trained(settings, learned, seconds)
        # a fit may hold a copy of all Gram matrices, and the next one is about to make its own
        del learned, on_fold, pool


def _most_aligned(trained: Iterator[_Trained], folds: Sequence[Validation], tally: _Tally) -> Iterator[_Trained]:
    """Yield the candidate whose learned kernel has the largest alignment with the labels of validation examples."""
    best, largest = None, -math.inf
    for candidate in trained:
        value = float(np.mean(list(map(_alignment, candidate.learned, folds))))
        tally.tied = value == largest or (tally.tied and value < largest)
        if value > largest:
            best, largest = candidate, value
    if best is not None:
        yield best


def _alignment(learned: Learned, fold: Validation) -> float:
    """Return the alignment of a learned kernel among validation examples; of C kernels, the mean."""
    assert fold.among is not None
    validation, values = fold.validation, []
    for number, fit in enumerate(learned.fits):
        labels = one_vs_rest_labels(validation.labels, number) if learned.one_vs_rest else validation.labels
        values.append(alignment(fit.gram(fold.among), labels))
    return float(np.mean(values))


def _evaluated(
    candidate: _Trained, folds: Sequence[Validation], tally: _Tally, protocol: Offline, *, several: bool
) -> Iterable[_Scored]:
    """Train SVMs at every C where a candidate has no predictor, and score the validation examples of each fold.

    Returns
    -------
    collection of _Scored
        One for each C for which an SVM could be trained on every fold.
    """
    scored: dict[str, _Scored] | None = None
    for learned, fold in zip(candidate.learned, folds, strict=True):
        before, scored, validation = scored, dict[str, _Scored](), fold.validation
        thetas = learned.sample.pool.thetas
        if several and thetas is not None and all(fit.thetas is thetas for fit in learned.fits):
            validation.pool.grams()  # computed once, where all candidates combine the same kernels
        model = None
        try:
            for model in learned.models(protocol.values, protocol.steps, fold.trace):
                scores, C = scores_of(model.predictor, validation), str(model.C)
                earlier = _Scored(model) if before is None else before.get(C)
                if earlier is not None:
                    misclassified = int(np.count_nonzero(predicted(scores) != validation.y_true))
                    scored[C] = _Scored(model, earlier.misclassified + misclassified, [*earlier.scores, scores])
        except SolverError as reason:
            tally.skip(reason)
            return []
        tally.svms += model.work if model else Work()
    assert scored is not None
    if not candidate.learned[0].predicts:
        tally.failed += len(protocol.values) - len(scored)
    return scored.values()
