"""Rule `prepare`: a fetched data set, read and checked, as one HDF5 file.

python -m grambench.pipeline.steps prepare SPEC CODE OUTPUT INPUT
"""

import json
import logging
from pathlib import Path

from grambench.common.errors import one_line
from grambench.common.provenance import made_from
from grambench.config.load import check
from grambench.datasets import store
from grambench.datasets.descriptions import Dataset
from grambench.datasets.prepare import prepare

logger = logging.getLogger("grambench")


def main(argv: list[str]) -> None:
    """Write the prepared data set, or why there is none: the rest of a study goes on without it."""
    spec, output, note = json.loads(argv[0]), Path(argv[2]), Path(argv[3])
    description = check(Dataset, spec["dataset"], "spec")
    identity = made_from(argv[0], argv[1])
    try:
        prepared = prepare(description, note.parent)
        if isinstance(prepared, store.Unavailable):
            logger.warning("%s", prepared)
        store.write(output, prepared, identity)
    # A fault of the machine, such as a full disk, is not that of the data.
    except (OSError, MemoryError):
        raise
    except Exception as error:
        unavailable = store.Unavailable(description.name, (one_line(error),))
        logger.warning("%s", unavailable)
        store.write(output, unavailable, identity)
