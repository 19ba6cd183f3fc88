"""The requests of the last run, which `grambench status` reads instead of making a plan.

results/last_run.json   {"studies": [study of the last run, ...], "asked": {study: {data set: its last request}}}
"""

import csv
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grambench.common import files, layout
from grambench.common.errors import DataError, GrambenchError
from grambench.common.layout import Cell
from grambench.results.reading import as_written

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan
    from grambench.pipeline.specifications import Specifications


@dataclass(frozen=True, slots=True)
class Request:
    """The files that a run was asked for, of one study on one data set.

    Attributes
    ----------
    raw : str
        The note of the fetch.
    inputs : dict of str
        What each file is to be made with that the runs are made from, by its path; see `Specifications.asked`.
    runs : dict of str
        What the record of each run is to be made with, by the last part of the run's name.
    """

    raw: str
    inputs: dict[str, str]
    runs: dict[str, str]


COLLECTED = (layout.RUNS, layout.CURVES, layout.CELLS)
# by study and data set
Requests = Mapping[str, Mapping[str, Request]]


def requests_of(plan: "Plan") -> Requests:
    """Return the requests of a plan."""
    asked = plan.specs.asked
    requests: dict[str, dict[str, Request]] = {study: {} for study in plan.studies}
    for study, requested in requests.items():
        for dataset in plan.targets.datasets(study):
            inputs = {path: asked(path) for path in plan.targets.upstream(study, dataset)}
            requested[dataset] = Request(plan.targets.raw(dataset), inputs, {})
    for cell in plan.targets.cells():
        requests[cell.study][cell.dataset].runs[cell.task] = asked(cell.path())
    return requests


def asked_of_records(requests: Requests) -> dict[str, dict[str, str]]:
    """Return what each record is to be made with, by its study and its path."""
    return {
        study: {
            Cell.of(study, dataset, task).path(): asked
            for dataset, request in requested.items()
            for task, asked in request.runs.items()
        }
        for study, requested in requests.items()
    }


def uncollected(asked: Mapping[str, Mapping[str, str]], results: Path = layout.RESULTS) -> list[str]:
    """Return the studies whose collected files are missing or damaged, or are of other records than were asked for.

    Parameters
    ----------
    asked : mapping of mapping of str
        What each record is to be made with, by its study and its path.
    results : Path
        The results folder.
    """
    found = []
    for study, records in asked.items():
        collected = [layout.located(results, each.format(study=study)) for each in COLLECTED]
        if not all(path.is_file() for path in collected) or files.found_fault(collected[-1]):
            found.append(study)
            continue
        with as_written(collected[-1]), collected[-1].open(encoding="utf-8", newline="") as file:
            if {row["record"]: row.get("asked", "") for row in csv.DictReader(file)} != records:
                found.append(study)
    return found


def write(plan: "Plan") -> None:
    """Write the requests of a plan; those of other studies are kept."""
    from pydantic import TypeAdapter

    requests = TypeAdapter(Requests).dump_python(requests_of(plan))
    content = {"studies": list(requests), "asked": _read_requests() | requests}
    files.write_text(Path(layout.LAST_RUN), json.dumps(content))


def read(results: Path, study: str | None = None) -> Requests | None:
    """Return the requests of the last run, or of the last run of one study; None if there was none."""
    path = layout.located(results, layout.LAST_RUN)
    if not path.exists():
        return None
    from pydantic import TypeAdapter

    content = _read(path)
    names = [name for name in ([study] if study else content["studies"]) if name in content["asked"]]
    with as_written(path):
        return TypeAdapter(Requests).validate_python({name: content["asked"][name] for name in names}) or None


def datasets() -> dict[str, list[str]]:
    """Return the data sets of the last run of each study."""
    return {study: list(asked) for study, asked in _read_requests().items()}


def finished(plan: "Plan", without: Iterable[str] = ()) -> "dict[str, Specifications]":
    """Return the specifications of each study of an earlier run that has all its results, without some studies."""
    specs, requests = dict[str, "Specifications"](), _read_requests()
    # sorted, since another order would make the report anew
    for study in sorted(requests.keys() - {*without}):
        tasks = (task for request in requests[study].values() for task in request["runs"])
        algorithms = list(dict.fromkeys(Cell.of(study, "", task).algorithm for task in tasks))
        settings = {"studies": [study], "datasets": {study: list(requests[study])}, "algorithms": {study: algorithms}}
        # the study may have been removed from the configuration, or its data sets or algorithms
        with suppress(GrambenchError):
            earlier_plan = type(plan)(plan.settings | settings, plan.configuration.folder)
            if all(Path(name).is_file() for name in earlier_plan.targets.shown(study)):
                specs[study] = earlier_plan.specs
    return specs


def _read_requests() -> Any:
    """Return the last request of each study and data set; nothing if the file is missing or damaged."""
    path = Path(layout.LAST_RUN)
    return _read(path)["asked"] if path.is_file() and not files.found_fault(path) else {}


def _read(path: Path) -> Any:
    """Return the content of the file; raise DataError if it is damaged: no rule of the workflow makes it."""
    if fault := files.found_fault(path):
        raise DataError(f"{path}: {fault}; remove it, the next grambench run writes it")
    with as_written(path):
        content = json.loads(path.read_text(encoding="utf-8"))
        return {"studies": list(content["studies"]), "asked": dict(content["asked"])}
