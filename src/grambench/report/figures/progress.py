"""A metric of the states of a fit, against the time or work that they took: a panel for each data set.

A line connects the means of the states that all repetitions have. An algorithm without states is one dot.
"""

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.names import MetricName
from grambench.report.drawing import MEANS_AND_BANDS, Chart, DatasetsFigure, FigureData, plain_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = {"elapsed_seconds": "fit_seconds"}  # the metric of a whole run, if it has another name than that of a state


class ProgressFigure(DatasetsFigure):
    """A metric of the states that a fit goes through, a panel for each data set.

    Attributes
    ----------
    x : str
        The metric of the states on the horizontal axis.
    """

    kind: Literal["progress"]
    x: MetricName
    about_runs: ClassVar[str] = MEANS_AND_BANDS

    def chart(self, data: FigureData) -> Chart:
        """Return one metric of each state against another."""
        results, (metric,) = data.results, self.metrics
        selected = data.curves[data.curves["metric"].isin([metric, self.x])]

        def find(dataset: str, algorithm: str) -> tuple[Floats, Floats, Floats | None] | None:
            own = selected[(selected["dataset"] == dataset) & (selected["algorithm"] == algorithm)]
            if own.empty:
                ends = [results.values(dataset, algorithm, name) for name in (ENDS.get(self.x, self.x), metric)]
                if not all(each.size and np.isfinite(each).all() for each in ends):
                    return None
                return ends[0].mean(keepdims=True), ends[1].mean(keepdims=True), None
            states = (
                own.pivot(index=["round", "repetition"], columns="metric", values="result")
                .unstack("repetition")
                .dropna()
            )
            x, y = (np.asarray(states[name], dtype=np.float64).reshape(len(states), -1) for name in (self.x, metric))
            return x.mean(axis=1), y.mean(axis=1), y.std(axis=1, ddof=1) if y.shape[1] > 1 else None

        def scale(axes: "Axes") -> None:
            if METRICS[self.x].logarithmic:
                axes.set_xscale("log")
                plain_ticks(axes.xaxis, list(axes.get_xlim()))

        return Chart(
            panels=data.panels(self, find, mark_dots=True),
            x_label=METRICS[self.x].label,
            y_label=METRICS[metric].label,
            scale=scale,
            x_log=METRICS[self.x].logarithmic,
            y_log=METRICS[metric].logarithmic,
        )
