"""`grambench failed`: the files of everything that failed."""

import argparse

from grambench.commands.status import items

HELP = "print the files of what failed in the last run, for snakemake -R"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    from grambench.pipeline import status

    for path in status.failed_targets(items()):
        print(path)
    return 0
