"""`grambench try`: an algorithm beside five others, in seconds."""

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from grambench.commands import check
from grambench.common.errors import ConfigError

if TYPE_CHECKING:
    from grambench.pipeline import trial

from grambench.commands import names

HELP = "run an algorithm, such as mine.py, beside others on a few data sets, in seconds and without a study"
DATASETS = ("ionosphere", "sonar")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("algorithm", help="a file (mine.py), a module (package.module), or a name of the list")
    parser.add_argument("-d", "--datasets", nargs="+", metavar="NAME", default=DATASETS, help=f"{' '.join(DATASETS)}")
    others = parser.add_argument(
        "-a", "--against", nargs="*", metavar="NAME", help="configurations of the leaderboard, or all"
    )
    names.completed(others, names.opponents)
    parser.add_argument(
        "-r", "--repetitions", type=int, default=5, metavar="N", help="number of repetitions (default: 5)"
    )
    parser.add_argument("-p", "--parameters", default="{}", metavar="YAML", help="such as '{rate: 0.5}'")
    check.add_limit(parser, "each run")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.commands.project import parameters, read_plan
    from grambench.pipeline import trial
    from grambench.results.statistics import printed

    if arguments.repetitions < 1:
        raise ConfigError(f"--repetitions: expected at least 1, got {arguments.repetitions}")
    plan = read_plan({"studies": [trial.STUDY]})
    plan.use_compiled_code()
    others = trial.OTHERS if arguments.against is None else arguments.against
    if list(others) == ["all"]:
        others = list(plan.studies[trial.STUDY].algorithms)
    asked = trial.Asked(arguments.algorithm, parameters(arguments), others, arguments.repetitions, arguments.seconds)
    leaks = _leaks(asked)
    reasons: list[str] = []
    errors: dict[str, dict[str, float]] = {}
    tried = ""
    with _quiet():
        for row in trial.rows(plan, asked, arguments.datasets):
            tried, said = tried or row.title, row.reason  # the first row is that of the algorithm
            if row.reason.startswith("timeout"):
                said += " (--seconds)"
            if not said:
                said = f"{printed(row.error, 'error_percent'):14} % error {row.seconds:8.3f} s a repetition"
                if not (leaks and row.title == tried):
                    errors.setdefault(row.dataset, {})[row.title] = row.error.mean
            print(f"{row.dataset:14} {row.title:24} {said}", flush=True)
            reasons += [row.reason] if row.reason else []
    for title, rank in trial.mean_ranks(errors).items():
        print(f"mean rank {rank:4.1f} {title}")
    if leaks:
        print(f"not ranked     {tried}")
    return int(bool(reasons or leaks))


def _leaks(asked: "trial.Asked") -> list[str]:
    """Print and return the faults of the checks for leaks, which come before any number."""
    from grambench.experiments.conformance import IMPORTED

    answers: list[tuple[str, str]] = []
    check.supervised(
        asked.algorithm, asked.parameters, asked.seconds, lambda *answer: answers.append(answer), check.LEAKS
    )
    if fault := dict(answers)[IMPORTED]:
        raise ConfigError(f"{asked.algorithm}: cannot be imported: {fault}")
    found = [f"leaks: {what}: {fault}" for what, fault in answers if fault]
    for line in found:
        print(line, flush=True)
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence messages on sources of data without an answer; a row says if no source answered."""
    logger = logging.getLogger("grambench")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
