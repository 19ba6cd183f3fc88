"""Merge several results folders into one: of other machines, other data sets, other repetitions.

Records are copied byte for byte, with the provenance in them, and the tables are collected from them anew. A cell is a
study, a data set, an algorithm and a sweep. If several folders have a record of a cell, one is selected
(`_select_record`). `merged.csv` says of each record where it is from, whether it was kept and why, with its provenance.
"""

import itertools
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from grambench.common import layout
from grambench.common.errors import DataError, cause
from grambench.common.files import check, sealed
from grambench.common.layout import Cell
from grambench.results import collect, records
from grambench.results.columns import Column, Table
from grambench.results.reading import as_written, content_of
from grambench.results.records import Record

LIST = "merged.csv"
TABLE = Table(
    LIST,
    "a record of one of the folders, then the rows of earlier merges",
    (
        *collect.CELLS.columns[:4],
        Column("folder", "text", "folder that has the record, as named in the command"),
        Column("kept", "boolean", "whether this record was kept"),
        Column("why", "text", "reason: only one, preferred, equal, more repetitions, others failed or all failed"),
        Column("status", "text", f"one of {', '.join(records.STATUSES)}"),
        Column("repetitions", "integer", "repetitions in the record; 0 for a failure", "count"),
        Column("provenance", "text", "versions, machine, seconds and memory of the run, as JSON"),
    ),
)
# settings without which two algorithms are not comparable
COMPARED = ("protocol", "dictionary", "subsets", "seed")


class _Conflict(Exception):
    """Two records of a cell disagree; the message names the numbers or settings."""


@dataclass(frozen=True, slots=True)
class _Candidate:
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
        The folder to create, complete or not at all. Gram matrices, reproduction.csv, claims, rendered tables and
        figures are not in it: `snakemake` makes them if the folder takes the place of `results`.
    prefer : Path or None
        The folder whose numbers are kept wherever it has any.

    Returns
    -------
    DataFrame
        A row for each record of each folder. `merged.csv` holds these rows and, below them, those of earlier merges.

    Raises
    ------
    DataError
        If a folder holds no records, lacks records of its tables, or has other files in their places; if a cell has
        two values and none is preferred; if algorithms to be compared on one data set saw different data, permutations
        or repetitions; or if `output` exists.
    """
    folders = list(dict.fromkeys(folders))  # one that is named twice counts once
    if len(folders) < 2:
        raise DataError(f"{folders[0]}: expected two results folders or more to merge, got one")
    if output.exists():
        raise DataError(f"{output}: exists already; remove it, or name another folder after -o")
    if prefer is not None and prefer not in folders:
        raise DataError(f"--prefer {prefer}: expected one of the folders to merge, {' or '.join(map(str, folders))}")
    candidates: dict[str, list[_Candidate]] = {}
    for folder in folders:
        for path in _find_records(folder):
            candidates.setdefault(str(path.relative_to(folder)), []).append(_read(folder, path))
    selected, reasons, conflicts = {}, {}, []
    for name in sorted(candidates):
        try:
            selected[name], reasons[name] = _select_record(candidates[name], prefer)
        except _Conflict as conflict:
            conflicts.append(f"{name}: {conflict}")
    if conflicts:
        raise DataError(
            f"two values of {len(conflicts)} of {len(candidates)} cells, the first {conflicts[0]}; choose the folder "
            f"to keep: --prefer {' or --prefer '.join(map(str, folders))}; grambench diff shows the differences"
        )
    _check_comparable(selected.values())
    datasets = _select_datasets(folders, prefer, selected.values())
    table = _table(candidates, selected, reasons)
    earlier = [_read_list(folder / LIST) for folder in folders if (folder / LIST).exists()]
    try:
        _write(output, selected, datasets, pd.concat([table, *earlier]))
    except OSError as error:
        raise DataError(f"{output}: could not be written ({cause(error)}); no folder was made") from None
    return table


def _read(folder: Path, path: Path) -> _Candidate:
    """Read a record; raise DataError if anything fails that a merge will do with it."""
    with as_written(path):
        record = records.read(path)
        _check_location(folder, path, record)
        unlike(record, record)
        list(unequal(record, record))
        collect.tables({str(path): record})
        return _Candidate(folder, path, record)


def _check_location(folder: Path, path: Path, record: Record) -> None:
    """Raise DataError unless the path of a record is the one of its cell in the folder."""
    cell = Cell(record.study, record.dataset, record.algorithm, record.settings["sweep"])
    if path != layout.located(folder, cell.path()):
        raise DataError(
            f"{path}: expected the record of that cell, got {cell.study}, {cell.dataset}, {cell.task}; "
            "it was copied or renamed: remove it, or bring it back under its name"
        )


def _read_list(path: Path) -> pd.DataFrame:
    with as_written(path):
        return TABLE.read(check(path))[TABLE.names]


def _find_records(folder: Path) -> list[Path]:
    """Return the record files of a results folder; raise DataError if there are none or tables list others."""
    paths = sorted(layout.located(folder, "results/runs").rglob("[!.]*.h5"))
    if not paths:
        raise DataError(f"{folder / 'runs'}: no records; expected the results folder of a study")
    existing = set(paths)
    for cells in sorted(folder.glob("*/cells.csv")):
        with as_written(cells):
            names = pd.read_csv(check(cells), usecols=["record"])["record"]
            listed = [layout.located(folder, str(name)) for name in names]
        missing = [path for path in listed if path not in existing]
        if missing:
            raise DataError(
                f"{missing[0]}: no such file, though {cells} lists it ({len(missing)} of {len(listed)} missing); "
                "bring the folder runs along, or remove the tables of that study"
            )
    return paths


def _select_record(candidates: Sequence[_Candidate], prefer: Path | None) -> tuple[_Candidate, str]:
    """Return which record of a cell is kept, and why.

    A failure is not a value: a record with numbers is preferred. If the numbers of all records are equal except for
    measured times, the first record is kept. A repetition does not depend on how many follow, since its seed or
    published permutation depends only on its own number. So if the repetitions of one record are the first ones of
    another, the longer record is kept.
    """
    first = next((candidate for candidate in candidates if candidate.folder == prefer), candidates[0])
    if len(candidates) == 1:
        return first, "only one"
    successful = [candidate for candidate in candidates if candidate.ok]
    if not successful:
        return first, "all failed"
    if first.ok and first.folder == prefer:
        return first, "preferred"
    longest = max(successful, key=lambda candidate: candidate.repetitions)
    for other in successful:
        pair = longest.record, other.record
        # A metric may have a curve of its name: each name once.
        names = dict.fromkeys(name.split("/")[-1] for name, *_ in unequal(*pair))
        if differing := unlike(*pair) or ", ".join(names):
            raise _Conflict(f"{differing} differ between {other.folder} and {longest.folder}")
    if len(successful) == 1:
        return longest, "others failed"
    return longest, "equal" if len({candidate.repetitions for candidate in successful}) == 1 else "more repetitions"


def unlike(one: Record, other: Record) -> str:
    """Return which settings or permutations differ between two records, except for the number of repetitions."""
    settings = [_without(record.settings, "repetitions") for record in (one, other)]
    if settings[0] != settings[1]:
        return "settings " + ", ".join(dict.fromkeys(_changed("", *settings)))
    return f"orders ({one.orders}, {other.orders})" if one.orders != other.orders else ""


def _changed(name: str, one: Any, other: Any) -> Iterator[str]:
    """Yield the innermost names under which two settings differ, such as that of a parameter."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(set(one) | set(other)):
            yield from _changed(key, one.get(key), other.get(key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for pair in zip(one, other, strict=True):
            yield from _changed(name, *pair)
    elif one != other:
        yield name


def unequal(one: Record, other: Record) -> Iterator[tuple[str, Any, Any]]:
    """Yield the numbers that differ on the common repetitions: their name in `Record.numbers` and both arrays, or None.

    The rounds of the curves are no repetitions, and are compared whole.
    """
    first, second = one.numbers, other.numbers
    for name in first | second:
        here, there = first.get(name), second.get(name)
        if here is not None and there is not None:
            if name != "rounds":
                common = min(here.shape[1], there.shape[1])
                here, there = here[:, :common], there[:, :common]
            if np.array_equal(here, there, equal_nan=True):
                continue
        yield name, here, there


def _without(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return settings without one of the protocol."""
    protocol = {key: value for key, value in settings.get("protocol", {}).items() if key != name}
    return {**settings, "protocol": protocol}


def _check_comparable(selected: Iterable[_Candidate]) -> None:
    """Raise DataError if algorithms on one data set saw different permutations, or were run by different protocols.

    Tables and claims compare them repetition by repetition. A configuration may have a pool of its own, but folders
    without any pool in common have other kernels.
    """
    references: dict[tuple[str, str], _Candidate] = {}
    pools: dict[tuple[str, str], dict[Path, set[tuple[str, ...]]]] = {}
    for candidate in selected:
        if not candidate.ok:
            continue
        record = candidate.record
        first = references.setdefault((record.study, record.dataset), candidate)
        if kernels := tuple(record.settings.get("kernels", ())):
            of_folder = pools.setdefault((record.study, record.dataset), {}).setdefault(candidate.folder, set())
            of_folder.add(kernels)
        if different := incomparable(first.record, record):
            raise DataError(
                f"{first.path} and {candidate.path}: algorithms on one data set were run with different {different} "
                f"({first.repetitions} and {candidate.repetitions} repetitions); run them alike, or leave one out"
            )
    for (study, dataset), by_folder in pools.items():
        for one, other in itertools.combinations(by_folder, 2):
            if by_folder[one].isdisjoint(by_folder[other]):
                alike = f"expected a configuration of {study} with the same kernels on {dataset} in both, got none"
                raise DataError(f"{one} and {other}: {alike}; run them alike, or leave one out")


def incomparable(one: Record, other: Record) -> str:
    """Return what differs between two records of which tables compare repetition by repetition; empty if nothing does.

    A configuration may have centred kernels or another pool than the others of its study.
    """
    settings = [_without(record.settings, "center") for record in (one, other)]
    different = [key for key in COMPARED if settings[0].get(key) != settings[1].get(key)]
    return ", ".join(different + ["orders"] * (one.orders != other.orders))


def _select_datasets(folders: Sequence[Path], prefer: Path | None, selected: Iterable[_Candidate]) -> dict[str, Path]:
    """Return the prepared file of each data set: of a folder whose numbers are kept, else of one that has the data."""
    successful = [candidate for candidate in selected if candidate.ok]
    checksums: dict[str, dict[Path, str]] = {}
    for folder in sorted(folders, key=lambda folder: folder != prefer):
        for path in sorted(layout.located(folder, "results/datasets").glob("[!.]*.h5")):
            checksums.setdefault(path.stem, {})[folder] = content_of(path)
    paths = {}
    for name, by_folder in checksums.items():
        used = [candidate.folder for candidate in successful if candidate.record.dataset == name]
        used = [folder for folder in dict.fromkeys(used) if folder in by_folder]
        if len({by_folder[folder] for folder in used}) > 1:
            raise DataError(
                f"{' and '.join(str(folder / 'datasets' / f'{name}.h5') for folder in used)}: the data differ, and so "
                f"would algorithms side by side; run {name} again on one of them, or remove its records from one folder"
            )
        available = [folder for folder in by_folder if by_folder[folder]]
        paths[name] = [*used, *available, *by_folder][0] / "datasets" / f"{name}.h5"
    return paths


def _table(
    candidates: Mapping[str, Sequence[_Candidate]], selected: Mapping[str, _Candidate], reasons: Mapping[str, str]
) -> pd.DataFrame:
    rows = [
        (
            *(record.study, record.dataset, record.algorithm, record.settings.get("sweep", "")),
            *(str(candidate.folder), candidate is selected[name], reasons[name], record.status, candidate.repetitions),
            json.dumps(record.provenance, sort_keys=True),
        )
        for name in sorted(candidates)
        for candidate in candidates[name]
        for record in [candidate.record]
    ]
    return TABLE.frame(rows)


def _write(output: Path, selected: Mapping[str, _Candidate], datasets: Mapping[str, Path], table: pd.DataFrame) -> None:
    """Write the folder under another name, then rename it.

    Copies get the current time, inputs first. Otherwise Snakemake would find files older than their inputs.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as parent:
        # The folder itself is made by mkdir, as readable as umask allows; mkdtemp's is private.
        temporary = Path(parent) / output.name
        for name, path in datasets.items():
            _copy(path, layout.located(temporary, layout.PREPARED.format(dataset=name)))
        by_study: dict[str, dict[str, Record]] = {}
        for name, candidate in selected.items():
            _copy(candidate.path, temporary / name)
            by_study.setdefault(candidate.record.study, {})[f"results/{name}"] = candidate.record
        for study, of_study in by_study.items():
            names = (layout.RUNS, layout.CURVES, layout.CELLS)
            collect.write(of_study, *(layout.located(temporary, name.format(study=study)) for name in names))
        with sealed(temporary / LIST) as path:
            table.to_csv(path, index=False)
        temporary.rename(output)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
