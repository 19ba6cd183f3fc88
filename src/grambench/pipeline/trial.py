"""Compare an algorithm with a few others on a few data sets, in seconds and without a workflow: `grambench try`.

The protocol is that of the leaderboard with fewer repetitions. As in a study, each run is a process under the limits of
the project; one for each core runs at a time. Only the fetched data stay on the disk.
"""

import dataclasses
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from grambench import algorithms
from grambench.common.errors import ConfigError, unknown_name
from grambench.common.layout import Cell
from grambench.config.names import Tuning
from grambench.config.study import Entry, Study
from grambench.pipeline.check import check_dataset
from grambench.pipeline.job import STEPS, Job
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import fetch, prepare
from grambench.results import records
from grambench.results.study import title_of

STUDY = "leaderboard"
ENTRY = "tried"
OPPONENTS = ("uniform_svm", "best_kernel_svm", "rkl", "omkc_dd", "gaussian_svm")


class Trial(NamedTuple):
    """An algorithm, and what to compare it with.

    Attributes
    ----------
    algorithm : str
        See `grambench.algorithms`.
    parameters : dict
        The parameters that are not left at their defaults.
    opponents : sequence of str
        The configurations of the leaderboard to compare with.
    repetitions : int
        The number of random splits.
    seconds : float
        The time limit of each run.
    """

    algorithm: str
    parameters: dict[str, Any]
    opponents: Sequence[str]
    repetitions: int
    seconds: float


def build_study(plan: Plan, trial: Trial) -> Study:
    """Return the leaderboard restricted to an algorithm and its opponents; C is selected unless it is set."""
    leaderboard, name = plan.studies[STUDY], trial.algorithm
    for opponent in trial.opponents:
        if opponent not in leaderboard.algorithms:
            raise unknown_name(f"algorithm of {STUDY}", opponent, leaderboard.algorithms)
    if fault := algorithms.fault(name):
        raise ConfigError(f"{name}: cannot be imported: {fault}")
    algorithms.parameters(name, trial.parameters)
    free = "C" in set(algorithms.fields(name)) - set(trial.parameters)
    tune = Tuning("C", dataclasses.asdict(leaderboard.protocol)["values"]) if free else None
    source = {"path": name} if name.endswith(".py") else {"algorithm": name}
    title = algorithms.title(name)
    if title in {title_of(leaderboard, opponent) for opponent in trial.opponents}:
        title = f"{title} (tried)"
    entry = Entry(**source, title=title, parameters=trial.parameters, tune=tune)
    protocol: Any = dataclasses.replace(leaderboard.protocol, repetitions=trial.repetitions)  # type: ignore[arg-type]
    entries = {ENTRY: entry} | {opponent: leaderboard.algorithms[opponent] for opponent in trial.opponents}
    return leaderboard.model_copy(update={"algorithms": entries, "protocol": protocol, "sweeps": {}})


def run(plan: Plan, trial: Trial, datasets: Sequence[str]) -> Iterator[tuple[str, str, records.Record]]:
    """Yield the data set, the title and the record of an algorithm and then of its opponents, data set by data set.

    Parameters
    ----------
    plan : Plan
        A plan of the leaderboard. Its study is replaced by the smaller one of the trial.
    trial : Trial
        The algorithm and its opponents.
    datasets : sequence of str
        Data sets of vectors, of the leaderboard or others.

    Raises
    ------
    ConfigError
        For an unknown name, a parameter that the algorithm refuses, or a data set without vectors.
    """
    plan.studies[STUDY] = study = build_study(plan, trial)
    for dataset in datasets:
        check_dataset(study, plan.targets.dataset(dataset))
    for dataset in datasets:
        with tempfile.TemporaryDirectory() as folder:
            prepared, note = Path(folder) / "prepared.h5", Path(plan.targets.raw(dataset))
            fetch.main(Job(*plan.specs.fetch(dataset), [note]))
            prepare.main(Job(*plan.specs.prepare(dataset), [prepared], [note]))
            # they are made before threads start: Python 3.11 may fail to parse source in several threads at once
            jobs = [
                plan.job(Cell(STUDY, dataset, entry), prepared.with_name(f"{entry}.h5"), [prepared], trial.seconds)
                for entry in study.algorithms
            ]
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                for entry, record in zip(study.algorithms, threads.map(_run, jobs), strict=True):
                    yield dataset, title_of(study, entry), record


def mean_ranks(accuracies: Mapping[str, Mapping[str, float]]) -> pd.Series:
    """Return mean ranks by title, the best first, over the data sets on which all have an accuracy."""
    table = pd.DataFrame(accuracies).T.dropna()
    return table.round(9).rank(axis="columns", ascending=False).mean().sort_values(kind="stable")


def _run(job: Job) -> records.Record:
    """Return the record of a run made in a process of its own."""
    subprocess.run([sys.executable, "-m", STEPS, "run", *job.argv], input=job.spec.encode(), check=True)
    return records.read(job.output[0])
