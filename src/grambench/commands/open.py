"""`grambench open`: the report in a browser."""

import argparse
from pathlib import Path

from grambench.common import layout
from grambench.common.errors import DataError


def run(arguments: argparse.Namespace) -> int:
    """Open the report in a browser, and print its path."""
    import webbrowser

    path = Path(layout.REPORT)
    if not path.is_file():
        raise DataError(f"{path}: no such file; grambench run makes it")
    print(path.resolve())
    # without a browser this does nothing, and the printed path is enough
    webbrowser.open(path.resolve().as_uri())
    return 0
