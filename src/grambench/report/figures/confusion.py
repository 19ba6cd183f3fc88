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
PREFIX = "confused:"


class ConfusionFigure(DatasetsFigure):
    """The confusion matrix of one algorithm, a panel for each data set."""

    kind: Literal["confusion"]
    algorithms: OneName
    about_runs: ClassVar[str] = "All test examples of {runs}"

    def draw(self, data: FigureData) -> Canvas:
        """Draw the percentage of each class's test examples for which each class is predicted."""
        from matplotlib.colors import PowerNorm

        (algorithm,), runs = self.algorithms, data.results.runs
        counts = runs[(runs["algorithm"] == algorithm) & (runs["sweep"] == "") & runs["metric"].str.startswith(PREFIX)]
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
    pairs = runs["metric"].str.removeprefix(PREFIX).str.split(":", n=1, expand=True)
    names = list(dict.fromkeys(pairs[0]))
    table = runs.groupby([pairs[0], pairs[1]])["result"].sum().unstack()
    counts = table.reindex(index=names, columns=names).fillna(0.0).to_numpy()
    return names, 100.0 * counts / counts.sum(axis=1, keepdims=True)


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
