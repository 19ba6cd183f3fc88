"""A call of one step."""

import sys
from collections.abc import Sequence
from importlib import import_module

from grambench.common.errors import GrambenchError, visible
from grambench.common.forks import PR_SET_NAME, prctl

STEPS = "grambench.pipeline.steps"
# their supervisor reads the traceback
SUPERVISED = ("evaluate", "fit")


def call(step: str, arguments: Sequence[str]) -> None:
    """Call the `main` of a step; an error that grambench raises ends the process with its message alone."""
    sys.argv[1:] = [step, *arguments]
    # a fork has the arguments of its server, and `top` shows these unless it has a name; SLURM neither counts the
    # memory of a process whose name has a space nor ends it
    prctl(PR_SET_NAME, f"grambench-{step}".encode())
    try:
        import_module(f"{STEPS}.{step}").main(list(arguments))
    except GrambenchError as error:
        if step in SUPERVISED:
            raise
        raise SystemExit(visible(str(error))) from None
