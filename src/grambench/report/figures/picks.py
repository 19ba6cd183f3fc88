"""How often the kernel of the largest weight is one of the best single ones, during the online pass."""

from typing import ClassVar, Literal

import numpy as np

from grambench.config.metrics import METRICS, WEIGHT
from grambench.config.names import Name
from grambench.report.charts import Chart
from grambench.report.figure_kind import Curve, DatasetsFigure, FigureData
from grambench.report.lazy import Axes, DataFrame, Results, Series

COUNT = 5  # kernels that count as the best, with all that are as good as the last of them


class PicksFigure(DatasetsFigure):
    """The share of repetitions in which the kernel of the largest weight is one of the best single ones.

    Attributes
    ----------
    sweep : str
        The sweep over `kernel`, of one algorithm, that ranks the kernels.
    """

    kind: Literal["picks"]
    sweep: Name
    about_runs: ClassVar[str] = "Shares of {runs}"

    def chart(self, data: FigureData) -> Chart:
        """Return the percentage of repetitions against the examples received; all passes follow each other."""
        results, (metric,) = data.results, self.metrics
        swept = results.study.sweeps[self.sweep].algorithms[0]
        weights = data.curves[self.weights(results, data.curves)]

        def curve_of(dataset: str, algorithm: str) -> Curve | None:
            alone = results.by_kernel(self.sweep, dataset, swept, metric)
            of_run = weights[(weights["dataset"] == dataset) & (weights["algorithm"] == algorithm)]
            if of_run.empty or alone.empty:
                return None
            places = alone.round(9).rank(method="min", ascending=METRICS[metric].better == "lower")
            heaviest = of_run.loc[of_run.groupby(["repetition", "round"])["result"].idxmax()]
            is_best = heaviest["metric"].str.removeprefix(WEIGHT).isin(places.index[places <= COUNT])
            share = 100.0 * is_best.groupby(heaviest["round"]).mean()
            return np.asarray(share.index, dtype=np.float64), np.asarray(share, dtype=np.float64), None

        def scale(axes: Axes) -> None:
            axes.set_xlim(left=0)
            axes.set_ylim(-3, 103)

        label = f"Repetitions in which one of the {COUNT} best kernels has most weight (%)"
        x_label = results.study.protocol.progress
        return Chart(panels=data.panels(self, curve_of), x_label=x_label, y_label=label, scale=scale)

    def weights(self, results: Results, curves: DataFrame) -> Series:
        """Return for each row whether it is a weight of an algorithm of the figure."""
        return curves["metric"].str.startswith(WEIGHT) & curves["algorithm"].isin(self.algorithms)
