"""The command `grambench`: parses, calls one function, prints.

Exit codes: 0 all is well; 1 something failed, is unavailable or changed; 2 the call or the configuration is wrong.

Commands import what they need: help, and the complaint about a typing error, would wait for the models of all files.
"""

import argparse
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grambench.common import layout, provenance
from grambench.common.errors import ConfigError, DataError, GrambenchError, unknown_name

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

CONFIG = Path("config")
DRY = {"-n", "--dry-run", "--dryrun"}
FEW = 10  # failures that are listed when a run has ended
EPILOG = """examples:
  grambench list algorithms                        what there is
  grambench run --demo                             three embedded data sets
  grambench run                                    the full study on all cores
  grambench run -d wdbc sonar -- --dry-run         two data sets; what follows -- goes to snakemake
  grambench status                                 what is done, what failed and why
  snakemake --cores 4 -R $(grambench failed)       try again whatever failed
  grambench repair                                 remove what a disk or a power cut has damaged
  grambench compare results.old results            what changed beyond noise
  grambench merge results.a results.b -o merged    one results folder out of two
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    given = list(sys.argv[1:] if argv is None else argv)
    end = given.index("--") if "--" in given else len(given)
    try:
        arguments = _parser().parse_args(given[:end], argparse.Namespace(snakemake=given[end + 1 :]))
        return int(arguments.command(arguments))
    except GrambenchError as error:
        print(f"grambench: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


class _Parser(argparse.ArgumentParser):
    """An argument parser that suggests the nearest name for a command that does not exist."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            raise unknown_name(str(action.metavar or action.dest), str(value), map(str, action.choices))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="grambench",
        description="Reproduces published experiments on kernel learning, every number beside the published one.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=provenance.version_of("grambench"))
    commands = parser.add_subparsers(metavar="command", required=True)

    def command(name: str, function: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        sub.set_defaults(command=function)
        return sub

    sub = command("list", _list, "list data sets, kernels, algorithms or studies")
    sub.add_argument("what", metavar="what", choices=list(LISTS), help=", ".join(LISTS))
    sub = command("fetch", _fetch, "download data sets from the first source that answers, with a progress bar")
    sub.add_argument("datasets", nargs="*", help="their names; all when none is given")
    sub = command("run", _run, "run studies to their report, through snakemake")
    sub.add_argument("studies", nargs="*", help="their names; those of config.yaml when none is given")
    sub.add_argument("--demo", action="store_true", help="only the data sets that need no download")
    sub.add_argument("-d", "--datasets", nargs="+", metavar="NAME", help="only these data sets")
    sub.add_argument("-c", "--cores", default="all", help="number of cores (default: all)")
    sub = command("status", _status, "show what is done, what failed and why; exit 1 where something failed")
    sub.add_argument("-a", "--all", action="store_true", help="list everything, not only what failed")
    sub.add_argument("--results", type=Path, metavar="FOLDER", help="of another results folder, such as a merged one")
    command("failed", _failed, "print the files of everything that failed, for snakemake -R")
    sub = command("repair", _repair, "find damaged files of results, remove them, and say how to make them again")
    sub.add_argument("--results", type=Path, default=layout.RESULTS, metavar="FOLDER", help="another results folder")
    sub = command("compare", _compare, "show what changed between two results folders beyond noise; exit 1 if any did")
    sub.add_argument("old", type=Path)
    sub.add_argument("new", type=Path)
    sub.add_argument("--study", help="its name; all that were run when none is given")
    sub.add_argument("--timings", action="store_true", help="compare seconds too")
    sub = command("merge", _merge, "join results folders, of other machines, data sets or repeats, in a new one")
    sub.add_argument("folders", nargs="+", type=Path, metavar="folder", help="results folders, two or more")
    sub.add_argument("-o", "--output", type=Path, required=True, metavar="NEW", help="the folder to make")
    sub.add_argument("--prefer", type=Path, metavar="FOLDER", help="the one whose numbers win where two have a cell")
    command("doctor", _doctor, "show versions, linear algebra, cores, memory, and which data sources answer")
    return parser


def _plan(overrides: Mapping[str, Any] = MappingProxyType({})) -> "Plan":
    from grambench.config.load import read
    from grambench.pipeline.plan import Plan

    path = CONFIG / "config.yaml"
    if not path.is_file():
        raise ConfigError(f"{path}: no such file; run grambench from the repository's root")
    return Plan(read(path) | dict(overrides), CONFIG)


def _list_datasets() -> None:
    from grambench.config.dataset import Base, Images
    from grambench.config.project import Configuration

    configuration = Configuration(CONFIG)
    for name in configuration.names("datasets"):
        dataset = configuration.description(name)
        kinds = ", ".join(dict.fromkeys(source.kind for source in dataset.sources))
        match dataset:
            case Base():
                labels = f"{dataset.classes:6} classes "
            case Images():
                labels = " " * 14 + "-"
            case _ if dataset.classes:
                labels = f"{len(dataset.classes):6} classes "
            case _:
                labels = f"{dataset.positives:6} positive"
        size = f"x {dataset.d:<7}" if dataset.d else "images   "
        print(f"{name:23} {dataset.n:6} {size} {labels}   {kinds}")


def _list_kernels() -> None:
    for study in _plan().studies.values():
        for kernel in study.kernel_list():
            print(f"{kernel.name:24} {study.name}")


def _list_algorithms() -> None:
    from grambench import algorithms

    for name in algorithms.names():
        fault = algorithms.fault(name)
        defaults = f"cannot be imported: {fault}" if fault else json.dumps(algorithms.resolved(name, {}))
        print(f"{name:18} {algorithms.title(name):18} {algorithms.source(name).parent.name:8} {defaults}")


def _list_studies() -> None:
    from grambench.config.project import Configuration

    configuration = Configuration(CONFIG)
    for name in configuration.names("studies"):
        study = configuration.study(name)
        print(f"{name:8} {study.title}: {len(study.datasets)} data sets, {len(study.algorithms)} algorithms")


LISTS = {
    "datasets": _list_datasets,
    "kernels": _list_kernels,
    "algorithms": _list_algorithms,
    "studies": _list_studies,
}


def _list(arguments: argparse.Namespace) -> int:
    LISTS[arguments.what]()
    return 0


def _fetch(arguments: argparse.Namespace) -> int:
    from grambench.pipeline import status
    from grambench.pipeline.steps import fetch

    plan = _plan()
    names = arguments.datasets or list(dict.fromkeys(name for study in plan.studies for name in plan.datasets(study)))
    # an unknown name is refused before anything is fetched, and what tasks share is fetched once
    folders = dict.fromkeys(plan.configuration.description(name).folder for name in names)
    missing = 0
    for name in folders:
        output = Path(layout.RAW.format(dataset=name))
        fetch.main([plan.fetch_spec(name), str(output)])
        found, reason = status.source(output)
        missing += found != "ok"
        print(f"{name:18} {found:12} {reason}")
    return int(missing > 0)


def _run(arguments: argparse.Namespace) -> int:
    from grambench.config.load import read

    if arguments.cores != "all" and not (arguments.cores.isdecimal() and int(arguments.cores)):
        raise ConfigError(f"--cores: expected a number of at least 1, or all, got {arguments.cores}")
    asked = {"studies": arguments.studies, "datasets": arguments.datasets}
    overrides = {key: value for key, value in asked.items() if value}
    plan = _plan((read(CONFIG / "demo.yaml") if arguments.demo else {}) | overrides)
    chosen = [f"{key}={json.dumps(value)}" for key, value in overrides.items()]
    command = [sys.executable, "-m", "snakemake"]
    command += ["--configfile", "config/demo.yaml"] if arguments.demo else []
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


def _status(arguments: argparse.Namespace) -> int:
    from grambench.pipeline import status

    results = arguments.results or layout.RESULTS
    if arguments.results and not results.is_dir():
        raise DataError(f"{results}: no such folder")
    found = status.items(_plan(), results)
    for item in found:
        if item.failed or arguments.all:
            print(f"{item.status:12} {item.label}" + (f": {item.reason}" if item.reason else ""))
    print(status.counts(found))
    failed = any(item.failed for item in found)
    if failed and not arguments.results:
        print("try again: snakemake --cores all -R $(grambench failed)")
    return int(failed)


def _failed(arguments: argparse.Namespace) -> int:
    from grambench.pipeline import status

    for path in status.failed_targets(status.items(_plan())):
        print(path)
    return 0


def _repair(arguments: argparse.Namespace) -> int:
    from grambench.pipeline import status

    if not arguments.results.is_dir():
        raise DataError(f"{arguments.results}: no such folder")
    found = dict(status.damaged(arguments.results))
    for path, fault in found.items():
        path.unlink()
        print(f"{path}: {fault}; removed")
    print("make them again: snakemake --cores all" if found else f"{arguments.results}: nothing is damaged")
    return int(bool(found))


def _compare(arguments: argparse.Namespace) -> int:
    from grambench.results.compare import compare

    table = compare(arguments.old, arguments.new, arguments.study, timings=arguments.timings)
    shown = table[~table.change.isin(["same", "noise"])]
    if len(shown):
        print(shown.to_string(index=False, na_rep="", float_format="{:.4g}".format))
    print(", ".join(f"{count} {change}" for change, count in table.change.value_counts().items()))
    return int(len(shown) > 0)


def _merge(arguments: argparse.Namespace) -> int:
    from grambench.results.merge import merge

    table = merge(arguments.folders, arguments.output, arguments.prefer)
    for folder, rows in table.groupby("folder", sort=False):
        why = ", ".join(f"{count} {why}" for why, count in rows[rows.kept].why.value_counts().items())
        print(f"{folder}: {rows.kept.sum()} of {len(rows)} records kept" + (f" ({why})" if why else ""))
    print(f"{arguments.output}: {table.kept.sum()} cells; merged.csv says where each is from")
    return 0


def _doctor(arguments: argparse.Namespace) -> int:
    from grambench.datasets import sources
    from grambench.pipeline import doctor

    plan = _plan()
    for what, value in doctor.machine():
        print(f"{what:20} {value}")
    mirrors = sources.mirrors(plan.project.mirrors)
    datasets = [plan.configuration.description(name) for name in plan.configuration.names("datasets")]
    for source, answers, detail in doctor.sources(datasets, mirrors):
        print(f"{'ok ' if answers else '-- '} {source:36} {detail}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
