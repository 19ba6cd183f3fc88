"""`grambench report`: the report of all studies, without a run."""

import argparse
from pathlib import Path

from grambench.commands import names
from grambench.commands.project import read_plan, writable
from grambench.commands.run import count_cores
from grambench.common import layout
from grambench.common.errors import DataError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_argument(parser, names.archived, "studies", nargs="*", help="names of studies (default: all)")
    default = Path(layout.REFERENCE_REPORT).parent
    folder = f"folder for its pages, whose files it replaces (default: {default})"
    parser.add_argument("-o", "--output", type=Path, default=default, help=folder)
    parser.add_argument("-c", "--cores", help="number of cores (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Make the report of all or some studies without a run: of those that were run whole from results."""
    from grambench.pipeline import last_run, reference_report
    from grambench.results import archive

    if not (archived := archive.studies()):
        raise DataError(f"{archive.ARCHIVE}: no study yet; grambench archive STUDY adds one that was run")
    studies = names.known(f"study of {archive.ARCHIVE}", arguments.studies or None, archived)
    if faults := [fault for study in studies for fault in archive.faults(study)]:
        raise DataError(*faults)
    plan = read_plan({"studies": studies, "datasets": None, "algorithms": {}})
    here = reference_report.run_here(plan, others=not arguments.studies)
    if begun := sorted({*last_run.datasets()} & {*studies} - here.keys()):
        print(f"shown from {archive.ARCHIVE}, since only some of their runs are done here: {', '.join(begun)}")
    print(f"archived studies: {len(studies)}; tables, figures and pages of all take some minutes at most", flush=True)
    index = writable(arguments.output) / Path(layout.REFERENCE_REPORT).name
    made = reference_report.write(plan, here, index, count_cores(arguments.cores))
    counts = ", ".join(f"{count} from {folder}" for folder, count in made.items())
    print(f"studies: {counts}; report: {index.resolve()}")
    return 0
