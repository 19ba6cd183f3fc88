"""The objective that the searches of a stagewise algorithm maximise: a panel for each data set, a line an iteration."""

from typing import ClassVar, Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.config.names import MetricNames, Name, Names
from grambench.report.charts import Chart, Line, Panel
from grambench.report.drawing import LINES
from grambench.report.figure_kind import FigureData, FigureKind
from grambench.report.lazy import Axes


class ProfileFigure(FigureKind):
    """A sweep of kind profile: a line for each iteration of the first algorithm in the first repetition."""

    kind: Literal["profile"]
    sweep: Name
    metrics: MetricNames
    algorithms: Names
    datasets: Names
    about_runs: ClassVar[str] = "The first of {runs}; there is no band"
    shows_sweep: ClassVar[bool] = True

    def chart(self, data: FigureData) -> Chart:
        """Return the objectives of the first searches of the first repetition, and mark the least value of each."""
        sweep, panels = data.results.study.sweeps[self.sweep], []
        for dataset in self.datasets:
            lines = []
            for (colour, dash), metric in zip(LINES, self.metrics, strict=False):
                table = data.results.swept(self.sweep, dataset, self.algorithms[0], metric)
                if table.empty or table[0].isna().all():
                    continue
                values = (table[0] / table[0].abs().max()).to_numpy()
                style = {"title": METRICS[metric].label, "colour": colour, "dash": dash}
                lines.append(Line(x=table.index.to_numpy(), mean=values, std=np.zeros(len(values)), **style))
            panels.append(Panel(title=dataset, lines=lines, metric=self.metrics[0]))

        def scale(axes: Axes) -> None:
            for line in axes.get_lines():
                x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
                least = int(np.nanargmin(y))
                axes.plot(x[least], y[least], "o", color=line.get_color(), markersize=4.5)

        label, log = "Share of its largest absolute value", sweep.scale == "log"
        return Chart(panels=panels, x_label=sweep.label, y_label=label, scale=scale, x_log=log)
