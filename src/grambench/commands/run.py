"""`grambench run`: run studies up to their report, through snakemake."""

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from grambench.commands import names
from grambench.commands.project import CONFIG, SETTINGS, check_root
from grambench.commands.status import file_statuses
from grambench.common import layout, shipped
from grambench.common.errors import ConfigError, DataError, cause

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

# options of snakemake with which it runs nothing
IDLE = ("dryrun", "unlock", "lint", "summary", "detailed_summary", "list_rules", "list_target_rules")
GRAPHS = ("dag", "rulegraph", "filegraph", "d3dag")
# options of snakemake that change which of the planned jobs are run
CHOOSING = ("force", "forceall", "forcerun", "until", "omit_from", "touch", "allowed_rules")
MANY = 1000  # runs that Snakemake does not plan in a few seconds
LISTED_FAILURES = 10
NOTES = 2**16  # bytes


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_studies(parser)
    demo = "run the demo: a few algorithms on data sets that need no download"
    parser.add_argument("--demo", action="store_true", help=demo)
    names.add_datasets(parser, "only these data sets; a data set of yours in a study without published numbers too")
    names.add_algorithms(parser, "only these algorithms, as the study names them")
    dry_run = "show the jobs and the expected time, and run nothing"
    parser.add_argument("-n", "--dry-run", action="store_true", help=dry_run)
    verbose = "show the output of Snakemake instead of a progress bar"
    parser.add_argument("-v", "--verbose", action="store_true", help=verbose)
    parser.add_argument("-c", "--cores", help="number of cores (default: all, or those of a profile)")


def run(arguments: argparse.Namespace, *, brief: bool = False) -> int:
    """Run studies and make their report, with Snakemake."""
    # a brief call is of a command that says itself what is run: neither what is expected nor how many are ok is printed
    from grambench.pipeline import cluster, last_run, supervise

    count_cores(arguments.cores)
    behind = arguments.snakemake
    end = behind.index("--") if "--" in behind else len(behind)
    options, targets = behind[:end], behind[end:]
    settings = _read_settings(arguments, options)
    if settings.slurm and not settings.idle:
        cluster.probe()
    plan = _make_plan(settings)
    counted = settings.counted and not targets
    if arguments.dry_run and counted and not arguments.verbose:
        # without Snakemake, which would read all jobs for a minute and print thousands of lines
        _show_expectation(plan, arguments.cores, settings)
        return 0
    command = [sys.executable, "-m", "snakemake"]
    # a clone has a workflow of its own, which snakemake finds
    if not any(Path(name).is_file() for name in ("Snakefile", "workflow/Snakefile")):
        command += ["--snakefile", str(shipped.ROOT / "Snakefile")]
    if not (arguments.verbose or settings.idle):
        command += ["--logger", "grambench"]
    if arguments.cores or not settings.profile:
        command += ["--cores", arguments.cores or "all"]
    command += [*(["-n"] if arguments.dry_run else []), *options]
    # of two options --configfile or --config, snakemake takes the last: it has the values of all
    command += ["--configfile", *map(str, settings.files)] if settings.files else []
    command += ["--config", *settings.entries] if settings.entries else []
    if counted and not (settings.idle or brief):
        _show_expectation(plan, arguments.cores, settings)
    if not settings.idle and len(plan.targets.cells()) >= MANY:
        print("Snakemake plans all of them first, which takes a minute or more", flush=True)
    code = _call_snakemake([*command, *targets])
    # what is expected of all jobs follows the list of them
    if counted and settings.idle and not code:
        _show_expectation(plan, arguments.cores, settings)
    if is_locked := bool(code and any(supervise.LOCKS.glob("*"))):
        remedy = "if no other run is active here, unlock it (grambench run -- --unlock) and repeat the command"
        print(f"{Path.cwd()} is locked: {remedy}", file=sys.stderr)
    # if a clock was set back meanwhile, this error is clearer than that of Snakemake
    if code == 1:
        plan.refuse_future()
        if settings.slurm and counted and not settings.idle and not is_locked:
            _show_missing(plan)
    if code or settings.idle:
        return code
    # the workflow writes this too when it starts, but it does not start if nothing is left to do
    last_run.write(plan)
    if not brief and (parts := ", ".join(_parts(plan))):
        more = "records of earlier calls stay, and a call that names theirs too shows them"
        print(f"tables and pages have the runs of this call, {parts}; {more}")
    return _show_results(brief=brief)


def count_cores(cores: str | None) -> int:
    """Return the number of cores that an argument asks for: all by default; raise ConfigError if it is no number."""
    if cores in ("all", None):
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not re.fullmatch("0*[1-9][0-9]{0,5}", cores):
        raise ConfigError(f"--cores: expected a number of at least 1, or all, got {cores:.60}")
    return int(cores)


class _Settings(NamedTuple):
    """The settings of a call: those of its arguments, and those of snakemake's options.

    Attributes
    ----------
    files : list of Path
        The files that `--configfile` names.
    entries : list of str
        The values of `--config`, KEY=VALUE.
    values : dict
        The settings that `entries` give.
    idle : bool
        Whether snakemake runs nothing.
    counted : bool
        Whether all jobs of the plan that are not done are run, or listed in a dry run.
    profile : bool
        Whether snakemake gets a profile.
    slurm : bool
        Whether the jobs go to SLURM.
    set_resources : bool
        Whether the user sets minutes or memory.
    """

    files: list[Path]
    entries: list[str]
    values: dict[str, Any]
    idle: bool
    counted: bool = True
    profile: bool = False
    slurm: bool = False
    set_resources: bool = False


def _read_settings(arguments: argparse.Namespace, options: list[str]) -> _Settings:
    """Return the settings of a call, given snakemake's options; raise ConfigError for a setting that is given twice."""
    values = {key: vars(arguments)[key] for key in ("studies", "datasets", "algorithms") if vars(arguments)[key]}
    entries = [f"{key}={json.dumps(value)}" for key, value in values.items()]
    files = [shipped.located("config/demo.yaml")] if arguments.demo else []
    if not options:
        return _Settings(files, entries, values, arguments.dry_run)
    from snakemake.cli import get_argument_parser, parse_config

    parser = get_argument_parser()
    parser.prog = "snakemake"
    parsed = parser.parse_args(options)
    idle = arguments.dry_run or any(getattr(parsed, name, None) for name in (*IDLE, *GRAPHS))
    counted = not any(getattr(parsed, name, None) for name in (*CHOOSING, *IDLE[1:], *GRAPHS, "targets"))
    profiles = parsed.profile or []
    slurm = "slurm" in (parsed.executor, *map(_executor, profiles))
    try:
        config = parse_config(parsed.config)
    except ValueError as error:
        raise ConfigError(f"--config: {error}") from None
    if twice := sorted(values.keys() & config):
        raise ConfigError(f"{twice[0]}: set by an argument and by --config; expected one of them")
    if slurm and not find_spec("snakemake_executor_plugin_slurm"):
        raise ConfigError('jobs on SLURM need the slurm extra: pip install ".[slurm]" in a clone')
    files, entries = [*files, *(parsed.configfile or [])], [*(parsed.config or []), *entries]
    return _Settings(files, entries, config | values, idle, counted, bool(profiles), slurm, bool(parsed.set_resources))


def _executor(profile: str) -> str:
    """Return the executor that a profile names, empty if it names none; raise ConfigError for one that is not there."""
    from snakemake.cli import get_profile_dir

    if profile == "none":
        return ""
    if (found := get_profile_dir(profile)) is None:
        raise ConfigError(f"--profile: expected a folder with profile.yaml or config.yaml, got {profile}")
    match = re.search(r"^executor: *(\S+)", found[1].read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else ""


def _make_plan(call: _Settings) -> "Plan":
    """Return the plan that the workflow makes of the same settings."""
    from snakemake.utils import update_config

    from grambench.config.load import read
    from grambench.pipeline.plan import Plan

    check_root()
    settings, overrides = read(SETTINGS), dict[str, Any]()
    for path in call.files:
        update_config(overrides, read(path))
    update_config(overrides, call.values)
    update_config(settings, overrides)
    return Plan(settings, CONFIG, overrides, call.values)


def _show_expectation(plan: "Plan", cores: str | None, call: _Settings) -> None:
    """Print the number of jobs by step, and the expected time of the runs."""
    from grambench.pipeline.expected import expected_lines

    print(*expected_lines(plan, count_cores(cores), slurm=call.slurm), sep="\n", flush=True)
    if call.slurm and call.set_resources:
        print("minutes and memory are those without --set-resources", flush=True)


def _show_missing(plan: "Plan") -> None:
    """Print the runs that have no record after jobs were lost, or the studies that have all but no tables of them."""
    from grambench.pipeline.expected import pending, without_tables

    left = pending(plan)
    shown = ", ".join(map(str, left[:LISTED_FAILURES])) + ", ..." * (len(left) > LISTED_FAILURES)
    missing = f"runs without a record of this call: {shown}" if left else ""
    if not left and (behind := without_tables(plan)):
        missing = f"all runs have a record; studies whose tables and figures are missing: {', '.join(behind)}"
    if missing:
        print(f"{missing}; once what the messages name is mended, the same command tries them again", file=sys.stderr)


def _call_snakemake(command: Sequence[str]) -> int:
    """Run snakemake with this package and its logger; it ends with this command, and so do its steps."""
    from grambench.pipeline import supervise
    from grambench.pipeline.plan import use_this_interpreter

    use_this_interpreter()
    _check_writable()
    os.environ[supervise.COMMAND] = str(os.getpid())
    with supervise.ended_by_signals(), subprocess.Popen(command) as process:
        try:
            return process.wait()
        except SystemExit as error:
            # A terminal has sent an interrupt to all of them, kill to this process alone. Steps, and Snakemake with our
            # logger, ignore a second one; without the logger it would interrupt Snakemake's own end.
            is_unsafe = error.code == 128 + signal.SIGINT and "--logger" not in command
            signalled = set(supervise.descendants()) if is_unsafe else set()
            supervise.signal_steps(signal.SIGINT, signalled, process.poll)
            supervise.end(None, set())
            here = f", after grambench -C {shlex.quote(str(Path.cwd()))} run -- --unlock"
            unlock = here * any(supervise.LOCKS.glob("*"))
            # the terminal may be closed
            with suppress(OSError):
                print(f"interrupted; results are kept, and the same command continues{unlock}", file=sys.stderr)
            raise


def _parts(plan: "Plan") -> Iterator[str]:
    """Yield what a plan has of each study of which it has a part."""
    for name, study in plan.studies.items():
        datasets = len(plan.targets.datasets(name)), len(study.datasets), "data sets"
        algorithms = len(plan.targets.algorithms(name)), len(study.algorithms), "configurations"
        some = [f"{part} of {whole} {what}" for part, whole, what in (datasets, algorithms) if part < whole]
        if some:
            yield f"{name} with {' and '.join(some)}"


def _check_writable() -> None:
    """Raise DataError if Snakemake cannot write its notes: it would end with a traceback."""
    from grambench.pipeline import supervise

    folder = supervise.LOCKS.parent
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(NOTES))
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({cause(error)}), where Snakemake keeps its notes") from None


def _show_results(*, brief: bool) -> int:
    """Print the failures of a run with their reasons, and the path of its report; return the exit code.

    A brief call prints the failures alone.
    """
    from grambench.pipeline import status

    files = file_statuses()
    failed = [file for file in files if file.failed]
    for file in failed[:LISTED_FAILURES]:
        print(f"{file.status:12} {file.label}: {file.reason}")
    if len(failed) > LISTED_FAILURES:
        print(f"... and {len(failed) - LISTED_FAILURES} more: grambench status")
    notes: dict[str, list[str]] = {}
    for file in files:
        if file.status == "ok" and file.reason:
            notes.setdefault(file.reason, []).append(file.label.removeprefix("data set "))
    for reason, datasets in notes.items():
        commands = f"grambench fetch {' '.join(datasets)}, then the same run"
        print(f"{'note':12} {', '.join(datasets)}: {reason}; to try the first source again: {commands}")
    if not brief:
        print(f"{status.counts(files)}; report: {Path(layout.REPORT).resolve()}")
    return int(bool(failed))
