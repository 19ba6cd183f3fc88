"""What the last run was asked for: status counts that, and need not plan anything anew.

results/last_run.json   {"studies": those of the last run, "asked": {study: {data set: what was asked last}}}
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grambench.common import files, layout
from grambench.results.reading import as_written

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a study on a data set.

    Attributes
    ----------
    raw : str
        The note of the fetch.
    inputs : list of str
        The files that its runs read.
    runs : dict of str
        The identity of each task; see `Plan.identity`.
    """

    raw: str
    inputs: list[str]
    runs: dict[str, str]


Studies = Mapping[str, Mapping[str, Asked]]


def of(plan: "Plan") -> Studies:
    """Return what a plan asks for."""
    return {
        study: {
            dataset: Asked(
                plan.raw(dataset),
                plan.kernels_from(study, dataset),
                {task: plan.identity(study, dataset, task) for task in plan.tasks(study, dataset)},
            )
            for dataset in plan.datasets(study)
        }
        for study in plan.studies
    }


def write(plan: "Plan") -> None:
    """Note what is asked for; what was asked of other studies before is kept."""
    asked, path = of(plan), Path(layout.LAST_RUN)
    before = _read(path)["asked"] if path.is_file() else {}
    now = {study: {name: asdict(each) for name, each in datasets.items()} for study, datasets in asked.items()}
    files.write_text(path, json.dumps({"studies": list(asked), "asked": before | now}))


def read(results: Path, study: str | None = None) -> Studies | None:
    """Return what was asked of the studies of the last run, or what was asked last of one; None where nothing was."""
    path = layout.located(results, layout.LAST_RUN)
    if not path.is_file():
        return None
    from pydantic import TypeAdapter

    noted = _read(path)
    names = [name for name in ([study] if study else noted["studies"]) if name in noted["asked"]]
    with as_written(path):
        return TypeAdapter(Studies).validate_python({name: noted["asked"][name] for name in names}) or None


def _read(path: Path) -> Any:
    with as_written(path):
        noted = json.loads(path.read_text(encoding="utf-8"))
        return {"studies": list(noted["studies"]), "asked": dict(noted["asked"])}
