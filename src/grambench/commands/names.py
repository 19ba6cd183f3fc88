"""Arguments that are names, which a shell completes (argcomplete) from the configuration and the results."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from grambench.commands.project import CONFIG, SETTINGS
from grambench.common import layout, shipped
from grambench.common.errors import DataError, unknown_name
from grambench.common.layout import Cell


def add_argument(
    parser: argparse.ArgumentParser, names: Callable[..., Iterable[str]], *flags: str, **options: Any
) -> None:
    """Add an argument that a shell completes with the names that a function returns; see `add_argument` of argparse."""
    parser.add_argument(*flags, **options).completer = names  # type: ignore[attr-defined]


def add_studies(parser: argparse.ArgumentParser) -> None:
    """Add the argument `studies`."""
    add_argument(parser, studies, "studies", nargs="*", help="names of studies (default: those of config.yaml)")


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the argument `run`."""
    name = "name of the run; /SWEEP follows for a run of a sweep"
    add_argument(parser, runs, "run", metavar="STUDY/DATASET/ALGORITHM", help=name)


def add_datasets(parser: argparse.ArgumentParser, help: str, default: Sequence[str] | None = None) -> None:
    """Add the option `--datasets`."""
    add_argument(parser, datasets, "-d", "--datasets", nargs="+", metavar="NAME", default=default, help=help)


def add_algorithms(parser: argparse.ArgumentParser, help: str) -> None:
    """Add the option `--algorithms`, configurations of the studies of the call."""
    add_argument(parser, entries, "-a", "--algorithms", nargs="+", metavar="NAME", help=help)


def add_results(parser: argparse.ArgumentParser) -> None:
    """Add the option `--results`."""
    other = "another results folder, such as a merged one"
    parser.add_argument("--results", type=existing, default=layout.RESULTS, metavar="FOLDER", help=other)


def existing(folder: str) -> Path:
    """Return the path of a folder; raise DataError if it is not there."""
    if not Path(folder).is_dir():
        raise DataError(f"{folder}: no such folder")
    return Path(folder)


def studies(**ignored: Any) -> list[str]:
    """Return the names of the studies."""
    return shipped.names(CONFIG / "studies")


def archived(**ignored: Any) -> list[str]:
    """Return the names of the studies with reference results."""
    from grambench.results import archive

    return archive.studies()


def datasets(**ignored: Any) -> list[str]:
    """Return the names of the data sets."""
    return shipped.names(CONFIG / "datasets")


def metrics(**ignored: Any) -> list[str]:
    """Return the names of the metrics that a run can have."""
    from grambench.config.metrics import METRICS

    return [name for name, metric in METRICS.items() if not (metric.derived or metric.named)]


def entries(parsed_args: argparse.Namespace, **ignored: Any) -> list[str]:
    """Return the configurations of the studies that a call names, by default of those of config.yaml."""
    study = getattr(parsed_args, "study", None)
    named = [study] if study else parsed_args.studies
    return sorted({entry for study in named or _keys(SETTINGS, "studies") for entry in _entries(study)})


def opponents(parsed_args: argparse.Namespace, **ignored: Any) -> list[str]:
    """Return the configurations that an algorithm can be compared with."""
    return ["all", *_entries(parsed_args.board)]


def _entries(study: str) -> list[str]:
    return _keys(shipped.located(CONFIG / f"studies/{study}.yaml"), "algorithms")


def _keys(path: Path, key: str) -> list[str]:
    """Return the names under a key of a YAML file; none if the file is faulty: the command itself reports that."""
    import yaml

    with suppress(OSError, ValueError, yaml.YAMLError, TypeError, AttributeError, KeyError):
        return list(yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))[key])
    return []


def runs(results: Path = layout.RESULTS, **ignored: Any) -> list[str]:
    """Return the runs that have a record, as STUDY/DATASET/ALGORITHM or STUDY/DATASET/ALGORITHM/SWEEP."""
    folder = layout.located(results, layout.RECORD).parents[2]
    return [path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("[a-z]*.h5")]


def known(kind: str, selected: Sequence[str] | None, existing: Iterable[str]) -> list[str]:
    """Return selected names, each once, by default all that exist; raise ConfigError for one that does not."""
    existing = list(existing)
    if unknown := [name for name in selected or () if name not in existing]:
        raise unknown_name(kind, unknown[0], existing)
    return existing if selected is None else list(dict.fromkeys(selected))


def find_cell(run: str, results: Path = layout.RESULTS) -> Cell:
    """Return the cell of a run; raise ConfigError if it has no record, or DataError if none has one."""
    if not (names := runs(results)):
        study = run.partition("/")[0]
        raise DataError(
            f"{results}: no run has a record here, expected {run}; grambench run {study} makes those of a study"
        )
    if run not in names:
        raise unknown_name(f"record of {results}", run, names)
    return Cell.parse(run)
