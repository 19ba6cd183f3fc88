"""`grambench archive`: keep the results of studies as reference results."""

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from grambench.commands import names
from grambench.commands.project import read_plan
from grambench.common.errors import ConfigError

if TYPE_CHECKING:
    from grambench.config.study import Study
    from grambench.results.archive import Shown


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    which = "names of studies (default: all in the archive)"
    names.add_argument(parser, names.studies, "studies", nargs="*", help=which)
    checked = "change nothing: check the archive's files, and count the runs whose settings or code have changed since"
    names.add_datasets(parser, "only the runs on these data sets; the archive keeps what it has of the others")
    names.add_algorithms(parser, "only the runs of these configurations; likewise")
    parser.add_argument("--check", action="store_true", help=checked)
    names.add_results(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the results of studies that were run to the folder reference, or check what is there."""
    from grambench.results import archive

    studies = arguments.studies or archive.studies()
    if not studies:
        print(f"{archive.ARCHIVE}: no study yet; grambench archive STUDY adds one that was run")
        return 0
    plan = read_plan({"studies": studies, "datasets": None, "algorithms": {}})
    is_faulty = False
    for study in studies:
        asked = {cell: plan.specs.asked(cell.path()) for cell in plan.targets.cells(study)}
        if not arguments.check:
            datasets = names.known("data set", arguments.datasets, plan.targets.datasets(study))
            algorithms = names.known("configuration", arguments.algorithms, plan.studies[study].algorithms)
            kept = {cell for cell in asked if cell.dataset not in datasets or cell.algorithm not in algorithms}
            if len(kept) == len(asked):
                raise ConfigError(
                    f"{study}: expected a run of the study, these configurations have none on these data sets"
                )
            archive.write(study, arguments.results, asked, _shown(plan.studies[study]), kept)
        if faults := archive.faults(study):
            is_faulty = True
            print(*faults, sep="\n")
            continue
        about = archive.read_about(study)
        lacking, changed = archive.behind(study, asked)
        print(
            f"{study}: {len(asked) - len(lacking)} of {len(asked)} runs, of revision {', '.join(about['revision'])}, "
            f"{about['date']}, {about['cpu_seconds']:.0f} s of processor time; checksums and tables are in order"
        )
        for dataset, count in Counter(cell.dataset for cell in lacking).items():
            print(f"  {dataset}: runs that it lacks: {count}")
        if changed:
            counts = Counter(cell.algorithm for cell in changed).most_common()
            which = ", ".join(f"{algorithm} {count}" for algorithm, count in counts)
            which = f"all {len(asked)}" if len(changed) == len(asked) else which
            print(f"  settings or code have changed since, which need not change a number: runs of {which}")
    return int(is_faulty)


def _shown(study: "Study") -> "Shown":
    from grambench.report import figures
    from grambench.results.study import Results

    return lambda runs, curves, cells: figures.without_hidden_weights(Results(study, runs, cells), curves)
