"""Rank an algorithm among the reference configurations of a board, whose runs are in the archive: `grambench rank`.

Only the algorithm is run, on the splits of the board. A few reference runs are made again: equal accuracies mean the
same splits and the same data.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from grambench.common import layout
from grambench.common.errors import ConfigError, DataError
from grambench.common.layout import Cell
from grambench.common.types import Floats
from grambench.config.project import Configuration
from grambench.config.study import Study
from grambench.pipeline import trial
from grambench.pipeline.plan import Plan
from grambench.pipeline.trial import ENTRY, Trial
from grambench.report.ranking_page import METRIC, Ranking
from grambench.results import archive, collect
from grambench.results.reading import as_written
from grambench.results.records import Record
from grambench.results.study import Results

AGAIN = 3  # reference runs that are made again
LONGEST = 30.0  # seconds of processor time of such a run in the archive
SECONDS = "seconds"  # the metric that is scaled


def boards(configuration: Configuration) -> list[str]:
    """Return the names of the boards in the archive: studies of any data set with a table of all entries."""
    studies = [study for study in map(configuration.study, archive.studies()) if study.takes_any_dataset]
    return [study.name for study in studies if any(table.kind == "matrix" for table in study.tables.values())]


def read_reference(plan: Plan, board: str) -> Results:
    """Return the results of a board in the archive; raise ConfigError or DataError if there are none or one changed."""
    if not plan.studies[board].takes_any_dataset:
        raise ConfigError(f"{board}: expected a study that compares algorithms on any data set, such as leaderboard")
    if board not in archive.studies():
        others = boards(plan.configuration)
        have = f"{', '.join(others)} have some (-b); " * bool(others)
        remedy = f"{have}grambench run {board} and grambench archive {board} make them"
        raise DataError(f"{archive.ARCHIVE / board}: there are no reference results of {board}; {remedy}")
    if faults := archive.faults(board):
        raise DataError(*faults)
    study, runs = plan.studies[board], archive.path_of(board, layout.RUNS)
    with as_written(runs):
        results = Results.read(study, runs, archive.path_of(board, layout.CELLS))
    entries = {name: study.algorithms[name] for name in study.ranked if name in results.ran("algorithm")}
    return replace(results, study=study.model_copy(update={"algorithms": entries, "sweeps": {}}))


def rank(
    plan: Plan,
    spec: Trial,
    reference: Results,
    datasets: Sequence[str],
    seconds: float,
    show: Callable[[Record], None],
) -> Ranking:
    """Run an algorithm on data sets of a board, and rank it.

    Parameters
    ----------
    plan : Plan
        A plan of the board. Its study is replaced by that of the ranking.
    spec : Trial
        The algorithm, and the configurations of the reference that it is ranked among.
    reference : Results
        See `read_reference`.
    datasets : sequence of str
        Data sets of vectors that the reference has results on.
    seconds : float
        The time limit of each run.
    show : callable
        Called with the record of each run when it is made.

    Raises
    ------
    ConfigError
        For a parameter that the algorithm refuses.
    """
    board = spec.study
    about = archive.read_about(board)
    plan.studies[board] = trial.build_study(plan, spec)
    cells = [Cell(board, dataset, ENTRY) for dataset in datasets]
    left_out: dict[str, str] = {}
    made: dict[str, Record] = {}
    again: dict[Cell, Floats] = {}
    ratios = []
    contents = {name: data.get("content", "") for name, data in about["data"].items()}
    for cell, record in zip(cells, trial.run(plan, cells, seconds, contents), strict=True):
        show(record)
        if record.status == "unavailable":
            left_out[cell.dataset] = record.reason
        else:
            made[cell.path()] = record
    drawn = _draw(reference, [name for name in datasets if name not in left_out], spec.opponents)
    for cell, record in zip(drawn, trial.run(plan, drawn, seconds, contents) if drawn else (), strict=True):
        show(record)
        if record.status == "ok":
            again[cell] = _difference(record, reference)
            then = reference.values(cell.dataset, cell.algorithm, SECONDS)[: spec.repetitions]
            ratios.append(float(record.metrics[SECONDS].sum() / then.sum()))
    ratio = float(np.median(ratios)) if ratios else np.nan
    kept = [dataset for dataset in datasets if dataset not in left_out]
    study = plan.studies[board].model_copy(update={"datasets": kept})
    return Ranking(ENTRY, _merge(made, reference, study, ratio), left_out, again, ratio, about, made)


def _merge(made: Mapping[str, Record], reference: Results, study: Study, ratio: float) -> Results:
    """Return the results of an algorithm and of the reference, whose seconds are scaled by a ratio unless it is NaN."""
    runs, _, cells = collect.tables(made)
    names = {"sweep": [""], "dataset": study.datasets, "algorithm": list(study.algorithms)}

    def kept(table: pd.DataFrame) -> pd.DataFrame:
        return table[np.logical_and.reduce([table[column].isin(values) for column, values in names.items()])]

    theirs = kept(reference.runs[reference.runs["repetition"] < study.protocol.repetitions])
    scaled = (theirs["metric"] == SECONDS) & np.isfinite(ratio)
    theirs = theirs.assign(result=theirs["result"].mask(scaled, ratio * theirs["result"]))
    return Results(
        study,
        pd.concat([runs, theirs], ignore_index=True),
        pd.concat([cells, kept(reference.cells)], ignore_index=True),
    )


def _draw(reference: Results, datasets: Sequence[str], algorithms: Sequence[str]) -> list[Cell]:
    """Return some reference runs, drawn at random among those that take no long time."""
    cells = reference.cells
    able = cells[(cells["sweep"] == "") & (cells["status"] == "ok") & (cells["cpu_seconds"] <= LONGEST)]
    able = able[able["dataset"].isin(datasets) & able["algorithm"].isin(algorithms)]
    names = list(zip(able["dataset"], able["algorithm"], strict=True))
    return [Cell(reference.study.name, *name) for name in random.sample(names, min(AGAIN, len(names)))]


def _difference(record: Record, reference: Results) -> Floats:
    """Return by how much a record's accuracies exceed those in the archive, by split; NaN if these are fewer.

    Other numbers need not be equal: another processor sums in another order, and solvers then take other steps.
    """
    ours = record.metrics[METRIC].ravel()
    then = reference.values(record.dataset, record.algorithm, METRIC)[: ours.size]
    return ours - then if then.size == ours.size else np.full(ours.size, np.nan)
