"""`grambench status`: which runs are done, which failed and why."""

import argparse
import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import names
from grambench.commands.project import CONFIG, check_root, configuration, read_plan
from grambench.common import layout
from grambench.common.errors import GrambenchError

if TYPE_CHECKING:
    from grambench.pipeline.status import FileStatus


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_argument(parser, names.studies, "study", nargs="?", help="name of a study (default: all of the last run)")
    everything = "list all runs and data sets, not only those that failed"
    parser.add_argument("-a", "--all", action="store_true", help=everything)
    names.add_results(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the status of the last run, and why runs failed; exit 1 if any failed."""
    from grambench.pipeline import last_run, status

    files = file_statuses(arguments.results, arguments.study)
    for file in files:
        if file.failed or arguments.all:
            print(f"{file.status:12} {file.label}" + (f": {file.reason}" if file.reason else ""))
    print(status.counts(files) or "no run yet: grambench run")
    requests = last_run.read(arguments.results, arguments.study) or {}
    if behind := last_run.uncollected(last_run.asked_of_records(requests), arguments.results):
        print(f"tables and figures are not of these runs: {', '.join(behind)}; the same grambench run makes them")
    failed, is_here = any(file.failed for file in files), arguments.results == layout.RESULTS
    if is_here and (edited := edited_files(requests)):
        print(f"{edited}; grambench run -n counts the runs that it changes")
    if failed and is_here:
        print("to repeat them: the same command with -- -R $(grambench failed)")
    return int(failed)


def edited_files(studies: Iterable[str]) -> str:
    """Return which files of studies, and of their algorithms outside the package, were edited after the last run."""
    paths = [CONFIG / "studies" / f"{study}.yaml" for study in studies]
    for path in [path for path in paths if path.is_file()]:
        with suppress(GrambenchError):  # grambench validate says what is wrong with the file
            entries = configuration().study(path.stem).algorithms.values()
            paths += [Path(entry.path) for entry in entries if entry.path]
    last = Path(layout.LAST_RUN)
    since = last.stat().st_mtime if last.is_file() else math.inf
    edited = [str(path) for path in dict.fromkeys(paths) if path.is_file() and path.stat().st_mtime > since]
    return f"edited after the last run: {', '.join(edited)}" if edited else ""


def file_statuses(results: Path = layout.RESULTS, study: str | None = None) -> "list[FileStatus]":
    """Return the status of the files of the last run, or of the last run of a study.

    The files of a study that was not run, or of a folder without notes, follow from the configuration; those of
    a folder from that of its studies. Before the first run only the fetched data sets are listed.
    """
    from grambench.pipeline import last_run, status

    requests = last_run.read(results, study)
    if requests is None and (study or results != layout.RESULTS):
        records = layout.located(results, layout.RECORD).parents[2]
        here = [name for name in names.studies() if (records / name).is_dir()]
        requests = last_run.requests_of(read_plan({"studies": [study] if study else here} if study or here else {}))
    check_root()
    return status.file_statuses(requests, results) if requests else status.fetched_datasets()
