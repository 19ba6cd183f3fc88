"""Published against own means, each number coloured by its verdict."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from grambench.config.metrics import METRICS
from grambench.config.shown import AgreementFigure
from grambench.report.figures.shared import Chart, Given, Line, Panel, plain_ticks
from grambench.results.study import Results
from grambench.results.verdicts import VERDICTS

MARKS = {
    "exact": ("#0072B2", "o"),
    "confirmed": ("#009E73", "s"),
    "compatible": ("#B8860B", "D"),
    "different": ("#D55E00", "X"),
}
NAMED = 8  # points of the agreement that are labelled
SIDE = 260.0  # points of length of a panel of the agreement
APART = 8.5  # points from one label to the next
WIDE = 3.0  # ratio of the largest to the smallest number from which the agreement's axes are logarithmic


def draw(given: Given, figure: AgreementFigure) -> Canvas:
    """Draw each published mean against ours, once for each (data set, algorithm), coloured by verdict."""
    judged = _judged(given, figure)
    canvas = Canvas(figsize=(4.3 * len(figure.metrics), 4.7), layout=ConstrainedLayoutEngine(h_pad=0.09))
    panels = canvas.subplots(1, len(figure.metrics), squeeze=False).ravel()
    counts = dict.fromkeys(MARKS, 0)
    for axes, metric in zip(panels, figure.metrics, strict=True):
        points = judged[judged["metric"] == metric]
        axes.set_title(METRICS[metric].label, loc="left", fontweight="bold")
        axes.set_xlabel("Published")
        axes.set_ylabel("Ours")
        if points.empty:
            axes.text(0.5, 0.5, "no data", ha="center", va="center", transform=axes.transAxes, color="#444444")
            continue
        for verdict, (colour, mark) in MARKS.items():
            chosen = points[points["verdict"] == verdict]
            counts[verdict] += len(chosen)
            _points(axes, chosen, colour, mark)
        _diagonal(axes, points)
        _name_outliers(axes, given.results, points[points["verdict"] == "different"])
    handles = [
        Line2D(
            [], [], color=colour, marker=mark, linestyle="", markersize=6, markeredgecolor="white", markeredgewidth=0.5
        )
        for colour, mark in MARKS.values()
    ]
    names = [f"{verdict} ({counts[verdict]})" for verdict in VERDICTS if verdict in MARKS]
    canvas.legend(handles, names, loc="outside upper center", ncols=len(names))
    return canvas


def chart(given: Given, figure: AgreementFigure) -> Chart:
    """Return the same points, each with its data set and algorithm."""
    results, panels = given.results, []
    for metric in figure.metrics:
        judged = _judged(given, figure)
        own = judged[judged["metric"] == metric]
        lines = [
            Line(
                title=verdict,
                x=part["published_mean"].to_numpy(np.float64),
                mean=part["ours_mean"].to_numpy(np.float64),
                std=part["ours_std"].fillna(0.0).to_numpy(np.float64),
                colour=colour,
                dash=None,
                marker=mark,
                names=tuple(
                    f"{dataset} {results.title(str(name))}".strip()
                    for dataset, name in zip(part["dataset"], part["algorithm"], strict=True)
                ),
            )
            for verdict, (colour, mark) in MARKS.items()
            if len(part := own[own["verdict"] == verdict].dropna(subset=["published_mean", "ours_mean"]))
        ]
        panels.append(Panel(title=METRICS[metric].label, lines=lines, metric=metric))
    wide = bool(panels) and all(map(_is_wide, panels))
    return Chart(panels=panels, x_label="Published", y_label="Ours", x_log=wide, y_log=wide, diagonal=True)


def _is_wide(panel: Panel) -> bool:
    values = [value for each in panel.lines for value in (*each.x, *each.mean)]
    return bool(values and min(values) > 0 and max(values) / min(values) > WIDE)


def _judged(given: Given, figure: AgreementFigure) -> pd.DataFrame:
    unique = given.reproduction.drop_duplicates(["dataset", "algorithm", "metric"])
    judged = unique[unique["verdict"].isin(list(MARKS))]
    return judged[judged["algorithm"].isin(figure.algorithms)] if figure.algorithms else judged


def _points(axes: Axes, points: pd.DataFrame, colour: str, mark: str) -> None:
    x, y, x_std, y_std = (
        points[name].fillna(0.0).to_numpy(np.float64)
        for name in ("published_mean", "ours_mean", "published_std", "ours_std")
    )
    errors = [[np.minimum(std, 0.95 * mean), std] for mean, std in ((x, x_std), (y, y_std))]  # a logarithm has no 0
    axes.errorbar(x, y, xerr=errors[0], yerr=errors[1], fmt="none", ecolor=colour, elinewidth=0.6, alpha=0.45, zorder=2)
    axes.plot(x, y, mark, color=colour, markersize=5.5, markeredgecolor="white", markeredgewidth=0.5, zorder=3)


def _diagonal(axes: Axes, points: pd.DataFrame) -> None:
    """Set both axes to one range, logarithmic where it is wide, and draw the line of agreement."""
    values = points[["published_mean", "ours_mean"]].to_numpy()
    low, high = values[values > 0].min(), values.max()
    wide = bool(high / low > WIDE)
    low, high = (0.75 * low, 1.35 * high) if wide else (low - 0.1 * (high - low), high + 0.1 * (high - low))
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.plot([low, high], [low, high], color="#888888", linewidth=0.8, zorder=1)
    if not wide:
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        plain_ticks(axis, [low, high])


def _name_outliers(axes: Axes, results: Results, points: pd.DataFrame) -> None:
    """Write data set and algorithm beside the worst points, on the side away from the diagonal."""
    ours, published = (points[name].to_numpy(np.float64) for name in ("ours_mean", "published_mean"))
    worst = np.argsort(-np.abs(np.log(ours / published)), kind="stable")[:NAMED]
    to_axes = axes.transScale.transform
    (left, low), (right, high) = to_axes(np.column_stack([axes.get_xlim(), axes.get_ylim()]))
    taken: dict[bool, float] = {True: -np.inf, False: -np.inf}  # height of the last label on either side
    for _, point in points.iloc[worst].sort_values("ours_mean").iterrows():
        above = bool(point["ours_mean"] > point["published_mean"])
        place = (float(point["published_mean"]), float(point["ours_mean"]))
        across, up = to_axes([place])[0]
        height = SIDE * (up - low) / (high - low)
        leftwards = above and across - left > 0.3 * (right - left)  # else it would run over the axis
        label = max(height + (5.0 if above else -5.0), taken[above] + APART)
        taken[above] = label
        axes.annotate(
            f"{point['dataset']} {results.title(str(point['algorithm']))}",
            place,
            xytext=(-6 if leftwards else 6, label - height),
            textcoords="offset points",
            ha="right" if leftwards else "left",
            va="bottom" if above else "top",
            fontsize=7,
            color="#8A3C00",
        )
