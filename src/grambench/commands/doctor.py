"""`grambench doctor`: this machine, and which data sources answer."""

import argparse

from grambench.commands.project import read_plan

HELP = "show versions, linear algebra, cores, memory, and which data sources answer"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.pipeline import doctor

    plan = read_plan()
    for what, value in doctor.machine():
        print(f"{what:20} {value}")
    mirrors = plan.project.mirror_folders
    datasets = [plan.configuration.description(name) for name in plan.configuration.names("datasets")]
    for source, answers, detail in doctor.sources(datasets, mirrors):
        print(f"{'ok ' if answers else '-- '} {source:36} {detail}")
    return 0
