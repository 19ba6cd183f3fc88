"""`grambench open`: the report in a browser."""

import argparse
from pathlib import Path

from grambench.common import layout
from grambench.common.errors import DataError

HELP = "open the report in a browser, and print where it is"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    import webbrowser

    path = Path(layout.REPORT)
    if not path.is_file():
        raise DataError(f"{path}: no such file; grambench run makes it")
    print(path.resolve())
    webbrowser.open(path.resolve().as_uri())  # where there is no browser, the path is all that is wanted
    return 0
