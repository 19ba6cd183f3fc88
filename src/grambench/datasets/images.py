"""The images of a source, drawn or from archives."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from grambench.common.errors import DataError
from grambench.datasets import drawings
from grambench.datasets.formats.images import LARGEST, ImageReader, Listed, read_members
from grambench.datasets.sources import Generated, Source


def list_images(source: Source, files: Mapping[str, Path]) -> Listed:
    """Return the images of a source, drawn or from archives; raise DataError if the source has none."""
    if isinstance(source, Generated):
        return drawings.listed(int(source.parameters["train"]), int(source.parameters["test"]))
    if not isinstance(source.reader, ImageReader):
        raise DataError(f"expected a reader of images, got {type(source.reader).__name__}")
    return source.reader.list_images(list(files.values()))


def contents(source: Source, files: Mapping[str, Path], paths: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of images of a source by path; raise DataError if an image is missing."""
    if isinstance(source, Generated):
        return drawings.draw(paths, seed=source.seed)
    names, members = set(paths), read_members(list(files.values()), source.reader.mebibytes)
    content = {path: data for path, data in members if path in names}
    if missing := sorted(names - set(content)):
        raise DataError(f"{missing[0]}: not in the archive, or larger than {LARGEST} MiB")
    return content
