"""`grambench doctor`: this machine, and which data sources answer."""

import argparse

from grambench.commands.project import read_plan


def run(arguments: argparse.Namespace) -> int:
    """Show versions, linear algebra, cores and memory, and which data sources answer."""
    from grambench.pipeline import doctor

    plan = read_plan()
    for name, value in doctor.machine():
        print(f"{name:20} {value}")
    datasets = [plan.configuration.description(name) for name in plan.configuration.names("datasets")]
    for source, answers, detail in doctor.sources(datasets, plan.project.mirror_folders):
        print(f"{'ok ' if answers else '-- '} {source:36} {detail}")
    return 0
