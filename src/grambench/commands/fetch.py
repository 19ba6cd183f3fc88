"""`grambench fetch`: download data sets, and prepare them."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import names
from grambench.commands.project import read_plan
from grambench.common import layout

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

HELP = "download data sets from the first source that answers, prepare them, and say what does not fit"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    datasets = parser.add_argument("datasets", nargs="*", help="their names; all when none is given")
    names.completed(datasets, names.datasets)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.config.dataset import Dataset

    plan = read_plan()
    wanted = arguments.datasets or [name for study in plan.studies for name in plan.targets.datasets(study)]
    # an unknown name is refused before anything is fetched, and what tasks share is fetched once
    described = {name: plan.configuration.description(name) for name in wanted}
    states = {folder: _fetched(plan, folder) for folder in dict.fromkeys(each.folder for each in described.values())}
    found = {}
    for name, each in described.items():
        if states[each.folder][0] != "ok":
            found[each.folder] = states[each.folder]
        else:
            found[name] = _prepared(plan, name) if isinstance(each, Dataset) else ("ok", "")
    for name, (state, reason) in found.items():
        print(f"{name:18} {state:12} {reason}")
    return int(any(state != "ok" for state, _ in found.values()))


def _fetched(plan: "Plan", folder: str) -> tuple[str, str]:
    """Fetch what a data set or several tasks are made of; return the status and why it is not available, if so."""
    from grambench.pipeline import fingerprint, status
    from grambench.pipeline.steps import fetch

    note = Path(layout.RAW.format(dataset=folder))
    before = (note.read_bytes(), note.stat().st_mtime_ns) if note.is_file() else None
    fetch.main([fingerprint.spec(plan.specs.fetch_settings(folder)), str(note)])
    if before and note.read_bytes() == before[0]:  # nothing new: what was made from it is not made again
        os.utime(note, ns=(before[1], before[1]))
    return status.source(note)


def _prepared(plan: "Plan", name: str) -> tuple[str, str]:
    """Prepare a data set, unless that was done after it was fetched and described; return the status and a remark."""
    from grambench.pipeline import status
    from grambench.pipeline.steps import prepare

    note, output = Path(plan.targets.raw(name)), Path(layout.PREPARED.format(dataset=name))
    from_what = (note, plan.configuration.path(f"datasets/{name}.yaml"))
    newer = output.is_file() and output.stat().st_mtime_ns > max(path.stat().st_mtime_ns for path in from_what)
    if not newer or status.source(note, output)[0] != "ok":
        prepare.main([plan.specs.prepare_spec(name), plan.specs.step_code("prepare"), str(output), str(note)])
    return status.source(note, output)
