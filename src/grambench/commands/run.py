"""`grambench run`: studies to their report, through snakemake."""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands.project import read_plan, snakefile
from grambench.common import layout, shipped
from grambench.common.errors import ConfigError

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

HELP = "run studies to their report, through snakemake"
DRY = {"-n", "--dry-run", "--dryrun"}
FEW = 10  # failures that are listed when a run has ended


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("studies", nargs="*", help="their names; those of config.yaml when none is given")
    parser.add_argument("--demo", action="store_true", help="only the data sets that need no download")
    parser.add_argument("-d", "--datasets", nargs="+", metavar="NAME", help="only these data sets")
    parser.add_argument("-c", "--cores", default="all", help="number of cores (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    from grambench.config.load import read

    if arguments.cores != "all" and not (arguments.cores.isdecimal() and int(arguments.cores)):
        raise ConfigError(f"--cores: expected a number of at least 1, or all, got {arguments.cores}")
    asked = {"studies": arguments.studies, "datasets": arguments.datasets}
    overrides = {key: value for key, value in asked.items() if value}
    demo = shipped.located("config/demo.yaml")
    plan = read_plan((read(demo) if arguments.demo else {}) | overrides)
    chosen = [f"{key}={json.dumps(value)}" for key, value in overrides.items()]
    command = [sys.executable, "-m", "snakemake", *snakefile()]
    command += ["--configfile", str(demo)] if arguments.demo else []
    command += ["--config", *chosen] if chosen else []
    command += ["--cores", str(arguments.cores)]  # last: the options before it would swallow a target that follows
    code = subprocess.run([*command, *arguments.snakemake], check=False).returncode
    return code or (0 if DRY.intersection(arguments.snakemake) else _ended(plan))


def _ended(plan: "Plan") -> int:
    """Say what a run has left: where its report is, and what failed and why."""
    from grambench.pipeline import status

    found = status.items(plan)
    failed = [item for item in found if item.failed]
    for item in failed[:FEW]:
        print(f"{item.status:12} {item.label}: {item.reason}")
    if len(failed) > FEW:
        print(f"... and {len(failed) - FEW} more: grambench status")
    print(f"{status.counts(found)}; report: {Path(layout.REPORT).resolve()}")
    return int(bool(failed))
