"""Rule `fetch`: the files of a data set from the first source that answers, and the note which one it was.

python -m grambench.pipeline.steps fetch SPEC OUTPUT
"""

import json
import logging
from pathlib import Path

from grambench.common import layout, shipped
from grambench.config.dataset import Base, Dataset, Images
from grambench.config.load import Model, check
from grambench.datasets import sources

logger = logging.getLogger("grambench")


class Spec(Model):
    """What a fetch depends on."""

    dataset: Dataset | Base | Images
    mirrors: list[str]
    kinds: list[str]


def main(argv: list[str]) -> None:
    """Fill the folder of OUTPUT, or note there that no source delivered: the rest of a study goes on without it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    spec, output = check(Spec, json.loads(argv[0]), "spec"), Path(argv[1])
    mirrors, bundled = list(map(Path, spec.mirrors)), shipped.located(layout.BUNDLED)
    note = sources.fetch(spec.dataset, output.parent, bundled=bundled, mirrors=mirrors, kinds=spec.kinds, asked=argv[0])
    if note["status"] != "ok":
        reasons = "; ".join(f"{entry['source']}: {entry['reason']}" for entry in note["tried"])
        logger.warning("%s is unavailable: %s", spec.dataset.name, reasons)
