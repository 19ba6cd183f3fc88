"""`grambench repair`: find and remove damaged files."""

import argparse
from pathlib import Path

from grambench.commands import names
from grambench.commands.clean import confirm_removal
from grambench.commands.project import read_everything
from grambench.common import layout


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_results(parser)
    parser.add_argument("-y", "--yes", action="store_true", help="remove without asking")


def run(arguments: argparse.Namespace) -> int:
    """Find and remove damaged results, and print the command that makes them again; ask first."""
    from grambench.pipeline import status

    plan, results = read_everything(), arguments.results
    of_project = results == layout.RESULTS
    planned = [layout.located(results, path) for path in sorted(plan.files())]
    if of_project:
        planned += sorted({Path(plan.targets.raw(cell.dataset)) for cell in plan.targets.cells()})
    faults = dict(status.find_damaged(planned))
    for path, fault in faults.items():
        print(f"{path}: {fault}")
    if not faults:
        print(f"{results}: nothing is damaged")
        return 0
    if not confirm_removal(arguments):
        return 1
    for path in faults:
        path.unlink()
    condition = "" if of_project else f"once {results} is {layout.RESULTS} of this project, "
    paths = [str(path if of_project else layout.RESULTS / path.relative_to(results)) for path in faults]
    # no rule makes the note of the last run, which each run writes
    targets = " ".join(path for path in paths if path != layout.LAST_RUN)
    command = "grambench run, called as before" + f", with -- -R {targets}" * bool(targets)
    print(f"files removed: {len(faults)}; {condition}make them again: {command}")
    return 1
