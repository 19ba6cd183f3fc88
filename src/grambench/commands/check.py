"""`grambench check`: whether an algorithm does what every algorithm does."""

import argparse

HELP = "hold an algorithm, such as mine.py, against what all of them do; exit 1 where it does not"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("algorithm", help="a file (mine.py), a module (package.module), or a name of the list")
    parser.add_argument("-p", "--parameters", default="{}", metavar="YAML", help="such as '{rate: 0.5}'")


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    from grambench.commands.project import parameters
    from grambench.experiments import conformance

    failed = 0
    for what, fault in conformance.faults(arguments.algorithm, parameters(arguments)):
        print(f"{'FAIL' if fault else 'ok  '} {what}" + (f": {fault}" if fault else ""))
        failed += bool(fault)
    return int(failed > 0)
