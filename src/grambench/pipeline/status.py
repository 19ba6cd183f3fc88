"""What became of every data set and run that lies in the results folder."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import h5py

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import check
from grambench.pipeline.plan import Plan
from grambench.results.reading import as_written


@dataclass(frozen=True, slots=True)
class Item:
    """One file that the plan asks for.

    Attributes
    ----------
    path : str
        The file, relative to the repository's root.
    label : str
        What it is, for people.
    status : str
        ok, missing, unavailable, error, timeout, memory, killed or damaged.
    reason : str
        Why it is not ok, in one line.
    """

    path: str
    label: str
    status: str
    reason: str

    @property
    def failed(self) -> bool:
        """Whether it was tried and did not succeed."""
        return self.status not in ("ok", "missing")


def items(plan: Plan, results: Path = layout.RESULTS) -> list[Item]:
    """Return the state of every data set and run of a plan in a results folder, data sets first."""
    found = []
    names = dict.fromkeys(name for study in plan.studies for name in plan.datasets(study))
    for name in names:
        path, prepared = plan.raw(name), layout.located(results, layout.PREPARED.format(dataset=name))
        found.append(Item(path, f"data set {name}", *source(Path(path), prepared)))
    for study in plan.studies:
        for dataset in plan.datasets(study):
            for task in plan.tasks(study, dataset):
                path = layout.RECORD.format(study=study, dataset=dataset, task=task)
                found.append(Item(path, f"{study}: {task} on {dataset}", *_record(layout.located(results, path))))
    return found


def failed_targets(found: list[Item]) -> list[str]:
    """Return the files whose rules have to run again for everything that failed.

    A run that failed only because its data set is unavailable is not among them: it follows from the data set's.
    """
    paths = [
        item.path for item in found if item.failed and not (item.status == "unavailable" and "/runs/" in item.path)
    ]
    return list(dict.fromkeys(paths))  # tasks of one base share its files


def counts(found: list[Item]) -> str:
    """Return the number of items of each status in one line."""
    number = Counter(item.status for item in found)
    return ", ".join(f"{count} {status}" for status, count in number.most_common())


def source(note_path: Path, prepared: Path | None = None) -> tuple[str, str]:
    """Return status and reason of a data set from the note of its fetch and, where there is one, its prepared file."""
    if not note_path.is_file():
        return "missing", "not fetched yet"
    try:
        note = json.loads(note_path.read_text(encoding="utf-8"))
        if note["status"] != "ok":
            tried = "; ".join(f"{attempt['source']}: {attempt['reason']}" for attempt in note["tried"])
            return "unavailable", tried or "no source of an allowed kind"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return "damaged", f"{note_path}: {error}"
    if prepared is not None and prepared.is_file():
        try:
            check(prepared)
            with as_written(prepared), h5py.File(prepared, "r") as file:
                if file.attrs["status"] != "ok":
                    return "unavailable", "; ".join(json.loads(str(file.attrs["reasons"])))
        except DataError as error:
            return "damaged", str(error)
    return "ok", ""


def _record(path: Path) -> tuple[str, str]:
    if not path.is_file():
        return "missing", "not run yet"
    try:
        check(path)
        with as_written(path), h5py.File(path, "r") as file:
            return str(file.attrs["status"]), str(file.attrs["reason"])
    except DataError as error:
        return "damaged", str(error)
