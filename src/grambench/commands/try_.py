"""`grambench try`: an algorithm beside five others, in seconds."""

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from grambench.commands import check, names
from grambench.common.errors import ConfigError
from grambench.common.layout import Cell

DATASETS = ("ionosphere", "sonar")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    check.add_arguments(parser, "each run")
    names.add_datasets(parser, f"names of data sets (default: {' '.join(DATASETS)})", DATASETS)
    against = "algorithms of the leaderboard to compare with, or all (default: five)"
    names.add_argument(parser, names.opponents, "-a", "--against", nargs="*", metavar="NAME", help=against)
    repetitions = "number of repetitions (default: 5)"
    parser.add_argument("-r", "--repetitions", type=int, default=5, metavar="N", help=repetitions)


def run(arguments: argparse.Namespace) -> int:
    """Compare an algorithm, such as mine.py, with others on a few data sets, in seconds and without a study."""
    from grambench.commands.project import read_plan
    from grambench.pipeline import trial
    from grambench.results.statistics import Sample, printed
    from grambench.results.study import title_of

    if arguments.repetitions < 1:
        raise ConfigError(f"--repetitions: expected at least 1, got {arguments.repetitions}")
    plan = read_plan({"studies": [trial.STUDY]})
    plan.use_compiled_code()
    opponents = trial.OPPONENTS if arguments.against is None else arguments.against
    if list(opponents) == ["all"]:
        opponents = list(plan.studies[trial.STUDY].algorithms)
    parameters = check.parse_parameters(arguments)
    spec = trial.Trial(arguments.algorithm, parameters, opponents, arguments.repetitions)
    # the checks come first, in a process of their own: the import may end Python
    leaks = show_leaks(arguments)
    plan.studies[trial.STUDY] = study = trial.build_study(plan, spec)
    cells = [Cell(trial.STUDY, dataset, entry) for dataset in arguments.datasets for entry in study.algorithms]
    algorithm = title_of(study, trial.ENTRY)
    failed = False
    accuracies: dict[str, dict[str, float]] = {}
    with quiet():
        for cell, record in trial.run(plan, cells, arguments.seconds):
            dataset, title = cell.dataset, title_of(study, cell.algorithm)
            if record.status == "ok":
                accuracy = Sample.of(record.metrics["accuracy_percent"].ravel())
                seconds = record.metrics["seconds"].mean()
                text = f"{printed(accuracy, 'accuracy_percent'):14} % accuracy {seconds:8.3f} s a repetition"
                if not (leaks and title == algorithm):
                    accuracies.setdefault(dataset, {})[title] = accuracy.mean
            else:
                text = record.reason if record.status == "unavailable" else f"{record.status}: {record.reason}"
                text += " (--seconds)" if record.status == "timeout" else ""
                failed = True
            print(f"{dataset:14} {title:24} {text}", flush=True)
    for name, rank in trial.mean_ranks(accuracies).items():
        print(f"mean rank {rank:4.1f} {name}")
    if leaks:
        print(f"not ranked     {algorithm}")
    return int(failed or leaks)


def show_leaks(arguments: argparse.Namespace) -> bool:
    """Print the faults of the checks of an algorithm for leaks, and return whether there are any."""
    from grambench.experiments.conformance import IMPORTED

    faults: dict[str, str] = {}
    parameters = check.parse_parameters(arguments)
    check.run_checks(arguments.algorithm, parameters, arguments.seconds, faults.__setitem__, check.LEAKS)
    if fault := faults.pop(IMPORTED):
        raise ConfigError(f"{arguments.algorithm}: cannot be imported: {fault}")
    for title, fault in faults.items():
        if fault:
            print(f"leaks: {title}: {fault}", flush=True)
    return any(faults.values())


@contextmanager
def quiet() -> Iterator[None]:
    """Silence messages on sources of data without an answer; a row says if no source answered."""
    logger = logging.getLogger("grambench")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
