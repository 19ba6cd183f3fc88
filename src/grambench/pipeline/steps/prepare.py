"""Rule `prepare`: a fetched data set, read and checked, as one HDF5 file.

Input: the note of the fetch.
"""

import logging

from grambench.config.load import check
from grambench.datasets import store
from grambench.datasets.descriptions import Dataset
from grambench.datasets.formats.kernels import remarks
from grambench.datasets.prepare import prepare
from grambench.pipeline.job import Job

logger = logging.getLogger("grambench")


def main(job: Job) -> None:
    """Write the prepared data set, or why there is none: the rest of a study goes on without it."""
    description = check(Dataset, job.settings["dataset"], "spec")

    def make() -> store.Storable:
        prepared = prepare(description, job.input[0].parent)
        for remark in remarks(prepared.kernels) if isinstance(prepared, store.PreparedDataset) else ():
            logger.warning("%s: %s", description.name, remark)
        return prepared

    store.write_or_note(job.output[0], description.name, make, job.made_from)
