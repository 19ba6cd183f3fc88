"""`grambench clean`: remove files that no study needs any more."""

import argparse
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


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("-y", "--yes", action="store_true", help="remove without asking")


def run(arguments: argparse.Namespace) -> int:
    """Remove results and data that no study of the configuration needs; ask first."""
    _refuse_links(layout.RESULTS, *reversed(Path(layout.RAW).parents[1:4]))
    sizes = {path: _size(path) for path in find_unneeded(read_everything())}
    for path, size in sizes.items():
        print(f"{size / 2**20:10.1f} MiB  {path}")
    print(f"{sum(sizes.values()) / 2**20:10.1f} MiB that no study needs, files and folders: {len(sizes)}")
    if not sizes or not confirm_removal(arguments):
        return 0
    for path in sizes:
        # the target of a link stays
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
            files.beside(path).unlink(missing_ok=True)
        # remove empty folders, up to the first that is not empty
        with suppress(OSError):
            for folder in path.parents:
                folder.rmdir()
    return 0


def _refuse_links(*folders: Path) -> None:
    """Raise ConfigError if a folder is a link: other projects may need its files."""
    for folder in folders:
        if folder.is_symlink():
            remedy = "call clean in the project that owns it, or put a folder in its place"
            got = f"a link to {folder.readlink()}; nothing is removed there"
            raise ConfigError(f"{folder}: expected a folder, got {got}: {remedy}")


def confirm_removal(arguments: argparse.Namespace) -> bool:
    """Return whether to remove the listed files: ask for it unless the command has the option --yes."""
    # without a terminal, input raises EOFError
    with suppress(EOFError):
        if arguments.yes or input("remove them? [y/N] ").strip().lower() in ("y", "yes"):
            return True
    print("nothing was removed")
    return False


def find_unneeded(plan: "Plan") -> Iterator[Path]:
    """Yield result files that no study of a plan asks for, and folders of data sets without a description."""
    needed, removable = plan.files(), list(map(layout.expression, layout.PATTERNS))
    for path in sorted(layout.RESULTS.rglob("[!.]*")):
        name = path.as_posix()
        # tables of a submission, which has checksums, have the names of those of a study
        is_ours = any(pattern.fullmatch(name) for pattern in removable) and not (path.parent / files.SUMS).exists()
        if path.is_file() and name not in needed and is_ours:
            yield path
    described = set(plan.configuration.names("datasets"))
    for note in sorted(Path(layout.RAW).parents[1].glob(f"[a-z]*/{Path(layout.RAW).name}")):
        if note.parent.name not in described:
            yield note.parent


def _size(path: Path) -> int:
    """Return the number of bytes of a file, or of all files of a folder; 0 for a link."""
    paths = () if path.is_symlink() else (path, *path.rglob("*"))
    return sum(file.stat().st_size for file in paths if file.is_file())
