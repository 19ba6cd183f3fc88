"""Makes a prepared data set from fetched files, and checks it against its description."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError
from grambench.common.files import read_text, sha256
from grambench.datasets import generators, images, readers, streams
from grambench.datasets.descriptions import NOTE, BaseDataset, Dataset, Description, PixelBlocks
from grambench.datasets.formats.reader import MISSING_VALUES, Raw, Reader
from grambench.datasets.sources import Generated, Source
from grambench.datasets.store import PreparedDataset, Unavailable


def prepare(description: Dataset, folder: Path) -> PreparedDataset | streams.Stream | Unavailable:
    """Read the files that `fetch.fetch` fetched, and check them against the description.

    Parameters
    ----------
    description : Dataset
        The expected content.
    folder : Path
        The folder with the files and source.json; for a task, the folder of its base.

    Returns
    -------
    PreparedDataset, Stream or Unavailable
        Unavailable if no source delivered. A stream is read and checked while it is stored.

    Raises
    ------
    DataError
        If a file has changed since it was fetched, cannot be read, or does not fit the description. The message is one
        line with what was expected and what was got.
    """
    delivery = fetched(description, folder)
    if isinstance(delivery, Unavailable):
        return delivery
    source, paths, note = delivery
    if description.kind == "stream":
        chunks = streams.chunks(description, source, paths)
        return streams.Stream(description, source, _provenance(description, source, note), chunks)
    try:
        if description.descriptors:
            return _prepare_images(description, source, paths, note)
        return _prepare_features(description, source, _read(description, source, paths), note)
    except DataError as error:
        raise DataError(f"{description.name}: {error} (source {source.origin})") from error


def check(description: Description, source: Source, files: dict[str, Path]) -> None:
    """Check the content of files from a source without checksums.

    A data set is checked as by `prepare`. Of a base or of images, only the parts that all tasks share are checked.

    Raises
    ------
    DataError
        If the files cannot be read, or do not fit the description.
    """
    if isinstance(description, Dataset):
        raw = _read(description, source, files)
        _prepare_features(description, source, raw, {"kind": "", "origin": "", "files": {}})
    elif isinstance(description, BaseDataset):
        raw = _read(description, source, files)
        if faults := _check_shape(raw, description):
            raise DataError(faults[0])
        if (got := len(np.unique(raw.labels))) != description.classes:
            raise DataError(f"expected {description.classes} classes, got {got}")
    else:
        images.list_images(source, files)


def fetched(description: Description, folder: Path) -> tuple[Source, dict[str, Path], dict[str, Any]] | Unavailable:
    """Return the source that delivered, its files, and the note of the fetch.

    Raises
    ------
    DataError
        If the note or a file has changed since the fetch, or if the description has no longer the source.
    """
    note = json.loads(read_text(folder / NOTE))
    if note["status"] != "ok":
        return Unavailable(description.name, tuple(f"{entry['source']}: {entry['reason']}" for entry in note["tried"]))
    source = next(iter(description.sources[note["index"] :]), None)
    if source is None or source.origin != note["origin"]:
        fault = f"was fetched from {note['origin']}, not described any more"
        raise DataError(f"{description.name}: {fault}; fetch it again")
    for name, expected in note["files"].items():
        got = sha256(folder / name) if (folder / name).is_file() else "no file"
        if got != expected:
            raise DataError(f"{folder / name}: expected sha256 {expected}, got {got}; fetch the data set again")
    return source, {name: folder / name for name in note["files"]}, note


def _read(description: Description, source: Source, files: dict[str, Path]) -> Raw:
    if isinstance(source, Generated):
        return Raw(*generators.generate(source.generator, source.parameters, source.seed, description.n))
    return readers.read(source.reader, files)


def _prepare_features(description: Dataset, source: Source, raw: Raw, note: dict[str, Any]) -> PreparedDataset:
    faults = _check_shape(raw, description)
    values = raw.features if isinstance(raw.features, np.ndarray) else raw.features.data
    is_unusable = np.isinf(values) if description.imputed else ~np.isfinite(values)
    if unusable := int(np.count_nonzero(is_unusable)):
        faults.append(f"expected finite features, got {unusable} missing or infinite ones")
    try:
        encoded = labels(raw.labels, source.reader)
    except DataError as error:
        faults.append(str(error))
    if faults:
        raise DataError("; ".join(faults))
    contents = {
        "orders": None if raw.orders is None else _check_permutations(raw.orders, description.n),
        "views": _cut_blocks(raw.features, description.blocks) if description.blocks else {},
        "columns": {view: np.array(positions) for view, positions in description.views.items()},
        "kernels": raw.kernels,
    }
    remarks = {key: text for key, text in raw.remarks().items() if key == MISSING_VALUES or not description.base}
    note = note | {"remarks": remarks}
    return _checked(description, source, note, features=raw.features, labels=encoded, test=raw.test, **contents)


def _check_shape(raw: Raw, description: Description) -> list[str]:
    """Return the fault of the numbers of examples and features, if there is one."""
    expected, got = (description.n, description.d), raw.features.shape
    return [] if got == expected else [f"expected {expected[0]} x {expected[1]} features, got {got[0]} x {got[1]}"]


def _prepare_images(
    description: Dataset, source: Source, paths: dict[str, Path], note: dict[str, Any]
) -> PreparedDataset:
    listed = images.list_images(source, paths)
    rows, labels = listed.among(source.reader.groups())
    expected = source.n or description.n
    if len(rows) != expected:
        raise DataError(f"expected {expected} images, got {len(rows)}")
    if not description.classes:
        labels = np.where(labels == 0, 1, -1).astype(np.int8)
    test = listed.test[rows] if listed.test[rows].any() else None
    contents = {"orders": None, "images": tuple(listed.paths[row] for row in rows), "test": test}
    return _checked(description, source, note, features=np.empty((expected, 0)), labels=labels, **contents)


def _provenance(description: Dataset, source: Source, note: dict[str, Any]) -> dict[str, Any]:
    delivery = {key: note[key] for key in ("kind", "origin", "files")}
    remarks = note.get("remarks", {})
    return {**delivery, "variant": source.variant, "lacks": description.lacks(source), **remarks}


def _checked(description: Dataset, source: Source, note: dict[str, Any], **contents: Any) -> PreparedDataset:
    """Return the prepared data set of a source; raise DataError if it does not fit the description."""
    classes, provenance = tuple(map(str, description.classes)), _provenance(description, source, note)
    prepared = PreparedDataset(name=description.name, source=provenance, classes=classes, **contents)
    description.check_content(source, int(np.count_nonzero(prepared.labels == 1)), prepared.content)
    return prepared


def _cut_blocks(features: Any, blocks: PixelBlocks) -> dict[str, NDArray[np.uint8]]:
    """Return the blocks of images as views; each row of features must hold the pixels of an image, as bytes."""
    height, width = blocks.image
    if features.shape[1] != height * width or features.min() < 0 or features.max() > 255 or (features % 1).any():
        raise DataError(f"expected {height} x {width} pixels of a byte, got other features")
    tiles = features.astype(np.uint8).reshape(
        -1, blocks.rows, height // blocks.rows, blocks.columns, width // blocks.columns
    )
    pixels = tiles.transpose(0, 1, 3, 2, 4).reshape(len(features), blocks.rows * blocks.columns, -1)
    return {view: np.ascontiguousarray(pixels[:, number]) for number, view in enumerate(blocks.views())}


def labels(labels: NDArray[Any], reader: Reader) -> NDArray[np.int8]:
    """Return -1 or +1, or the number of the class, for each raw label.

    Raises
    ------
    DataError
        If the reader names no negative labels, and the raw labels are not two with the positive one among them.
    """
    streams.check_classes(labels, reader)
    return streams.encode(labels, reader)


def _check_permutations(orders: NDArray[np.int64], n: int) -> NDArray[np.int32]:
    """Return the orders as int32; raise DataError if a row is no permutation of range(n)."""
    for row, order in enumerate(orders, 1):
        if not np.array_equal(np.sort(order), np.arange(n)):
            raise DataError(f"expected permutations of {n} examples as orders, got something else in row {row}")
    return orders.astype(np.int32)
