"""Rule `fetch`: the files of a data set from the first source that answers, and a note on this source.

python -m grambench.pipeline.steps fetch SPEC OUTPUT
"""

import json
import logging
from pathlib import Path

from grambench.common import layout, shipped
from grambench.common.models import ConfigModel
from grambench.config.load import check
from grambench.datasets import fetch
from grambench.datasets.descriptions import BaseDataset, Dataset, Images

logger = logging.getLogger("grambench")


class Spec(ConfigModel):
    """The settings that a fetch depends on."""

    dataset: Dataset | BaseDataset | Images
    mirrors: list[str]
    kinds: list[str]


def main(argv: list[str]) -> None:
    """Fill the folder of OUTPUT, or note there that no source answered: the rest of a study goes on without it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    spec, output = check(Spec, json.loads(argv[0]), "spec"), Path(argv[1])
    mirrors, bundled = list(map(Path, spec.mirrors)), shipped.located(layout.BUNDLED)
    note = fetch.fetch(spec.dataset, output.parent, bundled=bundled, mirrors=mirrors, kinds=spec.kinds, asked=argv[0])
    if note["status"] != "ok":
        reasons = "; ".join(f"{attempt['source']}: {attempt['reason']}" for attempt in note["tried"])
        logger.warning("%s is unavailable: %s", spec.dataset.name, reasons)
