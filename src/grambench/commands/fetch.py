"""`grambench fetch`: download data sets."""

import argparse
from pathlib import Path

from grambench.commands import names
from grambench.commands.project import read_plan
from grambench.common import layout

HELP = "download data sets from the first source that answers, with a progress bar"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    datasets = parser.add_argument("datasets", nargs="*", help="their names; all when none is given")
    names.completed(datasets, names.datasets)


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    from grambench.pipeline import status
    from grambench.pipeline.steps import fetch

    plan = read_plan()
    wanted = arguments.datasets or [name for study in plan.studies for name in plan.datasets(study)]
    # an unknown name is refused before anything is fetched, and what tasks share is fetched once
    folders = dict.fromkeys(plan.configuration.description(name).folder for name in wanted)
    missing = 0
    for name in folders:
        output = Path(layout.RAW.format(dataset=name))
        fetch.main([plan.fetch_spec(name), str(output)])
        found, reason = status.source(output)
        missing += found != "ok"
        print(f"{name:18} {found:12} {reason}")
    return int(missing > 0)
