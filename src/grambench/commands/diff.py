"""`grambench diff`: what changed between two results folders."""

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("old", type=Path, help="results folder to compare with")
    parser.add_argument("new", type=Path, help="results folder to compare")
    parser.add_argument("--study", help="name of a study (default: all studies with results)")
    parser.add_argument("--timings", action="store_true", help="compare measured seconds too")


def run(arguments: argparse.Namespace) -> int:
    """Show the differences of two results folders that are larger than noise; exit 1 if there are any."""
    from grambench.results.compare import compare

    table = compare(arguments.old, arguments.new, arguments.study, timings=arguments.timings)
    changed = table[~table.change.isin(["same", "noise"])]
    if len(changed):
        print(changed.to_string(index=False, na_rep="", float_format="{:.4g}".format))
    print(", ".join(f"{count} {change}" for change, count in table.change.value_counts().items()))
    return int(len(changed) > 0)
