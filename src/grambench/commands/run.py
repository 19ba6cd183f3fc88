"""`grambench run`: run studies up to their report, through snakemake."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from grambench.commands import names
from grambench.commands.project import CONFIG, SETTINGS, check_root, snakefile
from grambench.commands.status import items
from grambench.common import layout, shipped
from grambench.common.errors import ConfigError

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

HELP = "run studies up to their report, through snakemake"
IDLE = ("dryrun", "unlock", "lint", "summary", "detailed_summary", "list_rules", "list_target_rules")
GRAPHS = ("dag", "rulegraph", "filegraph", "d3dag")  # with which, as with the options above, snakemake runs nothing
FEW = 10  # failures that are listed when a run has ended
LOCKS = Path(".snakemake/locks")
PATIENCE = 10  # seconds that snakemake may hold its lock when it is told to end


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    studies = parser.add_argument("studies", nargs="*", help="their names; those of config.yaml when none is given")
    names.completed(studies, names.studies)
    parser.add_argument("--demo", action="store_true", help="only the data sets that need no download")
    datasets = parser.add_argument("-d", "--datasets", nargs="+", metavar="NAME", help="only these data sets")
    names.completed(datasets, names.datasets)
    algorithms = parser.add_argument(
        "-a", "--algorithms", nargs="+", metavar="NAME", help="only these of their algorithms"
    )
    names.completed(algorithms, names.entries)
    parser.add_argument("-n", "--dry-run", action="store_true", help="show what would be run, and run nothing")
    parser.add_argument("-v", "--verbose", action="store_true", help="show snakemake's output, not a progress bar")
    parser.add_argument("-c", "--cores", default="all", help="number of cores (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.pipeline import last_run

    if arguments.cores != "all" and not (arguments.cores.isdecimal() and int(arguments.cores)):
        raise ConfigError(f"--cores: expected a number of at least 1, or all, got {arguments.cores}")
    given = _given(arguments)
    plan = _plan(given)
    command = [sys.executable, "-m", "snakemake", *snakefile()]
    command += [] if arguments.verbose or given.idle else ["--logger", "grambench"]
    command += ["--cores", str(arguments.cores), *(["-n"] if arguments.dry_run else []), *given.before]
    command += ["--configfile", *map(str, given.files)] if given.files else []  # of two, snakemake takes the last
    command += ["--config", *given.entries] if given.entries else []
    code = _call([*command, *given.after])
    if code and any(LOCKS.glob("*")):
        remedy = "if no other run goes on here, one was killed: grambench run -- --unlock, then the same command again"
        print(f"{Path.cwd()} is locked: {remedy}", file=sys.stderr)
    if code == 1:
        plan.refuse_future()  # a clock that was set back meanwhile, of which Snakemake says more than a line
    if code or given.idle:
        return code
    last_run.write(plan)  # the workflow does it when it starts, but not where nothing is left to do
    return _ended()


class _Given(NamedTuple):
    """The options of a call for snakemake, its own and those after `--`.

    Attributes
    ----------
    before, after : list of str
        What stands behind `--`: options and targets, and targets alone from another `--` on, which comes with them.
    files : list of Path
        What `--configfile` names.
    entries : list of str
        Those of `--config`, KEY=VALUE.
    asked : dict
        What they mean.
    idle : bool
        Whether nothing is run.
    """

    before: list[str]
    after: list[str]
    files: list[Path]
    entries: list[str]
    asked: dict[str, Any]
    idle: bool


def _given(arguments: argparse.Namespace) -> _Given:
    """Return the options of a call for snakemake; raise ConfigError for a setting that is given twice."""
    behind = arguments.snakemake
    end = behind.index("--") if "--" in behind else len(behind)
    options = {"studies": arguments.studies, "datasets": arguments.datasets, "algorithms": arguments.algorithms}
    asked = {key: value for key, value in options.items() if value}
    entries = [f"{key}={json.dumps(value)}" for key, value in asked.items()]
    files = [shipped.located("config/demo.yaml")] if arguments.demo else []
    idle = arguments.dry_run
    if behind[:end]:
        from snakemake.cli import get_argument_parser, parse_config

        parser = get_argument_parser()
        parser.prog = "snakemake"
        known = parser.parse_args(behind[:end])
        idle = idle or any(getattr(known, name, None) for name in (*IDLE, *GRAPHS))
        files += known.configfile or []
        try:
            users = parse_config(known.config)
        except ValueError as error:
            raise ConfigError(f"--config: {error}") from None
        if twice := sorted(asked.keys() & users):
            raise ConfigError(f"{twice[0]}: given both as an argument and with --config; expected one of them")
        asked, entries = users | asked, [*(known.config or []), *entries]
    return _Given(behind[:end], behind[end:], files, entries, asked, idle)


def _plan(given: _Given) -> "Plan":
    """Return the plan as the workflow will make it of the same settings."""
    from snakemake.utils import update_config

    from grambench.config.load import read
    from grambench.pipeline.plan import Plan

    check_root()
    settings, overrides = read(SETTINGS), dict[str, Any]()
    for path in given.files:
        if not isinstance(values := read(path), dict):
            raise ConfigError(f"{path}: expected keys and values, got {values!r:.60}")
        update_config(overrides, values)
    update_config(overrides, given.asked)
    update_config(settings, overrides)
    return Plan(settings, CONFIG, overrides, given.asked)


def _call(command: Sequence[str]) -> int:
    """Run snakemake with this package and its logger; a signal that ends this command ends snakemake and its steps."""
    from grambench.pipeline import supervise
    from grambench.pipeline.plan import use_this_interpreter

    use_this_interpreter()
    with supervise.told_to_end(), subprocess.Popen(command) as process:
        try:
            return process.wait()
        except SystemExit as told:
            _end(process, interrupted=told.code == 128 + signal.SIGINT)
            with suppress(OSError):  # of a terminal that was closed
                print("interrupted; what is done is kept, the same command goes on from there", file=sys.stderr)
            raise


def _end(process: "subprocess.Popen[bytes]", interrupted: bool) -> None:
    """End snakemake and its steps as a terminal's interrupt does, and wait until it has given its lock back.

    The terminal itself has told all of them. Fits are not told, but end with their supervisors.
    """
    import psutil

    from grambench.pipeline import supervise

    until = time.monotonic() + PATIENCE
    told = set(supervise.descendants()) if interrupted else set()
    while process.poll() is None and any(LOCKS.glob("*")) and time.monotonic() < until:
        for each in supervise.descendants():
            with suppress(OSError, psutil.Error):
                if each not in told and os.getpgid(each.pid) == os.getpgrp():
                    each.send_signal(signal.SIGINT)
            told.add(each)
        time.sleep(0.05)
    supervise.end(None, set())


def _ended() -> int:
    """Print the failures of a run with their reasons, and the path of its report."""
    from grambench.pipeline import status

    found = items()
    failed = [item for item in found if item.failed]
    for item in failed[:FEW]:
        print(f"{item.status:12} {item.label}: {item.reason}")
    if len(failed) > FEW:
        print(f"... and {len(failed) - FEW} more: grambench status")
    notes: dict[str, list[str]] = {}
    for item in found:
        if item.status == "ok" and item.reason:
            notes.setdefault(item.reason, []).append(item.label.removeprefix("data set "))
    for reason, datasets in notes.items():
        again = f"grambench fetch {' '.join(datasets)}, then the same run"
        print(f"{'note':12} {', '.join(datasets)}: {reason}; to ask for the first source again: {again}")
    print(f"{status.counts(found)}; report: {Path(layout.REPORT).resolve()}")
    return int(bool(failed))
