"""`grambench verify`: check a result of others before it is believed."""

import argparse
import random
from collections.abc import Iterable

from grambench.commands import check, names, rank
from grambench.common.errors import ConfigError, GrambenchError
from grambench.common.types import Settings

CELLS = 3


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=names.existing, help="a submission, as grambench submit writes it")
    cells = f"number of data sets, drawn at random, whose runs are made again (default: {CELLS})"
    parser.add_argument("-n", "--cells", type=int, default=CELLS, metavar="N", help=cells)
    check.add_limit(parser, "all checks together, and of each run")


def run(arguments: argparse.Namespace) -> int:
    """Check a submission: its files, data, algorithm, settings, and some of its numbers; exit 1 if one is refused."""
    from grambench.commands.project import read_plan
    from grambench.pipeline import ranking, submission, trial

    if arguments.cells < 1:
        raise ConfigError(f"--cells: expected at least 1, got {arguments.cells}")
    try:
        submitted = submission.read(arguments.folder)
    except GrambenchError as error:
        return int(not _passes("files", str(error).splitlines()))
    board, parameters = submitted.board, submitted.parameters
    plan = read_plan({"studies": [board]})
    plan.use_compiled_code()
    reference = ranking.read_reference(plan, board)
    # its code runs in a process of its own first: the import may end Python
    if not (
        _passes("files", [])
        and _passes("data sets", submission.data_faults(submitted, reference))
        and _keeps_contract(submitted.algorithm, parameters, arguments.seconds)
    ):
        return 1
    opponents, repetitions = list(reference.study.algorithms), plan.studies[board].protocol.repetitions
    spec = trial.Trial(submitted.algorithm, parameters, submitted.tune, opponents, repetitions, board)
    if not _passes("settings and splits", submission.setting_faults(submitted, plan, spec)):
        return 1
    # whoever made the submission cannot know which
    datasets = random.sample([*submitted.records], min(arguments.cells, len(submitted.records)))
    rank.quiet()
    ranked = ranking.rank(plan, spec, reference, datasets, arguments.seconds, rank.show)
    equal = f"{len(ranked.again) - len(ranked.different)} of {len(ranked.again)}"
    print(f"reference runs made again with equal accuracies: {equal}")
    title = f"numbers of {len(datasets)} of {len(submitted.records)} runs, made again"
    return int(not _passes(title, submission.number_faults(submitted, ranked)))


def _keeps_contract(algorithm: str, parameters: Settings, seconds: float) -> bool:
    """Make the checks of `grambench check`, and return whether there is no fault; a refused parameter is one."""
    try:
        return check.passes(algorithm, parameters, seconds)
    except ConfigError as error:
        return _passes("parameters", [str(error)])


def _passes(title: str, faults: Iterable[str]) -> bool:
    """Print what was checked with its first fault, such as a refused setting, and return whether there is none."""
    try:
        fault = next(iter(faults), "")
    except ConfigError as error:
        fault = str(error)
    check.show_result(title, fault)
    return not fault
