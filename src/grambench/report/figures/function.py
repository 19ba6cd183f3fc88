"""The function whose sign labels the examples of a synthetic data set."""

from typing import Literal

import numpy as np

from grambench.report.drawing import single_panel
from grambench.report.figure_kind import FigureData, FigureKind
from grambench.report.lazy import Canvas


class FunctionFigure(FigureKind):
    """The function whose sign labels the examples of a synthetic data set.

    Attributes
    ----------
    function : str
        A name in grambench.datasets.generators.FUNCTIONS.
    x : list of float
        The ends of the interval.
    label : str
        The label of the axis.
    """

    kind: Literal["function"]
    function: Literal["three_sines"]
    x: tuple[float, float]
    label: str = ""

    def draw(self, data: FigureData) -> Canvas:
        """Draw the function on an interval, and its signs, which are the labels."""
        from grambench.datasets.generators import FUNCTIONS

        low, high = self.x
        x = np.linspace(low, high, 2001)
        values = FUNCTIONS[self.function](x)
        canvas, axes = single_panel(data.width, 2.2)
        axes.plot(x, values, color="#0072B2", linewidth=1.2, label="f")
        axes.plot(x, np.where(values > 0.0, 1.0, -1.0), ".", color="#D55E00", markersize=1.8, label="sign of f")
        axes.set_xlim(low, high)
        axes.set_xlabel(self.label)
        canvas.legend(loc="outside upper center", ncols=2, markerscale=3.0)
        return canvas
