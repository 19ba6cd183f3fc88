"""The z of published numbers against a standard normal distribution, which they have if nothing differs."""

from typing import Any, Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.report import drawing
from grambench.report.charts import BLACK, Chart, Line, Panel
from grambench.report.figure_kind import FigureData, FigureKind
from grambench.report.lazy import Canvas, DataFrame

SIDE = 3.3  # inches
FARTHEST = 8.0  # z that lie farther out are drawn there


class QuantilesFigure(FigureKind):
    """How far published numbers are from our replications, against the normal distribution."""

    kind: Literal["quantiles"]

    def chart(self, data: FigureData) -> Chart:
        """Return each number's z, in order, against the quantile of its rank, coloured by metric."""
        from scipy import special

        judged = self._judged(data)
        expected = special.ndtri((np.arange(len(judged)) + 0.5) / max(len(judged), 1))
        lines = []
        for (colour, _), metric in zip(drawing.LINES, dict.fromkeys(judged["metric"]), strict=False):
            of_metric = (judged["metric"] == metric).to_numpy()
            z = judged["z"].to_numpy(np.float64)[of_metric].clip(-FARTHEST, FARTHEST)
            cells = zip(judged["dataset"][of_metric], judged["algorithm"][of_metric], strict=True)
            names = tuple(f"{dataset} {data.results.title(str(name))}" for dataset, name in cells)
            title = f"{METRICS[str(metric)].label} ({of_metric.sum()})"
            style: Any = {"colour": colour, "dash": None, "marker": "o", "names": names}
            lines.append(Line(title=title, x=expected[of_metric], mean=z, std=0 * z, **style))
        return Chart(
            panels=[Panel(title="", lines=lines, metric="")],
            x_label="Quantile of the normal distribution",
            y_label="z of the published number by our replications",
            diagonal=True,
        )

    def draw(self, data: FigureData) -> Canvas:
        """Draw the numbers, the diagonal, and the tests of normality."""
        from grambench.results.verdicts import normality

        chart = self.chart(data)
        lines = chart.panels[0].lines
        if not lines:
            return self.empty(data)
        canvas, axes = drawing.single_panel(SIDE, SIDE)
        farthest_z = max(float(np.abs(line.mean).max()) for line in lines)
        ends = 1.1 * max(max(line.x[-1] for line in lines), farthest_z)
        axes.plot([-ends, ends], [-ends, ends], color=drawing.GREY, linewidth=0.8, zorder=1)
        style: Any = {"markersize": 3.4, **drawing.WHITE_EDGE}
        for line in lines:
            axes.plot(line.x, line.mean, line.marker, color=line.colour, label=line.title, **style)
        tested = normality(self._judged(data)["z"].to_numpy(np.float64))
        text = f"root mean square {tested.rms:.2f}\nKolmogorov-Smirnov p = {tested.p_value:.2g}"
        beneath: Any = {"ha": "right", "va": "bottom", "transform": axes.transAxes}
        axes.text(0.98, 0.03, text, fontsize=drawing.SMALL, color=BLACK, **beneath)
        axes.set_xlabel(chart.x_label)
        axes.set_ylabel(chart.y_label)
        axes.set_xlim(-ends, ends)
        axes.set_ylim(-ends, ends)
        axes.set_aspect("equal")
        axes.legend(loc="upper left", fontsize=drawing.SMALL)
        return canvas

    def _judged(self, data: FigureData) -> DataFrame:
        from grambench.results.reproduction import judged_by_replications

        return judged_by_replications(data.reproduction).sort_values("z")
