"""What became of every data set and run that lies in the results folder."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import check, found_fault
from grambench.kernels import matrices
from grambench.pipeline import fingerprint
from grambench.pipeline.plan import Plan
from grambench.results.reading import as_written

SEALED = (".h5", ".parquet", ".svg")
TABLES = ("cells.csv", "summary.csv", "reproduction.csv", "claims.csv")


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
        ok, missing, unavailable, error, timeout, memory, killed, damaged, or stale: made with other settings or code.
    reason : str
        Why it is not ok, in one line.
    inputs : tuple of str
        The files that a run reads.
    """

    path: str
    label: str
    status: str
    reason: str
    inputs: tuple[str, ...] = ()

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
            inputs = (layout.PREPARED.format(dataset=dataset), *plan.kernels_from(study, dataset))
            for task in plan.tasks(study, dataset):
                path = layout.RECORD.format(study=study, dataset=dataset, task=task)
                state = _record(layout.located(results, path), plan.identity(study, dataset, task))
                found.append(Item(path, f"{study}: {task} on {dataset}", *state, inputs))
    return found


def failed_targets(found: list[Item]) -> list[str]:
    """Return the files whose rules have to run again for everything that failed.

    A run that failed only because its data set is unavailable is not among them: it follows from the data set's. Where
    a file that a failed run reads is damaged, or a Gram matrix was not made, that stands in the place of the run, which
    follows from it.
    """
    paths: list[str] = []
    faults: dict[str, bool] = {}
    for item in found:
        if not item.failed or (item.status == "unavailable" and item.inputs):
            continue
        for path in item.inputs:
            if path not in faults:
                faults[path] = Path(path).is_file() and _faulty(Path(path))
        paths.extend([path for path in item.inputs if faults[path]] or [item.path])
    return list(dict.fromkeys(paths))  # tasks of one base share its files


def _faulty(path: Path) -> bool:
    return bool(found_fault(path)) or ("grams" in path.parts and matrices.unavailable(path) is not None)


def damaged(results: Path = layout.RESULTS) -> Iterator[tuple[Path, str]]:
    """Yield the sealed files of a results folder that were changed since they were written, and what is wrong."""
    for path in sorted(results.rglob("[!.]*")):
        if (path.suffix in SEALED or path.name in TABLES) and path.is_file() and (fault := found_fault(path)):
            yield path, fault


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


def _record(path: Path, identity: str) -> tuple[str, str]:
    if not path.is_file():
        return "missing", "not run yet"
    try:
        check(path)
        with as_written(path), h5py.File(path, "r") as file:
            settings = fingerprint.spec(json.loads(str(file.attrs["settings"])))
            state, made = (str(file.attrs["status"]), str(file.attrs["reason"])), str(file.attrs.get("code", ""))
    except DataError as error:
        return "damaged", str(error)
    if fingerprint.identity(settings, made) != identity:
        return "stale", "made with other settings or other code than are asked for"
    return state
