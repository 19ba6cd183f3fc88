"""`grambench clean`: remove files that no study needs any more."""

import argparse
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands.project import read_everything
from grambench.common import files, layout
from grambench.common.errors import ConfigError

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

HELP = "remove what no study needs any more: results of what is not configured, data of no description"
SUFFIXES = {layout.TABLE: "(csv|md|tex)", layout.FIGURE: "(svg|png)"}
REMOVABLE = (  # what grambench writes below results, but what is small or of all studies: logs, the report
    *(layout.PREPARED, layout.IMAGES, layout.CODEBOOK, layout.DESCRIBED, layout.FEATURES, layout.INNER, layout.GRAM),
    *(layout.RECORD, layout.BLOCK, layout.REPLICATION, layout.REPLICATIONS, layout.RUNS, layout.CURVES, layout.CELLS),
    *(layout.SUMMARY, layout.REPRODUCTION, layout.CLAIMS, layout.TABLE, layout.FIGURE),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask first")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    _check_own(layout.RESULTS, *reversed(Path(layout.RAW).parents[1:4]))
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
        if path.is_dir() and not path.is_symlink():  # of a link, what it leads to stays
            shutil.rmtree(path)
        else:
            path.unlink()
            files.beside(path).unlink(missing_ok=True)
        with suppress(OSError):  # up to the first that is not empty
            for folder in path.parents:
                folder.rmdir()
    return 0


def _check_own(*folders: Path) -> None:
    """Raise ConfigError if a folder is a link: other projects may need its files."""
    for folder in folders:
        if folder.is_symlink():
            raise ConfigError(
                f"{folder}: expected a folder, got a link to {folder.readlink()}; nothing is removed there: "
                "call clean in the project that owns it, or put a folder in its place"
            )


def agreed() -> bool:
    """Ask whether to remove the listed files."""
    try:
        return input("remove them? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # no terminal
        return False


def unneeded(plan: "Plan") -> Iterator[Path]:
    """Yield result files that no study of a plan asks for, and folders of data sets without a description."""
    needed, ours = plan.files(), re.compile("|".join(map(_pattern, REMOVABLE)))
    for path in sorted(layout.RESULTS.rglob("[!.]*")):
        if path.is_file() and path.as_posix() not in needed and ours.fullmatch(path.as_posix()):
            yield path
    described = set(plan.configuration.names("datasets"))
    for note in sorted(Path(layout.RAW).parents[1].glob(f"[a-z]*/{Path(layout.RAW).name}")):
        if note.parent.name not in described:
            yield note.parent


def _pattern(name: str) -> str:
    """Return the regular expression of a name of the layout."""
    known = {wildcard: f"({pattern})" for wildcard, pattern in layout.WILDCARDS.items()}
    parts = re.split(r"\{(\w+)\}", name)  # names in braces are every other one
    return "".join(
        (known | {"suffix": SUFFIXES.get(name, "")})[part] if number % 2 else re.escape(part)
        for number, part in enumerate(parts)
    )


def _size(path: Path) -> int:
    inside = () if path.is_symlink() else (path, *path.rglob("*"))
    return sum(each.stat().st_size for each in inside if each.is_file())
