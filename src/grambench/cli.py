# PYTHON_ARGCOMPLETE_OK
"""The command `grambench`: parses, calls the module of one command, which prints and returns the exit code.

Exit codes: 0 all is well; 1 something failed, is unavailable or changed; 2 the call or the configuration is wrong.

Each command is a module: `arguments` adds its arguments if it has any, `run` runs it and returns the exit code, and the
docstring of `run` is the help. Commands import what they need when they run: otherwise help and messages about typing
errors would wait for the models of all files.
"""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Any, NoReturn

from grambench.commands import project
from grambench.common import layout, provenance
from grambench.common.docstrings import docstring
from grambench.common.errors import REFUSED, ConfigError, GrambenchError, cause, error_lines, unknown_name, visible

COMMANDS = [  # in the order of help
    *("init", "list", "add-dataset", "validate", "fetch", "try", "rank", "submit", "verify", "check", "compare", "run"),
    *("status", "failed", "show", "rerun", "table", "report", "open", "diff", "merge", "archive", "clean", "repair"),
    "doctor",
]
EPILOG = """examples:
  grambench init mine                              a project of your own, in a new folder
  grambench add-dataset my.csv --label class --positive yes
  grambench list algorithms                        the names and parameters of all algorithms
  grambench run --demo                             a small run without downloads
  grambench run                                    all studies of config.yaml on all cores
  grambench run rkl -d wdbc sonar -a rkl_l1 -n     show the jobs: one study, two data sets, one algorithm
  grambench run leaderboard -d mine                your data set under the leaderboard's protocol
  grambench compare my.csv --label class           whether combining kernels helps on your data
  grambench try mine.py                            your algorithm beside five others, in seconds
  grambench rank mine.py                           your algorithm among all of the leaderboard, in minutes
  grambench submit mine.py -o mine                 the same as a folder to hand in; verify checks it
  grambench run -- --keep-going                    arguments after -- go to Snakemake
  grambench status                                 the runs that are done, and those that failed
  grambench show omkc/wdbc/om2                     one record: settings, numbers, provenance
  grambench table rkl -a rkl_l1 mkl_l1 --latex     a table for a paper: algorithms by data sets, mean ranks
  grambench rerun omkc/wdbc/om2                    repeat a run, and compare it with its record
  grambench run omkc -- -R $(grambench failed)     repeat the runs of a study that failed
  grambench repair                                 find and remove damaged files
  grambench diff results.old results               changes that are larger than noise
  grambench merge results.a results.b -o merged    two results folders as one
"""


class _Visible:
    """An output stream that shows control characters, as of a path, instead of sending them to a terminal."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text with visible control characters."""
        return int(self._stream.write(visible(text)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    # a process may have neither stream
    streams = [stream and _Visible(stream) for stream in (sys.stdout, sys.stderr)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    """Run one command; return its exit code, and print any error of a user or of the system in one line."""
    logging.basicConfig(format="%(message)s")
    # other libraries tell what they do, such as every glyph of a font
    logging.getLogger("grambench").setLevel(logging.INFO)
    words = list(sys.argv[1:] if argv is None else argv)
    end = words.index("--") if "--" in words else len(words)
    try:
        if invalid := [word for word in words if "\0" in word]:
            raise ConfigError(f"expected arguments without NUL, got {invalid[0]!r:.60}")
        parser = _build_parser()
        # a shell asks for completions: the process ends in autocomplete
        if "_ARGCOMPLETE" in os.environ:
            import argcomplete.finders

            argcomplete.finders.safe_actions.add(_Store)  # completers read what arguments before them have stored
            argcomplete.autocomplete(parser)
        arguments = parser.parse_args(words[:end], argparse.Namespace(snakemake=words[end + 1 :]))
        if end < len(words) and arguments.command_name != "run":
            raise ConfigError(f"{arguments.command_name} takes nothing behind --; grambench run passes it to Snakemake")
        _enter_project(arguments)
        code = int(arguments.command(arguments))
        print(end="", flush=True)
        return code
    except GrambenchError as error:
        print(error_lines(error), file=sys.stderr)
        return REFUSED
    # scikit-learn and what it needs are installed with the package, all else only with its extra
    except ModuleNotFoundError as error:
        if str(error.name).startswith("grambench") or find_spec("snakemake"):
            raise
        command = f"grambench {arguments.command_name}"
        print(f'grambench: {command} needs the workflow extra: pip install ".[workflow]" in a clone', file=sys.stderr)
        return REFUSED
    # the reader of the output, such as head, has ended
    except BrokenPipeError:
        _discard_output()
        return 0
    # a read-only folder, a full disk, a name that is too long
    except OSError as error:
        _discard_output()
        print(error_lines(GrambenchError(f"{error.filename or 'system'}: {cause(error)}")), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("grambench: interrupted", file=sys.stderr)
        return 130


def _discard_output() -> None:
    """Send output that cannot be written nowhere: the interpreter would fail again to write it when it ends."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _enter_project(arguments: argparse.Namespace) -> None:
    """Change to the root of the project that contains the working folder; make paths in the arguments absolute."""
    folder = Path.cwd()
    root = project.find_root(folder)
    if root and root != folder:
        vars(arguments).update({name: _absolute(folder, value) for name, value in vars(arguments).items()})
        os.chdir(root)


def _absolute(folder: Path, value: Any) -> Any:
    """Return a path, or a list of paths, relative to a folder as absolute; any other value unchanged."""
    if isinstance(value, list):
        return [_absolute(folder, item) for item in value]
    # an algorithm may be given as a file
    if isinstance(value, str) and value.endswith(".py"):
        return str(folder / value)
    # the default results folder is that of the project
    return folder / value if isinstance(value, Path) and value is not layout.RESULTS else value


def _change_folder(folder: str) -> None:
    """Change the working folder, for option -C: later arguments are completed in the new one."""
    try:
        os.chdir(folder)
    except OSError as error:
        raise ConfigError(f"-C {folder}: {error.strerror}") from None


class _Store(argparse._StoreAction):
    """Stores what an argument is given; an option of several values that is there again adds to them."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        before: Any = getattr(namespace, self.dest)
        is_again = isinstance(values, list) and before is not self.default
        setattr(namespace, self.dest, before + values if is_again else values)


class _Parser(argparse.ArgumentParser):
    """An argument parser that suggests the nearest name for a command that does not exist."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("action", None, _Store)

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            raise unknown_name(str(action.metavar or action.dest), str(value), map(str, action.choices))


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        text = provenance.version_of("grambench")
        if find_spec("pandas"):  # which estimators alone do without, as without reference results
            from grambench.results import archive

            text += f", reference results {archive.version()}"
        print(text)
        parser.exit()


def _build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = _Parser(
        prog="grambench",
        description="Benchmarks of kernel learning, and reproductions of five papers.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the versions and exit")
    parser.add_argument("-C", type=_change_folder, metavar="DIR", help="work in the project that contains this folder")
    commands = parser.add_subparsers(metavar="command", required=True)
    for name in COMMANDS:
        # try is a keyword: its module is try_
        module = import_module(f"grambench.commands.{name.replace('-', '_')}{'_' * iskeyword(name)}")
        description = docstring(module.run)
        sub = commands.add_parser(name, help=description[0].lower() + description[1:-1], description=description)
        sub.set_defaults(command=module.run, command_name=name)
        if hasattr(module, "arguments"):
            module.arguments(sub)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
