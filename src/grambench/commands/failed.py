"""`grambench failed`: the files of everything that failed."""

import argparse

from grambench.commands.status import items

HELP = "print the files of what failed in the last run, for snakemake -R"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.pipeline import status

    for path in status.failed_targets(items()):
        print(path)
    return 0
