"""Rule `collect`: all records of a study as tidy tables (grambench.results.collect).

python -m grambench.pipeline.steps.collect RUNS CURVES CELLS RECORD...
"""

import sys
from pathlib import Path

from grambench.results import collect, records


def main(argv: list[str]) -> None:
    """Write the three tables."""
    outputs, paths = argv[:3], argv[3:]
    collect.write({path: records.read(Path(path)) for path in paths}, *map(Path, outputs))


if __name__ == "__main__":
    main(sys.argv[1:])
