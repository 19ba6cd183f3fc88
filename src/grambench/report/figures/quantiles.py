"""The z of published numbers against a standard normal distribution, which they have where nothing differs."""

import numpy as np
from matplotlib.figure import Figure as Canvas
from scipy import special

from grambench.config.metrics import METRICS
from grambench.config.shown import QuantilesFigure
from grambench.report.figures.shared import BLACK, LINES, Chart, Given, Line, Panel, empty
from grambench.results.reproduction import judged_by_replications
from grambench.results.verdicts import normality

SIDE = 4.3  # inches
FARTHEST = 8.0  # z that lie farther out are drawn there


def chart(given: Given, figure: QuantilesFigure) -> Chart:
    """Return the same points, each with what it is of."""
    judged = judged_by_replications(given.reproduction).sort_values("z")
    expected = special.ndtri((np.arange(len(judged)) + 0.5) / max(len(judged), 1))
    lines = []
    for (colour, _), metric in zip(LINES, dict.fromkeys(judged["metric"]), strict=False):
        own = (judged["metric"] == metric).to_numpy()
        z = judged["z"].to_numpy(np.float64)[own].clip(-FARTHEST, FARTHEST)
        cells = zip(judged["dataset"][own], judged["algorithm"][own], strict=True)
        names = tuple(f"{dataset} {given.results.title(str(name))}" for dataset, name in cells)
        label = f"{METRICS[str(metric)].label} ({own.sum()})"
        lines.append(
            Line(title=label, x=expected[own], mean=z, std=0 * z, colour=colour, dash=None, marker="o", names=names)
        )
    return Chart(
        panels=[Panel(title="", lines=lines, metric="")],
        x_label="Quantile of the normal distribution",
        y_label="z of the published number by our replications",
        diagonal=True,
    )


def draw(given: Given, figure: QuantilesFigure) -> Canvas:
    """Draw each number's z, in order, against the quantile of its rank, coloured by metric."""
    judged = judged_by_replications(given.reproduction).sort_values("z")
    if judged.empty:
        return empty(given.results, figure)
    z = judged["z"].to_numpy(np.float64)
    expected = special.ndtri((np.arange(len(z)) + 0.5) / len(z))
    canvas = Canvas(figsize=(SIDE, SIDE), layout="constrained")
    axes = canvas.subplots()
    ends = 1.1 * max(expected[-1], float(np.abs(z).clip(max=FARTHEST).max()))
    axes.plot([-ends, ends], [-ends, ends], color="#888888", linewidth=0.8, zorder=1)
    for (colour, _), metric in zip(LINES, dict.fromkeys(judged["metric"]), strict=False):
        own = (judged["metric"] == metric).to_numpy()
        axes.plot(
            expected[own],
            z[own].clip(-FARTHEST, FARTHEST),
            "o",
            color=colour,
            markersize=4.2,
            markeredgecolor="white",
            markeredgewidth=0.4,
            label=f"{METRICS[str(metric)].label} ({own.sum()})",
        )
    found = normality(z)
    said = f"root mean square {found.rms:.2f}\nKolmogorov-Smirnov p = {found.p_value:.2g}"
    axes.text(0.98, 0.03, said, ha="right", va="bottom", transform=axes.transAxes, fontsize=8, color=BLACK)
    axes.set_xlabel("Quantile of the normal distribution")
    axes.set_ylabel("z of the published number by our replications")
    axes.set_xlim(-ends, ends)
    axes.set_ylim(-ends, ends)
    axes.set_aspect("equal")
    axes.legend(loc="upper left", fontsize=8)
    return canvas
