"""`grambench init`: a project of one's own."""

import argparse
import shlex
import shutil
from pathlib import Path

from grambench.common import shipped
from grambench.common.errors import ConfigError, cause

TEMPLATE = shipped.PACKAGE / "commands/template"
PROFILE = "profiles/slurm"
IGNORED = ".cache/\n.snakemake/\ndata/raw/\nresults/\n"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="new or empty folder of the project")


def run(arguments: argparse.Namespace) -> int:
    """Make a project in a new folder: settings, a study, a data set, a profile for SLURM."""
    folder: Path = arguments.folder
    try:
        if folder.exists() and any(folder.iterdir()):
            raise ConfigError(f"{folder}: expected a new or an empty folder, got one with files")
        for source, target in ((TEMPLATE, folder), (shipped.ROOT / PROFILE, folder / PROFILE)):
            shutil.copytree(source, target, dirs_exist_ok=True, copy_function=shutil.copyfile)
        (folder / ".gitignore").write_text(IGNORED, encoding="utf-8")
    except OSError as error:
        # An error of copytree lists those of the files.
        why = error.args[0][0][-1] if isinstance(error, shutil.Error) else cause(error)
        raise ConfigError(f"{folder}: cannot be made ({why})") from None
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        print(path)
    print(f"next: cd {shlex.quote(str(folder))} && grambench run; grambench add-dataset describes data of your own")
    return 0
