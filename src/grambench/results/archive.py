"""The archive of reference results: the tables of each study, and what its runs were made with.

A folder of the archive has the shape of a results folder, so whatever reads tables of results reads it too:

    reference/<study>/runs.parquet, curves.parquet, cells.csv    the tables of rule `collect`
    reference/<study>/records.parquet                            settings, provenance and inputs of each record
    reference/<study>/about.json                                 revision, machine, versions, data, processor time
    reference/<study>/SHA256SUMS                                 the checksums of these five
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import TypeAdapter

from grambench.common import layout, shipped
from grambench.common.docstrings import attributes
from grambench.common.errors import DataError
from grambench.common.files import SUMS, atomic, check, checksums, found_fault, read_text, sha256, write_text
from grambench.common.layout import Cell
from grambench.common.types import Floats
from grambench.results import characteristics, collect, records
from grambench.results.characteristics import Prepared
from grambench.results.collect import CONFUSED
from grambench.results.columns import Column, Table
from grambench.results.merge import incomparable
from grambench.results.reading import as_written
from grambench.results.records import OBJECTS, Record

ARCHIVE = Path("reference")
TEXTS = ("detail", "code")  # of a record, which cells.csv does not have
RECORDS = Table(
    "records.parquet",
    "a record, with what no other table of a study has of it",
    (
        Column("record", "text", "the record's file, as in cells.csv"),
        *(Column(name, "text", attributes(Record)[name]) for name in TEXTS),
        *(Column(name, "text", f"{attributes(Record)[name]}; JSON") for name in OBJECTS),
    ),
)
PARQUET = {layout.RUNS: collect.RUNS, layout.CURVES: collect.CURVES, RECORDS.file: RECORDS}
ABOUT = "about.json"
ROUNDING = 1e-9  # how far apart equal numbers may be: processors sum in different orders
NAMES = (ABOUT, "cells.csv", "curves.parquet", RECORDS.file, "runs.parquet")
OF_CLASSES = ("class_accuracy:", CONFUSED)  # metrics that collect computes from confusion matrices
Shown = Callable[[pd.DataFrame, pd.DataFrame, pd.DataFrame], pd.DataFrame]
MACHINE = ("revision", "processor", "cores", "platform", "blas", "versions")


def write(
    study: str,
    results: Path,
    cells: Iterable[Cell],
    shown: Shown = lambda _, curves, __: curves,
    kept: Collection[Cell] = (),
) -> None:
    """Write the folder of a study from its results, the checksums last.

    Parameters
    ----------
    study : str
        The study.
    results : Path
        The results folder.
    cells : iterable of Cell
        The runs of the whole study.
    shown : callable
        Returns the curves to keep from the tables of `collect`, by default all.
    kept : collection of Cell
        Runs that are not read from the results: the archive keeps those that it has, and goes without the others.

    Raises
    ------
    DataError
        If another run has no record, a record is damaged, or runs that are kept are on other data, or have other splits
        or repetitions.
    """
    cells = list(cells)
    paths = [cell.path() for cell in cells if cell not in kept]
    missing = [path for path in paths if not layout.located(results, path).is_file()]
    if missing:
        raise DataError(
            f"{results}: records of {study} are missing, {len(missing)} of {len(paths)}, the first {missing[0]}; "
            f"grambench run {study} makes them"
        )
    by_path = {path: records.read(layout.located(results, path)) for path in paths}
    newest = max(layout.located(results, path).stat().st_mtime for path in paths)
    date = datetime.fromtimestamp(newest, tz=UTC).date().isoformat()
    datasets = dict.fromkeys(record.dataset for record in by_path.values())
    prepared = {name: layout.located(results, layout.PREPARED.format(dataset=name)) for name in datasets}
    data = {name: asdict(characteristics.read(path)) for name, path in prepared.items()}
    if kept and study in studies():
        earlier = read_about(study)
        archived = set(collect.CELLS.read(path_of(study, layout.CELLS))["record"])
        there = [cell for cell in cells if cell.path() in archived or cell not in kept]
        for name in {cell.dataset for cell in there if cell in kept}:
            found = data.setdefault(name, earlier["data"][name])
            if found.get("content") != earlier["data"][name].get("content"):
                raise DataError(
                    f"{study}: the archived runs on {name} are on other data; grambench run {study} -d {name}"
                )
        data = {cell.dataset: data[cell.dataset] for cell in there}
        date, paths = max(date, earlier["date"]), [cell.path() for cell in there]
    write_records(ARCHIVE / study, by_path, {"study": study, "date": date, "data": data}, shown=shown, paths=paths)


def write_records(
    folder: Path,
    by_path: Mapping[str, Record],
    about: Mapping[str, Any],
    files: Sequence[str] = (),
    shown: Shown = lambda _, curves, __: curves,
    paths: Sequence[str] | None = None,
) -> None:
    """Write a folder of the archive, the checksums last.

    Parameters
    ----------
    folder : Path
        The folder.
    by_path : dict of Record
        The records by the paths that they have in a results folder.
    about : dict
        What about.json says beside what the records were made with: study, date, characteristics of the data sets.
    files : sequence of str
        The names of further files that are in the folder, for the checksums.
    shown : callable
        Returns the curves to keep from the tables of `collect`, by default all.
    paths : sequence of str, optional
        The records that the folder is to have, in this order, of which those that `by_path` lacks are taken from the
        archive; by default those of `by_path`.
    """
    objects = {path: {name: json.dumps(getattr(each, name)) for name in OBJECTS} for path, each in by_path.items()}
    texts = {path: {name: getattr(each, name) for name in TEXTS} for path, each in by_path.items()}
    rest = RECORDS.frame({"record": path} | texts[path] | objects[path] for path in by_path)
    runs, curves, table = collect.tables(by_path)
    tables = {layout.RUNS: runs, layout.CURVES: curves, layout.CELLS: table, RECORDS.file: rest}
    made = dict(by_path)
    if kept := set(paths or ()) - by_path.keys():
        made |= {path: each for path, each in read_records(about["study"]).items() if path in kept}
        made = {path: made[path] for path in paths or ()}
        _refuse_incomparable(made.values())
        tables = {pattern: _join(_read(about["study"], pattern), new, kept, made) for pattern, new in tables.items()}
    tables[layout.CURVES] = shown(*(tables[pattern] for pattern in (layout.RUNS, layout.CURVES, layout.CELLS)))
    for pattern, content in tables.items():
        with atomic(folder / Path(pattern).name) as temporary:
            if pattern in PARQUET:
                content.to_parquet(temporary, index=False, compression="zstd", compression_level=19)
            else:
                content.to_csv(temporary, index=False)
    write_text(folder / ABOUT, json.dumps(_about([*made.values()]) | dict(about), indent=1) + "\n", atomic)
    sums = (f"{sha256(folder / name)}  {name}\n" for name in (*NAMES, *files))
    write_text(folder / SUMS, "".join(sums), atomic)


def _refuse_incomparable(made: Iterable[Record]) -> None:
    """Raise DataError if records on one data set have other splits or numbers of repetitions, which tables compare."""
    firsts: dict[str, Record] = {}
    for record in made:
        if record.status == "ok" and (different := incomparable(firsts.setdefault(record.dataset, record), record)):
            study, dataset = record.study, record.dataset
            remedy = f"grambench run {study} -d {dataset} and grambench archive {study} -d {dataset} replace them"
            raise DataError(f"{study}: the archived runs on {dataset} have another {different}; {remedy}")


def _read(study: str | Path, pattern: str) -> pd.DataFrame:
    """Return a table of a study."""
    path = path_of(study, pattern)
    return pd.read_parquet(path) if pattern in PARQUET else collect.CELLS.read(path)


def _join(old: pd.DataFrame, new: pd.DataFrame, kept: Collection[str], order: Iterable[str]) -> pd.DataFrame:
    """Return the old rows of some records, by their paths, and all new rows, in an order of records."""
    joined = pd.concat([old[_record_of(old).isin(kept)], new], ignore_index=True)
    places = _record_of(joined).map({path: place for place, path in enumerate(order)})
    return joined.iloc[places.argsort(kind="stable")].reset_index(drop=True)


def _record_of(table: pd.DataFrame) -> "pd.Series[str]":
    """Return the path of the record that each row is of."""
    if "record" in table:
        return table["record"]
    names = table.assign(sweep="")[["study", "dataset", "algorithm", "sweep"]]
    names["sweep"] = table.get("sweep", "")
    paths = {row: Cell(*row).path() for row in names.drop_duplicates().itertuples(index=False, name=None)}
    return pd.Series(list(map(paths.__getitem__, names.itertuples(index=False, name=None))), table.index, dtype=str)


def _about(made: Sequence[Record]) -> dict[str, Any]:
    """Return what records were made with; several machines or revisions each have their value."""
    seconds = sum(record.provenance.get("cpu_seconds", 0.0) for record in made)
    about: dict[str, Any] = {"cpu_seconds": round(seconds, 1)} | {name: [] for name in MACHINE}
    for record in made:
        for key in MACHINE:
            if (value := record.provenance.get(key)) not in [None, *about[key]]:
                about[key].append(value)
    return about


def studies() -> list[str]:
    """Return the studies of the archive, those of the project and those that come with the package."""
    return sorted({path.parent.name for root in (ARCHIVE, shipped.ROOT / ARCHIVE) for path in root.glob(f"*/{SUMS}")})


def folder_of(study: str | Path) -> Path:
    """Return the folder of a study: that of the project, else the one that comes with the package; a path is its own.

    All that reads a study of the archive therefore reads a submission too (`grambench.pipeline.submission`).
    """
    return study if isinstance(study, Path) else shipped.located(ARCHIVE / study)


def read_about(study: str | Path) -> dict[str, Any]:
    """Return what the runs of a study of the archive were made with."""
    path = folder_of(study) / ABOUT
    with as_written(path):
        return dict(json.loads(read_text(path)))


def version_of(study: str) -> str:
    """Return the version of the reference results of a study: eight digits of a hash of all their files."""
    return sha256(folder_of(study) / SUMS)[:8]


def version() -> str:
    """Return the version of all reference results: eight digits of a hash of the versions of their studies."""
    text = "".join(f"{study} {version_of(study)}\n" for study in studies())
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def path_of(study: str | Path, pattern: str) -> Path:
    """Return the path of a table of a study, such as `layout.RUNS`; raise DataError if it is missing or damaged."""
    return check(folder_of(study) / Path(pattern).name)


def read_prepared(study: str) -> Prepared:
    """Return the characteristics of the data sets of a study, or the notes that they were unavailable."""
    return TypeAdapter(Prepared).validate_python(read_about(study)["data"])


def read_records(study: str | Path) -> dict[str, Record]:
    """Return the records of a study by their paths, without curves and confusion matrices."""
    rows, rest, table = (_read(study, pattern) for pattern in (layout.RUNS, RECORDS.file, layout.CELLS))
    numbers: dict[tuple[Any, ...], dict[str, Floats]] = {}
    results, keys = rows["result"].to_numpy(), ["dataset", "algorithm", "sweep", "metric"]
    indices: Any = rows.groupby(keys, sort=False).indices
    for (*run, metric), chosen in indices.items():
        numbers.setdefault(tuple(run), {})[metric] = results[chosen]
    found = {}
    for cell, more in zip(table.to_dict("records"), rest.to_dict("records"), strict=True):
        objects = {name: json.loads(more[name]) for name in OBJECTS}
        points = len(objects["settings"]["values"]) or 1
        metrics: dict[str, Floats] = {}
        of_kernels: dict[str, list[Floats]] = {}
        for name, values in numbers.get((cell["dataset"], cell["algorithm"], cell["sweep"]), {}).items():
            of, separator, _ = name.partition(":")
            if not separator:
                metrics[name] = values.reshape(points, -1)
            elif not name.startswith(OF_CLASSES):
                of_kernels.setdefault(of, []).append(values)
        found[str(cell["record"])] = Record(
            **{name: cell[name] for name in ("study", "dataset", "algorithm", "status", "reason", "orders", "random")},
            **{name: more[name] for name in TEXTS},
            **objects,
            metrics=metrics,
            kernel_values={name: np.stack(values, axis=-1)[None] for name, values in of_kernels.items()},
        )
    return found


def read_record(cell: Cell) -> Record:
    """Return the record of a run; raise DataError if there is none."""
    found = read_records(cell.study) if cell.study in studies() else {}
    if (path := cell.path()) not in found:
        raise DataError(f"{ARCHIVE}: no run {cell}; grambench archive --check names the studies that it has")
    return found[path]


def is_close(ours: Floats, archived: Floats) -> bool:
    """Return whether numbers equal archived ones, up to ROUNDING."""
    return bool(np.allclose(ours, archived, rtol=ROUNDING, atol=ROUNDING, equal_nan=True))


def faults(study: str | Path, files: Sequence[str] = ()) -> list[str]:
    """Return what is wrong with the files of a study, one line each: missing, damaged, or of other columns.

    `files` are those that its folder has beside those of every study.
    """
    folder, names = folder_of(study), (*NAMES, *files)
    if not (folder / SUMS).exists():
        return [f"{folder}: expected a folder that grambench archive or submit has written, got none with {SUMS}"]
    if sorted(checksums(folder)) != sorted(names):
        return [f"{folder / SUMS}: expected {', '.join(names)}, got {', '.join(checksums(folder))}"]
    if damaged := [f"{folder / name}: {fault}" for name in names if (fault := found_fault(folder / name))]:
        return damaged
    found = {pattern: pd.read_parquet(folder / Path(pattern).name) for pattern in PARQUET}
    found[layout.CELLS] = pd.read_csv(folder / Path(layout.CELLS).name, nrows=0)
    return [
        f"{folder / table.file}: expected columns {', '.join(table.names)}, got {', '.join(found[pattern].columns)}"
        for pattern, table in (PARQUET | {layout.CELLS: collect.CELLS}).items()
        if list(found[pattern].columns) != table.names
    ]


def behind(study: str, asked: Mapping[Cell, str]) -> tuple[list[Cell], list[Cell]]:
    """Return the runs of a study that the archive lacks, and those that it has with other settings or code.

    Parameters
    ----------
    study : str
        The study.
    asked : dict of str
        What each run is to be made with today; see `grambench.common.provenance.asked`.
    """
    table = collect.CELLS.read(path_of(study, layout.CELLS))
    archived = dict(zip(table["record"], table["asked"], strict=True))
    lacking = [cell for cell in asked if cell.path() not in archived]
    return lacking, [cell for cell, now in asked.items() if archived.get(cell.path(), now) != now]
