"""`grambench open`: the report in a browser."""

import argparse
from pathlib import Path

from grambench.commands.project import check_root
from grambench.common import layout
from grambench.common.errors import DataError


def run(arguments: argparse.Namespace) -> int:
    """Open the report that was made last, by `grambench run` or `grambench report`, and print its path."""
    import webbrowser

    found = [path for path in map(Path, (layout.REPORT, layout.REFERENCE_REPORT)) if path.is_file()]
    if not found:
        check_root()
        raise DataError(f"{layout.REPORT}: no such file; grambench run makes it")
    path = max(found, key=lambda path: path.stat().st_mtime)
    print(path.resolve())
    # without a browser this does nothing, and the printed path is enough
    webbrowser.open(path.resolve().as_uri())
    return 0
