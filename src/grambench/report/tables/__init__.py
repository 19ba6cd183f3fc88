"""The papers' tables with our numbers, the published ones beneath, as CSV, Markdown and LaTeX.

A table is built once, as a `Grid` of blocks, rows and cells; Markdown, LaTeX and the report are renderings of it, and
its `data` is the CSV file. A
kind of table is a module here and the class in grambench.config.shown that says what a study's file may ask of it;
only the module of a table's own kind is imported, and an edit there builds the tables of that kind again.
"""

import importlib
from dataclasses import replace

from grambench.config.shown import Table
from grambench.report.tables.layout import NO_RESULT, Comparison, Given, Grid, comparison
from grambench.report.tables.renderings import latex, latex_text, markdown
from grambench.results.study import Prepared, Results

__all__ = ["NO_RESULT", "Comparison", "Grid", "build", "comparison", "latex", "latex_text", "markdown"]


def build(results: Results, prepared: Prepared, reproduction: Comparison, table: Table) -> Grid:
    """Lay one table out.

    Parameters
    ----------
    results : Results
        What was run.
    prepared : dict
        The data sets as loaded.
    reproduction : dict
        See `comparison`.
    table : Table
        The table's description in the study.
    """
    given = Given(results=results, prepared=prepared, reproduction=reproduction)
    table = results.study.with_unnamed(table)
    grid: Grid = importlib.import_module(f"{__name__}.{table.kind}").build(given, table)
    return replace(grid, remarks=[table.remark, *grid.remarks]) if table.remark else grid
