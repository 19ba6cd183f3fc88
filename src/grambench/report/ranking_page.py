"""The page of `grambench rank`: an algorithm among the reference configurations of a board, in one file to mail.

Beside it lie its tables, as CSV, Markdown and LaTeX, and its figure, as SVG and PDF.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup

from grambench.common.counts import counted, in_line
from grambench.common.files import atomic, write_text
from grambench.common.layout import Cell
from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.report import figures, renderings
from grambench.report.answer import EQUAL
from grambench.report.cells import TableContent
from grambench.report.figure_kind import FigureData
from grambench.report.figures.critical_difference import CriticalDifferenceFigure
from grambench.report.looks import environment
from grambench.report.table_data import TableData
from grambench.report.tables.matrix import paper_table
from grambench.report.tables.ranks import RanksTable
from grambench.report.tables.versus import VersusTable
from grambench.results import archive
from grambench.results.records import OF_SVM, Record
from grambench.results.statistics import BEST_LEVEL
from grambench.results.study import Results

METRIC = "accuracy_percent"
# points of accuracy between means of two machines, where rounding may select another C: half of what a board calls a
# difference
TOLERANCE = 0.5
PAGE = "ranking.html"
FIGURE = "ranks"
SHORT, FIRST = "ranks_short", 10  # table for a paper, and how many configurations it has beside equal weights
LEAST = 6  # data sets of a comparison
NAMED = 8  # most data sets that a caption names


class Ranking(NamedTuple):
    """An algorithm among reference configurations.

    Attributes
    ----------
    algorithm : str
        Its name among the results.
    results : Results
        Those of the algorithm and of the reference configurations, on the same data sets and splits. Seconds of the
        latter are multiplied by `ratio`.
    left_out : dict of str
        Why a data set of the board is not among them.
    again : dict of ndarray of float64 (r,)
        The reference runs that were made again, and by how much their accuracies exceed the archived ones, by split;
        NaN where the archive has fewer.
    ratio : float
        Seconds here by those of the archive, the median over these runs; NaN without any.
    about : dict
        What the reference runs were made with; see `grambench.results.archive`.
    made : dict of Record
        The records of the algorithm by their paths.
    """

    algorithm: str
    results: Results
    left_out: dict[str, str]
    again: dict[Cell, Floats]
    ratio: float
    about: dict[str, Any]
    made: dict[str, Record]

    @property
    def different(self) -> dict[Cell, Floats]:
        """The reference runs that were made again with other accuracies."""
        return {cell: apart for cell, apart in self.again.items() if not np.abs(apart).max() <= archive.ROUNDING}

    @property
    def unexplained(self) -> bool:
        """Whether a mean of theirs differs by more than rounding of another processor may explain."""
        return not all(abs(apart.mean()) <= TOLERANCE for apart in self.again.values())


def write(folder: Path, ranking: Ranking) -> Path:
    """Write the page of a ranking, its tables and its figure to a folder, and return the path of the page."""
    own = ranking.results.title(ranking.algorithm)
    named = {ranking.algorithm: own}
    tables = {name: replace(table, data=table.data.replace(named)) for name, table in _tables(ranking).items()}
    kept = {own, *(ranking.results.title(name) for name in EQUAL[:1] if name in ranking.results.study.algorithms)}
    short = {SHORT: _shortened(tables["ranks"], kept)}
    for name, text in renderings.files({key: _marked(table, own) for key, table in (tables | short).items()}).items():
        write_text(folder / name, text, atomic)
    figure = CriticalDifferenceFigure(
        kind="critical_difference",
        title="Mean ranks",
        caption=f"Mean ranks by {METRICS[METRIC].label}",
        algorithms=list(ranking.results.study.algorithms),
        metrics=[METRIC],
    )
    canvas = figures.draw(FigureData(ranking.results, pd.DataFrame(), pd.DataFrame()), figure)
    for suffix in ("svg", "pdf"):
        with atomic(folder / f"{FIGURE}.{suffix}") as temporary:
            figures.save(canvas, temporary, suffix)
    values: dict[str, Any] = {
        "title": f"{own} among {counted(len(ranking.results.study.algorithms) - 1, 'configuration')}",
        "own": own,
        "summary": summary(ranking),
        "about": ranking.about,
        "tables": list(tables.values()),
        "figure": Markup((folder / f"{FIGURE}.svg").read_text(encoding="utf-8").partition("<svg")[2]),
        "alternative": figures.alternative(ranking.results, figure),
        "left_out": ranking.left_out,
    }
    write_text(folder / PAGE, environment().get_template(PAGE).render(values), atomic)
    return folder / PAGE


def _tables(ranking: Ranking) -> dict[str, TableContent]:
    """Return the table of ranks, that of the algorithm beside each other one, and that of all accuracies."""
    results = ranking.results
    data = TableData(results=results, prepared={}, reproduction={})
    names, label = list(results.study.algorithms), METRICS[METRIC].label
    datasets = results.study.datasets
    where = ", ".join(datasets) if len(datasets) <= NAMED else f"{len(datasets)} data sets"
    where += f", mean over {counted(results.study.protocol.repetitions, 'split')}"
    few = f" (no comparison yet, which needs {LEAST})" * (len(datasets) < LEAST)
    board = results.study.title.partition(":")[0]
    source = f"{board}, reference results {archive.version_of(ranking.about['study'])}"
    seconds = "Seconds of processor time a split, selection included; those of the reference "
    if ranking.again:
        seconds += f"are multiplied by {ranking.ratio:.2f}, the median of runs made again here."
    else:
        seconds += "were measured on its own machine."
    ranks = RanksTable(
        kind="ranks",
        title="Ranks",
        caption=f"{len(names)} configurations on {where}{few}; {source}",
        remark=" ".join([*_about_selection(ranking), seconds]),
        algorithms=names,
        metrics=["mean_rank", METRIC, "seconds"],
        by=METRIC,
        rows="algorithms",
    )
    title = f"{results.title(ranking.algorithm)} beside each other configuration"
    versus = VersusTable(
        kind="versus",
        title=title,
        caption=f"{label} on {where}; {source}",
        algorithms=names,
        metrics=[METRIC],
        first=ranking.algorithm,
    )
    return {
        "ranks": ranks.build(data),
        "versus": versus.build(data),
        "accuracies": paper_table(results, METRIC, names, results.study.datasets),
    }


def _shortened(ranks: TableContent, titles: set[str]) -> TableContent:
    """Return the rows of the first configurations and of these titles; ranks stay those among all."""
    if len(ranks.blocks[0].rows) <= FIRST:
        return ranks
    rows = [row for place, row in enumerate(ranks.blocks[0].rows) if place < FIRST or row.label in titles]
    data = ranks.data[ranks.data["algorithm_title"].isin({row.label for row in rows})]
    caption = f"The first {FIRST} and {in_line(sorted(titles))}, by ranks among all of {ranks.caption}"
    return replace(ranks, caption=caption, blocks=[replace(ranks.blocks[0], rows=rows)], data=data)


def _marked(table: TableContent, own: str) -> TableContent:
    """Return the table with "(ours)" beside the algorithm and a caption alone, as papers have it."""
    (block,) = table.blocks
    rows = [replace(row, label=row.label + " (ours)" * (row.label == own)) for row in block.rows]
    return replace(table, title="", blocks=[replace(block, rows=rows)])


def summary(ranking: Ranking) -> str:
    """Return the rank, what the algorithm gains beside the others, and whether reference runs came out again."""
    about_rank = _about_rank(ranking.results, ranking.algorithm)
    return " ".join([*about_rank, *_about_selection(ranking), *_about_reference(ranking)])


def _about_rank(results: Results, algorithm: str) -> Iterator[str]:
    """Yield the sentences on the mean rank and on the comparisons with all others."""
    title, names = results.title(algorithm), results.with_results(results.study.algorithms, METRIC)
    ranks = results.ranks(names, METRIC)
    if algorithm not in names or ranks.empty:
        yield f"{title} has no rank: no data set has a result of every configuration."
        return
    means = ranks.mean().round(9).sort_values(kind="stable")
    place, first = int((means < means[algorithm]).sum()) + 1, str(means.index[0])
    shared = " (shared)" if (means == means[algorithm]).sum() > 1 else ""
    best = f", after {results.title(first)} with {means[first]:.2f}" if place > 1 else ""
    rank = f"mean rank: {means[algorithm]:.2f} on {counted(len(ranks), 'data set')}"
    few = f"Fewer than {LEAST} data sets say little: " * (len(ranks) < LEAST)
    yield f"{few}{title} is number {place}{shared} of {len(means)} by {rank}{best}."
    rivals = [name for name in names if name != algorithm]
    compared = {name: found for name in rivals if (found := results.compare(algorithm, name, METRIC))}
    for name in [name for name in EQUAL if name in compared][:1]:
        difference = compared[name].texts["difference, 95 % interval"]
        yield f"Beside {results.title(name)}, points of accuracy and 95 % interval: {difference}."
    titles: dict[str, list[str]] = {}
    for name, each in compared.items():
        titles.setdefault(each.verdict(len(compared)), []).append(results.title(name))
    if titles:
        named = {verdict: f" ({in_line(of)})" for verdict, of in titles.items() if verdict in ("better", "worse")}
        counts = [f"{len(of)} {verdict}{named.get(verdict, '')}" for verdict, of in titles.items()]
        yield (
            f"Beside each other one, by a point of accuracy and at {100 * BEST_LEVEL:g} % for all together: "
            f"{', '.join(counts)}."
        )


def _about_selection(ranking: Ranking) -> Iterator[str]:
    """Yield the sentences on what is scored, and on the values that validation examples have selected."""
    runs = [record for record in ranking.made.values() if record.status == "ok"]
    candidates = runs[0].candidates if runs else {}
    if OF_SVM in candidates:
        yield "An SVM on the kernel that it learns is scored."
    if not candidates:
        return
    count = math.prod(map(len, candidates.values()))
    among = counted(count, "value" if len(candidates) == 1 else "combination")
    yield f"Validation examples select {' and '.join(candidates)} among {among}."
    first = (runs[0].settings.get("tune") or {}).get("parameter")  # whose value is kept, beside that of C
    metrics = {first: "selected_value"} | dict.fromkeys(("C", OF_SVM), "selected_C")
    counts = []
    for name in [name for name in candidates if name in metrics]:
        selected = np.concatenate([record.metrics[metrics[name]][0] for record in runs])
        ends = np.isin(selected, (min(candidates[name]), max(candidates[name]))).sum()
        counts.append(f"an end of the values of {name} in {ends}")
    if counts:
        yield f"They select {' and '.join(counts)} of {selected.size} splits."


def _about_reference(ranking: Ranking) -> Iterator[str]:
    """Yield the sentences on runs that were made again, and on data sets that are missing."""
    if ranking.again:
        runs = ", ".join(f"{cell.dataset}/{cell.task}" for cell in ranking.again)
        made = f"{counted(len(ranking.again), 'reference run')} made again ({runs})"
        equal = f"{len(ranking.again) - len(ranking.different)} of {made} gave equal accuracies"
        yield f"{equal}, in {ranking.ratio:.2f} times the reference's seconds."
        for cell, apart in ranking.different.items():
            by = f"by {np.abs(apart).mean():.2g} points a split and {apart.mean():+z.2g} in the mean"
            yield f"{cell.dataset}/{cell.task} differs {by}."
        if ranking.unexplained:
            yield f"More than {TOLERANCE:g} in the mean is too much for another processor's rounding: exit code 1."
        elif ranking.different:
            yield f"Up to {TOLERANCE:g} in the mean may be another processor's rounding."
    if ranking.left_out:
        left_out = (f"{dataset} ({reason})" for dataset, reason in ranking.left_out.items())
        yield f"Data sets that are left out: {'; '.join(left_out)}."
