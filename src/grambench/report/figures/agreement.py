"""Published against own means, each number coloured by its verdict."""

from typing import Any, ClassVar, Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.config.names import MetricNames, Name
from grambench.report.charts import Chart, Line, Panel
from grambench.report.drawing import COLUMN, DARK_GREY, GREY, MAX_COLUMNS, PAGE, panel_grid, plain_ticks, set_title
from grambench.report.figure_kind import FigureData, FigureKind
from grambench.report.lazy import Axes, Canvas, DataFrame, Results, Series

# In the order of the verdicts, from the best to the worst.
MARKS = {
    "exact": ("#0072B2", "o"),
    "confirmed": ("#009E73", "s"),
    "compatible": ("#B8860B", "D"),
    "different": ("#D55E00", "X"),
}
NAMED = 8  # points that are labelled, at most
MARGIN = 0.75  # inches of a panel for ticks and labels
APART = 8.5  # points from one label to the next
WIDE = 3.0  # ratio of the largest to the smallest number from which the axes are logarithmic
BORDERED: Any = {"markeredgecolor": "white", "markeredgewidth": 0.5}


class AgreementFigure(FigureKind):
    """Published against own means, a panel for each metric; of all algorithms if none is listed."""

    kind: Literal["agreement"]
    metrics: MetricNames
    algorithms: list[Name] = []
    about_runs: ClassVar[str] = "Means, ours of {runs}; bars are one standard deviation to either side"

    def draw(self, data: FigureData) -> Canvas:
        """Draw each published mean against ours, once for each data set and algorithm, coloured by verdict."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine
        from matplotlib.lines import Line2D

        judged = self._judged(data)
        columns = 1 if data.narrow else min(len(self.metrics), MAX_COLUMNS)
        side = min(data.width / columns, COLUMN)
        size = (side * columns, side * -(-len(self.metrics) // columns) + 0.3)
        canvas, all_axes = panel_grid(size, len(self.metrics), columns, layout=ConstrainedLayoutEngine(h_pad=0.09))
        for axes, metric in zip(all_axes, self.metrics, strict=True):
            points = judged[judged["metric"] == metric]
            set_title(axes, METRICS[metric].label)
            axes.set_xlabel("Published")
            axes.set_ylabel("Ours")
            if points.empty:
                axes.text(0.5, 0.5, "no data", ha="center", va="center", transform=axes.transAxes, color=DARK_GREY)
                continue
            for verdict, (colour, mark) in MARKS.items():
                _draw_points(axes, points[points["verdict"] == verdict], colour, mark)
            _draw_diagonal(axes, points)
            length = 72.0 * (side - MARGIN)
            _name_outliers(axes, data.results, points[points["verdict"] == "different"], length)
        style: Any = {"linestyle": "", "markersize": 5, **BORDERED}
        handles = [Line2D([], [], color=colour, marker=mark, **style) for colour, mark in MARKS.values()]
        shown = judged[judged["metric"].isin(self.metrics)]
        names = [f"{verdict} ({(shown['verdict'] == verdict).sum()})" for verdict in MARKS]
        canvas.legend(handles, names, loc="outside upper center", ncols=2 if side * columns < PAGE else len(names))
        return canvas

    def chart(self, data: FigureData) -> Chart:
        """Return the same points, each with its data set and algorithm."""
        judged, panels = self._judged(data).dropna(subset=["published_mean", "ours_mean"]), []
        for metric in self.metrics:
            of_metric = judged[judged["metric"] == metric]
            lines = [
                Line(
                    title=verdict,
                    x=points["published_mean"].to_numpy(np.float64),
                    mean=points["ours_mean"].to_numpy(np.float64),
                    std=points["ours_std"].fillna(0.0).to_numpy(np.float64),
                    colour=colour,
                    dash=None,
                    marker=mark,
                    names=tuple(_name(data.results, point).strip() for _, point in points.iterrows()),
                )
                for verdict, (colour, mark) in MARKS.items()
                if len(points := of_metric[of_metric["verdict"] == verdict])
            ]
            panels.append(Panel(title=METRICS[metric].label, lines=lines, metric=metric))
        wide = bool(panels) and all(map(_is_wide, panels))
        return Chart(panels=panels, x_label="Published", y_label="Ours", x_log=wide, y_log=wide, diagonal=True)

    def _judged(self, data: FigureData) -> DataFrame:
        unique = data.reproduction.drop_duplicates(["dataset", "algorithm", "metric"])
        judged = unique[unique["verdict"].isin(list(MARKS))]
        return judged[judged["algorithm"].isin(self.algorithms)] if self.algorithms else judged


def _name(results: Results, point: Series) -> str:
    return f"{point['dataset']} {results.title(str(point['algorithm']))}"


def _is_wide(panel: Panel) -> bool:
    values = [value for line in panel.lines for value in (*line.x, *line.mean)]
    return bool(values and min(values) > 0 and max(values) / min(values) > WIDE)


def _draw_points(axes: Axes, points: DataFrame, colour: str, mark: str) -> None:
    x, y, x_std, y_std = (
        points[name].fillna(0.0).to_numpy(np.float64)
        for name in ("published_mean", "ours_mean", "published_std", "ours_std")
    )
    # Bars end above 0, which a logarithmic axis does not have.
    errors = [[np.minimum(std, 0.95 * mean), std] for mean, std in ((x, x_std), (y, y_std))]
    axes.errorbar(x, y, xerr=errors[0], yerr=errors[1], fmt="none", ecolor=colour, elinewidth=0.6, alpha=0.45, zorder=2)
    axes.plot(x, y, mark, color=colour, markersize=4.5, zorder=3, **BORDERED)


def _draw_diagonal(axes: Axes, points: DataFrame) -> None:
    """Set both axes to one range, logarithmic if it is wide, and draw the line of agreement."""
    values = points[["published_mean", "ours_mean"]].to_numpy()
    low, high = values[values > 0].min(), values.max()
    wide = bool(high / low > WIDE)
    low, high = (0.75 * low, 1.35 * high) if wide else (low - 0.1 * (high - low), high + 0.1 * (high - low))
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, zorder=1)
    if not wide:
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        plain_ticks(axis, [low, high])


def _name_outliers(axes: Axes, results: Results, points: DataFrame, length: float) -> None:
    """Write data set and algorithm beside the worst points, on the side away from the diagonal.

    The panel is `length` points high.
    """
    ours, published = (points[name].to_numpy(np.float64) for name in ("ours_mean", "published_mean"))
    worst = np.argsort(-np.abs(np.log(ours / published)), kind="stable")[:NAMED]
    to_axes = axes.transScale.transform
    (x_low, y_low), (x_high, y_high) = to_axes(np.column_stack([axes.get_xlim(), axes.get_ylim()]))
    label_heights: dict[bool, float] = {True: -np.inf, False: -np.inf}  # height of the last label on either side
    for _, point in points.iloc[worst].sort_values("ours_mean").iterrows():
        above = bool(point["ours_mean"] > point["published_mean"])
        position = (float(point["published_mean"]), float(point["ours_mean"]))
        across, up = to_axes([position])[0]
        height = length * (up - y_low) / (y_high - y_low)
        # At the left end, a label to the left would run over the axis.
        leftwards = above and across - x_low > 0.3 * (x_high - x_low)
        label = max(height + (5.0 if above else -5.0), label_heights[above] + APART)
        label_heights[above] = label
        axes.annotate(
            _name(results, point),
            position,
            xytext=(-6 if leftwards else 6, label - height),
            textcoords="offset points",
            ha="right" if leftwards else "left",
            va="bottom" if above else "top",
            fontsize=7,
            color="#8A3C00",
        )
