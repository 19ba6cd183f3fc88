"""`grambench check`: whether an algorithm keeps the contract of all algorithms.

The checks run in a process of their own, since an algorithm may end it or exceed its time limit:

python -m grambench.commands.check ALGORITHM PARAMETERS RESULTS [CHECK ...]
"""

import argparse
import json
import math
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from grambench.common import environment
from grambench.common.errors import ConfigError, GrambenchError

DEFAULT_SECONDS = 300.0
MEMORY_MB = 4096.0
POLL_SECONDS = 0.1
# checks that an algorithm uses no labels or examples before it may know them
LEAKS = ("does_not_look_ahead", "scores_each_example_by_itself", "ignores_test_labels")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_arguments(parser, "all checks together")


def add_arguments(parser: argparse.ArgumentParser, limited: str) -> None:
    """Add the arguments `algorithm`, `--parameters` and `--seconds`, the time limit of what `limited` names."""
    forms = "a file (mine.py), a module (package.module), or a name of `grambench list algorithms`"
    parser.add_argument("algorithm", help=forms)
    parameters = "parameters of the algorithm, such as '{rate: 0.5}'"
    parser.add_argument("-p", "--parameters", default="{}", metavar="YAML", help=parameters)
    add_limit(parser, limited)


def add_limit(parser: argparse.ArgumentParser, limited: str) -> None:
    """Add the argument `--seconds`, the time limit of what `limited` names."""
    limit = f"time limit of {limited} in seconds (default: {DEFAULT_SECONDS:g})"
    parser.add_argument("--seconds", type=_seconds, default=DEFAULT_SECONDS, metavar="S", help=limit)


def _seconds(text: str) -> float:
    """Return a time limit; raise ConfigError unless it is a positive number."""
    with suppress(ValueError):
        if 0.0 < (seconds := float(text)) < math.inf:
            return seconds
    raise ConfigError(f"--seconds: expected a positive number, got {text}")


def run(arguments: argparse.Namespace) -> int:
    """Check whether an algorithm, such as mine.py, keeps the contract of all algorithms; exit 1 if it does not."""
    return int(not passes(arguments.algorithm, parse_parameters(arguments), arguments.seconds))


def passes(algorithm: str, parameters: dict[str, Any], seconds: float) -> bool:
    """Print the result of each check in a line, and return whether there is no fault; see `run_checks`."""
    faults: list[str] = []

    def show(title: str, fault: str) -> None:
        show_result(title, "as above" if any(each and fault.endswith(each) for each in faults) else fault)
        faults.append(fault)

    run_checks(algorithm, parameters, seconds, show)
    return not any(faults)


def show_result(title: str, fault: str) -> None:
    """Print what was checked, and its fault in one line if there is one."""
    print(f"{'FAIL' if fault else 'ok  '} {title}" + (f": {fault}" if fault else ""), flush=True)


def parse_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of an algorithm from the command line; raise ConfigError if they are no mapping."""
    return parse_mapping("--parameters", arguments.parameters, "'{C: 10}'")


def parse_mapping(option: str, text: str, example: str) -> dict[str, Any]:
    """Return the names and values of an option in YAML; raise ConfigError if they are no mapping."""
    import yaml

    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError:
        values = None
    if not isinstance(values, dict):
        raise ConfigError(f"{option}: expected names and values, such as {example}, got {text}")
    return {str(name): value for name, value in values.items()}


def run_checks(
    algorithm: str,
    parameters: dict[str, Any],
    seconds: float,
    show: Callable[[str, str], None],
    names: Sequence[str] = (),
) -> None:
    """Run checks in a process of their own, and show each result as soon as it is known.

    Parameters
    ----------
    algorithm : str
        See `grambench.algorithms`.
    parameters : dict
        The parameters that are not left at their defaults.
    seconds : float
        The time limit of all checks together.
    show : callable
        Called with the title of each check and its fault in one line, empty if there is none.
    names : sequence of str
        Names of functions in `grambench.experiments.conformance`; all checks by default.

    Raises
    ------
    ConfigError
        For an unknown name, or a parameter that the algorithm refuses.
    """
    from grambench.experiments import conformance
    from grambench.pipeline import supervise

    checks = [check for check in conformance.CHECKS if not names or check.test.__name__ in names]
    titles = [conformance.IMPORTED, *(check.what for check in checks)]
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder) / "results.jsonl", Path(folder) / "output.txt"
        path.touch()
        words = [algorithm, json.dumps(parameters, default=str), str(path), *(check.test.__name__ for check in checks)]
        command = [sys.executable, "-m", "grambench.commands.check", *words]
        results: list[list[str]] = []
        ended = threading.Event()
        reader = threading.Thread(target=_read_results, args=(path, ended, results, show))
        reader.start()
        try:
            variables = os.environ | environment.COMPUTING
            outcome = supervise.run(command, seconds=seconds, memory_mb=MEMORY_MB, errors=output, env=variables)
        finally:
            ended.set()
            reader.join()
        if text := supervise.tail(output, supervise.LOG_LINES):
            print(text, file=sys.stderr)
    if results and len(results[-1]) == 1:
        raise ConfigError(*results[-1])
    if len(results) < len(titles) and not (results and results[0][1]):
        hint = " (--seconds)" if outcome.status == "timeout" else ""
        show(titles[len(results)], f"{outcome.reason or 'ended Python, and the check with it'}{hint}")


def _read_results(
    path: Path, ended: threading.Event, results: list[list[str]], show: Callable[[str, str], None]
) -> None:
    """Read and show the lines of a file as they are written, until the process that writes them has ended."""
    with path.open(encoding="utf-8") as stream:
        last_pass = False
        while not last_pass:
            last_pass = ended.wait(POLL_SECONDS)
            for line in stream:
                results.append(json.loads(line))
                if len(results[-1]) == 2:
                    show(*results[-1])


def main(argv: list[str]) -> None:
    """Run checks, and write one line as soon as each has a result; [message] if the call is wrong."""
    from grambench.experiments import conformance

    algorithm, parameters, path, *names = argv
    checks = [check for check in conformance.CHECKS if check.test.__name__ in names]
    with Path(path).open("ab", buffering=0) as stream:
        try:
            for result in conformance.faults(algorithm, json.loads(parameters), checks):
                stream.write(json.dumps(result).encode() + b"\n")
        except GrambenchError as error:
            stream.write(json.dumps([str(error)]).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
