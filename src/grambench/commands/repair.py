"""`grambench repair`: find and remove damaged files."""

import argparse
from pathlib import Path

from grambench.commands.clean import agreed
from grambench.commands.project import read_everything
from grambench.common import layout
from grambench.common.errors import DataError

HELP = "find damaged files of results that can be made again, remove them, and say how to make them"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="another results folder")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask first")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.pipeline import status

    results = arguments.results or layout.RESULTS
    if not results.is_dir():
        raise DataError(f"{results}: no such folder")
    plan, own = read_everything(), results == layout.RESULTS
    planned = [layout.located(results, path) for path in sorted(plan.files())]
    notes = sorted({Path(plan.targets.raw(cell.dataset)) for cell in plan.targets.cells()})
    planned += notes if own else []
    found = dict(status.damaged(planned))
    for path, fault in found.items():
        print(f"{path}: {fault}")
    if not found:
        print(f"{results}: nothing is damaged")
        return 0
    if not arguments.yes and not agreed():
        print("nothing was removed")
        return 1
    for path in found:
        path.unlink()
    moved = "" if own else f"once {results} is {layout.RESULTS} of this project, "
    again = " ".join(str(path if own else layout.RESULTS / path.relative_to(results)) for path in found)
    print(
        f"{len(found)} files were removed; {moved}make them again: grambench run, called as before, with -- -R {again}"
    )
    return 1
