"""Compare an algorithm with a few others on a few data sets, in seconds and without a workflow: `grambench try`.

The protocol is that of the leaderboard with fewer repetitions. As in a study, each run is a process under the limits of
the project; one for each core runs at a time. Only the fetched data stay on the disk.
"""

import dataclasses
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from grambench import algorithms
from grambench.common import layout
from grambench.common.errors import ConfigError, unknown_name
from grambench.common.layout import Cell
from grambench.config.study import Entry, Study, Tune
from grambench.datasets import store
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import fetch, prepare
from grambench.results import records
from grambench.results.statistics import Sample
from grambench.results.study import title_of

STUDY = "leaderboard"
ENTRY = "tried"
OTHERS = ("uniform_svm", "best_kernel_svm", "rkl", "omkc_dd", "gaussian_svm")


class Asked(NamedTuple):
    """What to try.

    Attributes
    ----------
    algorithm : str
        See `grambench.algorithms`.
    parameters : dict
        The parameters that are not left at their defaults.
    others : sequence of str
        Configurations of the leaderboard to compare with.
    repetitions : int
        The number of random splits.
    seconds : float
        The time limit of each run.
    """

    algorithm: str
    parameters: dict[str, Any]
    others: Sequence[str] = OTHERS
    repetitions: int = 5
    seconds: float = 300.0


class Row(NamedTuple):
    """The result of one algorithm on one data set.

    Attributes
    ----------
    dataset, title : str
        The data set, and the algorithm as tables print it.
    error : Sample
        The test error in percent over the repetitions.
    seconds : float
        The mean time of a repetition, with the selection of hyperparameters.
    reason : str
        Why there is no number; empty if there is one.
    """

    dataset: str
    title: str
    error: Sample
    seconds: float
    reason: str


def study(plan: Plan, asked: Asked) -> Study:
    """Return the leaderboard with an algorithm, whose C is selected if it has one, and some of the configurations."""
    known, name = plan.studies[STUDY], asked.algorithm
    for other in asked.others:
        if other not in known.algorithms:
            raise unknown_name(f"algorithm of {STUDY}", other, known.algorithms)
    if fault := algorithms.fault(name):
        raise ConfigError(f"{name}: cannot be imported: {fault}")
    if algorithms.is_multiclass(name):
        raise ConfigError(f"{name}: expected an algorithm for two classes, got one that learns from class numbers")
    algorithms.parameters(name, asked.parameters)
    free = "C" in set(algorithms.fields(name)) - set(asked.parameters)
    tune = Tune(parameter="C", values=dataclasses.asdict(known.protocol)["values"]) if free else None
    place = {"path": name} if name.endswith(".py") else {"algorithm": name}
    title = algorithms.title(name)
    if title in {title_of(known, other) for other in asked.others}:
        title = f"{title} (tried)"
    entry = Entry(**place, title=title, parameters=asked.parameters, tune=tune)
    protocol: Any = dataclasses.replace(known.protocol, repetitions=asked.repetitions)  # type: ignore[arg-type]
    entries = {ENTRY: entry} | {other: known.algorithms[other] for other in asked.others}
    return known.model_copy(update={"algorithms": entries, "protocol": protocol, "sweeps": {}})


def rows(plan: Plan, asked: Asked, datasets: Sequence[str]) -> Iterator[Row]:
    """Yield the results of an algorithm and of others, one data set after the other.

    Parameters
    ----------
    plan : Plan
        A plan of the leaderboard, which the smaller study replaces.
    asked : Asked
        The algorithm and the others.
    datasets : sequence of str
        Data sets of two classes, of the leaderboard or others.

    Raises
    ------
    ConfigError
        For an unknown name, or a parameter that the algorithm refuses.
    """
    plan.studies[STUDY] = small = study(plan, asked)
    for dataset in datasets:
        described = plan.targets.dataset(dataset)
        if described.classes or described.descriptors:
            raise ConfigError(f"{dataset}: expected a data set of vectors and two classes, got another")
    for dataset in datasets:
        with tempfile.TemporaryDirectory() as folder:
            prepared = Path(folder) / "prepared.h5"
            source = layout.RAW.format(dataset=plan.configuration.description(dataset).folder)
            fetch.main([plan.specs.fetch_spec(dataset), source])
            prepare.main([plan.specs.prepare_spec(dataset), plan.specs.step_code("prepare"), str(prepared), source])
            found = store.read(prepared)
            if isinstance(found, store.Unavailable):
                for entry in small.algorithms:
                    yield Row(dataset, title_of(small, entry), Sample.of([]), math.nan, str(found))
                continue
            with ThreadPoolExecutor(os.cpu_count()) as processes:
                yield from processes.map(partial(_row, plan, dataset, prepared, asked.seconds), small.algorithms)


def mean_ranks(errors: Mapping[str, Mapping[str, float]]) -> pd.Series:
    """Return mean ranks by title, the best first, over the data sets on which all have an error."""
    table = pd.DataFrame(errors).T.dropna()
    return table.round(9).rank(axis="columns").mean().sort_values(kind="stable")


def call(plan: Plan, cell: Cell, output: Path, inputs: Sequence[Path], seconds: float) -> list[str]:
    """Return the arguments of rule `run` for a whole run, whose record will be `output`."""
    settings = output.with_suffix(".json")
    settings.write_text(plan.specs.run_spec(cell), encoding="utf-8")
    within = ["--seconds", str(seconds), "--memory-mb", str(plan.project.limits.memory_mb)]
    return [str(settings), plan.specs.run_code(cell), str(output), *within, *map(str, inputs)]


def _row(plan: Plan, dataset: str, prepared: Path, seconds: float, entry: str) -> Row:
    output, title = prepared.with_name(f"{entry}.h5"), title_of(plan.studies[STUDY], entry)
    arguments = call(plan, Cell(STUDY, dataset, entry), output, [prepared], seconds)
    subprocess.run([sys.executable, "-m", "grambench.pipeline.steps", "run", *arguments], check=True)
    record = records.read(output)
    if record.status != "ok":
        return Row(dataset, title, Sample.of([]), math.nan, f"{record.status}: {record.reason}")
    error, took = (record.metrics[metric].ravel() for metric in ("error_percent", "seconds"))
    return Row(dataset, title, Sample.of(error), float(took.mean()), "")
