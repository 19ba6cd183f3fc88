"""Names that a shell completes (argcomplete), from the names of files: nothing is read."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grambench.commands.project import CONFIG
from grambench.common import layout, shipped

SHIPPED = shipped.ROOT / "config"


def completed(action: argparse.Action, names: Callable[..., list[str]]) -> None:
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


def runs(results: Path = layout.RESULTS, **given: Any) -> list[str]:
    """Return the runs that have a record, as STUDY/DATASET/ALGORITHM or STUDY/DATASET/ALGORITHM/SWEEP."""
    folder = layout.located(results, layout.RECORD).parents[2]
    return [path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("[a-z]*.h5")]
