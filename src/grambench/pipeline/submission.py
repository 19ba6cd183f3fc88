"""A result of others: the file of an algorithm with its runs on a board, as `grambench submit` and `verify` take it.

Its folder is that of a study in the archive (`grambench.results.archive`) with one file more, `algorithm.py`.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from grambench.common.errors import DataError, unknown_name
from grambench.common.files import atomic
from grambench.common.layout import Cell
from grambench.common.types import Settings
from grambench.pipeline.plan import Plan
from grambench.pipeline.trial import ENTRY, Trial, build_study
from grambench.report.ranking_page import METRIC, TOLERANCE, Ranking
from grambench.results import archive
from grambench.results.merge import unequal
from grambench.results.reading import as_written
from grambench.results.records import Record
from grambench.results.study import Results

ALGORITHM = "algorithm.py"
# what the last bits of numbers depend on, where settings and code are the same
MACHINE = ("processor", "blas", "versions")


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
    """Return a submission; raise DataError if its files are damaged, or are others."""
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
        return Submission(folder, str(about["study"]), about["parameters"], about.get("tune", {}), contents, records)


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

    On a machine like that of the submission all numbers but times are equal. Elsewhere rounding may select another
    C, or change a prediction: the mean accuracies are within TOLERANCE.
    """
    yield from (f"{dataset}: its run was not made again: {reason}" for dataset, reason in ranking.left_out.items())
    for again in ranking.made.values():
        record = submission.records[again.dataset]
        if again.status != "ok":
            yield f"{again.dataset}: expected the run to succeed again, got {again.status}: {again.reason}"
            continue
        is_alike = all(record.provenance.get(name) == again.provenance[name] for name in MACHINE)
        made_again = "as made again" if is_alike else f"as made again on another machine, give or take {TOLERANCE}"
        # the archive keeps neither curves nor counts of classes
        kept = replace(again, curves={}, class_values={}, rounds=record.rounds)
        for name, got, expected in unequal(record, kept):
            if is_alike or (name == f"metrics/{METRIC}" and not abs(got.mean() - expected.mean()) <= TOLERANCE):
                means = ["no such numbers" if each is None else f"a mean of {each.mean()}" for each in (expected, got)]
                yield f"{again.dataset}: {name}: expected {means[0]}, {made_again}, got {means[1]}"
