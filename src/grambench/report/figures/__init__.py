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
from grambench.report.figures.shared import STYLE, Given, left_out, line
from grambench.results.study import Results

__all__ = ["alternative", "draw", "left_out", "line", "save"]


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
    with mpl.rc_context(STYLE):
        kind = importlib.import_module(f"{__name__}.{figure.kind}")
        canvas: Canvas = kind.draw(Given(results=results, curves=curves, reproduction=reproduction), figure)
        return canvas


def save(canvas: Canvas, svg: Path, png: Path) -> None:
    """Write a figure in both formats, without dates."""
    with mpl.rc_context(STYLE):
        canvas.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        canvas.savefig(png, format="png", metadata={"Software": None})


def alternative(results: Results, figure: Figure) -> str:
    """Return what the figure shows, for readers who cannot see it."""
    names = [results.title(name) for name in figure.named("algorithms")]
    without = left_out(results, figure)
    shown = [name for name in figure.named("datasets") if name not in without]
    parts = [f"{figure.title}: {figure.caption}."]
    parts += [f"Algorithms: {', '.join(names)}."] if names else []
    parts += [f"Data sets: {', '.join(shown)}."] if shown else []
    return " ".join(parts)
