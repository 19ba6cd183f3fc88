"""Rule `fetch`: the files of a data set from the first source that answers, and a note on this source.

Input: the user's own files, if any, which the settings name.
"""

import logging
from pathlib import Path

from grambench.common import layout, shipped
from grambench.common.models import ConfigModel
from grambench.config.load import check
from grambench.datasets import fetch
from grambench.datasets.descriptions import BaseDataset, Dataset, Images
from grambench.pipeline.job import Job

logger = logging.getLogger("grambench")


class Spec(ConfigModel):
    """The settings that a fetch depends on."""

    dataset: Dataset | BaseDataset | Images
    mirrors: list[str]
    kinds: list[str]


def main(job: Job) -> None:
    """Fill the folder of OUTPUT, or note there that no source answered: the rest of a study goes on without it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    spec, folder = check(Spec, job.settings, "spec"), job.output[0].parent
    mirrors, bundled = list(map(Path, spec.mirrors)), shipped.located(layout.BUNDLED)
    note = fetch.fetch(spec.dataset, folder, bundled=bundled, mirrors=mirrors, kinds=spec.kinds, asked=job.spec)
    if note["status"] != "ok":
        reasons = "; ".join(f"{attempt['source']}: {attempt['reason']}" for attempt in note["tried"])
        logger.warning("%s is unavailable: %s", spec.dataset.name, reasons)
