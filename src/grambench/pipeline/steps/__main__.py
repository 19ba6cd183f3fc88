"""Call the `main` of one step."""

import sys
from importlib import import_module

from grambench.common.errors import GrambenchError

# their supervisor reads the traceback
SUPERVISED = ("evaluate", "fit")

if __name__ == "__main__":
    try:
        import_module(f"grambench.pipeline.steps.{sys.argv[1]}").main(sys.argv[2:])
    except GrambenchError as error:
        if sys.argv[1] in SUPERVISED:
            raise
        raise SystemExit(str(error)) from None
