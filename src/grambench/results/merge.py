"""One results folder out of several: of other machines, other data sets, other repetitions.

Records decide: they are copied byte for byte, with the provenance in them, and the tables are collected from them
anew. A cell is a record: study, data set, algorithm, sweep. Of a cell that several folders have, one record is kept
(`_chosen`), and `merged.csv` tells of each of them where it is from, whether it was kept and why, with its provenance.
"""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import check, sealed
from grambench.common.layout import Cell
from grambench.results import collect, records
from grambench.results.columns import Column, Table
from grambench.results.reading import as_written
from grambench.results.records import GROUPS, Record

LIST = "merged.csv"
TABLE = Table(
    LIST,
    "a record of one of the folders; those of earlier merges stand below",
    (
        *collect.CELLS.columns[:4],
        Column("folder", "text", "the folder that has it, as it was named"),
        Column("kept", "boolean", "whether this record was taken"),
        Column("why", "text", "why one was: only one, preferred, equal, more repetitions, others failed or all failed"),
        Column("status", "text", f"one of {', '.join(records.STATUSES)}"),
        Column("repetitions", "integer", "repetitions that it holds; 0 of a failure", "count"),
        Column("provenance", "text", "versions, machine, seconds and memory of the run, as JSON"),
    ),
)
MEASURED = "seconds"  # how the names of numbers end that differ from run to run on one machine
SHARED = ("protocol", "kernels", "dictionary", "seed")  # settings without which two algorithms are not comparable


class _Conflict(Exception):
    """Two records disagree; the text says in what."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A record and the results folder that holds it at `path`."""

    folder: Path
    path: Path
    record: Record

    @property
    def ok(self) -> bool:
        return self.record.status == "ok"

    @property
    def repetitions(self) -> int:
        return max((values.shape[1] for values in self.record.metrics.values()), default=0)


def merge(folders: Sequence[Path], output: Path, prefer: Path | None = None) -> pd.DataFrame:
    """Join the records, tables and prepared data sets of results folders in a new one.

    Parameters
    ----------
    folders : sequence of Path
        Results folders; whatever records they hold take part, listed in their tables or not.
    output : Path
        The folder to appear, whole or not at all. Grams, reproduction.csv, claims, tables for people and figures are
        not in it: `snakemake` makes them, with the folder in the place of `results`.
    prefer : Path or None
        The folder whose numbers win wherever it has any.

    Returns
    -------
    DataFrame
        A row for each record of each folder. `merged.csv` holds them, and those of earlier merges below them.

    Raises
    ------
    DataError
        If a folder holds no records, not those of its tables, or other files or records under their names; if a cell
        has two values and none is preferred; if algorithms would stand side by side on one data set that saw other
        data, orders or repetitions; if `output` exists.
    """
    if len(set(folders)) < 2:
        raise DataError(f"{folders[0]}: expected two results folders or more to merge, got one")
    if output.exists():
        raise DataError(f"{output}: exists already; remove it, or name another folder after -o")
    if prefer is not None and prefer not in folders:
        raise DataError(f"--prefer {prefer}: expected one of the folders to merge, {' or '.join(map(str, folders))}")
    found: dict[str, list[_Found]] = {}
    for folder in folders:
        for path in _records(folder):
            found.setdefault(str(path.relative_to(folder)), []).append(_read(folder, path))
    kept, reasons, conflicts = {}, {}, []
    for name, candidates in sorted(found.items()):
        try:
            kept[name], reasons[name] = _chosen(candidates, prefer)
        except _Conflict as conflict:
            conflicts.append(f"{name}: {conflict}")
    if conflicts:
        raise DataError(
            f"{len(conflicts)} of {len(found)} cells have two values, the first {conflicts[0]}; say which folder wins "
            f"with --prefer {' or --prefer '.join(map(str, folders))}, after a look at what grambench compare says"
        )
    _check_comparable(kept.values())
    datasets = _datasets(folders, prefer, kept.values())
    table = _table(found, kept, reasons)
    earlier = [_earlier(folder / LIST) for folder in folders if (folder / LIST).is_file()]
    try:
        _write(output, kept, datasets, pd.concat([table, *earlier]))
    except OSError as error:
        raise DataError(f"{output}: could not be written ({error.strerror or error}); nothing is left of it") from None
    return table


def _read(folder: Path, path: Path) -> _Found:
    """Read a record; raise DataError if anything fails that a merge will do with it."""
    with as_written(path):
        found = _Found(folder, path, record := records.read(path))
        _check_place(found)
        unlike(record, record)
        list(unequal(record, record))
        collect.RUNS.frame(collect.runs(record))
        collect.CURVES.frame(() if record.settings["sweep"] else collect.curves(record))
        collect.CELLS.frame([{name: record.provenance.get(name) for name in collect.RESOURCES}])
        return found


def _check_place(found: _Found) -> None:
    """Raise DataError unless a record lies where its names say, so that it is one cell, and in the folder."""
    record = found.record
    cell = Cell(record.study, record.dataset, record.algorithm, record.settings["sweep"])
    if found.path != layout.located(found.folder, cell.path()):
        raise DataError(
            f"{found.path}: expected the record of that cell, got {cell.study}, {cell.dataset}, {cell.task}; "
            "it was copied or renamed: remove it, or bring it back under its name"
        )


def _earlier(path: Path) -> pd.DataFrame:
    with as_written(path):
        return TABLE.read(check(path))[TABLE.names]


def _records(folder: Path) -> list[Path]:
    """Return the record files of a results folder; raise DataError where there are none or tables know of more."""
    paths = sorted(layout.located(folder, "results/runs").rglob("[!.]*.h5"))
    if not paths:
        raise DataError(f"{folder / 'runs'}: no records; expected a results folder in which a study was run")
    have = set(paths)
    for cells in sorted(folder.glob("*/cells.csv")):
        with as_written(cells):
            listed = [layout.located(folder, str(name)) for name in pd.read_csv(cells, usecols=["record"])["record"]]
        missing = [path for path in listed if path not in have]
        if missing:
            raise DataError(
                f"{missing[0]}: no such file, though {cells} lists it ({len(missing)} of {len(listed)} are missing); "
                "bring the folder runs along, or remove the tables of that study"
            )
    return paths


def _chosen(candidates: Sequence[_Found], prefer: Path | None) -> tuple[_Found, str]:
    """Return which record of a cell is kept, and why.

    A failure is not a value: numbers win against it. Of records whose numbers are equal, measured times aside, the
    first one is kept. A repetition does not depend on how many follow, since its seed or published permutation goes by
    its own number: if the repetitions of one record are the first ones of another, the longer record is kept.
    """
    first = next((each for each in candidates if each.folder == prefer), candidates[0])
    if len(candidates) == 1:
        return first, "only one"
    numbers = [each for each in candidates if each.ok]
    if not numbers:
        return first, "all failed"
    if first.ok and first.folder == prefer:
        return first, "preferred"
    longest = max(numbers, key=lambda each: each.repetitions)  # the first of several
    for other in numbers:
        pair = longest.record, other.record
        names = dict.fromkeys(name for _, name in unequal(*pair))  # a metric may have a curve of its name
        if what := unlike(*pair) or ", ".join(names):
            raise _Conflict(f"{what} differ between {other.folder} and {longest.folder}")
    if len(numbers) == 1:
        return longest, "others failed"
    return longest, "equal" if len({each.repetitions for each in numbers}) == 1 else "more repetitions"


def unlike(one: Record, other: Record) -> str:
    """Return the settings or permutations that differ between two records, except for the number of repetitions."""
    settings = [_without_repetitions(record.settings) for record in (one, other)]
    if settings[0] != settings[1]:
        keys = sorted(set(settings[0]) | set(settings[1]))
        return "settings " + ", ".join(key for key in keys if settings[0].get(key) != settings[1].get(key))
    return f"orders ({one.orders}, {other.orders})" if one.orders != other.orders else ""


def unequal(one: Record, other: Record) -> Iterator[tuple[str, str]]:
    """Yield the group and the name of numbers that differ on the repetitions that two records share, seconds aside."""
    if not np.array_equal(one.rounds, other.rounds):
        yield "rounds", "rounds"
    for group in GROUPS:
        here, there = getattr(one, group), getattr(other, group)
        for name in sorted(name for name in here | there if not name.endswith(MEASURED)):
            shared = min(values[name].shape[1] for values in (here, there) if name in values)
            in_both = name in here and name in there
            if not in_both or not np.array_equal(here[name][:, :shared], there[name][:, :shared], equal_nan=True):
                yield group, name


def _without_repetitions(settings: Mapping[str, Any]) -> dict[str, Any]:
    protocol = {key: value for key, value in settings.get("protocol", {}).items() if key != "repetitions"}
    return {**settings, "protocol": protocol}


def _check_comparable(kept: Iterable[_Found]) -> None:
    """Raise DataError if algorithms on one data set saw other orders, or were run by another protocol.

    Tables and claims compare them repetition by repetition.
    """
    seen: dict[tuple[str, str], _Found] = {}
    for each in kept:
        if not each.ok:
            continue
        first = seen.setdefault((each.record.study, each.record.dataset), each)
        here, there = each.record, first.record
        different = [key for key in SHARED if here.settings.get(key) != there.settings.get(key)]
        different += ["orders"] if here.orders != there.orders else []
        if different:
            raise DataError(
                f"{first.path} and {each.path}: algorithms on one data set were run with different "
                f"{', '.join(different)} ({first.repetitions} and {each.repetitions} repetitions); run them alike, "
                "or leave one out"
            )


def _datasets(folders: Sequence[Path], prefer: Path | None, kept: Iterable[_Found]) -> dict[str, Path]:
    """Return the prepared file of each data set: of a folder whose numbers are kept, else of one that has the data."""
    used: dict[str, list[Path]] = {}
    for each in kept:
        if each.ok:
            used.setdefault(each.record.dataset, []).append(each.folder)
    ordered = sorted(folders, key=lambda folder: folder != prefer)
    contents: dict[str, dict[Path, str]] = {}
    for folder in ordered:
        for path in sorted(layout.located(folder, "results/datasets").glob("[!.]*.h5")):
            contents.setdefault(path.stem, {})[folder] = _content(path)
    chosen = {}
    for name, known in contents.items():
        behind = [folder for folder in dict.fromkeys(used.get(name, [])) if folder in known]
        if len({known[folder] for folder in behind}) > 1:
            paths = [str(folder / "datasets" / f"{name}.h5") for folder in behind]
            raise DataError(
                f"{' and '.join(paths)}: the data differ, and so would algorithms side by side; "
                f"run {name} again on one of them, or remove its records from one folder"
            )
        best = [*behind, *(folder for folder in known if known[folder]), *known][0]
        chosen[name] = best / "datasets" / f"{name}.h5"
    return chosen


def _content(path: Path) -> str:
    """Return the checksum of a prepared data set's content; empty where it is unavailable."""
    check(path)
    with as_written(path), h5py.File(path, "r") as file:
        return str(file.attrs["content"]) if file.attrs["status"] == "ok" else ""


def _table(
    found: Mapping[str, Sequence[_Found]], kept: Mapping[str, _Found], reasons: Mapping[str, str]
) -> pd.DataFrame:
    rows = [
        (
            *(each.record.study, each.record.dataset, each.record.algorithm, each.record.settings.get("sweep", "")),
            *(str(each.folder), each is kept[name], reasons[name], each.record.status, each.repetitions),
            json.dumps(each.record.provenance, sort_keys=True),
        )
        for name in sorted(found)
        for each in found[name]
    ]
    return TABLE.frame(rows)


def _write(output: Path, kept: Mapping[str, _Found], datasets: Mapping[str, Path], table: pd.DataFrame) -> None:
    """Write the folder under another name, then rename it.

    Files get the time of now, inputs first, so that Snakemake finds nothing older than what it was made from.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as parent:
        temporary = Path(parent) / output.name  # mkdir makes it as readable as umask allows, mkdtemp would not
        for name, path in datasets.items():
            _copy(path, layout.located(temporary, layout.PREPARED.format(dataset=name)))
        for name, each in kept.items():
            _copy(each.path, temporary / name)
        for study in dict.fromkeys(each.record.study for each in kept.values()):
            runs, curves, cells = (
                layout.located(temporary, name.format(study=study))
                for name in (layout.RUNS, layout.CURVES, layout.CELLS)
            )
            own = {f"results/{name}": each.record for name, each in kept.items() if each.record.study == study}
            collect.write(own, runs, curves, cells)
        with sealed(temporary / LIST) as path:
            table.to_csv(path, index=False)
        temporary.rename(output)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
