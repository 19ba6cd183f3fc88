"""`grambench check`: whether an algorithm keeps the contract of all algorithms.

The checks run in a process of their own, since an algorithm may end it or exceed its time limit:

python -m grambench.commands.check ALGORITHM PARAMETERS ANSWERS [CHECK ...]
"""

import argparse
import json
import math
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HELP = "hold an algorithm, such as mine.py, against what all of them do; exit 1 where it does not"
SECONDS = 300.0
MEMORY_MB = 4096.0
POLL_SECONDS = 0.1
LEAKS = ("does_not_look_ahead", "scores_each_example_by_itself")  # checks of what an algorithm may not know


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("algorithm", help="a file (mine.py), a module (package.module), or a name of the list")
    parser.add_argument("-p", "--parameters", default="{}", metavar="YAML", help="such as '{rate: 0.5}'")
    add_limit(parser, "all checks together")


def add_limit(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option --seconds, the limit of something."""
    limit = f"limit of time of {what} (default: {SECONDS:g})"
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help=limit)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.commands.project import parameters

    failed = []

    def show(what: str, fault: str) -> None:
        print(f"{'FAIL' if fault else 'ok  '} {what}" + (f": {fault}" if fault else ""), flush=True)
        failed.extend([what] if fault else [])

    supervised(arguments.algorithm, parameters(arguments), arguments.seconds, show)
    return int(bool(failed))


def supervised(
    algorithm: str,
    parameters: dict[str, Any],
    seconds: float,
    show: Callable[[str, str], None],
    checks: Sequence[str] | None = None,
) -> None:
    """Run checks in a process of their own, and show each answer at once.

    Parameters
    ----------
    algorithm : str
        See `grambench.algorithms`.
    parameters : dict
        Those that are not left at their defaults.
    seconds : float
        Limit of their time.
    show : callable
        Called with each check and its fault in one line, empty if there is none.
    checks : sequence of str, optional
        Names of functions in `grambench.experiments.conformance`; all checks by default.

    Raises
    ------
    ConfigError
        For an invalid limit, an unknown name, or a parameter that the algorithm refuses.
    """
    from grambench.common.errors import ConfigError
    from grambench.experiments import conformance
    from grambench.pipeline import supervise

    if not 0.0 < seconds < math.inf:
        raise ConfigError(f"--seconds: expected a positive number, got {seconds:g}")
    asked = [each for each in conformance.CHECKS if checks is None or each.test.__name__ in checks]
    expected = [conformance.IMPORTED, *(each.what for each in asked)]
    with tempfile.TemporaryDirectory() as folder:
        answers, output = Path(folder) / "answers.jsonl", Path(folder) / "output.txt"
        answers.touch()
        names = [each.test.__name__ for each in asked]
        given = [algorithm, json.dumps(parameters, default=str), str(answers), *names]
        command = [sys.executable, "-m", "grambench.commands.check", *given]
        heard: list[list[str]] = []
        ended = threading.Event()
        listener = threading.Thread(target=_listen, args=(answers, ended, heard, show))
        listener.start()
        try:
            environment = os.environ | supervise.REPEATABLE
            outcome = supervise.run(command, seconds=seconds, memory_mb=MEMORY_MB, errors=output, env=environment)
        finally:
            ended.set()
            listener.join()
        if said := supervise.tail(output, supervise.LOG_LINES):
            print(said, file=sys.stderr)
    if heard and len(heard[-1]) == 1:
        raise ConfigError(*heard[-1])
    if len(heard) < len(expected) and not (heard and heard[0][1]):
        hint = " (--seconds)" if outcome.status == "timeout" else ""
        show(expected[len(heard)], f"{outcome.reason or 'ended Python, and the check with it'}{hint}")


def _listen(answers: Path, ended: threading.Event, heard: list[list[str]], show: Callable[[str, str], None]) -> None:
    """Gather and show the lines of a file of answers as they are written, until nobody writes any more."""
    with answers.open(encoding="utf-8") as stream:
        done = False
        while not done:
            done = ended.wait(POLL_SECONDS)
            for line in stream:
                heard.append(json.loads(line))
                if len(heard[-1]) == 2:
                    show(*heard[-1])


def main(argv: list[str]) -> None:
    """Run checks, and write a line for each answer at once; a single text where the call is wrong."""
    from grambench.common.errors import GrambenchError
    from grambench.experiments import conformance

    algorithm, parameters, answers, *names = argv
    checks = [each for each in conformance.CHECKS if each.test.__name__ in names]
    with Path(answers).open("ab", buffering=0) as stream:
        try:
            for answer in conformance.faults(algorithm, json.loads(parameters), checks):
                stream.write(json.dumps(answer).encode() + b"\n")
        except GrambenchError as error:
            stream.write(json.dumps([str(error)]).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
