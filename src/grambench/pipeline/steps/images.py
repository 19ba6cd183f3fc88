"""Rule `images`: the images of a base that its tasks use, each decoded once as a check, in one HDF5 file.

Input: the note of the fetch.
"""

import logging
from pathlib import Path

from tqdm import tqdm

from grambench.common.errors import one_line
from grambench.config.load import check
from grambench.datasets import images, prepare, store
from grambench.datasets.collection import Collection
from grambench.datasets.descriptions import Images
from grambench.datasets.sources import Source
from grambench.datasets.store import Unavailable
from grambench.features.images import decode
from grambench.pipeline.job import Job

logger = logging.getLogger("grambench")


def main(job: Job) -> None:
    """Write the images, or why there are none."""
    spec, output, made_from = job.settings, job.output[0], job.made_from
    base = check(Images, spec["base"], "spec")
    try:
        fetched = prepare.fetched(base, job.input[0].parent)
        if not isinstance(fetched, Unavailable):
            source, paths, _ = fetched
            store.write(output, _collect(base, spec["tasks"], source, paths), made_from)
            return
    # A fault of the machine, such as a full disk, is not that of the images.
    except (OSError, MemoryError):
        raise
    except Exception as error:
        fetched = Unavailable(base.name, (one_line(error),))
    logger.warning("%s", fetched)
    store.write(output, fetched, made_from)


def _collect(base: Images, tasks: list[list[list[str]]], source: Source, paths: dict[str, Path]) -> Collection:
    """Return the images with words of exactly one group of words of some task."""
    all_images = images.list_images(source, paths)
    used = {path for groups in tasks for path in all_images.among(groups).paths}
    indices = [index for index, path in enumerate(all_images.paths) if path in used]
    selected = [all_images.paths[index] for index in indices]
    files = images.contents(source, paths, selected)
    for path in tqdm(selected, desc=base.name, unit="image", leave=False, disable=None):
        decode(files[path], path)
    return Collection(base.name, selected, all_images.test[indices], [files[path] for path in selected])
