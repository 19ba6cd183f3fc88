"""From fetched files to a prepared data set: reads them, then checks everything the description promises."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError
from grambench.common.files import read_text, sha256
from grambench.config.dataset import NOTE, Base, Blocks, Dataset, Described, Generated, Reader, Source, listed
from grambench.datasets import generators, images, readers
from grambench.datasets.store import PreparedDataset, Unavailable

NOTED = {"ok": {"index", "kind", "origin", "files"}, "unavailable": {"tried"}}  # what a note says, by its status


def prepare(description: Dataset, folder: Path) -> PreparedDataset | Unavailable:
    """Read the files that `sources.fetch` brought, and check them against the description.

    Parameters
    ----------
    description : Dataset
        What must come out.
    folder : Path
        The files and source.json; of a task, its base's.

    Returns
    -------
    PreparedDataset or Unavailable
        The latter where no source delivered.

    Raises
    ------
    DataError
        If a file was changed since, cannot be read, or is not what the description says: one line, what was expected
        and what was got.
    """
    found = fetched(description, folder)
    if isinstance(found, Unavailable):
        return found
    source, paths, note = found
    try:
        if description.descriptors:
            return _images(description, source, paths, note)
        return _checked(description, source, _raw(description, source, paths), note)
    except DataError as error:
        raise DataError(f"{description.name}: {error} (source {source.origin})") from error


def check(description: Described, source: Source, files: dict[str, Path]) -> None:
    """Read what a source without checksums delivered, before it is taken for what was asked for.

    Of a data set, all is checked that `prepare` checks; of a base or of images, what their tasks share.

    Raises
    ------
    DataError
        If the files cannot be read, or are not what the description says.
    """
    if isinstance(description, Dataset):
        _checked(description, source, _raw(description, source, files), {"kind": "", "origin": "", "files": {}})
    elif isinstance(description, Base):
        raw = readers.read(source.reader, files)
        if faults := _misshapen(raw, description):
            raise DataError(faults[0])
        if (got := len(np.unique(raw.labels))) != description.classes:
            raise DataError(f"expected {description.classes} classes, got {got}")
    else:
        images.found(source, files)


def fetched(description: Described, folder: Path) -> tuple[Source, dict[str, Path], dict[str, Any]] | Unavailable:
    """Return the source that delivered, its files, and the note of the fetch, once the files are as it says.

    Raises
    ------
    DataError
        If a file was changed since, or the source is not described any more.
    """
    note = _note(folder / NOTE)
    if note["status"] != "ok":
        return Unavailable(description.name, tuple(f"{entry['source']}: {entry['reason']}" for entry in note["tried"]))
    source = _source(description, note)
    for name, expected in note["files"].items():
        got = sha256(folder / name) if (folder / name).is_file() else "no file"
        if got != expected:
            raise DataError(f"{folder / name}: expected sha256 {expected}, got {got}; fetch the data set again")
    return source, {name: folder / name for name in note["files"]}, note


def _note(path: Path) -> dict[str, Any]:
    try:
        note: dict[str, Any] = json.loads(read_text(path))
        if missing := NOTED[note["status"]] - set(note):
            raise ValueError(f"it lacks {min(missing)}")
    except (DataError, ValueError, LookupError, TypeError) as error:
        raise DataError(f"{path}: expected the note of a fetch ({error}); fetch the data set again") from None
    return note


def _source(description: Described, note: dict[str, Any]) -> Source:
    index = note["index"]
    if index < len(description.sources):
        source: Source = description.sources[index]
        if source.origin == note["origin"]:
            return source
    raise DataError(f"{description.name}: was fetched from {note['origin']}, not described any more; fetch it again")


def _raw(description: Dataset, source: Source, files: dict[str, Path]) -> readers.Raw:
    if isinstance(source, Generated):
        return readers.Raw(*generators.generate(source.generator, source.parameters, source.seed, description.n))
    return readers.read(source.reader, files)


def _checked(description: Dataset, source: Source, raw: readers.Raw, note: dict[str, Any]) -> PreparedDataset:
    faults = _misshapen(raw, description)
    values = raw.features if isinstance(raw.features, np.ndarray) else raw.features.data
    if unusable := int(np.count_nonzero(~np.isfinite(values))):
        faults.append(f"expected finite features, got {unusable} missing or infinite ones")
    try:
        found = labels(raw.labels, source.reader)
    except DataError as error:
        faults.append(str(error))
    if faults:
        raise DataError("; ".join(faults))
    prepared = PreparedDataset(
        name=description.name,
        features=raw.features,
        labels=found,
        orders=None if raw.orders is None else _permutations(raw.orders, description.n),
        source=_delivered(description, source, note),
        classes=tuple(map(str, description.classes)),
        test=raw.test,
        views=_blocks(raw.features, description.blocks) if description.blocks else {},
    )
    return _as_described(description, source, prepared)


def _misshapen(raw: readers.Raw, description: Described) -> list[str]:
    """Return what is wrong with the numbers of examples and features, none or one fault."""
    expected, got = (description.n, description.d), raw.features.shape
    return [] if got == expected else [f"expected {expected[0]} x {expected[1]} features, got {got[0]} x {got[1]}"]


def _images(description: Dataset, source: Source, paths: dict[str, Path], note: dict[str, Any]) -> PreparedDataset:
    classes = description.classes
    found = images.found(source, paths).among(source.reader.groups())
    expected = source.n or description.n
    if len(found.paths) != expected:
        raise DataError(f"expected {expected} images, got {len(found.paths)}")
    prepared = PreparedDataset(
        name=description.name,
        features=np.empty((expected, 0)),
        labels=found.labels if classes else np.where(found.labels == 0, 1, -1).astype(np.int8),
        orders=None,
        source=_delivered(description, source, note),
        images=tuple(found.paths),
        classes=tuple(map(str, classes)),
        test=found.test if found.test.any() else None,
    )
    return _as_described(description, source, prepared)


def _delivered(description: Dataset, source: Source, note: dict[str, Any]) -> dict[str, Any]:
    said = {"variant": source.variant, "lacks": description.lacks(source)}
    return {key: note[key] for key in ("kind", "origin", "files")} | said


def _as_described(description: Dataset, source: Source, prepared: PreparedDataset) -> PreparedDataset:
    expected = source.positives or description.positives
    positives = int(np.count_nonzero(prepared.labels == 1))
    if not prepared.classes and positives != expected:
        raise DataError(f"expected {expected} examples labelled +1, got {positives}")
    content = source.content or description.content
    if prepared.content != content:
        what = "other values than the description was written for"
        again = "; describe them anew: grambench add-dataset --replace" if source.kind == "file" else ""
        raise DataError(f"expected content {content}, got {prepared.content}: {what}{again}")
    return prepared


def _blocks(features: Any, blocks: Blocks) -> dict[str, NDArray[np.uint8]]:
    """Return the views of images, a row of whole numbers of a byte an image, that are their blocks."""
    height, width = blocks.image
    if features.shape[1] != height * width or features.min() < 0 or features.max() > 255 or (features % 1).any():
        raise DataError(f"expected {height} x {width} pixels of a byte, got other features")
    tiles = features.astype(np.uint8).reshape(
        -1, blocks.rows, height // blocks.rows, blocks.columns, width // blocks.columns
    )
    cut = tiles.transpose(0, 1, 3, 2, 4).reshape(len(features), blocks.rows * blocks.columns, -1)
    return {view: np.ascontiguousarray(cut[:, number]) for number, view in enumerate(blocks.views())}


def labels(labels: NDArray[Any], reader: Reader) -> NDArray[np.int8]:
    """Return -1 or +1, or its class's number, for each raw label; where none are named, there must be two."""
    if reader.classes:
        numbers = {name: number for number, name in enumerate(reader.classes)}
        return np.array([numbers[label] for label in labels.tolist()], dtype=np.int8)
    positive, classes = listed(reader.positive), np.unique(labels).tolist()
    if not reader.negative and (len(classes) != 2 or positive[0] not in classes):
        shown = ", ".join(map(repr, classes[:5])) + (", ..." if len(classes) > 5 else "")
        raise DataError(f"expected two classes, one of them {positive[0]!r}, got {len(classes)}: {shown}")
    return np.array([1 if label in positive else -1 for label in labels.tolist()], dtype=np.int8)


def _permutations(orders: NDArray[np.int64], n: int) -> NDArray[np.int32]:
    """Return the orders as they are stored; each row must be a permutation of range(n)."""
    wrong = [row for row, order in enumerate(orders) if not np.array_equal(np.sort(order), np.arange(n))]
    if wrong:
        raise DataError(f"expected permutations of {n} examples as orders, got something else in row {wrong[0] + 1}")
    return orders.astype(np.int32)
