"""`grambench validate`: what is wrong with studies, all of it at once."""

import argparse

from grambench.commands import names
from grambench.commands.project import read_plan

HELP = "check studies and the data sets and algorithms that they name; nothing is run"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    studies = parser.add_argument("studies", nargs="*", help="their names; those of config.yaml when none is given")
    names.completed(studies, names.studies)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    plan = read_plan({"studies": arguments.studies} if arguments.studies else {})
    for name in plan.studies:
        print(f"{name}: {len(plan.targets.datasets(name))} data sets, {len(plan.targets.cells(name))} runs")
    return 0
