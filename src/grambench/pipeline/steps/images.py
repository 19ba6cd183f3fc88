"""Rule `images`: the images of a base that its tasks use, each looked at, in one HDF5 file.

python -m grambench.pipeline.steps images SPEC CODE OUTPUT NOTE
"""

import json
import logging
from pathlib import Path

from tqdm import tqdm

from grambench.common.errors import DataError
from grambench.common.provenance import made_from
from grambench.config.dataset import Images, Source
from grambench.config.load import check
from grambench.datasets import collection, images, prepare
from grambench.datasets.collection import Collection
from grambench.datasets.store import Unavailable
from grambench.features.images import decode

logger = logging.getLogger("grambench")


def main(argv: list[str]) -> None:
    """Write the images, or why there are none."""
    spec, output, note = json.loads(argv[0]), Path(argv[2]), Path(argv[3])
    identity = made_from(argv[0], argv[1])
    base = check(Images, spec["base"], "spec")
    try:
        fetched = prepare.fetched(base, note.parent)
        if not isinstance(fetched, Unavailable):
            source, paths, _ = fetched
            collection.write(output, *_collected(base, spec["tasks"], source, paths), identity)
            return
    except DataError as error:
        fetched = Unavailable(base.name, (str(error),))
    logger.warning("%s", fetched)
    collection.write(output, fetched, identity=identity)


def _collected(
    base: Images, tasks: list[list[list[str]]], source: Source, paths: dict[str, Path]
) -> tuple[Collection, list[bytes]]:
    """Return the images with words of exactly one group of words of some task, and their files."""
    listed = images.found(source, paths)
    used = {path for groups in tasks for path in listed.among(groups).paths}
    places = [place for place, path in enumerate(listed.paths) if path in used]
    chosen = [listed.paths[place] for place in places]
    files = images.contents(source, paths, chosen)
    for path in tqdm(chosen, desc=base.name, unit="image", leave=False, disable=None):
        decode(files[path], path)
    return Collection(base.name, chosen, listed.test[places]), [files[path] for path in chosen]
