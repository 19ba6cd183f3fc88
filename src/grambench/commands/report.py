"""`grambench report`: the report of all studies, without a run."""

import argparse
from pathlib import Path

from grambench.commands.project import read_plan
from grambench.commands.run import count_cores
from grambench.common import layout
from grambench.common.errors import DataError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    folder = "folder for its pages, whose files it replaces (default: that of a run)"
    parser.add_argument("-o", "--output", type=Path, default=Path(layout.REPORT).parent, help=folder)
    parser.add_argument("-c", "--cores", help="number of cores (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Make the report of all studies without a run: of those that were run here, and of all others in the archive."""
    from grambench.pipeline import reference_report
    from grambench.results import archive

    if not (studies := archive.studies()):
        raise DataError(f"{archive.ARCHIVE}: no study yet; grambench archive STUDY adds one that was run")
    if faults := [fault for study in studies for fault in archive.faults(study)]:
        raise DataError(*faults)
    plan = read_plan({"studies": studies, "datasets": None, "algorithms": {}})
    print(f"{len(studies)} archived studies; tables, figures and pages take a minute or two", flush=True)
    index = arguments.output / Path(layout.REPORT).name
    made = reference_report.write(plan, index, count_cores(arguments.cores))
    counts = ", ".join(f"{count} from {folder}" for folder, count in made.items())
    print(f"studies: {counts}; report: {index.resolve()}")
    return 0
