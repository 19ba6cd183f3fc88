"""Rule `fetch`: the files of a data set from the first source that answers, and the note which one it was.

python -m grambench.pipeline.steps.fetch SPEC OUTPUT
"""

import json
import logging
import sys
from pathlib import Path

from grambench.common import layout
from grambench.config.dataset import Fetched
from grambench.config.load import check
from grambench.datasets import sources

logger = logging.getLogger("grambench")


def main(argv: list[str]) -> None:
    """Fill the folder of OUTPUT, or note there that no source delivered: the rest of a study goes on without it."""
    spec, output = json.loads(argv[0]), Path(argv[1])
    dataset = check(Fetched, spec["dataset"], "spec")
    mirrors = sources.mirrors(spec["mirrors"])
    note = sources.fetch(dataset, output.parent, bundled=Path(layout.BUNDLED), mirrors=mirrors, kinds=spec["kinds"])
    if note["status"] != "ok":
        reasons = "; ".join(f"{entry['source']}: {entry['reason']}" for entry in note["tried"])
        logger.warning("%s is unavailable: %s", dataset.name, reasons)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main(sys.argv[1:])
