"""A metric over the values of a sweep: a panel for each data set, a line for each algorithm."""

from typing import ClassVar, Literal

import numpy as np

from grambench.config.names import Name
from grambench.report.charts import Chart, Line
from grambench.report.figure_kind import Curve, DatasetsFigure, FigureData


class SweepFigure(DatasetsFigure):
    """A metric over the values of a sweep, laid out as the curves are.

    Attributes
    ----------
    level : str
        The name, beside their titles, of the algorithms without the sweep, each a dotted level. If it is empty, no
        levels are drawn.
    """

    kind: Literal["sweep"]
    sweep: Name
    level: str = ""
    shows_sweep: ClassVar[bool] = True

    def chart(self, data: FigureData) -> Chart:
        """Return a metric against the values of the sweep."""
        sweep, (metric,) = data.results.study.sweeps[self.sweep], self.metrics

        def curve_of(dataset: str, algorithm: str) -> Curve | None:
            table = data.results.swept(self.sweep, dataset, algorithm, metric)
            if table.empty:
                return None
            std = table.std(axis=1, ddof=1).fillna(0.0).to_numpy()
            return table.index.to_numpy(), table.mean(axis=1).to_numpy(), std

        panels = data.panels(self, curve_of)
        for panel in panels if self.level else ():
            panel.lines.extend(self._levels(data, panel.title))
        return self.metric_chart(panels, x_label=sweep.label, x_log=sweep.scale == "log")

    def _levels(self, data: FigureData, dataset: str) -> list[Line]:
        """Return the means of the algorithms without the sweep, from its first value to its last."""
        values = data.results.study.sweeps[self.sweep].values
        ends, levels = np.array([min(values), max(values)], dtype=np.float64), []
        for name in self.algorithms:
            plain = data.results.values(dataset, name, self.metrics[0])
            if len(plain):
                title, mean = f"{data.results.title(name)}, {self.level}", np.full(2, plain.mean())
                levels.append(data.line(name, ends, mean, title=title, dash=(0, (1, 2))))
        return levels
