"""Metrics: what is measured, how it is computed from predictions, and how it is printed. One entry a metric.

A metric of predictions has a `value`, and every protocol yields it. All others are values that a fit, a selection or a
pass leaves behind; a protocol lists those that it yields, see `grambench.config.protocols.Common.yields`.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats

Better = Literal["lower", "higher"]

WEIGHT = "weight:"  # begins the names of the metrics that are weights of kernels
MEASURED = ("seconds", "memory_mb")  # how the names of metrics end that differ from run to run on one machine
WORK = ("kernel_values", "row_additions", "solver_steps", "svm_calls", "meb_calls", "operations")  # work of a fit


@dataclass(frozen=True, slots=True)
class Predictions:
    """Test examples as a model predicts them.

    Attributes
    ----------
    y_true, y_pred : ndarray of int (t,)
        Class numbers from 0. Of two classes, -1 is 0 and +1 is 1.
    scores : ndarray of float64 (t, C)
        Scores of each class. Of two classes, the score is that of class 1, and class 0 has its negative.
    probabilities : ndarray of float64 (t, C)
        Probabilities of each class after Platt scaling.
    """

    y_true: NDArray[np.intp]
    y_pred: NDArray[np.intp]
    scores: Floats
    probabilities: Floats

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which examples are predicted correctly, (t,)."""
        return np.asarray(self.y_true == self.y_pred)


def accuracy(predictions: Predictions) -> float:
    """Return the percentage of examples that are predicted correctly."""
    return 100.0 * float(np.mean(predictions.correct))


def error(predictions: Predictions) -> float:
    """Return the percentage of examples that are misclassified."""
    return 100.0 * float(np.mean(~predictions.correct))


def balanced_accuracy(predictions: Predictions) -> float:
    """Return the mean over the classes that occur of the percentage that is predicted correctly."""
    y_true, correct = predictions.y_true, predictions.correct
    return 100.0 * float(np.mean([correct[y_true == label].mean() for label in np.unique(y_true)]))


def macro_f1(predictions: Predictions) -> float:
    """Return the unweighted mean over the classes of F1 in percent; of classes that occur or are predicted."""
    y_true, y_pred = predictions.y_true, predictions.y_pred
    scores = []
    for label in np.union1d(y_true, y_pred):
        hits = np.count_nonzero((y_true == label) & (y_pred == label))
        scores.append(2.0 * hits / (np.count_nonzero(y_true == label) + np.count_nonzero(y_pred == label)))
    return 100.0 * float(np.mean(scores))


def auc(predictions: Predictions) -> float:
    """Return the area under the ROC curve in percent; of more classes, the mean of each class one-vs-rest.

    It is the probability that a random example of the class has a larger score than a random other one, ties counted
    by half. It is NaN if a class is missing among the examples.
    """
    y_true, scores = predictions.y_true, predictions.scores
    areas = []
    for label in range(1, 2) if scores.shape[1] == 2 else range(scores.shape[1]):
        positive = y_true == label
        count = np.count_nonzero(positive)
        if count in (0, len(positive)):
            return np.nan
        _, inverse, sizes = np.unique(scores[:, label], return_inverse=True, return_counts=True)
        ranks = (np.cumsum(sizes) - (sizes - 1) / 2.0)[inverse]
        above = ranks[positive].sum() - count * (count + 1) / 2.0
        areas.append(above / (count * (len(positive) - count)))
    return 100.0 * float(np.mean(areas))


def log_loss(predictions: Predictions) -> float:
    """Return the mean negative logarithm of the probability of the true class."""
    probability = predictions.probabilities[np.arange(len(predictions.y_true)), predictions.y_true]
    return float(-np.mean(np.log(np.maximum(probability, np.finfo(np.float64).tiny))))


def brier_score(predictions: Predictions) -> float:
    """Return the mean squared difference of probabilities and true classes; of two classes, of class 1 alone."""
    true = np.eye(predictions.scores.shape[1])[predictions.y_true]
    squares = np.square(predictions.probabilities - true).sum(axis=1)
    return float(np.mean(squares)) / (2.0 if predictions.scores.shape[1] == 2 else 1.0)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes
    ----------
    label : str
        Its name with its unit, in tables and at axes.
    meaning : str
        What it is, in one line.
    decimals : int
        The number of decimals that the papers print, and so do we.
    scientific : bool
        Whether it is printed as 1.2e-05, with so many decimals before the exponent.
    thousands : bool
        Whether its thousands are set apart, as in 12,345.
    better : str or None
        Whether "lower" or "higher" values are better; None if that depends on what one wants.
    logarithmic : bool
        Whether its axis is logarithmic.
    counted : bool
        Whether it is a whole number in every run.
    named : bool
        Whether its values are names, such as the numbers of kernels: all are listed, and there is no mean.
    value : callable or None
        Computes it from predictions; None for what is not a function of predictions.
    derived : bool
        Whether it is computed from the results of several runs or taken from the data set, so that no run has it.
    """

    label: str
    meaning: str
    _: KW_ONLY
    decimals: int = 1
    scientific: bool = False
    thousands: bool = False
    better: Better | None = None
    logarithmic: bool = False
    counted: bool = False
    named: bool = False
    value: Callable[[Predictions], float] | None = None
    derived: bool = False


# what several metrics have in common
_rank = partial(Metric, better="lower", derived=True)
_work = partial(Metric, scientific=True, better="lower", logarithmic=True, counted=True)
_certificate = partial(Metric, scientific=True, better="lower", logarithmic=True)
_seconds = partial(Metric, decimals=3, better="lower", logarithmic=True)
_probability = partial(Metric, decimals=3, better="lower")

METRICS = {
    "mistake_percent": Metric(
        "Mistakes (%)",
        "examples on which the online prediction was wrong, before their label was seen",
        decimals=2,
        better="lower",
    ),
    "support_vectors": Metric(
        "Support vectors",
        "terms of the predictor at the end, as the paper counts them: examples, or pairs of a kernel and a round",
        better="lower",
        logarithmic=True,
    ),
    "accuracy_percent": Metric(
        "Accuracy (%)", "test examples that are predicted correctly", better="higher", value=accuracy
    ),
    "balanced_accuracy_percent": Metric(
        "Balanced accuracy (%)",
        "mean over the classes of the accuracy on each",
        better="higher",
        value=balanced_accuracy,
    ),
    "auc_percent": Metric(
        "AUC (%)",
        "area under the ROC curve; of more than two classes, the mean of each class one-vs-rest",
        better="higher",
        value=auc,
    ),
    "macro_f1_percent": Metric(
        "Macro F1 (%)", "unweighted mean of F1 over the classes", better="higher", value=macro_f1
    ),
    "log_loss": _probability(
        "Log loss", "mean negative logarithm of the probability of the true class, after Platt scaling", value=log_loss
    ),
    "brier_score": _probability(
        "Brier score", "mean squared error of the probabilities after Platt scaling", value=brier_score
    ),
    "error_percent": Metric("Error (%)", "test examples that are misclassified", better="lower", value=error),
    "validation_error_percent": Metric(
        "Validation error (%)", "error of what was chosen, on the examples held out to choose by", better="lower"
    ),
    "candidates_failed": Metric(
        "Candidates failed", "candidates of the selection that a solver gave up, and which were skipped", counted=True
    ),
    "selection_tied": Metric(
        "Selections by a tie",
        "1 where several candidates had the least validation error, of which the protocol's `ties` takes one",
        decimals=2,
    ),
    "alignment": Metric(
        "Alignment",
        "centred alignment of the learned kernel with the labels of the test examples",
        decimals=3,
        better="higher",
    ),
    "median_rank": _rank("Median rank", "median over the data sets of the rank among the algorithms, 1 for the best"),
    "mean_rank": _rank("Mean rank", "mean over the data sets of the rank among the algorithms, 1 for the best"),
    "rank_change": _rank("Rank change", "how far apart the mean ranks by the even and by the odd repetitions are"),
    "kernels_selected": Metric("Kernels selected", "kernels of a weight above 1e-4 of the largest", counted=True),
    "selected_kernel": Metric(
        "Kernel selected", "number of the kernel that was selected, from 1", decimals=0, named=True
    ),
    "kernel_share_percent": Metric(
        "Kernel evaluations (%)",
        "kernel evaluations, of all that the pool has",
        decimals=2,
        better="lower",
        logarithmic=True,
    ),
    "selected_C": Metric("Selected C", "C of the SVM, or the algorithm's own where it is tuned", decimals=2),
    "selected_value": Metric(
        "Selected value", "value of the selected hyperparameter other than C", decimals=2, scientific=True
    ),
    "objective": Metric(
        "Objective", "objective of the learner, in its own terms", decimals=4, better="lower", logarithmic=True
    ),
    "training_error_percent": Metric(
        "Training error (%)", "training examples that are predicted wrong", decimals=2, better="lower"
    ),
    "epochs": Metric("Epochs", "passes over the training examples", logarithmic=True),
    "epochs_near": Metric(
        "Epochs until near", "passes until the objective is at most 1.5 times the least of the fit", logarithmic=True
    ),
    "elapsed_seconds": Metric(
        "Seconds of the fit", "processor seconds since the fit began", decimals=2, logarithmic=True
    ),
    "iterations": Metric("Iterations", "iterations of the algorithm"),
    "operations": _work(
        "Operations", "kernel evaluations and n for each row addition: work that does not depend on the machine"
    ),
    "solver_steps": _work(
        "Solver steps",
        "steps of the SVM and MEB solvers; linear systems solved",
        decimals=0,
        scientific=False,
        thousands=True,
    ),
    "kernel_values": _work("Kernel values", "entries of Gram matrices that were made"),
    "row_additions": _work("Row additions", "additions of one array of n numbers to another"),
    "svm_calls": Metric("SVM calls", "SVMs trained"),
    "meb_calls": Metric("MEB calls", "minimum enclosing balls found"),
    "gap": _certificate(
        "Relative gap",
        "certificate from outside: how far the objective can be from the optimum, relative to it; of GMKL and "
        "localised MKL, that of the SVM at the learned kernel",
    ),
    "kkt": _certificate("KKT residual", "certificate from outside: the largest violation of the optimality conditions"),
    "converged": Metric(
        "Converged",
        "1 where the fit reached what it stops at, 0 where its iterations ran out; the mean is a share",
        decimals=2,
        better="higher",
    ),
    "objective_excess": Metric(
        "Excess of the objective",
        "objective above the least one of the fit, relative, after so many calls of the SVM solver",
        scientific=True,
        logarithmic=True,
    ),
    "decision_change": Metric(
        "Change of decision values",
        "largest change of a test example's decision value, relative to their spread",
        scientific=True,
        logarithmic=True,
    ),
    "search_objective_1": Metric(
        "Flipped objective, iteration 1",
        "what the first search of a stagewise learner maximises, with its sign flipped, at a value of sigma",
        scientific=True,
    ),
    "search_objective_2": Metric("Flipped objective, iteration 2", "the same of the second search", scientific=True),
    "search_objective_3": Metric("Flipped objective, iteration 3", "the same of the third search", scientific=True),
    "seconds": _seconds(
        "Time (s)",
        "seconds of processor time from features to the final model, selection included; of nested "
        "cross-validation and online learning, of the final fit or the pass alone",
    ),
    "wall_seconds": _seconds(
        "Wall time (s)", "seconds that passed meanwhile, which depend on what else the machine did"
    ),
    "fit_seconds": _seconds(
        "Fit time (s)", "seconds of processor time of the last fit alone; of two stages, of the first"
    ),
    "selection_seconds": _seconds(
        "Selection time (s)", "seconds of processor time of the selection of hyperparameters"
    ),
    "memory_mb": Metric(
        "Memory (MiB)",
        "growth of the process's memory from features to the final model at its peak; Linux only",
        better="lower",
    ),
    "seconds_ratio_percent": Metric(
        "Time ratio (%)", "seconds in percent of those of the first algorithm of the table", derived=True
    ),
    "best_kernel_weight": Metric(
        "Weight of the best kernel", "weight of the kernel that is the best by itself, in curves", decimals=2
    ),
    "best_kernel": Metric("Best kernel", "the kernel whose own classifier makes the fewest mistakes", decimals=0),
    "weight": Metric("Weight of the kernel", "weight of a kernel in the combination", decimals=2, derived=True),
    "n": Metric("Examples", "number of examples", decimals=0, derived=True),
    "d": Metric("Dimensions", "number of features", decimals=0, derived=True),
}
