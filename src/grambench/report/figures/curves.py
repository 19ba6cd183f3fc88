"""A metric during the online pass: a panel for each data set, a line for each algorithm, bands over repetitions."""

from typing import Literal

import numpy as np

from grambench.config.metrics import METRICS, WEIGHT
from grambench.report.charts import Chart
from grambench.report.figure_kind import Curve, DatasetsFigure, FigureData
from grambench.report.lazy import Axes, DataFrame, Results, Series

BEST_WEIGHT = "best_kernel_weight"


class CurvesFigure(DatasetsFigure):
    """A metric during the online pass, a panel for each data set, a line for each algorithm, bands over repetitions.

    Attributes
    ----------
    recent : bool
        Whether a rate of mistakes is of the examples since the last point, and not of all so far.
    """

    kind: Literal["curves"] = "curves"
    recent: bool = False

    def chart(self, data: FigureData) -> Chart:
        """Return the metric against the rounds.

        All means lie within the panels. The wide bands of the first rounds may leave them.
        """
        results, (metric,) = data.results, self.metrics
        of_metric = self.weights(results, data.curves) if metric == BEST_WEIGHT else data.curves["metric"] == metric
        rows = _recent(data.curves[of_metric]) if self.recent else data.curves[of_metric]
        grouped = rows.groupby(["dataset", "algorithm", "round"], as_index=False)["result"]
        table = grouped.agg(["mean", "std"]).fillna({"std": 0.0})
        curves = {(str(d), str(a)): curve for (d, a), curve in table.groupby(["dataset", "algorithm"])}

        def curve_of(dataset: str, algorithm: str) -> Curve | None:
            if (curve := curves.get((dataset, algorithm))) is None:
                return None
            x, mean, std = (curve[name].to_numpy(np.float64) for name in ("round", "mean", "std"))
            return x, mean, std

        def scale(axes: Axes) -> None:
            axes.set_xlim(left=0)
            values = np.concatenate([np.asarray(line.get_ydata()) for line in axes.get_lines()])
            low, high = float(np.nanmin(values)), float(np.nanmax(values))
            if METRICS[metric].logarithmic:
                axes.set_ylim(low / 1.3, high * 1.3)
            elif metric == BEST_WEIGHT:
                axes.set_ylim(0, 1.02)
            else:
                axes.set_ylim(max(low - 0.2 * (high - low), 0), high + 0.06 * (high - low))

        return self.metric_chart(data.panels(self, curve_of), x_label=results.study.protocol.progress, scale=scale)

    def weights(self, results: Results, curves: DataFrame) -> Series:
        """Return for each row whether it is the weight of the best kernel of its data set."""
        if self.metrics != [BEST_WEIGHT]:
            return super().weights(results, curves)
        kernels = {name: results.best_kernels(name)[:1] for name in results.study.datasets}
        best_kernels = {name: f"{WEIGHT}{kernel}" for name, names in kernels.items() for kernel in names}
        return curves["metric"] == curves["dataset"].map(best_kernels)


def _recent(curves: DataFrame) -> DataFrame:
    """Return rates over the examples between two points from rates over all examples so far."""
    curves = curves.sort_values("round", kind="stable")
    by_pass = curves.assign(count=curves["result"] * curves["round"]).groupby(["dataset", "algorithm", "repetition"])
    # The first point has no difference, and is a rate over the examples since the beginning.
    counts, rounds = by_pass["count"].diff(), by_pass["round"].diff()
    return curves.assign(result=(counts / rounds).fillna(curves["result"]))
