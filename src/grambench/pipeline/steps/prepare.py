"""Rule `prepare`: a fetched data set, read and checked, as one HDF5 file.

Input: the note of the fetch.
"""

import logging

from grambench.common.errors import one_line
from grambench.config.load import check
from grambench.datasets import store
from grambench.datasets.descriptions import Dataset
from grambench.datasets.formats.kernels import remarks
from grambench.datasets.prepare import prepare
from grambench.pipeline.job import Job

logger = logging.getLogger("grambench")


def main(job: Job) -> None:
    """Write the prepared data set, or why there is none: the rest of a study goes on without it."""
    description, output, made_from = check(Dataset, job.settings["dataset"], "spec"), job.output[0], job.made_from
    try:
        prepared = prepare(description, job.input[0].parent)
        for remark in remarks(prepared.kernels) if isinstance(prepared, store.PreparedDataset) else ():
            logger.warning("%s: %s", description.name, remark)
        store.write(output, prepared, made_from)
    # A fault of the machine, such as a full disk, is not that of the data.
    except (OSError, MemoryError):
        raise
    except Exception as error:
        prepared = store.Unavailable(description.name, (one_line(error),))
        store.write(output, prepared, made_from)
    if isinstance(prepared, store.Unavailable):
        logger.warning("%s", prepared)
