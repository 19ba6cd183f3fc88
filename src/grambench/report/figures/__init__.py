"""The papers' figures with our curves, and published against own numbers, as SVG and PNG.

A kind of figure is a module here and the class in grambench.config.shown that says what a study's file may ask of it.
Every algorithm keeps its colour and its line style through all figures of a study. The same results give the same SVG
file, byte for byte.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure as Canvas

from grambench.config.shown import Figure
from grambench.report.figures import (
    across,
    agreement,
    critical_difference,
    curves,
    dots,
    found,
    function,
    heatmap,
    panels,
    pareto,
    profile,
    sweep,
)
from grambench.report.figures.shared import STYLE, Given, left_out, line
from grambench.results.study import Results

__all__ = ["KINDS", "alternative", "draw", "left_out", "line", "save"]

MODULES: list[Any] = [
    *(across, agreement, critical_difference, curves, dots, found),
    *(function, heatmap, panels, pareto, profile, sweep),
]
KINDS: dict[str, Callable[[Given, Any], Canvas]] = {
    module.__name__.rpartition(".")[2]: module.draw for module in MODULES
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
    with mpl.rc_context(STYLE):
        return KINDS[figure.kind](Given(results=results, curves=curves, reproduction=reproduction), figure)


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
