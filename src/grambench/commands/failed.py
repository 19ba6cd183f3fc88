"""`grambench failed`: the files of everything that failed."""

import argparse

from grambench.commands.project import read_plan

HELP = "print the files of everything that failed, for snakemake -R"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    from grambench.pipeline import status

    for path in status.failed_targets(status.items(read_plan())):
        print(path)
    return 0
