"""The project of a command: its root, its configuration and its plan."""

import gc
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grambench.common import layout
from grambench.common.errors import ConfigError, DataError

if TYPE_CHECKING:
    from grambench.config.project import Configuration
    from grambench.config.study import Study
    from grambench.pipeline.plan import Plan
    from grambench.results.study import Results

CONFIG = Path("config")
SETTINGS = CONFIG / "config.yaml"


def find_root(folder: Path) -> Path | None:
    """Return the root of the project that contains a folder; None if no project contains it."""
    return next((parent for parent in (folder, *folder.parents) if (parent / SETTINGS).is_file()), None)


def check_root() -> None:
    """Raise ConfigError if the working folder is not the root of a project, or its results are not a folder."""
    if not SETTINGS.is_file():
        remedy = "name a project with -C, or make one with grambench init"
        raise ConfigError(f"{SETTINGS}: no such file in {Path.cwd()} or a folder above it; {remedy}")
    if os.path.lexists(layout.RESULTS) and not layout.RESULTS.is_dir():
        raise ConfigError(f"{layout.RESULTS}: expected a folder, got a file or a link to nothing; move it away")


def writable(folder: Path) -> Path:
    """Return a folder that can be made and written; raise DataError for another, before a command takes its time."""
    found = next(path for path in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(path))
    if not found.is_dir() or not os.access(found, os.W_OK):
        raise DataError(f"{folder}: expected a folder that can be made and written; name another one with -o")
    return folder


def configuration() -> "Configuration":
    """Return the configuration folder of the project."""
    from grambench.config.project import Configuration

    return Configuration(CONFIG)


def read_results(study: "Study", results: Path = layout.RESULTS) -> "Results":
    """Return the collected results of a study; raise DataError if there are none."""
    from grambench.pipeline import last_run
    from grambench.results.reading import as_written
    from grambench.results.study import Results

    paths = [layout.located(results, path.format(study=study.name)) for path in (layout.RUNS, layout.CELLS)]
    for path in paths:
        if not path.is_file():
            is_begun = results == layout.RESULTS and study.name in last_run.datasets()
            remedy = f"grambench run {study.name} makes it"
            raise DataError(f"{path}: no such file; {'its run is not finished: continue it' if is_begun else remedy}")
    with as_written(paths[0]):
        return Results.read(study, *paths)


def read_plan(overrides: Mapping[str, Any] = {}) -> "Plan":
    """Return the plan of the configuration; the command's arguments override config.yaml."""
    check_root()
    # modules, models and plan stay: a tenth of the time went into searches for garbage among them
    gc.disable()
    try:
        from grambench.config.load import read
        from grambench.pipeline.plan import Plan

        return Plan(read(SETTINGS) | dict(overrides), CONFIG, overrides)
    finally:
        gc.freeze()
        gc.enable()


def read_everything() -> "Plan":
    """Return the plan of all studies of the project with all their data sets and algorithms, added ones included."""
    from grambench.pipeline import last_run

    folder, asked = configuration(), last_run.datasets()
    names, described = folder.names("studies"), folder.names("datasets")
    datasets, records = {}, Path(layout.RECORD).parents[2]
    for study in names:
        # data sets that runs have added to a study, such as the user's to the leaderboard, belong to it; without a note
        # of the last run, as in a merged folder, all that have records
        added = asked.get(study) or [path.name for path in sorted(records.glob(f"{study}/*"))]
        if more := [name for name in added if name in described]:
            datasets[study] = [*folder.study(study).datasets, *more]
    return read_plan({"studies": names, "datasets": datasets or None, "algorithms": {}})
