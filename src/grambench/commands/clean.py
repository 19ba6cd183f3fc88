"""`grambench clean`: remove what no study needs any more."""

import argparse
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands.project import read_everything
from grambench.common import files, layout

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

HELP = "remove what no study needs any more: results of what is not configured, data of no description"
KEPT = ("logs", "report")  # folders of results that are small, or of all studies


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask first")


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    found = {path: _size(path) for path in unneeded(read_everything())}
    for path, size in found.items():
        print(f"{size / 2**20:10.1f} MiB  {path}")
    print(f"{sum(found.values()) / 2**20:10.1f} MiB in {len(found)} files and folders that no study needs")
    if not found:
        return 0
    if not arguments.yes and not agreed():
        print("nothing was removed")
        return 0
    for path in found:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
            files.beside(path).unlink(missing_ok=True)
        with suppress(OSError):  # up to the first that is not empty
            for folder in path.parents:
                folder.rmdir()
    return 0


def agreed() -> bool:
    """Ask whether what was listed shall be removed."""
    try:
        return input("remove them? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # nobody is there
        return False


def unneeded(plan: "Plan") -> Iterator[Path]:
    """Yield the files below results that no study of a plan asks for, and the folders of data without a description."""
    needed = plan.files()
    for path in sorted(layout.RESULTS.rglob("[!.]*")):
        inside = path.relative_to(layout.RESULTS).parts
        if path.is_file() and len(inside) > 1 and inside[0] not in KEPT and path.as_posix() not in needed:
            yield path
    described = set(plan.configuration.names("datasets"))
    for note in sorted(Path(layout.RAW).parents[1].glob(f"*/{Path(layout.RAW).name}")):
        if note.parent.name not in described:
            yield note.parent


def _size(path: Path) -> int:
    return sum(each.stat().st_size for each in (path, *path.rglob("*")) if each.is_file())
