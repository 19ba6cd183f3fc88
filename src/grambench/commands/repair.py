"""`grambench repair`: find and remove damaged files."""

import argparse
from pathlib import Path

from grambench.common import layout
from grambench.common.errors import DataError

HELP = "find damaged files of results, remove them, and say how to make them again"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="another results folder")


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    from grambench.pipeline import status

    results = arguments.results or layout.RESULTS
    if not results.is_dir():
        raise DataError(f"{results}: no such folder")
    found = dict(status.damaged(results))
    for path, fault in found.items():
        path.unlink()
        print(f"{path}: {fault}; removed")
    print("make them again: snakemake --cores all" if found else f"{results}: nothing is damaged")
    return int(bool(found))
