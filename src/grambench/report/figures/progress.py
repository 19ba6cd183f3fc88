"""A metric of the states of a fit, against the time or work that they took: a panel for each data set.

A line connects the means of the states that all repetitions have. An algorithm without states is one dot.
"""

from typing import Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.config.names import MetricName
from grambench.report.charts import Chart
from grambench.report.figure_kind import Curve, DatasetsFigure, FigureData

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

    def chart(self, data: FigureData) -> Chart:
        """Return one metric of each state against another."""
        results, (metric,) = data.results, self.metrics
        curves = data.curves[data.curves["metric"].isin([metric, self.x])]

        def curve_of(dataset: str, algorithm: str) -> Curve | None:
            of_run = curves[(curves["dataset"] == dataset) & (curves["algorithm"] == algorithm)]
            if of_run.empty:
                ends = [results.values(dataset, algorithm, name) for name in (ENDS.get(self.x, self.x), metric)]
                if not all(values.size and np.isfinite(values).all() for values in ends):
                    return None
                return ends[0].mean(keepdims=True), ends[1].mean(keepdims=True), None
            states = (
                of_run.pivot(index=["round", "repetition"], columns="metric", values="result")
                .unstack("repetition")
                .dropna()
            )
            x, y = (np.asarray(states[name], dtype=np.float64).reshape(len(states), -1) for name in (self.x, metric))
            return x.mean(axis=1), y.mean(axis=1), y.std(axis=1, ddof=1) if y.shape[1] > 1 else None

        panels, x = data.panels(self, curve_of, mark_dots=True), METRICS[self.x]
        return self.metric_chart(panels, x_label=x.label, x_log=x.logarithmic)
