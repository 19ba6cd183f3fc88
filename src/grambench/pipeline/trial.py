"""Run an algorithm on data sets of a board, without a workflow: `grambench rank`, and `try` as its short form.

The protocol is that of the board, perhaps with fewer repetitions. As in a study, each run is a process under the
limits of the project; one for each core runs at a time. Only the fetched data stay on the disk.
"""

import dataclasses
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from grambench import algorithms
from grambench.common.errors import ConfigError
from grambench.common.layout import Cell
from grambench.config.names import Tuning
from grambench.config.study import Entry, Study
from grambench.pipeline.check import check_dataset
from grambench.pipeline.job import STEPS, Job
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import fetch, prepare
from grambench.results import records
from grambench.results.reading import content_of
from grambench.results.study import title_of

ENTRY = "tried"
MOST_CANDIDATES = 25  # as of the boards' configurations


class Trial(NamedTuple):
    """An algorithm, the board whose protocol it is run under, and what to compare it with.

    Attributes
    ----------
    algorithm : str
        See `grambench.algorithms`.
    parameters : dict
        The parameters that are not left at their defaults.
    tune : dict of list of float
        The values of hyperparameters to select from. C has those of the board, unless it is here or set.
    opponents : sequence of str
        The configurations of the board to compare with.
    repetitions : int
        The number of random splits.
    study : str
        The board.
    """

    algorithm: str
    parameters: dict[str, Any]
    tune: dict[str, list[float]]
    opponents: Sequence[str]
    repetitions: int
    study: str


def build_study(plan: Plan, trial: Trial) -> Study:
    """Return a board restricted to an algorithm and its opponents; raise ConfigError for settings it cannot have."""
    board, name = plan.studies[trial.study], trial.algorithm
    if fault := algorithms.fault(name):
        raise ConfigError(f"{name}: cannot be imported: {fault}")
    algorithms.parameters(name, trial.parameters)
    if both := sorted(trial.tune.keys() & trial.parameters.keys()):
        raise ConfigError(f"--tune: expected other names than --parameters has, got {', '.join(both)} in both")
    chosen, tune = dict(trial.tune), None
    if "C" in set(algorithms.fields(name)) - set(trial.parameters):
        chosen.setdefault("C", dataclasses.asdict(board.protocol)["values"])
    if chosen:
        _refuse_many(chosen)
        first = next(iter(chosen))
        tune = Tuning(first, chosen.pop(first), also=chosen)
        for candidate in tune.candidates():
            algorithms.parameters(name, trial.parameters | candidate)
    source = {"path": name} if name.endswith(".py") else {"algorithm": name}
    title = algorithms.title(name)
    if title in {title_of(board, opponent) for opponent in trial.opponents}:
        title = f"{title} (tried)"
    entry = Entry(**source, title=title, parameters=trial.parameters, tune=tune)
    protocol: Any = dataclasses.replace(board.protocol, repetitions=trial.repetitions)  # type: ignore[arg-type]
    entries = {ENTRY: entry} | {opponent: board.algorithms[opponent] for opponent in trial.opponents}
    return board.model_copy(update={"algorithms": entries, "protocol": protocol, "sweeps": {}})


def _refuse_many(candidates: Mapping[str, list[float]]) -> None:
    """Raise ConfigError for more combinations of values than any configuration of a board selects from."""
    if (count := math.prod(map(len, candidates.values()))) > MOST_CANDIDATES:
        most = f"at most {MOST_CANDIDATES} combinations of values, those of C included"
        got = f"{count} of {', '.join(candidates)}"
        raise ConfigError(f"--tune: expected {most}, as the board's configurations, got {got}")


def run(plan: Plan, cells: Sequence[Cell], seconds: float, expected: Mapping[str, str]) -> Iterator[records.Record]:
    """Make runs, and yield their records in this order; as many are made at a time as there are cores.

    Parameters
    ----------
    plan : Plan
        A plan of the studies of the runs.
    cells : sequence of Cell
        The runs, on data sets of vectors of the studies or others.
    seconds : float
        The time limit of each run.
    expected : dict of str
        Checksums of contents of data sets. Runs on other data are not made, and count as unavailable.

    Raises
    ------
    ConfigError
        For an unknown data set, or one without vectors, and for too many values to select from. Only a run shows
        whether an algorithm has no predictor, and so an SVM of its own C.
    """
    for cell in cells:
        check_dataset(plan.studies[cell.study], plan.targets.dataset(cell.dataset))
    with tempfile.TemporaryDirectory() as folder:
        prepared = {cell.dataset: Path(folder) / f"{cell.dataset}.h5" for cell in cells}
        for dataset, path in prepared.items():
            note = Path(plan.targets.raw(dataset))
            fetch.main(Job(*plan.specs.fetch(dataset), [note]))
            prepare.main(Job(*plan.specs.prepare(dataset), [path], [note]))
        contents = {dataset: content_of(path) for dataset, path in prepared.items()}
        others = [_other_data(cell, contents[cell.dataset], expected) for cell in cells]
        # they are made before threads start: Python 3.11 may fail to parse source in several threads at once
        jobs = [plan.job(cell, Path(folder) / cell.path(), [prepared[cell.dataset]], seconds) for cell in cells]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            for record in threads.map(lambda job, other: other or _run(job), jobs, others):
                _refuse_many(record.candidates)
                yield record


def _other_data(cell: Cell, content: str, expected: Mapping[str, str]) -> records.Record | None:
    """Return the record of a run on data of another content than the expected one; None if they are the same."""
    wanted = expected.get(cell.dataset, "")
    if not wanted or content in ("", wanted):
        return None
    reason = f"expected data with the checksum {wanted}, got {content}: perhaps of another source, since one gave none"
    return records.Record(
        study=cell.study, dataset=cell.dataset, algorithm=cell.algorithm, status="unavailable", reason=reason
    )


def _run(job: Job) -> records.Record:
    """Return the record of a run made in a process of its own."""
    subprocess.run([sys.executable, "-m", STEPS, "run", *job.argv], input=job.spec.encode(), check=True)
    return records.read(job.output[0])
