"""The offline experiment: split, select hyperparameters, train and measure, the same way under every protocol.

For each repetition and each point of a sweep:

1. a split gives the rows (`splits`), and the training rows their kernels (`pools`);
2. candidates are trained and compared on validation rows (`selection`), if there is something to select;
3. the selected one is trained again where the protocol refits, and predicts the test rows;
4. predictions and fit are metrics (`grambench.config.metrics`), and the way to the fit recorded (`curves`).
"""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grambench import algorithms
from grambench.algorithms.alignment import alignment
from grambench.algorithms.checks import check_same
from grambench.algorithms.fit import Fit, State, Work
from grambench.common import clock, memory
from grambench.common.clock import NOT_TIMED, Seconds
from grambench.common.errors import DataError, SolverError
from grambench.common.types import Floats, Indices, Labels, Setting, Settings
from grambench.config.metrics import MEASURED, METRICS, Predictions
from grambench.config.names import Tuning
from grambench.datasets.store import PreparedDataset
from grambench.experiments import curves
from grambench.experiments.outcome import Outcome, Result, collect, kernel_weights
from grambench.experiments.pools import Pools
from grambench.experiments.run import Run
from grambench.experiments.selection import Selection, Validation, select
from grambench.experiments.splits import Fold, Split, first_of_each, splits
from grambench.experiments.training import (
    Examples,
    Generators,
    Learned,
    Model,
    by_class,
    counts,
    kernels_selected,
    learn_task,
    predicted,
    scores_of,
    support_vectors,
)
from grambench.kernels.pool import Pool
from grambench.kernels.subsets import RandomSubsets
from grambench.solvers import leave_one_out
from grambench.solvers.platt import probabilities

VIEWS = ("alone", "without")  # sizes of a sweep whose points are the kernels of one view, or of all other views
NEAR = 1.5  # times the least objective of a fit, where a state is called near to it
LEAST_SQUARES_C = 10.0  # of the LS-SVMs whose leave-one-out errors select kernels


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A model with everything that led to it.

    Attributes
    ----------
    learned, model : Learned, Model
        The fit, and the predictor.
    selection : Selection
        What was selected.
    fit_seconds, seconds : Seconds
        The time of the last fit, and of the last fit with its SVM.
    work : Work
        The work that the protocol counts.
    """

    learned: Learned
    model: Model
    selection: Selection
    fit_seconds: Seconds
    seconds: Seconds
    work: Work


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One repetition at one point.

    Attributes
    ----------
    learned : Learned
        The learned kernel, of the first stage if there are two.
    test : Examples
        The test examples.
    metrics : dict of float
        By name.
    predictions : Predictions
        Of the test examples.
    """

    learned: Learned
    test: Examples
    metrics: dict[str, float]
    predictions: Predictions

    def outline(self) -> dict[str, Any]:
        """Return all but seconds and memory, by name: what a second evaluation with the same seed must find too."""
        metrics = {name: value for name, value in self.metrics.items() if not name.endswith(MEASURED)}
        traces = [fit.trace for fit in self.learned.fits]
        return {"weights": self.learned.weights, "scores": self.predictions.scores, "traces": traces} | metrics


class Evaluator:
    """Evaluates the points of a run on one split, with the kernels that these share.

    Parameters
    ----------
    run : Run
        The run.
    dataset : PreparedDataset
        The data set.
    split : Split
        The rows.
    whole, kernels : Evaluator and list of int, optional
        An evaluator of more kernels on the same split, and the indices of the run's kernels among them: both share the
        Gram matrices that either computes.
    """

    def __init__(
        self,
        run: Run,
        dataset: PreparedDataset,
        split: Split,
        whole: "Evaluator | None" = None,
        kernels: Sequence[int] = (),
    ) -> None:
        self.run, self.dataset, self.split = run, dataset, split
        self._whole, self._kernels = whole, kernels
        self._pools: dict[bytes, Pools] = {}

    def pools(self, train: Indices) -> Pools:
        """Return the pools of some training rows, computed once."""
        key = train.tobytes()
        if key not in self._pools:
            whole = self._whole
            self._pools[key] = whole.pools(train).only(self._kernels) if whole else Pools(self.run, self.dataset, train)
        return self._pools[key]

    def sample(self, pool: Pool, rows: Indices, order: Any = None) -> Examples:
        """Return some examples as a sample."""
        order = np.arange(len(rows), dtype=np.int32) if order is None else order
        return Examples(pool, self.dataset.labels[rows], order, len(self.dataset.classes))

    def train(self) -> Examples:
        """Return the training examples of the final model."""
        rows = self.split.train
        return self.sample(self.pools(rows).train, rows, self.split.order_of(rows))

    def test(self) -> Examples:
        """Return the test examples."""
        return self.sample(self.pools(self.split.train).between(self.split.test), self.split.test)

    def validation(self, fold: Fold, kernel: int | None = None, by: str = "error") -> Validation:
        """Return a fold of the selection, on one of the kernels or on all."""
        protocol, among = self.run.offline, None
        if protocol.cuts_validation and self.split.refits:
            train, held_out = (np.searchsorted(self.split.train, rows) for rows in (fold.train, fold.validation))
            full = _only(self.pools(self.split.train).train, kernel)
            pools = full.part(train, train), full.part(held_out, train)
            among = full.part(held_out, held_out) if by == "alignment" else None
        else:
            of_fold = self.pools(fold.train)
            pools = _only(of_fold.train, kernel), _only(of_fold.between(fold.validation), kernel)
            among = _only(of_fold.among(fold.validation), kernel) if by == "alignment" else None
        train_sample = self.sample(pools[0], fold.train, self.split.order_of(fold.train))
        return Validation(train_sample, self.sample(pools[1], fold.validation), among, self.learned_trace(fold.train))

    def learned_trace(self, train: Indices) -> float | None:
        """Return the trace to which a kernel learned from some rows is scaled before an SVM is trained on it."""
        protocol = self.run.offline
        return protocol.kernel_trace(len(train), len(self.dataset.labels)) if protocol.scales_learned_kernel else None

    def evaluate(self, point: Settings, generators: Generators) -> Evaluation:
        """Select, train, test and measure at one point."""
        run, protocol = self.run, self.run.offline
        # A reset gives freed memory back to the system, and the fit spends time to get it again.
        memory_before = memory.reset_peak() if "memory_mb" in protocol.yields else math.nan
        used = {rows.tobytes(): self.pools(rows) for rows in self._training_rows()}
        seconds = sum((pools.seconds for pools in used.values()), Seconds())
        begun = clock.now()
        trained = first = self.select_and_train(run.file, point, generators)
        kernel, fit_seconds = None, trained.fit_seconds
        if run.then is not None:
            fit_seconds = clock.now() - begun + seconds
            kernel = int(np.argmax(trained.learned.weights))
            trained = self.select_and_train(run.then, algorithms.resolved(run.then, {}), generators, kernel)
        seconds += clock.now() - begun
        growth = memory.growth(memory_before)
        if not protocol.counts_selection:
            seconds = trained.seconds
        computed = self.pools(self.split.train).train.computed
        test = self.test()
        predictions = self._predictions(trained, replace(test, pool=_only(test.pool, kernel)))
        work = trained.work if trained is first else first.work + trained.work
        metrics = self._metrics(first, trained, computed)
        metrics |= {"seconds": seconds.processor, "wall_seconds": seconds.wall, "fit_seconds": fit_seconds.processor}
        metrics |= {"selection_seconds": first.selection.seconds.processor, "memory_mb": growth}
        metrics |= counts(work, len(self.split.train))
        metrics |= {name: metric.value(predictions) for name, metric in METRICS.items() if metric.value}
        return Evaluation(first.learned, test, metrics, predictions)

    def _training_rows(self) -> list[Indices]:
        """Return the rows of every training set that kernels are computed for."""
        cuts = self.run.offline.cuts_validation and self.split.refits
        return [self.split.train, *([] if cuts else [fold.train for fold in self.split.folds])]

    def select_and_train(
        self, name: str, point: Settings, generators: Generators, kernel: int | None = None
    ) -> TrainedModel:
        """Select hyperparameters of an algorithm and train it, on one of the kernels or on all.

        Raises
        ------
        SolverError
            If nothing can be learned with any candidate.
        """
        run, algorithm = self.run, algorithms.load(name)
        tuning = run.tune if kernel is None else None
        if tuning and tuning.parameter not in algorithm.parameters.__dataclass_fields__:
            tuning = None
        candidates = [point | candidate for candidate in tuning.candidates()] if tuning else [point]
        train = self.train()
        train = replace(train, pool=_only(train.pool, kernel))
        # Without hyperparameters the final fit comes first: it shows whether an SVM is left to select the C of.
        final, seconds = None, Seconds()
        if tuning is None and self.split.refits:
            final, seconds = _timed(algorithm, point, train, generators)
        selection = Selection(candidates[0], run.offline.values[-1])
        if self._selects(tuning, final):
            folds = [self.validation(fold, kernel, tuning.by if tuning else "error") for fold in self.split.folds]
            selection = select(algorithm, candidates, folds, generators, run.offline, certify=not self.split.refits)
            if self.split.refits:
                selection.learned = selection.model = None
        work = selection.work
        if selection.model is not None and selection.learned is not None:
            return TrainedModel(selection.learned, selection.model, selection, selection.fit_seconds, NOT_TIMED, work)
        if final is None:
            final, seconds = _timed(algorithm, selection.settings, train, generators)
        begun = clock.now()
        model = next(final.models([selection.C], trace=self.learned_trace(self.split.train)))
        last = final.work + model.work
        work = work + last if run.offline.counts_selection else last
        return TrainedModel(final, model, selection, seconds, seconds + clock.now() - begun, work)

    def _selects(self, tuning: Tuning | None, final: Learned | None) -> bool:
        """Return whether candidates are to be compared on validation examples."""
        if not self.split.folds:
            return False
        if not self.split.refits:
            return True  # the validation error of a single candidate is that of the final model
        return tuning is not None or (final is not None and not final.predicts)

    def _predictions(self, trained: TrainedModel, test: Examples) -> Predictions:
        """Return the predictions of a stage, with probabilities that are calibrated on validation examples.

        Where nothing was compared on validation examples, the training examples calibrate, whose scores are larger.
        """
        scores, selection = scores_of(trained.model.predictor, test), trained.selection
        if selection.scores:
            held_out, y_true = np.concatenate(selection.scores), np.concatenate(selection.y_true)
        else:
            held_out, y_true = trained.learned.train_scores(trained.model), trained.learned.sample.y_true
        columns = by_class(scores)
        return Predictions(test.y_true, predicted(scores), columns, probabilities(by_class(held_out), y_true, columns))

    def _metrics(self, first: TrainedModel, trained: TrainedModel, computed: int) -> dict[str, float]:
        """Return the metrics of the fits and of the selection that the protocol yields."""
        run, learned, selection = self.run, first.learned, first.selection
        single = Fit(weights=learned.weights) if learned.one_vs_rest else learned.fits[0]
        certificate, last = learned.certificate, trained.learned.states[-1] if trained.learned.states else None
        tuned = run.tune.chosen() if run.tune and run.tune.parameter in selection.settings else []
        metrics: dict[str, float] = {
            "kernels_selected": kernels_selected(learned.weights),
            "support_vectors": support_vectors(trained.model.predictor),
            "iterations": len(single.steps),
            "gap": certificate.gap,
            "kkt": certificate.kkt,
            "converged": np.nan if single.converged is None else float(single.converged),
            "selected_C": _number(selection.settings["C"]) if "C" in tuned else trained.model.C,
            "selected_value": _number(selection.settings[tuned[0]]) if tuned and tuned[0] != "C" else np.nan,
            "validation_error_percent": 100.0 * trained.selection.error,
            "candidates_failed": first.selection.failed,
            "selection_tied": float(selection.tied),
            "objective": last.objective if last else np.nan,
            "epochs": last.epochs if last else np.nan,
            "epochs_near": _epochs_near(trained.learned.states),
        }
        if "selected_kernel" in run.offline.yields:
            m, n = len(run.kernels), len(self.split.train)
            metrics["selected_kernel"] = int(np.argmax(learned.weights)) + 1
            metrics["kernel_share_percent"] = 100.0 * computed / (m * n * n) if m else np.nan
        if "training_error_percent" in run.offline.yields:
            if last is None:
                scores, y_true = trained.learned.train_scores(trained.model), trained.learned.sample.y_true
                error = float(np.mean(predicted(scores) != y_true))
            else:
                error = last.training_error
            metrics["training_error_percent"] = 100.0 * error
        if run.aligns and "alignment" in run.offline.yields:
            among = self.pools(self.split.train).among(self.split.test)
            labels = self.dataset.labels[self.split.test]
            single_kernel = single.weights.any() and not learned.one_vs_rest and not self.dataset.classes
            metrics["alignment"] = alignment(single.gram(among), labels) if single_kernel else np.nan
        return metrics


def _only(pool: Pool, kernel: int | None) -> Pool:
    return pool if kernel is None else pool.only([kernel])


def _timed(
    algorithm: algorithms.Algorithm, settings: Settings, sample: Examples, generators: Generators
) -> tuple[Learned, Seconds]:
    begun = clock.now()
    return learn_task(algorithm, settings, sample, generators, certify=True), clock.now() - begun


def _epochs_near(states: Sequence[State]) -> float:
    """Return after how many epochs the objective of states is first within NEAR times the least; NaN of none."""
    least = min((state.objective for state in states), default=np.nan)
    return next((float(state.epochs) for state in states if state.objective <= NEAR * least), np.nan)


def _number(setting: Setting) -> float:
    if not isinstance(setting, int | float):
        raise TypeError(f"expected a number to select, got {setting!r}")
    return float(setting)


def outcome(run: Run, dataset: PreparedDataset, grams: Sequence[Floats] = ()) -> Outcome:
    """Evaluate every repetition at every point.

    Parameters
    ----------
    run : Run
        The run.
    dataset : PreparedDataset
        The data set.
    grams
        Not used: kernels are computed from the training rows.

    Notes
    -----
    `seconds` and the counts of work cover everything from the features to the final model, but neither the test nor
    the scores of validation examples; under nested cross-validation they cover the final fit alone. The points of a
    sweep over views share kernels. The first point that needs a kernel is charged with its seconds, or every point if
    the protocol shares kernels. With `best_of` the seconds of all kernels count, without the leave-one-out errors.
    Everything is run on a few examples first, which compiles it. An algorithm from outside the package is run on them
    twice, and both must find the same.
    """
    results: dict[tuple[int, int], Result] = {}
    before: tuple[Split, list[bool]] | None = None
    for r, (split, seed) in enumerate(splits(run, dataset)):
        if r == 0:
            # Many kernels may be learned by other code than few.
            for p in sorted({0, len(run.points) - 1}) if run.subsets else (0,):
                _warm_up(replace(run, subsets=_subsets(run, p, seed)), dataset, split.reduced(dataset.labels), seed)
        drew, evaluator = [False] * len(run.points), None
        whole = Evaluator(run, dataset, split) if run.size in VIEWS or run.best_of else None
        for p, point in enumerate(run.points):
            if before is not None and before[0] is split and not before[1][p]:
                # The same split without random numbers has the same result, and is evaluated once.
                results[p, r] = results[p, r - 1]
                continue
            if evaluator is None or run.size or not run.offline.shares_kernels:
                kernels, sized_split = _sized(run, p, dataset, split, seed)
                if whole and run.best_of:
                    kernels = _best_of(run, whole.pools(sized_split.train).train, dataset.labels[sized_split.train])
                sized_run = replace(run, kernels=[run.kernels[k] for k in kernels], subsets=_subsets(run, p, seed))
                evaluator = Evaluator(sized_run, dataset, sized_split, whole, kernels)
            generators = Generators(seed)
            results[p, r] = _result(run, evaluator.evaluate(point, generators), kernels)
            drew[p] = generators.used
        before = split, drew
    return collect(results, (len(run.points), len(run.repetitions)))


def _warm_up(run: Run, dataset: PreparedDataset, split: Split, seed: np.random.SeedSequence) -> None:
    """Evaluate a few examples; with an algorithm from outside twice, and raise ContractError unless both are the same.

    Tests fit each algorithm of the package twice.
    """
    shipped = all(algorithms.load(name).shipped for name in (run.file, run.then) if name)
    # A solver may give up on a few examples and not on all.
    with contextlib.suppress(SolverError):
        first, *again = (
            Evaluator(run, dataset, split).evaluate(run.points[0], Generators(seed)) for _ in range(1 if shipped else 2)
        )
        for second in again:
            check_same(run.file, first.outline(), second.outline())


def _sized(
    run: Run, p: int, dataset: PreparedDataset, split: Split, seed: np.random.SeedSequence
) -> tuple[list[int], Split]:
    """Return the numbers of the kernels and the split at a point: all of both, but in a sweep over sizes or views.

    Kernels and training examples of each class are drawn in each repetition, the fewer among the more.

    Raises
    ------
    DataError
        If a class has fewer training examples.
    """
    m, size = len(run.kernels), int(run.numbers[p]) if run.size else 0
    if run.size in VIEWS:
        views = [kernel.view for kernel in run.pool]
        view = list(dict.fromkeys(views))[size - 1]
        return [k for k in range(m) if (views[k] == view) == (run.size == "alone")], split
    if run.size == "kernels":
        return sorted(np.random.default_rng(_kernel_seed(seed)).permutation(m)[:size].tolist()), split
    if run.size == "validation":
        return list(range(m)), replace(split, folds=[replace(f, validation=f.validation[:size]) for f in split.folds])
    if run.size == "examples":
        rows, labels = split.folds[0].train if split.folds else split.train, dataset.labels
        least = int(np.unique(labels[rows], return_counts=True)[1].min())
        if size > least:
            raise DataError(f"{dataset.name}: the sweep asks for {size} training examples a class, one has {least}")
        return list(range(m)), split.shortened(first_of_each(size, labels, rows))
    return list(range(m)), split


def _best_of(run: Run, pool: Pool, labels: Labels) -> list[int]:
    """Return the kernel of each group of views with the least leave-one-out error, the first of equals."""
    errors = [leave_one_out.error(gram, labels, LEAST_SQUARES_C) for gram in pool.grams()]
    groups = [[k for k, kernel in enumerate(run.pool) if kernel.view in views] for views in run.best_of or ()]
    return sorted(min(group, key=errors.__getitem__) for group in groups)


def _subsets(run: Run, p: int, seed: np.random.SeedSequence) -> RandomSubsets | None:
    """Return the subsets of features of a repetition at a point; the fewer are among the more."""
    if run.subsets is None:
        return None
    count = int(run.numbers[p]) // run.subsets.n_widths if run.size == "kernels" else run.subsets.n_subsets
    return replace(run.subsets, n_subsets=count, seed=int(_kernel_seed(seed).generate_state(1)[0]))


def _kernel_seed(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """Return the seed of the kernels of a repetition, which is not that of a fit."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 2))


def _result(run: Run, evaluation: Evaluation, kernels: list[int]) -> Result:
    """Return the numbers of an evaluation on some of the run's kernels."""
    weights, predictions = evaluation.learned.weights, evaluation.predictions
    if len(kernels) < len(run.kernels):
        weights = np.zeros(len(run.kernels))
        weights[kernels] = evaluation.learned.weights
    confusion = np.zeros((predictions.scores.shape[1],) * 2)
    np.add.at(confusion, (predictions.y_true, predictions.y_pred), 1.0)
    return Result(
        {name: value for name, value in evaluation.metrics.items() if name in run.offline.yields},
        *curves.KINDS[run.offline.curves](evaluation.learned, evaluation.test, run.offline.checkpoints),
        {} if run.subsets else kernel_weights(weights, evaluation.learned.thetas, len(run.kernels)),
        {"confusion": confusion} if evaluation.test.classes else {},
    )
