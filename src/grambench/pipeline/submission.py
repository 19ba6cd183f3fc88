"""A result of others: the file of an algorithm with its runs on a board, as `grambench submit` and `verify` take it.

Its folder is that of a study in the archive (`grambench.results.archive`) with one file more, `algorithm.py`.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from grambench.common import layout, provenance
from grambench.common.errors import DataError, unknown_name
from grambench.common.files import atomic
from grambench.common.layout import Cell
from grambench.common.models import ConfigModel
from grambench.common.types import Settings
from grambench.config import load
from grambench.config.metrics import MEASURED
from grambench.config.names import Setting
from grambench.pipeline.plan import Plan
from grambench.pipeline.trial import ENTRY, Trial, build_study
from grambench.report.ranking_page import METRIC, TOLERANCE, Ranking
from grambench.results import archive, collect
from grambench.results.reading import as_written
from grambench.results.records import Record
from grambench.results.study import Results

ALGORITHM = "algorithm.py"


class Chosen(ConfigModel):
    """What about.json says that its author has chosen; see `Submission`."""

    parameters: dict[str, Setting]
    tune: dict[str, list[float]]


class Submission(NamedTuple):
    """A submission.

    Attributes
    ----------
    folder : Path
        Its folder.
    board : str
        The board.
    parameters : dict
        The parameters of the algorithm that are not left at their defaults.
    tune : dict of list of float
        The values of hyperparameters that it selects from, but those of the board for C.
    contents : dict of str
        The checksum of the content of each data set.
    records : dict of Record
        The record of each data set.
    """

    folder: Path
    board: str
    parameters: Settings
    tune: dict[str, list[float]]
    contents: dict[str, str]
    records: dict[str, Record]

    @property
    def algorithm(self) -> str:
        """The path of the algorithm's file."""
        return str(self.folder / ALGORITHM)


def write(folder: Path, spec: Trial, ranking: Ranking) -> None:
    """Write a ranked algorithm as a submission; raise DataError unless it has a result on each data set."""
    failed = {record.dataset: record.reason for record in ranking.made.values() if record.status != "ok"}
    if lacking := ranking.left_out | failed:
        name, reason = next(iter(lacking.items()))
        which = f"without one: {len(lacking)}, the first {name}: {reason}"
        raise DataError(f"{spec.study}: expected a result on each data set, {which}")
    # paths of files name this machine
    made = {
        path: replace(record, inputs={}, settings=record.settings | {"file": ALGORITHM})
        for path, record in ranking.made.items()
    }
    with atomic(folder / ALGORITHM) as temporary:
        shutil.copyfile(spec.algorithm, temporary)
    about = {"study": spec.study, "date": datetime.now(UTC).date().isoformat()}
    settings = {"parameters": spec.parameters, "tune": spec.tune}
    data = {record.dataset: ranking.about["data"][record.dataset] for record in made.values()}
    archive.write_records(folder, made, about | settings | {"data": data}, [ALGORITHM])


def read(folder: Path) -> Submission:
    """Return a submission; raise DataError or ConfigError if its files are damaged, or are others."""
    with as_written(folder):
        if faults := archive.faults(folder, [ALGORITHM]):
            raise DataError(*faults)
        about = archive.read_about(folder)
        if about["study"] not in (studies := archive.studies()):
            raise DataError(f"{folder}: {unknown_name('study of the reference results', str(about['study']), studies)}")
        contents = {str(name): str(data.get("content", "")) for name, data in about["data"].items()}
        by_path = archive.read_records(folder)
        records = {record.dataset: record for record in by_path.values() if _is_whole(record)}
        if len(records) != len(by_path):
            expected = f"a run with one {METRIC} a repetition on each data set"
            raise DataError(f"{folder}: expected {expected}, got {len(records)} of {len(by_path)} runs")
        _check_rows(folder, by_path)
        named = {"parameters": about["parameters"], "tune": about.get("tune", {})}
        chosen = load.check(Chosen, named, str(folder / archive.ABOUT))
        return Submission(folder, str(about["study"]), chosen.parameters, chosen.tune, contents, records)


def _check_rows(folder: Path, by_path: Mapping[str, Record]) -> None:
    """Raise DataError unless runs.parquet and cells.csv have the rows of the records alone."""
    made = {}
    # they are named by their settings, which `setting_faults` compares
    for record in by_path.values():
        cell = Cell(*(record.settings[name] for name in ("study", "dataset", "algorithm", "sweep")))
        made[cell.path()] = replace(record, study=cell.study, dataset=cell.dataset, algorithm=cell.algorithm)
    expected, _, cells = collect.tables(made)
    runs = pd.read_parquet(archive.path_of(folder, layout.RUNS))
    # these are not in records of the archive
    runs = runs[~runs["metric"].str.startswith(archive.OF_CLASSES)].reset_index(drop=True)
    alike = {
        layout.RUNS: runs.equals(expected),
        layout.CELLS: archive.path_of(folder, layout.CELLS).read_text("utf-8") == cells.to_csv(index=False),
    }
    for pattern, is_alike in alike.items():
        if not is_alike:
            expected_rows = f"expected the rows of the runs in {archive.RECORDS.file} alone"
            raise DataError(f"{archive.path_of(folder, pattern)}: {expected_rows}, got others")


def _is_whole(record: Record) -> bool:
    """Return whether a run has succeeded and has one accuracy for each repetition."""
    expected = (1, record.settings["protocol"]["repetitions"])
    return record.status == "ok" and METRIC in record.metrics and record.metrics[METRIC].shape == expected


def data_faults(submission: Submission, reference: Results) -> Iterator[str]:
    """Yield what is wrong with the data sets of a submission: one is missing or not of the board, or its content."""
    names, about = reference.ran("dataset"), archive.read_about(submission.board)["data"]
    if differing := set(names).symmetric_difference(submission.records):
        yield f"expected a run on each data set of {submission.board} alone, not so: {', '.join(sorted(differing))}"
    for dataset in names:
        if (got := submission.contents.get(dataset)) != (expected := about[dataset].get("content", "")):
            yield f"{dataset}: expected data with the checksum {expected} of {submission.board}, got {got}"


def setting_faults(submission: Submission, plan: Plan, spec: Trial) -> Iterator[str]:
    """Yield the settings of runs that are not those of the board; the splits depend on them alone.

    The study of the board is replaced in the plan, as for a ranking.
    """
    plan.studies[submission.board] = build_study(plan, spec)
    for dataset, record in submission.records.items():
        settings = json.loads(plan.specs.of_cell(Cell(submission.board, dataset, ENTRY)).spec)
        expected, got = settings | {"file": ALGORITHM}, record.settings
        for key in sorted(expected.keys() | got.keys()):
            if (wanted := expected.get(key)) != (found := got.get(key)):
                yield f"{dataset}: expected {key} {wanted!s:.200} of {submission.board}, got {found!s:.200}"


def number_faults(submission: Submission, ranking: Ranking) -> Iterator[str]:
    """Yield the runs whose numbers are others when they are made again.

    Where sums are rounded as for the submission, all numbers but times are equal. Elsewhere rounding may select
    another C, or change a prediction: the mean accuracies are within TOLERANCE.
    """
    yield from (f"{dataset}: its run was not made again: {reason}" for dataset, reason in ranking.left_out.items())
    runs, curves = (pd.read_parquet(archive.path_of(submission.folder, name)) for name in (layout.RUNS, layout.CURVES))
    for path, again in ranking.made.items():
        record, dataset = submission.records[again.dataset], again.dataset
        if again.status != "ok":
            yield f"{dataset}: expected the run to succeed again, got {again.status}: {again.reason}"
        elif provenance.rounding(record.provenance) == provenance.rounding(again.provenance):
            for table, expected in zip((runs, curves), collect.tables({path: again})[:2], strict=True):
                yield from (f"{dataset}: {fault}" for fault in _unequal(table[table["dataset"] == dataset], expected))
        else:
            got, wanted = (each.metrics[METRIC].mean() for each in (record, again))
            if not abs(got - wanted) <= TOLERANCE:
                within = f"as made again on another machine, give or take {TOLERANCE}"
                yield f"{dataset}: {METRIC}: expected a mean of {wanted}, {within}, got {got}"


def _unequal(submitted: pd.DataFrame, made_again: pd.DataFrame) -> Iterator[str]:
    """Yield the metrics, but times, of which two tables have other rows, each with the first row that differs."""
    tables = [dict(iter(table.groupby("metric", sort=False))) for table in (made_again, submitted)]
    for metric in tables[0] | tables[1]:
        rows = [table.get(metric, made_again[:0]).reset_index(drop=True) for table in tables]
        if not str(metric).endswith(MEASURED) and not rows[0].equals(rows[1]):
            one, other = rows[0].align(rows[1])
            place = ((one != other) & ~(one.isna() & other.isna())).any(axis="columns").argmax()
            expected, got = (
                f"{each['result'][place]} in repetition {each['repetition'][place]}" if place < len(each) else "none"
                for each in rows
            )
            yield f"{metric!s}: expected {expected}, as made again, got {got}"
