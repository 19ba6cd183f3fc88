"""The status of every data set and run of a results folder."""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import check, found_fault, identity_of, read_text
from grambench.common.layout import Cell
from grambench.pipeline import last_run
from grambench.results.reading import as_written

STALE = "made with other settings, code or inputs than were asked for"
State = tuple[str, str, str]  # status, reason, identity


@dataclass(frozen=True, slots=True)
class Item:
    """A file that the plan asks for.

    Attributes
    ----------
    path : str
        The file, relative to the project's root.
    label : str
        The data set or run, as people read it.
    status : str
        ok, missing, unavailable, error, timeout, memory, killed, damaged, or stale: made with other settings or code.
    reason : str
        Why it is not ok, in one line.
    inputs : dict of str
        The identities of the inputs of a run; see `Specifications.inputs`.
    """

    path: str
    label: str
    status: str
    reason: str
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether it was tried without success."""
        return self.status not in ("ok", "missing")


def items(asked: last_run.Studies, results: Path = layout.RESULTS) -> list[Item]:
    """Return the status of all data sets, then of all runs, that were asked for in a results folder."""
    found = {}
    for datasets in asked.values():
        for name, each in datasets.items():
            path = layout.PREPARED.format(dataset=name)
            prepared = layout.located(results, path)
            status, reason = source(Path(each.raw), prepared)
            if status == "ok" and prepared.is_file() and identity_of(prepared) != each.inputs[path]:
                found[name] = Item(path, f"data set {name}", "stale", STALE)
            else:
                found[name] = Item(each.raw, f"data set {name}", status, reason)
    runs = []
    for study, datasets in asked.items():
        states = _collected(results, study)
        for dataset, each in datasets.items():
            for task, identity in each.runs.items():
                path = Cell.of(study, dataset, task).path()
                state = states.get(path) or _record(layout.located(results, path))
                if state[2] not in ("", identity):
                    state = "stale", STALE, ""
                runs.append(Item(path, f"{study}: {task} on {dataset}", state[0], state[1], each.inputs))
        shown = sorted(layout.located(results, layout.RUNS.format(study=study)).parent.rglob("[!.]*.*"))
        runs += [Item(str(path), f"{study}: {path.name}", "damaged", fault) for path, fault in damaged(shown)]
    return [*found.values(), *runs]


def _collected(results: Path, study: str) -> dict[str, State]:
    """Return the states of the records that are no younger than the table of their study, which is faster to read.

    Later damage is found by `damaged` alone.
    """
    table = layout.located(results, layout.CELLS.format(study=study))
    if found_fault(table):
        return {}
    with as_written(table), table.open(encoding="utf-8", newline="") as file:
        rows = {row["record"]: (row["status"], row["reason"], row.get("identity", "")) for row in csv.DictReader(file)}
    made = table.stat().st_mtime_ns
    return {
        path: row
        for path, row in rows.items()
        if row[2] and (record := layout.located(results, path)).is_file() and record.stat().st_mtime_ns <= made
    }


def fetched() -> list[Item]:
    """Return the status of all fetched data sets."""
    notes = sorted(Path(layout.RAW).parents[1].glob(f"*/{Path(layout.RAW).name}"))
    return [Item(str(note), f"data set {note.parent.name}", *source(note)) for note in notes]


def failed_targets(found: list[Item]) -> list[str]:
    """Return the files whose rules have to run again after failures.

    A run without data is left out, since the file of its data set is in the list. If an input of a failed run is
    damaged or stale, or is a Gram matrix that could not be computed, it replaces the run, which follows from it.
    """
    paths: list[str] = []
    faults: dict[str, bool] = {}
    for item in found:
        if not item.failed or (item.status == "unavailable" and item.inputs):
            continue
        for path, identity in item.inputs.items():
            if path not in faults:
                faults[path] = Path(path).is_file() and _faulty(Path(path), identity)
        paths.extend([path for path in item.inputs if faults[path]] or [item.path])
    return list(dict.fromkeys(paths))  # data sets of one base share its files


def _faulty(path: Path, identity: str) -> bool:
    from grambench.kernels import matrices

    if found_fault(path) or identity_of(path) != identity:
        return True
    return "grams" in path.parts and matrices.unavailable(path) is not None


def damaged(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the damaged files among some files, each with its fault."""
    for path in paths:
        if path.is_file() and (fault := found_fault(path)):
            yield path, fault


def counts(found: list[Item]) -> str:
    """Return the numbers of runs, data sets and other files of each status in one line."""
    number = Counter((_kind(item), item.status) for item in found)
    ordered = sorted(number.most_common(), key=lambda each: each[0][0], reverse=True)  # runs first
    return ", ".join(f"{count} {what}{'s' * (count != 1)} {status}" for (what, status), count in ordered)


def _kind(item: Item) -> str:
    if item.path.startswith(layout.RECORD.partition("{")[0]):
        return "run"
    return "data set" if item.label.startswith("data set ") else "file"


def source(note_path: Path, prepared: Path | None = None) -> tuple[str, str]:
    """Return status and reason of a data set from the note of its fetch and from its prepared file, if there is one."""
    if not note_path.is_file():
        return "missing", "not fetched yet"
    try:
        with as_written(note_path):
            note = json.loads(read_text(note_path))
            if note["status"] != "ok":
                tried = "; ".join(f"{attempt['source']}: {attempt['reason']}" for attempt in note["tried"])
                return "unavailable", tried or "no source of an allowed kind"
        if prepared is not None and prepared.is_file():
            import h5py

            with as_written(prepared), h5py.File(prepared, "r") as file:
                if file.attrs["status"] != "ok":
                    return "unavailable", "; ".join(json.loads(str(file.attrs["reasons"])))
                if lacks := json.loads(str(file.attrs["source"])).get("lacks"):
                    return "ok", f"a stand-in, {lacks}"
    except DataError as error:
        return "damaged", str(error)
    return "ok", ""


def left(path: str) -> str:
    """Return the status of a record or of the note of a fetch; empty for any other file."""
    if Path(path).name == Path(layout.RAW).name:
        return source(Path(path))[0]
    return _record(Path(path))[0] if path.startswith(layout.RECORD.partition("{")[0]) else ""


def _record(path: Path) -> State:
    """Return status, reason and identity of a record; the identity is empty if it cannot be read."""
    if not path.is_file():
        return "missing", "not run yet", ""
    import h5py

    try:
        check(path)
        with as_written(path), h5py.File(path, "r") as file:
            return str(file.attrs["status"]), str(file.attrs["reason"]), identity_of(path)
    except DataError as error:
        return "damaged", str(error), ""
