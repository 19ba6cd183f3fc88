"""What the last run was asked for: `grambench status` reads it and plans nothing.

results/last_run.json   {"studies": those of the last run, "asked": {study: {data set: what was asked last}}}
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grambench.common import files, layout
from grambench.common.errors import GrambenchError
from grambench.common.layout import Cell
from grambench.results.reading import as_written

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan
    from grambench.pipeline.specifications import Specifications


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for of a study on a data set.

    Attributes
    ----------
    raw : str
        The note of the fetch.
    inputs : dict of str
        The identities of the inputs of its runs; see `Specifications.inputs`.
    runs : dict of str
        The identity of each run, by the last part of its name; see `Specifications.identity`.
    """

    raw: str
    inputs: dict[str, str]
    runs: dict[str, str]


Studies = Mapping[str, Mapping[str, Asked]]


def of(plan: "Plan") -> Studies:
    """Return what a plan asks for."""
    return {
        study: {
            dataset: Asked(
                plan.targets.raw(dataset),
                plan.specs.inputs(study, dataset),
                {cell.task: plan.specs.identity(cell) for cell in plan.targets.cells(study) if cell.dataset == dataset},
            )
            for dataset in plan.targets.datasets(study)
        }
        for study in plan.studies
    }


def write(plan: "Plan") -> None:
    """Write what a plan asks for; the notes on other studies are kept."""
    asked, path = of(plan), Path(layout.LAST_RUN)
    before = _asked(path)
    now = {study: {name: asdict(each) for name, each in datasets.items()} for study, datasets in asked.items()}
    files.write_text(path, json.dumps({"studies": list(asked), "asked": before | now}))


def read(results: Path, study: str | None = None) -> Studies | None:
    """Return what the last run was asked for, or the last run of one study; None if there was none."""
    path = layout.located(results, layout.LAST_RUN)
    if not path.is_file():
        return None
    from pydantic import TypeAdapter

    noted = _read(path)
    names = [name for name in ([study] if study else noted["studies"]) if name in noted["asked"]]
    with as_written(path):
        return TypeAdapter(Studies).validate_python({name: noted["asked"][name] for name in names}) or None


def earlier(plan: "Plan") -> "dict[str, Specifications]":
    """Return the specifications of each study of an earlier run that is not in this one and has all its results."""
    found, asked = dict[str, "Specifications"](), _asked(Path(layout.LAST_RUN))
    for study in sorted(asked.keys() - plan.studies.keys()):  # in one order, or the report would be made anew
        runs = (Cell.of(study, dataset, task) for dataset, each in asked[study].items() for task in each["runs"])
        algorithms = list(dict.fromkeys(cell.algorithm for cell in runs))
        chosen = {"studies": [study], "datasets": {study: list(asked[study])}, "algorithms": {study: algorithms}}
        with suppress(GrambenchError):  # of a study that is not configured any more, or not so
            other = type(plan)(plan.settings | chosen, plan.configuration.folder)
            if all(Path(name).is_file() for name in other.targets.shown(study)):
                found[study] = other.specs
    return found


def _asked(path: Path) -> Any:
    """Return what was last asked for of each study; nothing if the file is missing or damaged."""
    return _read(path)["asked"] if path.is_file() and not files.found_fault(path) else {}


def _read(path: Path) -> Any:
    with as_written(path):
        noted = json.loads(files.read_text(path))
        return {"studies": list(noted["studies"]), "asked": dict(noted["asked"])}
