"""`grambench fetch`: download data sets, and prepare them."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import names
from grambench.commands.project import read_plan
from grambench.common import layout

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    default = "names of data sets (default: all of the studies in config.yaml)"
    names.add_argument(parser, names.datasets, "datasets", nargs="*", help=default)


def run(arguments: argparse.Namespace) -> int:
    """Download data sets, prepare them, and report those that are unavailable or do not fit their description."""
    from grambench.datasets.descriptions import Dataset

    plan = read_plan()
    datasets = arguments.datasets or [name for study in plan.studies for name in plan.targets.datasets(study)]
    # all descriptions are read before anything is fetched: an unknown name is an error at once
    descriptions = {name: plan.configuration.description(name) for name in datasets}
    # the tasks of a base share a folder, which is fetched once
    folders = dict.fromkeys(description.folder for description in descriptions.values())
    fetched = {folder: _fetch(plan, folder) for folder in folders}
    statuses = {}
    for name, description in descriptions.items():
        if fetched[description.folder][0] != "ok":
            statuses[description.folder] = fetched[description.folder]
        else:
            statuses[name] = _prepare(plan, name) if isinstance(description, Dataset) else ("ok", "")
    for name, (status, reason) in statuses.items():
        print(f"{name:18} {status:12} {reason}")
    return int(any(status != "ok" for status, _ in statuses.values()))


def _fetch(plan: "Plan", folder: str) -> tuple[str, str]:
    """Fetch the files of a data set or of the base of several tasks; return the status and its reason."""
    from grambench.pipeline import fingerprint, status
    from grambench.pipeline.job import Job
    from grambench.pipeline.steps import fetch

    note = Path(layout.RAW.format(dataset=folder))
    fetch.main(Job(spec=fingerprint.spec(plan.specs.fetch_settings(folder)), output=[note]))
    return status.dataset_status(note)


def _prepare(plan: "Plan", name: str) -> tuple[str, str]:
    """Prepare a data set unless its file is current and newer than the data; return the status and its reason."""
    from grambench.common.provenance import is_current
    from grambench.pipeline import status
    from grambench.pipeline.job import Job
    from grambench.pipeline.steps import prepare

    note, output = Path(plan.targets.raw(name)), Path(layout.PREPARED.format(dataset=name))
    current = is_current(output, plan.specs.asked(str(output))) and output.stat().st_mtime > note.stat().st_mtime
    if not current or status.dataset_status(note, output)[0] != "ok":
        prepare.main(Job(*plan.specs.prepare(name), output=[output], input=[note]))
    return status.dataset_status(note, output)
