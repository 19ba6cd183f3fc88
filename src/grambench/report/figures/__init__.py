"""The papers' figures with our curves, and published against own numbers, as SVG, PDF and PNG.

A module here is a kind of figure, named after the kind: "curves" is the module `curves` with the class `CurvesFigure`,
a `grambench.report.figure_kind.FigureKind`. The class has the fields that a study's file sets and draws the figure.
Nothing else has to be edited for a new module to be usable. An edit of a module draws only the figures of its kind
again.

Every algorithm keeps its colour and its line style through all figures of a study. The same results give the same SVG
file, byte for byte.
"""

from pathlib import Path
from typing import IO

from grambench.common.counts import counted, in_line
from grambench.config.metrics import WEIGHT
from grambench.config.shown import AnyFigure
from grambench.report.charts import Chart
from grambench.report.drawing import plain_powers, style
from grambench.report.figure_kind import FigureData, FigureKind
from grambench.report.lazy import Canvas, DataFrame, Results

DATED = {  # entries of a file's metadata that would differ from run to run, or from version to version
    "svg": ("Date", "Creator"),
    "pdf": ("CreationDate", "Creator", "Producer"),
    "png": ("Software",),
}


def draw(data: FigureData, figure: AnyFigure) -> Canvas:
    """Draw one figure, given its description in the study."""
    import matplotlib as mpl

    with mpl.rc_context(style()):
        canvas = _kind(data.results, figure).draw(data)
        plain_powers(canvas)
        return canvas


def chart(data: FigureData, figure: AnyFigure) -> Chart | None:
    """Return the numbers behind a figure that the report shows interactively; None if its kind has none."""
    return _kind(data.results, figure).chart(data)


def without_hidden_weights(results: Results, curves: DataFrame) -> DataFrame:
    """Return curves.parquet without the weights of kernels that no figure of the study shows, most of its rows."""
    shown = ~curves["metric"].str.startswith(WEIGHT)
    for figure in results.study.figures.values():
        shown |= _kind(results, figure).weights(results, curves)
    return curves[shown]


def describe_runs(results: Results, figure: AnyFigure) -> str:
    """Return the sentence of the caption on the number of runs behind a figure, and on its bands or bars."""
    kind, runs = _kind(results, figure), results.runs
    for names, column in ((kind.named("algorithms"), "algorithm"), (kind.named("datasets"), "dataset")):
        if names:
            runs = runs[runs[column].isin(names)]
    counts = runs.groupby(["dataset", "algorithm"])["repetition"].nunique()
    if counts.empty:
        return ""
    low, high = int(counts.min()), int(counts.max())
    return kind.about_runs.format(runs=f"n = {counted(high, 'run')}" if low == high else f"n = {low} to {high} runs")


def save(canvas: Canvas, path: Path | IO[bytes], suffix: str) -> None:
    """Write a figure as svg, pdf or png, without dates; it keeps its layout for later files."""
    import matplotlib as mpl

    with mpl.rc_context(style()):
        canvas.savefig(path, format=suffix, metadata=dict.fromkeys(DATED[suffix]))
        # the layout takes long and would be the same in the next file
        canvas.set_layout_engine("none")


def left_out(results: Results, figure: AnyFigure) -> list[str]:
    """Return the data sets of a figure that have no panel, because no algorithm of it has a result there."""
    assert isinstance(figure, FigureKind)
    shown = figure.shown_datasets(results)
    return [name for name in figure.named("datasets") if name not in shown]


def alternative(results: Results, figure: AnyFigure) -> str:
    """Return a description of the figure for readers who cannot see it."""
    kind = _kind(results, figure)
    ran = results.ran("algorithm")
    titles = [results.title(name) for name in kind.named("algorithms") if name in ran]
    named = {"Algorithms": titles, "Data sets": kind.shown_datasets(results)}
    lists = [f"{what}: {in_line(names)}." for what, names in named.items() if names]
    return " ".join([f"{figure.title}: {figure.caption}.", *lists])


def _kind(results: Results, figure: AnyFigure) -> FigureKind:
    """Return a figure with the entries that no table or figure names."""
    complete = results.study.with_unnamed(figure)
    assert isinstance(complete, FigureKind)
    return complete
