"""Metrics over data sets that differ in one number: a panel for each metric, a line for each algorithm."""

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from grambench.config.metrics import METRICS
from grambench.config.names import MetricNames, Names
from grambench.report.charts import Chart, Panel
from grambench.report.figure_kind import MEANS_AND_BANDS, FigureData, FigureKind


class AcrossFigure(FigureKind):
    """A panel for each metric, over data sets that differ in one number.

    Attributes
    ----------
    x : list of float
        That number of each data set.
    label : str
        The label of the axis.
    """

    kind: Literal["across"]
    metrics: MetricNames
    algorithms: Names
    datasets: Names
    x: list[float]
    label: str = ""
    about_runs: ClassVar[str] = MEANS_AND_BANDS

    @model_validator(mode="after")
    def _has_one_number_for_each_data_set(self) -> Self:
        if len(self.x) != len(self.datasets):
            raise ValueError(f"expected an x for each of its {len(self.datasets)} data sets, got {len(self.x)}")
        return self

    def chart(self, data: FigureData) -> Chart:
        """Return metrics against the number in which the data sets differ, at even steps."""
        steps, panels = np.arange(len(self.datasets), dtype=np.float64), []
        for metric in self.metrics:
            lines = []
            for name in self.algorithms:
                mean, std = data.means(self.datasets, [name], metric)
                if np.isfinite(mean).any():
                    lines.append(data.line(name, steps, mean, std, marker=data.shape(name)))
            panels.append(Panel(title=METRICS[metric].label, lines=lines, metric=metric))
        ticks = {f"{x:g}": float(step) for x, step in zip(self.x, steps, strict=True)}
        return Chart(panels=panels, x_label=self.label, y_label="", ticks=ticks)
