"""Names that a shell completes (argcomplete), from the names of files and the algorithms of studies."""

import argparse
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from grambench.commands.project import CONFIG, SETTINGS
from grambench.common import layout, shipped
from grambench.common.errors import unknown_name
from grambench.common.layout import Cell

SHIPPED = shipped.ROOT / "config"


def completed(action: argparse.Action, names: Callable[..., Iterable[str]]) -> None:
    """Let a shell complete an argument of a command."""
    action.completer = names  # type: ignore[attr-defined]


def studies(**given: Any) -> list[str]:
    """Return the names of the studies."""
    return _described("studies")


def datasets(**given: Any) -> list[str]:
    """Return the names of the data sets."""
    return _described("datasets")


def _described(kind: str) -> list[str]:
    return sorted({path.stem for folder in (CONFIG, SHIPPED) for path in (folder / kind).glob("[a-z]*.yaml")})


def entries(parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    """Return the algorithms of the studies that a call names, by default of those of config.yaml."""
    return sorted({entry for study in parsed_args.studies or _keys(SETTINGS, "studies") for entry in _entries(study)})


def opponents(**given: Any) -> list[str]:
    """Return the configurations that an algorithm can be compared with."""
    return ["all", *_entries("leaderboard")]


def _entries(study: str) -> list[str]:
    own, other = (folder / f"studies/{study}.yaml" for folder in (CONFIG, SHIPPED))
    return _keys(own if own.is_file() else other, "algorithms")


def _keys(path: Path, key: str) -> list[str]:
    """Return the names in a YAML file under a key; none if the file is faulty, which `run` reports."""
    import yaml

    with suppress(OSError, ValueError, yaml.YAMLError, TypeError, AttributeError, KeyError):
        return list(yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))[key])
    return []


def runs(results: Path = layout.RESULTS, **given: Any) -> list[str]:
    """Return the runs that have a record, as STUDY/DATASET/ALGORITHM or STUDY/DATASET/ALGORITHM/SWEEP."""
    folder = layout.located(results, layout.RECORD).parents[2]
    return [path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("[a-z]*.h5")]


def recorded(run: str, results: Path = layout.RESULTS) -> Cell:
    """Return the cell of a run; raise ConfigError if it has no record."""
    if run not in (known := runs(results)):
        raise unknown_name(f"record of {results}", run, known)
    return Cell.parse(run)
