"""`grambench status`: what is done, what failed and why."""

import argparse
from pathlib import Path

from grambench.commands.project import read_plan
from grambench.common import layout
from grambench.common.errors import DataError

HELP = "show what is done, what failed and why; exit 1 where something failed"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("-a", "--all", action="store_true", help="list everything, not only what failed")
    parser.add_argument(
        "--results", type=Path, metavar="FOLDER", help="of another results folder, such as a merged one"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    from grambench.pipeline import status

    results = arguments.results or layout.RESULTS
    if arguments.results and not results.is_dir():
        raise DataError(f"{results}: no such folder")
    found = status.items(read_plan(), results)
    for item in found:
        if item.failed or arguments.all:
            print(f"{item.status:12} {item.label}" + (f": {item.reason}" if item.reason else ""))
    print(status.counts(found))
    failed = any(item.failed for item in found)
    if failed and not arguments.results:
        print("try again: snakemake --cores all -R $(grambench failed)")
    return int(failed)
