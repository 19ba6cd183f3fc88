"""What is measured: how each metric is called, printed and read, in every study."""

from dataclasses import dataclass
from typing import Literal

Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric.

    Attributes
    ----------
    label : str
        Its name with its unit, in tables and at axes.
    meaning : str
        What it is, in one line.
    decimals : int
        How precisely the papers print it, and so do we.
    scientific : bool
        Whether it is printed as 1.2e-05, with so many decimals before the exponent.
    thousands : bool
        Whether its thousands are set apart, as in 12,345.
    better : str or None
        Which values are good; None where that depends on what one wants.
    logarithmic : bool
        Whether its axis is.
    counted : bool
        Whether it is a whole number in every run.
    named : bool
        Whether its values are names, such as the numbers of kernels: all are listed, and there is no mean.
    """

    label: str
    meaning: str
    decimals: int
    scientific: bool = False
    thousands: bool = False
    better: Better | None = None
    logarithmic: bool = False
    counted: bool = False
    named: bool = False


METRICS = {
    "mistake_percent": Metric(
        label="Mistakes (%)",
        meaning="examples on which the online prediction was wrong, before their label was seen",
        decimals=2,
        better="lower",
    ),
    "support_vectors": Metric(
        label="Support vectors",
        meaning="examples in the expansion of the predictor, at the end of the pass or fit",
        decimals=1,
        better="lower",
        logarithmic=True,
    ),
    "accuracy_percent": Metric(
        label="Accuracy (%)", meaning="test examples that are predicted right", decimals=1, better="higher"
    ),
    "balanced_accuracy_percent": Metric(
        label="Balanced accuracy (%)",
        meaning="mean over the classes of the accuracy on each",
        decimals=1,
        better="higher",
    ),
    "error_percent": Metric(
        label="Error (%)", meaning="test examples that are predicted wrong", decimals=1, better="lower"
    ),
    "validation_error_percent": Metric(
        label="Validation error (%)",
        meaning="error of what was chosen, on the examples held out to choose by",
        decimals=1,
        better="lower",
    ),
    "alignment": Metric(
        label="Alignment",
        meaning="centred alignment of the learned kernel with the labels of the test examples",
        decimals=3,
        better="higher",
    ),
    "median_rank": Metric(
        label="Median rank",
        meaning="median over the data sets of the rank among the algorithms, 1 for the best",
        decimals=1,
        better="lower",
    ),
    "mean_rank": Metric(
        label="Mean rank",
        meaning="mean over the data sets of the rank among the algorithms, 1 for the best",
        decimals=1,
        better="lower",
    ),
    "kernels_selected": Metric(
        label="Kernels selected", meaning="kernels of a weight above 0", decimals=1, counted=True
    ),
    "selected_kernel": Metric(
        label="Kernel selected", meaning="number of the kernel that was selected, from 1", decimals=0, named=True
    ),
    "kernel_share_percent": Metric(
        label="Kernel values made (%)",
        meaning="kernel values made, of all that the pool has",
        decimals=2,
        better="lower",
        logarithmic=True,
    ),
    "chosen_c": Metric(label="C chosen", meaning="C of the machine, as it was tuned or given", decimals=2),
    "chosen_value": Metric(
        label="Tuned value", meaning="value of the parameter that was tuned", decimals=2, scientific=True
    ),
    "objective": Metric(
        label="Objective",
        meaning="objective of the learner, in its own terms",
        decimals=4,
        better="lower",
        logarithmic=True,
    ),
    "training_error_percent": Metric(
        label="Training error (%)", meaning="training examples that are predicted wrong", decimals=2, better="lower"
    ),
    "epochs": Metric(label="Epochs", meaning="passes over the training examples", decimals=1, logarithmic=True),
    "elapsed_seconds": Metric(
        label="Seconds of the fit", meaning="seconds since the fit began", decimals=2, logarithmic=True
    ),
    "iterations": Metric(label="Iterations", meaning="iterations of the algorithm", decimals=1),
    "operations": Metric(
        label="Operations",
        meaning="kernel values made and n for each row addition: work that does not depend on the machine",
        decimals=1,
        scientific=True,
        better="lower",
        logarithmic=True,
        counted=True,
    ),
    "solver_steps": Metric(
        label="Solver steps",
        meaning="steps of the solvers of machines and balls; linear systems solved",
        decimals=0,
        thousands=True,
        better="lower",
        logarithmic=True,
        counted=True,
    ),
    "kernel_values": Metric(
        label="Kernel values",
        meaning="entries of Gram matrices that were made",
        decimals=1,
        scientific=True,
        better="lower",
        logarithmic=True,
        counted=True,
    ),
    "row_additions": Metric(
        label="Row additions",
        meaning="additions of one array of n numbers to another",
        decimals=1,
        scientific=True,
        better="lower",
        logarithmic=True,
        counted=True,
    ),
    "svm_calls": Metric(label="SVM calls", meaning="machines trained", decimals=1),
    "meb_calls": Metric(label="MEB calls", meaning="minimum enclosing balls found", decimals=1),
    "gap": Metric(
        label="Relative gap",
        meaning="certificate from outside: how far the objective can be from the optimum, relative to it",
        decimals=1,
        scientific=True,
        better="lower",
        logarithmic=True,
    ),
    "kkt": Metric(
        label="KKT residual",
        meaning="certificate from outside: the largest violation of the optimality conditions",
        decimals=1,
        scientific=True,
        better="lower",
        logarithmic=True,
    ),
    "converged": Metric(
        label="Converged",
        meaning="1 where the fit reached what it stops at, 0 where its iterations ran out; the mean is a share",
        decimals=2,
        better="higher",
    ),  # 0 or 1 in every run
    "objective_excess": Metric(
        label="Excess of the objective",
        meaning="objective above the least one of the fit, relative, after so many calls of the machine's solver",
        decimals=1,
        scientific=True,
        logarithmic=True,
    ),
    "decision_change": Metric(
        label="Change of decision values",
        meaning="largest change of a test example's decision value, relative to their spread",
        decimals=1,
        scientific=True,
        logarithmic=True,
    ),
    "search_objective_1": Metric(
        label="Flipped objective, iteration 1",
        meaning="what the first search of a stagewise learner maximises, with its sign flipped, at a value of sigma",
        decimals=1,
        scientific=True,
    ),
    "search_objective_2": Metric(
        label="Flipped objective, iteration 2", meaning="the same of the second search", decimals=1, scientific=True
    ),
    "search_objective_3": Metric(
        label="Flipped objective, iteration 3", meaning="the same of the third search", decimals=1, scientific=True
    ),
    "seconds": Metric(
        label="Time (s)",
        meaning="seconds of the pass or of learning, with choosing of parameters but under the nested protocol",
        decimals=3,
        better="lower",
        logarithmic=True,
    ),
    "search_seconds": Metric(
        label="Time of the search (s)",
        meaning="seconds of a part: choosing before the fit (nested), selecting a kernel (split), else the last fit",
        decimals=3,
        better="lower",
        logarithmic=True,
    ),
    "seconds_ratio_percent": Metric(
        label="Time ratio (%)", meaning="seconds in percent of those of the first algorithm of the table", decimals=1
    ),
    "best_kernel_weight": Metric(
        label="Weight of the best kernel",
        meaning="weight of the kernel that is the best by itself, in curves",
        decimals=2,
    ),
    "best_kernel": Metric(
        label="Best kernel", meaning="the kernel whose own classifier makes the fewest mistakes", decimals=0
    ),
    "weight": Metric(label="Weight of the kernel", meaning="weight of a kernel in the combination", decimals=2),
    "n": Metric(label="Examples", meaning="number of examples", decimals=0),
    "d": Metric(label="Dimensions", meaning="number of features", decimals=0),
}
