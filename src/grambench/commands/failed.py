"""`grambench failed`: the files of everything that failed."""

import argparse

from grambench.commands.status import file_statuses


def run(arguments: argparse.Namespace) -> int:
    """Print the files of the runs that failed last, as arguments of snakemake -R."""
    from grambench.pipeline import status

    for path in status.failed_targets(file_statuses()):
        print(path)
    return 0
