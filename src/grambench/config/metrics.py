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
    decimals: int
    scientific: bool = False
    thousands: bool = False
    better: Better | None = None
    logarithmic: bool = False
    counted: bool = False
    named: bool = False


METRICS = {
    "mistake_percent": Metric(label="Mistakes (%)", decimals=2, better="lower"),
    "support_vectors": Metric(label="Support vectors", decimals=1, better="lower", logarithmic=True),
    "accuracy_percent": Metric(label="Accuracy (%)", decimals=1, better="higher"),
    "balanced_accuracy_percent": Metric(label="Balanced accuracy (%)", decimals=1, better="higher"),
    "error_percent": Metric(label="Error (%)", decimals=1, better="lower"),
    "validation_error_percent": Metric(label="Validation error (%)", decimals=1, better="lower"),
    "alignment": Metric(label="Alignment", decimals=3, better="higher"),
    "median_rank": Metric(label="Median rank", decimals=1, better="lower"),
    "mean_rank": Metric(label="Mean rank", decimals=1, better="lower"),
    "kernels_selected": Metric(label="Kernels selected", decimals=1, counted=True),
    "selected_kernel": Metric(label="Kernel selected", decimals=0, named=True),
    "kernel_share_percent": Metric(label="Kernel values made (%)", decimals=2, better="lower", logarithmic=True),
    "chosen_c": Metric(label="C chosen", decimals=2),
    "chosen_value": Metric(label="Tuned value", decimals=2, scientific=True),
    "objective": Metric(label="Objective", decimals=4, better="lower", logarithmic=True),
    "training_error_percent": Metric(label="Training error (%)", decimals=2, better="lower"),
    "epochs": Metric(label="Epochs", decimals=1, logarithmic=True),
    "elapsed_seconds": Metric(label="Seconds of the fit", decimals=2, logarithmic=True),
    "iterations": Metric(label="Iterations", decimals=1),
    "operations": Metric(
        label="Operations", decimals=1, scientific=True, better="lower", logarithmic=True, counted=True
    ),
    "solver_steps": Metric(
        label="Solver steps", decimals=0, thousands=True, better="lower", logarithmic=True, counted=True
    ),
    "kernel_values": Metric(
        label="Kernel values", decimals=1, scientific=True, better="lower", logarithmic=True, counted=True
    ),
    "row_additions": Metric(
        label="Row additions", decimals=1, scientific=True, better="lower", logarithmic=True, counted=True
    ),
    "svm_calls": Metric(label="SVM calls", decimals=1),
    "meb_calls": Metric(label="MEB calls", decimals=1),
    "gap": Metric(label="Relative gap", decimals=1, scientific=True, better="lower", logarithmic=True),
    "kkt": Metric(label="KKT residual", decimals=1, scientific=True, better="lower", logarithmic=True),
    "converged": Metric(label="Converged", decimals=2, better="higher"),  # 0 or 1 in every run
    "objective_excess": Metric(label="Excess of the objective", decimals=1, scientific=True, logarithmic=True),
    "decision_change": Metric(label="Change of decision values", decimals=1, scientific=True, logarithmic=True),
    "search_objective_1": Metric(label="Flipped objective, iteration 1", decimals=1, scientific=True),
    "search_objective_2": Metric(label="Flipped objective, iteration 2", decimals=1, scientific=True),
    "search_objective_3": Metric(label="Flipped objective, iteration 3", decimals=1, scientific=True),
    "seconds": Metric(label="Time (s)", decimals=3, better="lower", logarithmic=True),
    "search_seconds": Metric(label="Time of the search (s)", decimals=3, better="lower", logarithmic=True),
    "seconds_ratio_percent": Metric(label="Time ratio (%)", decimals=1),
    "best_kernel_weight": Metric(label="Weight of the best kernel", decimals=2),
    "best_kernel": Metric(label="Best kernel", decimals=0),
    "weight": Metric(label="Weight of the kernel", decimals=2),
    "n": Metric(label="Examples", decimals=0),
    "d": Metric(label="Dimensions", decimals=0),
}
