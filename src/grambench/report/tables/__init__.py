"""The papers' tables with our numbers, the published ones beneath, as CSV, Markdown and LaTeX.

A table is built once, as a `Grid` of blocks, rows and cells; the three formats and the report are renderings of it. A
kind of table is a module here and the class in grambench.config.shown that says what a study's file may ask of it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grambench.config.shown import Table
from grambench.report.tables import datasets, matrix, pairs, ranks, times
from grambench.report.tables import results as results_table
from grambench.report.tables.layout import NO_RESULT, Comparison, Given, Grid, comparison
from grambench.report.tables.renderings import frame, latex, latex_text, markdown
from grambench.results.study import Prepared, Results

__all__ = ["KINDS", "NO_RESULT", "Grid", "build", "comparison", "frame", "latex", "latex_text", "markdown"]

KINDS: dict[str, Callable[[Given, Any], Grid]] = {
    module.__name__.rpartition(".")[2]: module.build
    for module in (datasets, matrix, pairs, ranks, results_table, times)
}


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
    grid = KINDS[table.kind](given, table)
    return replace(grid, remarks=[table.remark, *grid.remarks]) if table.remark else grid
