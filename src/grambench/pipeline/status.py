"""The status of every data set and run of a results folder."""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import h5py

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import check, found_fault, identity_of, open_regular, read_text
from grambench.common.layout import Cell
from grambench.common.provenance import is_current
from grambench.pipeline import last_run
from grambench.results.reading import as_written

RECORDS = layout.RECORD.partition("{")[0]
STALE = "made with other settings, code or inputs than were asked for"
# one of those of `FileStatus`, and why it is not ok
Status = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FileStatus:
    """The status of a file that a run was asked for.

    Attributes
    ----------
    path : str
        The file, relative to the project's root.
    label : str
        The data set or run, for a message.
    status : str
        ok, missing, unavailable, error, timeout, memory, killed, damaged, or stale (made with other settings, code or
        inputs).
    reason : str
        Why it is not ok, in one line.
    inputs : dict of str
        What the files that a run is made from are to be made with; see `grambench.pipeline.last_run.Request`.
    """

    path: str
    label: str
    status: str
    reason: str
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the file could not be made, or has to be made again."""
        return self.status not in ("ok", "missing")


def file_statuses(requests: last_run.Requests, results: Path = layout.RESULTS) -> list[FileStatus]:
    """Return the status of all data sets, then of all runs, that were asked for in a results folder."""
    datasets, identify = {}, cache(identity_of)
    for requested in requests.values():
        for name, request in requested.items():
            path = layout.PREPARED.format(dataset=name)
            prepared = layout.located(results, path)
            status, reason = dataset_status(Path(request.raw), prepared)
            if status == "ok" and prepared.exists() and not is_current(prepared, request.inputs[path], results):
                datasets[name] = FileStatus(path, f"data set {name}", "stale", STALE)
            else:
                datasets[name] = FileStatus(request.raw, f"data set {name}", status, reason)
    files = []
    for study, requested in requests.items():
        collected = _read_collected(results, study)
        for dataset, request in requested.items():
            for task, asked in request.runs.items():
                path = Cell.of(study, dataset, task).path()
                place = layout.located(results, path)
                current = is_current(place, asked, results, identify)
                status, reason = (current and collected.get(path)) or _record_status(place)
                if not current and status not in ("missing", "damaged"):
                    status, reason = "stale", STALE
                label = f"{study}: {task} on {dataset}"
                files.append(FileStatus(path, label, status, reason, request.inputs))
        tables = sorted(layout.located(results, layout.RUNS.format(study=study)).parent.rglob("[!.]*.*"))
        damaged = find_damaged(tables)
        files += [FileStatus(str(path), f"{study}: {path.name}", "damaged", fault) for path, fault in damaged]
    return [*datasets.values(), *files]


def _read_collected(results: Path, study: str) -> dict[str, Status]:
    """Return the status of the records that are not newer than the table of their study.

    The table is faster to read than the records. It does not show later damage of a record; see `find_damaged`.
    """
    table = layout.located(results, layout.CELLS.format(study=study))
    if found_fault(table):
        return {}
    with as_written(table), table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
        statuses = {row["record"]: (row["status"], row["reason"]) for row in rows}
    time = table.stat().st_mtime_ns
    return {
        path: status
        for path, status in statuses.items()
        if (record := layout.located(results, path)).is_file() and record.stat().st_mtime_ns <= time
    }


def fetched_datasets() -> list[FileStatus]:
    """Return the status of all fetched data sets."""
    notes = sorted(Path(layout.RAW).parents[1].glob(f"*/{Path(layout.RAW).name}"))
    return [FileStatus(str(note), f"data set {note.parent.name}", *dataset_status(note)) for note in notes]


def failed_targets(files: list[FileStatus]) -> list[str]:
    """Return the files whose rules have to run again after failures.

    A run without data is left out, since the file of its data set is in the list. If an input of a failed run is
    damaged or stale, or is a Gram matrix that could not be computed, the input replaces the run: Snakemake runs again
    whatever depends on it.
    """
    paths: list[str] = []
    faults: dict[str, bool] = {}
    for file in files:
        if not file.failed or (file.status == "unavailable" and file.inputs):
            continue
        for path, asked in file.inputs.items():
            if path not in faults:
                faults[path] = Path(path).exists() and _is_faulty(Path(path), asked)
        paths.extend([path for path in file.inputs if faults[path]] or [file.path])
    # data sets of one base share its files
    return list(dict.fromkeys(paths))


def _is_faulty(path: Path, asked: str) -> bool:
    """Return whether an input of a run is damaged or stale, or a Gram matrix that could not be computed."""
    from grambench.kernels import matrices

    if found_fault(path) or not is_current(path, asked):
        return True
    return "grams" in path.parts and matrices.unavailable(path) is not None


def find_damaged(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the damaged files among some files, each with its fault."""
    for path in paths:
        if path.exists() and not path.is_dir() and (fault := found_fault(path)):
            yield path, fault


def counts(files: list[FileStatus]) -> str:
    """Return the numbers of runs, data sets and other files of each status in one line."""
    numbers = Counter((_kind(file), file.status) for file in files)
    # runs first
    ordered = sorted(numbers.most_common(), key=lambda item: item[0][0], reverse=True)
    return ", ".join(f"{count} {kind}{'s' * (count != 1)} {status}" for (kind, status), count in ordered)


def _kind(file: FileStatus) -> str:
    if file.path.startswith(RECORDS):
        return "run"
    return "data set" if file.label.startswith("data set ") else "file"


def dataset_status(note_path: Path, prepared: Path | None = None) -> Status:
    """Return the status of a data set and its reason, from the note of its fetch and its prepared file, if any."""
    if not note_path.exists():
        return "missing", "not fetched yet"
    try:
        with as_written(note_path):
            note = json.loads(read_text(note_path))
            if note["status"] != "ok":
                attempts = "; ".join(f"{attempt['source']}: {attempt['reason']}" for attempt in note["tried"])
                return "unavailable", attempts or "no source of an allowed kind"
        if prepared is not None and prepared.exists():
            # Not all of it is read for its checksum: it may be large.
            with as_written(prepared), open_regular(prepared), h5py.File(prepared, "r") as file:
                if file.attrs["status"] != "ok":
                    return "unavailable", "; ".join(json.loads(str(file.attrs["reasons"])))
                if lacks := json.loads(str(file.attrs["source"])).get("lacks"):
                    return "ok", f"a stand-in, {lacks}"
    except DataError as error:
        return "damaged", str(error)
    return "ok", ""


def output_status(path: str) -> str:
    """Return the status of a record or of the note of a fetch; empty for any other file."""
    if Path(path).name == Path(layout.RAW).name:
        return dataset_status(Path(path))[0]
    return _record_status(Path(path))[0] if path.startswith(RECORDS) else ""


def _record_status(path: Path) -> Status:
    """Return the status of a record from its file."""
    if not path.exists():
        return "missing", "not run yet"
    try:
        check(path)
        with as_written(path), h5py.File(path, "r") as file:
            return str(file.attrs["status"]), str(file.attrs["reason"])
    except DataError as error:
        return "damaged", str(error)
