"""Which classes one algorithm takes for which: a confusion matrix a data set, all repeats together."""

import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure as Canvas

from grambench.config.shown import ConfusionFigure
from grambench.report.figures.shared import Given, empty

NAMED = 30  # classes whose names have room at the axes
WRITTEN = 20  # classes whose shares have room in their cells
PREFIX = "confused:"


def draw(given: Given, figure: ConfusionFigure) -> Canvas:
    """Draw the share of each class's test examples, in percent, that each class is predicted for."""
    results, (algorithm,) = given.results, figure.algorithms
    runs = results.runs
    chosen = runs[(runs["algorithm"] == algorithm) & (runs["sweep"] == "") & runs["metric"].str.startswith(PREFIX)]
    shown = [dataset for dataset in figure.datasets if (chosen["dataset"] == dataset).any()]
    if not shown:
        return empty(results, figure)
    canvas = Canvas(figsize=(5.6 * len(shown), 5.0), layout="constrained")
    for axes, dataset in zip(canvas.subplots(1, len(shown), squeeze=False)[0], shown, strict=True):
        own = chosen[chosen["dataset"] == dataset]
        pairs = own["metric"].str.removeprefix(PREFIX).str.split(":", n=1, expand=True)
        names = list(dict.fromkeys(pairs[0]))
        table = own.groupby([pairs[0], pairs[1]])["result"].sum().unstack()
        counts = table.reindex(index=names, columns=names).fillna(0.0).to_numpy()
        shares = 100.0 * counts / counts.sum(axis=1, keepdims=True)
        image = axes.imshow(shares, cmap="Blues", norm=PowerNorm(0.5, vmin=0.0, vmax=100.0))
        axes.set_title(f"{dataset}: {results.title(algorithm)}", loc="left", fontweight="bold")
        axes.grid(visible=False)
        axes.set_ylabel("Class")
        axes.set_xlabel("Predicted")
        if len(names) <= NAMED:
            axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
            axes.set_yticks(range(len(names)), names)
        if len(names) <= WRITTEN:
            for (row, column), share in np.ndenumerate(shares):
                if share >= 0.5:
                    colour = "white" if share > 50.0 else "#333333"
                    axes.text(column, row, f"{share:.0f}", ha="center", va="center", fontsize=6.5, color=colour)
        canvas.colorbar(image, ax=axes, fraction=0.045, pad=0.02).set_label(
            "Test examples of the class (%)", fontsize=8
        )
    return canvas
