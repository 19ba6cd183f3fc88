"""The papers' tables with our numbers, the published ones beneath.

A module here is a kind of table, named after the kind: "ranks" is the module `ranks` with the class `RanksTable`, a
`grambench.report.table_kind.TableKind`. The class has the fields that a study's file sets and lays the table out.
Nothing else has to be edited for a new module to be usable. An edit of a module builds only the tables of its kind
again.

A table is built once, as blocks, rows and cells. `grambench.report.renderings` and the report show them, and the data
of the table are its CSV file.
"""

from grambench.config.shown import AnyTable
from grambench.report.cells import TableContent
from grambench.report.lazy import Comparison, DataFrame, Prepared, Results
from grambench.report.table_kind import TableKind


def comparison(reproduction: DataFrame) -> Comparison:
    """Index the rows of reproduction.csv by item, data set, algorithm (empty where there is none) and metric."""
    keys = (reproduction[name].fillna("").astype(str) for name in ("item", "dataset", "algorithm", "metric"))
    return dict(zip(zip(*keys, strict=True), (row for _, row in reproduction.iterrows()), strict=True))


def build(results: Results, prepared: Prepared, reproduction: Comparison, table: AnyTable) -> TableContent:
    """Lay one table out.

    Parameters
    ----------
    results : Results
        The results of the study.
    prepared : dict
        The data sets as loaded.
    reproduction : dict
        The rows of reproduction.csv, see `comparison`.
    table : AnyTable
        The table's description in the study.
    """
    from grambench.report.table_data import TableData

    complete = results.study.with_unnamed(table)
    assert isinstance(complete, TableKind)
    return complete.build(TableData(results=results, prepared=prepared, reproduction=reproduction))
