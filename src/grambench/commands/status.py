"""`grambench status`: which runs are done, which failed and why."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import names
from grambench.commands.project import check_root, read_plan
from grambench.common import layout
from grambench.common.errors import DataError

if TYPE_CHECKING:
    from grambench.pipeline.status import Item

HELP = "show what the last run has done, what failed and why; exit 1 where something failed"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    study = parser.add_argument("study", nargs="?", help="its name; all of the last run when none is given")
    names.completed(study, names.studies)
    parser.add_argument("-a", "--all", action="store_true", help="list everything, not only what failed")
    parser.add_argument(
        "--results", type=Path, metavar="FOLDER", help="of another results folder, such as a merged one"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.pipeline import status

    results = arguments.results or layout.RESULTS
    if arguments.results and not results.is_dir():
        raise DataError(f"{results}: no such folder")
    found = items(results, arguments.study)
    for item in found:
        if item.failed or arguments.all:
            print(f"{item.status:12} {item.label}" + (f": {item.reason}" if item.reason else ""))
    print(status.counts(found) or "nothing was run here yet: grambench run")
    failed = any(item.failed for item in found)
    if failed and not arguments.results:
        print("try again: call it as before, with -- -R $(grambench failed)")
    return int(failed)


def items(results: Path = layout.RESULTS, study: str | None = None) -> "list[Item]":
    """Return the status of the last run, or of the last run of a study.

    For a study that was not run, and in a folder without notes, the configuration says what is listed. Before the first
    run only the fetched data sets are listed.
    """
    from grambench.pipeline import last_run, status

    asked = last_run.read(results, study)
    if asked is None and (study or results != layout.RESULTS):
        asked = last_run.of(read_plan({"studies": [study]} if study else {}))
    check_root()
    return status.items(asked, results) if asked else status.fetched()
