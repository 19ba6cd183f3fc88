"""The archive of reference results: the tables of each study, and what its runs were made with.

A folder of the archive has the shape of a results folder, so whatever reads tables of results reads it too:

    reference/<study>/runs.parquet, curves.parquet, cells.csv    the tables of rule `collect`
    reference/<study>/about.json                                 revision, machine, versions, data, processor time
    reference/<study>/SHA256SUMS                                 the checksums of these four
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import SUMS, atomic, check, checksums, found_fault, read_text, sha256
from grambench.common.layout import Cell
from grambench.results import collect, records
from grambench.results.reading import as_written, content_of
from grambench.results.records import Record

ARCHIVE = Path("reference")
PARQUET = {layout.RUNS: collect.RUNS, layout.CURVES: collect.CURVES}
ABOUT = "about.json"
NAMES = (ABOUT, "cells.csv", "curves.parquet", "runs.parquet")
MACHINE = ("revision", "processor", "cores", "platform", "blas", "versions")


def write(study: str, results: Path, cells: Iterable[Cell], archive: Path = ARCHIVE) -> None:
    """Write the folder of a study from its results, the checksums last.

    Parameters
    ----------
    study : str
        The study.
    results, archive : Path
        The results folder and the archive.
    cells : iterable of Cell
        The runs of the whole study.

    Raises
    ------
    DataError
        If a run has no record, or a record is damaged.
    """
    paths = [cell.path() for cell in cells]
    missing = [path for path in paths if not layout.located(results, path).is_file()]
    if missing:
        raise DataError(
            f"{results}: expected {len(paths)} records of {study}, {len(missing)} are missing, the first {missing[0]}; "
            f"grambench run {study} makes them"
        )
    by_path = {path: records.read(layout.located(results, path)) for path in paths}
    runs, curves, table = collect.tables(by_path)
    folder = archive / study
    for pattern, content in ((layout.RUNS, runs), (layout.CURVES, curves)):
        with atomic(folder / Path(pattern).name) as temporary:
            content.to_parquet(temporary, index=False, compression="zstd", compression_level=19)
    with atomic(folder / Path(layout.CELLS).name) as temporary:
        table.to_csv(temporary, index=False)
    newest = max(layout.located(results, path).stat().st_mtime for path in paths)
    about = _about([*by_path.values()], results) | {"date": datetime.fromtimestamp(newest, tz=UTC).date().isoformat()}
    with atomic(folder / ABOUT) as temporary:
        temporary.write_text(json.dumps({"study": study} | about, indent=1) + "\n", encoding="utf-8")
    with atomic(folder / SUMS) as temporary:
        temporary.write_text("".join(f"{sha256(folder / name)}  {name}\n" for name in NAMES), encoding="utf-8")


def _about(made: Sequence[Record], results: Path) -> dict[str, Any]:
    """Return what records were made with; several machines or revisions each have their value.

    A prepared data set that is still there has the checksum of its content.
    """
    seconds = sum(record.provenance.get("cpu_seconds", 0.0) for record in made)
    about: dict[str, Any] = {"cpu_seconds": round(seconds, 1)} | {name: [] for name in MACHINE} | {"data": {}}
    for record in made:
        for key in MACHINE:
            if (value := record.provenance.get(key)) not in [None, *about[key]]:
                about[key].append(value)
        if source := record.provenance.get("source"):
            path = layout.PREPARED.format(dataset=record.dataset)
            prepared = layout.located(results, path)
            about["data"][record.dataset] = {
                "origin": source["origin"],
                "files": source["files"],
                "identity": record.inputs.get(path, ""),
                "content": content_of(prepared) if prepared.is_file() else "",
            }
    return about


def studies(archive: Path = ARCHIVE) -> list[str]:
    """Return the studies of an archive."""
    return sorted(path.parent.name for path in archive.glob(f"*/{SUMS}"))


def read_about(study: str, archive: Path = ARCHIVE) -> dict[str, Any]:
    """Return what the runs of a study of the archive were made with."""
    path = archive / study / ABOUT
    with as_written(path):
        return dict(json.loads(read_text(path)))


def faults(study: str, archive: Path = ARCHIVE) -> list[str]:
    """Return what is wrong with the files of a study, one line each: missing, damaged, or of other columns."""
    folder = archive / study
    if sorted(checksums(folder)) != sorted(NAMES):
        return [f"{folder / SUMS}: expected {', '.join(NAMES)}, got {', '.join(checksums(folder))}"]
    if damaged := [f"{folder / name}: {fault}" for name in NAMES if (fault := found_fault(folder / name))]:
        return damaged
    found = {pattern: pd.read_parquet(layout.located(archive, pattern.format(study=study))) for pattern in PARQUET}
    found[layout.CELLS] = pd.read_csv(layout.located(archive, layout.CELLS.format(study=study)), nrows=0)
    return [
        f"{folder / table.file}: expected columns {', '.join(table.names)}, got {', '.join(found[pattern].columns)}"
        for pattern, table in (PARQUET | {layout.CELLS: collect.CELLS}).items()
        if list(found[pattern].columns) != table.names
    ]


def behind(study: str, asked: Mapping[Cell, str], archive: Path = ARCHIVE) -> list[Cell]:
    """Return the runs of a study that the archive lacks, or has with other settings or code.

    Parameters
    ----------
    study : str
        The study.
    asked : dict of str
        What each run is to be made with today; see `grambench.common.provenance.asked`.
    archive : Path
        The archive.
    """
    table = collect.CELLS.read(check(layout.located(archive, layout.CELLS.format(study=study))))
    archived = dict(zip(table["record"], table["asked"], strict=True))
    return [cell for cell, now in asked.items() if archived.get(cell.path()) != now]
