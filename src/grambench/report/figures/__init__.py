"""The papers' figures with our curves, and published against own numbers, as SVG and PNG.

A kind of figure is a module here and the class in grambench.config.shown that says what a study's file may ask of it;
only the module of a figure's own kind is imported, and an edit there draws the figures of that kind again.
Every algorithm keeps its colour and its line style through all figures of a study. The same results give the same SVG
file, byte for byte.
"""

import importlib
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure as Canvas

from grambench.config.shown import Figure
from grambench.report.figures.shared import STYLE, Chart, Given, left_out, line
from grambench.results.study import Results

__all__ = ["Chart", "alternative", "chart", "draw", "left_out", "line", "said", "save"]


SAID = {
    "curves": "Lines are means of {runs}, bands one standard deviation to either side",
    "sweep": "Lines are means of {runs}, bands one standard deviation to either side",
    "across": "Lines are means of {runs}, bands one standard deviation to either side",
    "progress": "Lines are means of {runs}, bands one standard deviation to either side",
    "dots": "Dots are means of {runs}, bars one standard deviation to either side",
    "panels": "Dots are means of {runs}, lines one standard deviation to either side",
    "agreement": "Means, ours of {runs}; bars are one standard deviation to either side",
    "picks": "Shares of {runs}",
    "profile": "The first of {runs}; there is no band",
    "each_kernel": "Means of {runs}",
    "heatmap": "Means of {runs}",
    "critical_difference": "Ranks of means of {runs} a data set",
    "pareto": "Means of {runs} a data set",
    "found": "The kernels of all runs, {runs} a data set",
    "confusion": "All test examples of {runs}",
}


def draw(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Canvas:
    """Draw one figure.

    Parameters
    ----------
    results : Results
        What was run.
    curves : DataFrame
        curves.parquet.
    reproduction : DataFrame
        reproduction.csv.
    figure : Figure
        The figure's description in the study.
    """
    figure = results.study.with_unnamed(figure)
    with mpl.rc_context(STYLE):
        kind = importlib.import_module(f"{__name__}.{figure.kind}")
        canvas: Canvas = kind.draw(Given(results=results, curves=curves, reproduction=reproduction), figure)
        return canvas


def chart(results: Results, curves: pd.DataFrame, reproduction: pd.DataFrame, figure: Figure) -> Chart | None:
    """Return what a figure shows as numbers, for one that can be looked into; None where its kind has none."""
    figure = results.study.with_unnamed(figure)
    kind = importlib.import_module(f"{__name__}.{figure.kind}")
    if not hasattr(kind, "chart"):
        return None
    found: Chart = kind.chart(Given(results=results, curves=curves, reproduction=reproduction), figure)
    return found


def said(results: Results, figure: Figure) -> str:
    """Return on how many runs a figure rests, and what its bands or bars are, for the caption."""
    figure = results.study.with_unnamed(figure)
    if figure.kind not in SAID:
        return ""
    chosen = results.runs
    for what, column in (("algorithms", "algorithm"), ("datasets", "dataset")):
        if names := figure.named(what):  # type: ignore[arg-type]
            chosen = chosen[chosen[column].isin(names)]
    counts = chosen.groupby(["dataset", "algorithm"])["repeat"].nunique()
    if counts.empty:
        return ""
    low, high = int(counts.min()), int(counts.max())
    runs = f"n = {high} runs" if low == high else f"n = {low} to {high} runs"
    return SAID[figure.kind].format(runs=runs)


def save(canvas: Canvas, svg: Path, png: Path) -> None:
    """Write a figure in both formats, without dates."""
    with mpl.rc_context(STYLE):
        canvas.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        canvas.savefig(png, format="png", metadata={"Software": None})


def alternative(results: Results, figure: Figure) -> str:
    """Return what the figure shows, for readers who cannot see it."""
    figure = results.study.with_unnamed(figure)
    names = [results.title(name) for name in figure.named("algorithms")]
    without = left_out(results, figure)
    shown = [name for name in figure.named("datasets") if name not in without]
    parts = [f"{figure.title}: {figure.caption}."]
    parts += [f"Algorithms: {', '.join(names)}."] if names else []
    parts += [f"Data sets: {', '.join(shown)}."] if shown else []
    return " ".join(parts)
