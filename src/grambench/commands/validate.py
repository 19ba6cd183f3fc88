"""`grambench validate`: what is wrong with studies, all of it at once."""

import argparse

from grambench.commands import names
from grambench.commands.project import read_plan


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_studies(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check studies with their data sets and algorithms, without a run."""
    plan = read_plan({"studies": arguments.studies} if arguments.studies else {})
    for name in plan.studies:
        print(f"{name}: {len(plan.targets.datasets(name))} data sets, {len(plan.targets.cells(name))} runs")
    return 0
