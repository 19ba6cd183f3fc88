"""`grambench compare`: what changed between two results folders."""

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--study", help="its name; all that were run when none is given")
    parser.add_argument("--timings", action="store_true", help="compare seconds too")


def run(arguments: argparse.Namespace) -> int:
    """Show what changed between two results folders beyond noise; exit 1 if any did."""
    from grambench.results.compare import compare

    table = compare(arguments.old, arguments.new, arguments.study, timings=arguments.timings)
    changed = table[~table.change.isin(["same", "noise"])]
    if len(changed):
        print(changed.to_string(index=False, na_rep="", float_format="{:.4g}".format))
    print(", ".join(f"{count} {change}" for change, count in table.change.value_counts().items()))
    return int(len(changed) > 0)
