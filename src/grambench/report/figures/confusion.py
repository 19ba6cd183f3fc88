"""A confusion matrix for each data set, of the test examples of all repetitions."""

from typing import ClassVar, Literal

import numpy as np

from grambench.common.types import Floats
from grambench.config.shown import OneName
from grambench.report.drawing import SMALL, panel_grid, set_title
from grambench.report.figure_kind import DatasetsFigure, FigureData
from grambench.report.lazy import Axes, Canvas, DataFrame

NAMED = 30  # classes whose names fit at the axes
WRITTEN = 12  # classes whose shares fit in their cells
MAX_COLUMNS = 2
PREFIX, CLASS = "confused:", "class_accuracy:"


class ConfusionFigure(DatasetsFigure):
    """The confusion matrix of one algorithm, a panel for each data set."""

    kind: Literal["confusion"]
    algorithms: OneName
    about_runs: ClassVar[str] = "All test examples of {runs}"

    def draw(self, data: FigureData) -> Canvas:
        """Draw the percentage of each class's test examples for which each class is predicted."""
        from matplotlib.colors import PowerNorm

        (algorithm,), runs = self.algorithms, data.results.runs
        of_classes = runs["metric"].str.startswith((PREFIX, CLASS))
        counts = runs[(runs["algorithm"] == algorithm) & (runs["sweep"] == "") & of_classes]
        datasets = [dataset for dataset in self.datasets if (counts["dataset"] == dataset).any()]
        if not datasets:
            return self.empty(data)
        columns = 1 if data.narrow else min(len(datasets), MAX_COLUMNS)
        side = data.width / max(columns, 1.5)
        size = (data.width, (side - 0.2) * -(-len(datasets) // columns))
        canvas, all_axes = panel_grid(size, len(datasets), columns)
        for axes, dataset in zip(all_axes, datasets, strict=True):
            names, shares = _shares(counts[counts["dataset"] == dataset])
            image = axes.imshow(shares, cmap="Blues", norm=PowerNorm(0.5, vmin=0.0, vmax=100.0))
            set_title(axes, f"{dataset}: {data.title(algorithm)}")
            _label(axes, names, shares)
            bar = canvas.colorbar(image, ax=axes, fraction=0.045, pad=0.02)
            bar.set_label("Test examples of the class (%)", fontsize=SMALL)
        return canvas


def _shares(runs: DataFrame) -> tuple[list[str], Floats]:
    """Return the classes, and the percentage of each class (row) that is predicted to be each class (column)."""
    sums = runs.groupby("metric", sort=False)["result"].sum().to_dict()
    # a name may have a colon itself
    names = [str(metric).removeprefix(CLASS) for metric in sums if str(metric).startswith(CLASS)]
    counts = np.array([[sums.get(f"{PREFIX}{true}:{predicted}", 0.0) for predicted in names] for true in names])
    tested = np.flatnonzero(counts.any(axis=1))
    counts = counts[np.ix_(tested, tested)]
    return [names[number] for number in tested], 100.0 * counts / counts.sum(axis=1, keepdims=True)


def _label(axes: Axes, names: list[str], shares: Floats) -> None:
    """Name the axes, the classes if they fit, and the shares if they fit."""
    axes.grid(visible=False)
    axes.set_ylabel("Class")
    axes.set_xlabel("Predicted")
    if len(names) <= NAMED:
        axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(len(names)), names)
    for (row, column), share in np.ndenumerate(shares) if len(names) <= WRITTEN else ():
        if share >= 0.5:
            colour = "white" if share > 50.0 else "#333333"
            axes.text(column, row, f"{share:.0f}", ha="center", va="center", fontsize=6.0, color=colour)
