"""What labels the examples of a synthetic data set."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from grambench.config.shown import FunctionFigure
from grambench.datasets.generators import FUNCTIONS
from grambench.report.figures.shared import WIDTH, Given


def draw(given: Given, figure: FunctionFigure) -> Canvas:
    """Draw a function on an interval, and the signs that are its labels."""
    low, high = figure.x
    x = np.linspace(low, high, 2001)
    values = FUNCTIONS[figure.function](x)
    canvas = Canvas(figsize=(WIDTH, 2.9), layout="constrained")
    axes = canvas.subplots()
    axes.plot(x, values, color="#0072B2", linewidth=1.2, label="f")
    axes.plot(x, np.where(values > 0.0, 1.0, -1.0), ".", color="#D55E00", markersize=1.8, label="sign of f")
    axes.set_xlim(low, high)
    axes.set_xlabel(figure.label)
    canvas.legend(loc="outside upper center", ncols=2, markerscale=3.0)
    return canvas
