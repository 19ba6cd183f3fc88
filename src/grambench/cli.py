# PYTHON_ARGCOMPLETE_OK
"""The command `grambench`: parses, calls the module of one command, which prints and returns the exit code.

Exit codes: 0 all is well; 1 something failed, is unavailable or changed; 2 the call or the configuration is wrong.

Each command is a module: `HELP` describes it, `arguments` adds its arguments, `run` runs it. Commands import their
modules when they run: otherwise help and messages about typing errors would wait for the models of all files.
"""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any

from grambench.commands import project
from grambench.common import provenance
from grambench.common.errors import REFUSED, ConfigError, GrambenchError, told, unknown_name

COMMANDS = [  # in the order of help
    *("init", "list", "add-dataset", "validate", "fetch", "try", "check", "run", "status", "failed", "show", "rerun"),
    *("open", "compare", "merge", "clean", "repair", "doctor"),
]
EPILOG = """examples:
  grambench init mine                              a project of your own, in a new folder
  grambench add-dataset my.csv --label class --positive yes
  grambench list algorithms                        what there is
  grambench run --demo                             three embedded data sets
  grambench run                                    the full study on all cores
  grambench run rkl -d wdbc sonar -a rkl_l1 -n     what would be run: one study, two data sets, one algorithm
  grambench run -- --keep-going                    what follows -- goes to snakemake
  grambench status                                 what is done, what failed and why
  grambench show omkc/wdbc/om2                     one record: settings, numbers, provenance
  grambench rerun omkc/wdbc/om2                    run it again and compare; the record stays
  grambench run -- -R $(grambench failed)          try again whatever failed
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
        if stray := [word for word in given if "\0" in word]:
            raise ConfigError(f"expected arguments without NUL, got {stray[0]!r:.60}")
        parser = _parser()
        if "_ARGCOMPLETE" in os.environ:  # a shell asks what may follow, and takes no other answer
            import argcomplete

            argcomplete.autocomplete(parser)
        arguments = parser.parse_args(given[:end], argparse.Namespace(snakemake=given[end + 1 :]))
        _enter_project(arguments)
        return int(arguments.command(arguments))
    except GrambenchError as error:
        print(told(error), file=sys.stderr)
        return REFUSED
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a folder that is read-only, a full disk, a name that is too long
        print(told(GrambenchError(f"{error.filename or 'system'}: {error.strerror or error}")), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _enter_project(arguments: argparse.Namespace) -> None:
    """Go to the project that the working folder lies in, and keep what paths of the call mean."""
    here = Path.cwd()
    there = project.root(here)
    if there and there != here:
        vars(arguments).update({name: _from(here, value) for name, value in vars(arguments).items()})
        os.chdir(there)


def _from(folder: Path, value: Any) -> Any:
    """Return a path, or a list of them, as seen from anywhere; any other value as it is."""
    if isinstance(value, list):
        return [_from(folder, each) for each in value]
    if isinstance(value, str) and value.endswith(".py"):  # an algorithm's, in the place of its name
        return str(folder / value)
    return folder / value if isinstance(value, Path) else value


class _Into(argparse.Action):
    """Option -C: all that follows is meant in another folder."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        try:
            os.chdir(values)
        except OSError as error:
            raise ConfigError(f"-C {values}: {error.strerror}") from None


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
    parser.add_argument("-C", action=_Into, metavar="DIR", help="work in the project that is, or holds, this folder")
    commands = parser.add_subparsers(metavar="command", required=True)
    for name in COMMANDS:
        file = f"{name}_" if iskeyword(name) else name.replace("-", "_")
        module = import_module(f"grambench.commands.{file}")
        sub = commands.add_parser(name, help=module.HELP, description=module.HELP[0].upper() + module.HELP[1:] + ".")
        sub.set_defaults(command=module.run)
        module.arguments(sub)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
