"""`grambench merge`: one results folder out of several."""

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="folder", help="results folders to merge, two or more")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="NEW", help="new results folder")
    preferred = "folder whose numbers are kept where two folders differ"
    parser.add_argument("--prefer", type=Path, metavar="FOLDER", help=preferred)


def run(arguments: argparse.Namespace) -> int:
    """Merge results folders of several machines, studies or data sets into a new one."""
    from grambench.results.merge import merge

    table = merge(arguments.folders, arguments.output, arguments.prefer)
    for folder, rows in table.groupby("folder", sort=False):
        why = ", ".join(f"{count} {why}" for why, count in rows[rows.kept].why.value_counts().items())
        print(f"{folder}: records kept: {rows.kept.sum()} of {len(rows)}" + (f" ({why})" if why else ""))
    print(f"{arguments.output}: cells: {table.kept.sum()}; merged.csv says where each is from")
    return 0
