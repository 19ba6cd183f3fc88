"""`grambench submit`: an algorithm with its results on a board, as a folder that others can verify."""

import argparse
import shlex
from pathlib import Path

from grambench.commands import check, project, rank
from grambench.common import layout
from grambench.common.errors import ConfigError, DataError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    check.add_arguments(parser, "all checks together, and of each run")
    rank.add_protocol(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="where the submission goes")
    parser.set_defaults(datasets=None, against=None, repetitions=None)


def run(arguments: argparse.Namespace) -> int:
    """Check an algorithm's file, run it on all of a board, and write both as a folder to hand in."""
    from grambench.pipeline import submission
    from grambench.report import ranking_page

    if not arguments.algorithm.endswith(".py"):
        raise ConfigError(f"{arguments.algorithm}: expected the file of an algorithm, such as mine.py")
    path = Path(arguments.algorithm)
    output = project.writable(arguments.output or layout.RESULTS / "submit" / path.stem)
    if output.is_dir() and any(output.iterdir()) and not (output / submission.ALGORITHM).is_file():
        expected = "expected a new or an empty folder, or one of a submission"
        raise DataError(f"{output}: {expected}, got one with other files; name another one with -o")
    before = path.read_bytes() if path.is_file() else b""
    if not (made := rank.make(arguments, lambda arguments: bool(check.run(arguments)))):
        print("not submitted: a check fails")
        return 1
    spec, ranked = made
    if path.read_bytes() != before:
        raise DataError(f"{path}: expected the same file to the end of its runs, got an edited one; submit it again")
    submission.write(output, spec, ranked)
    print(ranking_page.summary(ranked))
    print(f"submission: {output}; check it as others will: grambench verify {shlex.quote(str(output))}")
    return 0
