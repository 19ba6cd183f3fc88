"""`grambench validate`: what is wrong with studies, all of it at once."""

import argparse

from grambench.commands import names
from grambench.commands.project import read_plan
from grambench.common.counts import counted


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_studies(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check studies with their data sets and algorithms, without a run."""
    plan = read_plan({"studies": arguments.studies} if arguments.studies else {})
    for name in plan.studies:
        datasets, runs = len(plan.targets.datasets(name)), len(plan.targets.cells(name))
        print(f"{name}: {counted(datasets, 'data set')}, {counted(runs, 'run')}")
    return 0
