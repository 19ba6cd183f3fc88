"""`grambench run`: studies to their report, through snakemake."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from grambench.commands import names
from grambench.commands.project import read_plan, snakefile
from grambench.commands.status import items
from grambench.common import layout, shipped
from grambench.common.errors import ConfigError

HELP = "run studies to their report, through snakemake"
IDLE = {"-n", "--dry-run", "--dryrun", "--unlock"}  # snakemake's options with which nothing is run
FEW = 10  # failures that are listed when a run has ended
LOCKS = Path(".snakemake/locks")
PATIENCE = 10  # seconds that snakemake may hold its lock when it is interrupted


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    studies = parser.add_argument("studies", nargs="*", help="their names; those of config.yaml when none is given")
    names.completed(studies, names.studies)
    parser.add_argument("--demo", action="store_true", help="only the data sets that need no download")
    datasets = parser.add_argument("-d", "--datasets", nargs="+", metavar="NAME", help="only these data sets")
    names.completed(datasets, names.datasets)
    parser.add_argument("-v", "--verbose", action="store_true", help="show snakemake's output, not a progress bar")
    parser.add_argument("-c", "--cores", default="all", help="number of cores (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    from grambench.config.load import read
    from grambench.pipeline import last_run

    if arguments.cores != "all" and not (arguments.cores.isdecimal() and int(arguments.cores)):
        raise ConfigError(f"--cores: expected a number of at least 1, or all, got {arguments.cores}")
    asked = {"studies": arguments.studies, "datasets": arguments.datasets}
    overrides = {key: value for key, value in asked.items() if value}
    demo = shipped.located("config/demo.yaml")
    plan = read_plan((read(demo) if arguments.demo else {}) | overrides)
    chosen = [f"{key}={json.dumps(value)}" for key, value in overrides.items()]
    idle = not IDLE.isdisjoint(arguments.snakemake)
    command = [sys.executable, "-m", "snakemake", *snakefile()]
    command += ["--configfile", str(demo)] if arguments.demo else []
    command += ["--config", *chosen] if chosen else []
    command += [] if arguments.verbose or idle else ["--logger", "grambench"]
    command += ["--cores", str(arguments.cores)]  # last: the options before it would swallow a target that follows
    if not idle:
        last_run.write(plan)
    code = _call([*command, *arguments.snakemake])
    if code and any(LOCKS.glob("*")):
        remedy = "if no other run goes on here, one was killed: grambench run -- --unlock, then the same command again"
        print(f"{Path.cwd()} is locked: {remedy}", file=sys.stderr)
    if code == 1:
        plan.refuse_future()  # a clock that was set back meanwhile, of which Snakemake says more than a line
    return code or (0 if idle else _ended())


def _call(command: Sequence[str]) -> int:
    """Run snakemake so that it finds the package and its logger; an interrupt waits until it gives its lock back."""
    from grambench.pipeline.plan import use_this_interpreter

    use_this_interpreter()
    with subprocess.Popen(command) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the terminal has told all of them: runs end, then snakemake
            with suppress(KeyboardInterrupt):
                until = time.monotonic() + PATIENCE
                while process.poll() is None and any(LOCKS.glob("*")) and time.monotonic() < until:
                    time.sleep(0.05)
            process.kill()
            print("interrupted; what is done is kept, the same command goes on from there", file=sys.stderr)
            raise


def _ended() -> int:
    """Say what a run has left: where its report is, and what failed and why."""
    from grambench.pipeline import status

    found = items()
    failed = [item for item in found if item.failed]
    for item in failed[:FEW]:
        print(f"{item.status:12} {item.label}: {item.reason}")
    if len(failed) > FEW:
        print(f"... and {len(failed) - FEW} more: grambench status")
    for item in found:
        if item.status == "ok" and item.reason:
            print(f"{'note':12} {item.label}: {item.reason}")
    print(f"{status.counts(found)}; report: {Path(layout.REPORT).resolve()}")
    return int(bool(failed))
