"""`grambench diff`: what changed between two results folders."""

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("old", type=Path, help="results folder to compare with")
    parser.add_argument("new", type=Path, help="results folder to compare")
    parser.add_argument("--study", help="name of a study (default: all studies with results)")
    parser.add_argument("--timings", action="store_true", help="compare measured seconds too")
    parser.add_argument("--all", action="store_true", help="list the numbers that one folder lacks too")


def run(arguments: argparse.Namespace) -> int:
    """Show the differences of two results folders that are larger than noise; exit 1 if there are any.

    Numbers that one folder lacks, as after a run of some data sets, are counted, and differences with --all alone.
    """
    from grambench.results.compare import compare

    table = compare(arguments.old, arguments.new, arguments.study, timings=arguments.timings)
    changed = table[table.change == "changed"]
    listed = table[~table.change.isin(["same", "noise"])] if arguments.all else changed
    if len(listed):
        print(listed.to_string(index=False, na_rep="", float_format="{:.4g}".format))
    print(", ".join(f"{count} {change}" for change, count in table.change.value_counts().items()))
    return int(len(listed) > 0)
