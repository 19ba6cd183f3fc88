"""How far each algorithm is behind the best one on each data set, the algorithm of the lowest mean rank on top."""

import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure as Canvas

from grambench.config.metrics import METRICS
from grambench.config.shown import HeatmapFigure
from grambench.report.figures.field import Field
from grambench.report.figures.shared import WIDTH, Given, empty

ROW, COLUMN = 0.19, 0.62  # inches of a cell, at most
CLIPPED = 90  # percentile from which all colours are alike: the worst would make all others alike
LETTER = 0.075  # inches of a digit of the size that cells have at most
DARK = 0.45  # share of the last colour from which letters are white
MISSING = "#E9E9E9"


def draw(given: Given, figure: HeatmapFigure) -> Canvas:
    """Draw a cell for each mean, with its number where there is room."""
    (metric,) = figure.metrics
    results, field = given.results, Field.of(given.results, figure)
    if not field.names:
        return empty(results, figure)
    values = results.behind(field.names, metric, field.datasets).to_numpy().T
    names = [results.title(name) for name in field.names]
    room = WIDTH - 1.3 - 0.066 * max(map(len, names))
    column = min(COLUMN, room / len(field.datasets))
    canvas = Canvas(figsize=(WIDTH - room + column * len(field.datasets), 1.3 + ROW * len(names)), layout="constrained")
    axes = canvas.subplots()
    axes.set_facecolor(MISSING)
    top = max(float(np.nanpercentile(values, CLIPPED)), 1e-9)
    image = axes.imshow(values, cmap="YlOrBr", norm=PowerNorm(0.5, vmin=0.0, vmax=top), aspect="auto")
    bar = canvas.colorbar(image, ax=axes, extend="max", fraction=0.03, pad=0.02)
    bar.set_label(f"{METRICS[metric].label} behind the best", fontsize=8)
    axes.set_xticks(range(len(field.datasets)), field.datasets, rotation=50, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    size = min(7.0, 7.0 * column / (4.3 * LETTER))
    for (row, place), value in np.ndenumerate(values):
        dark = np.isfinite(value) and value > DARK * top
        text = f"{value:.1f}" if np.isfinite(value) else "×"
        axes.text(place, row, text, ha="center", va="center", fontsize=size, color="white" if dark else "#333333")
    canvas.supxlabel(f"Rows by mean rank on {field.basis}; ×: no result", fontsize=8)
    return canvas
