"""Rule `images`: the images of a base that its tasks use, each decoded once as a check, in one HDF5 file.

Input: the note of the fetch.
"""

from pathlib import Path

from tqdm import tqdm

from grambench.config.load import check
from grambench.datasets import images, prepare, store
from grambench.datasets.collection import Collection
from grambench.datasets.descriptions import Images
from grambench.datasets.sources import Source
from grambench.datasets.store import Unavailable
from grambench.features.images import decode
from grambench.pipeline.job import Job


def main(job: Job) -> None:
    """Write the images, or why there are none."""
    spec = job.settings
    base = check(Images, spec["base"], "spec")

    def make() -> Collection | Unavailable:
        fetched = prepare.fetched(base, job.input[0].parent)
        if isinstance(fetched, Unavailable):
            return fetched
        source, paths, _ = fetched
        return _collect(base, spec["tasks"], source, paths)

    store.write_or_note(job.output[0], base.name, make, job.made_from)


def _collect(base: Images, tasks: list[list[list[str]]], source: Source, paths: dict[str, Path]) -> Collection:
    """Return the images with words of exactly one group of words of some task."""
    all_images = images.list_images(source, paths)
    indices = sorted({index for groups in tasks for index in all_images.among(groups)[0]})
    selected = [all_images.paths[index] for index in indices]
    files = images.contents(source, paths, selected)
    for path in tqdm(selected, desc=base.name, unit="image", leave=False, disable=None):
        decode(files[path], path)
    return Collection(base.name, selected, all_images.test[indices], [files[path] for path in selected])
