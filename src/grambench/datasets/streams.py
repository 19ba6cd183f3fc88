"""Data sets that are prepared chunk by chunk, so that memory does not grow with their examples.

A stream is stored as contiguous arrays of float32 and int8, which a run maps into memory and reads chunk by chunk.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError
from grambench.datasets import generators, readers
from grambench.datasets.descriptions import Dataset
from grambench.datasets.formats.reader import ChunkedReader, Raw, Reader, listed
from grambench.datasets.sources import Generated, Source
from grambench.datasets.store import save_columns


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream that is about to be stored.

    Attributes
    ----------
    description : Dataset
        The expected content.
    source : Generated or FileSource
        The source that delivered.
    provenance : dict
        The `source` of the prepared data set.
    chunks : iterator of Raw
        The examples in turn, with labels as the source has them.
    """

    description: Dataset
    source: Source
    provenance: dict[str, Any]
    chunks: Iterator[Raw]

    def save(self, file: h5py.File) -> None:
        """Write the data set to a file; see `_save_examples` for what may be wrong with it."""
        file.attrs.update(name=self.description.name, status="ok", source=json.dumps(self.provenance))
        file.attrs["content"] = self._save_examples(file)
        save_columns(file, self.description.views)
        if self.description.classes:
            file["classes"] = list(map(str, self.description.classes))

    def _save_examples(self, file: h5py.File) -> str:
        """Write all chunks to a file, and return the content, which does not depend on the size of chunks.

        The content is the SHA-256 of the shape, of the SHA-256 of all features as float32, and of that of all labels.

        Raises
        ------
        DataError
            If a value is not finite, with the number of its row from 1, if the stream ends early or late or changes
            its columns, or if its labels or its content are not those of the description.
        """
        reader, shape = self.source.reader, (self.description.n, self.description.d)
        features = file.create_dataset("features", shape, "<f4")
        labels = file.create_dataset("labels", shape[:1], "i1")
        row, positives, hashes, raw_classes = 0, 0, (hashlib.sha256(), hashlib.sha256()), np.array([])
        for chunk in self.chunks:
            values, stop = _narrow(chunk, shape[1], row), row + len(chunk.labels)
            if stop > shape[0]:
                raise DataError(f"expected {shape[0]} rows, got more: the stream ends late")
            encoded = encode(chunk.labels, reader)
            raw_classes = np.union1d(raw_classes, chunk.labels) if row else np.unique(chunk.labels)
            features[row:stop], labels[row:stop] = values, encoded
            positives += int(np.count_nonzero(encoded == 1))
            hashes[0].update(values.tobytes())
            hashes[1].update(encoded.tobytes())
            row = stop
        if row < shape[0]:
            raise DataError(f"expected {shape[0]} rows, got {row}: the stream ends early")
        if absent := [label for label in reader.selected() if label not in raw_classes.tolist()]:
            raise DataError(f"expected a class {absent[0]!r} among the labels, got none of it")
        check_classes(raw_classes, reader)
        digest = hashlib.sha256(repr(shape).encode())
        for part in hashes:
            digest.update(part.digest())
        content = digest.hexdigest()
        self.description.check_content(self.source, positives, content)
        return content


def _narrow(chunk: Raw, columns: int, row: int) -> NDArray[np.float32]:
    """Return the features of a chunk that starts at a row as float32; raise DataError if they are not usable."""
    if not isinstance(chunk.features, np.ndarray):
        raise DataError("expected dense features of a stream, got sparse ones")
    if chunk.features.shape[1] != columns:
        raise DataError(f"row {row + 1}: expected {columns} columns, got {chunk.features.shape[1]}")
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(chunk.features, dtype="<f4")
    if (bad := np.argwhere(~np.isfinite(values))).size:
        value = chunk.features[tuple(bad[0])]
        where = f"row {row + bad[0, 0] + 1}, feature {bad[0, 1] + 1}"
        raise DataError(f"{where}: expected finite numbers of 32 bits, got {value:g}")
    return values


def chunks(description: Dataset, source: Source, files: dict[str, Any]) -> Iterator[Raw]:
    """Return the examples of a source chunk by chunk; formats without chunks are read as a whole."""
    if isinstance(source, Generated):
        drawn = generators.draw(source.generator, source.parameters, source.seed, description.n)
        return (Raw(*sample) for sample in drawn)
    if isinstance(source.reader, ChunkedReader):
        return readers.chunks(source.reader, files)
    return iter([readers.read(source.reader, files)])


def encode(labels: NDArray[Any], reader: Reader) -> NDArray[np.int8]:
    """Return -1 or +1, or the number of the class, for each raw label."""
    if reader.classes:
        numbers = {name: number for number, name in enumerate(reader.classes)}
        return np.array([numbers[label] for label in labels.tolist()], dtype=np.int8)
    return np.where(np.isin(labels, listed(reader.positive)), 1, -1).astype(np.int8)


def check_classes(labels: NDArray[Any], reader: Reader) -> None:
    """Raise DataError if a reader names no negative labels, and the raw labels are not two with the positive one."""
    positive, classes = listed(reader.positive), np.unique(labels).tolist()
    if not reader.classes and not listed(reader.negative) and (len(classes) != 2 or positive[0] not in classes):
        shown = ", ".join(map(repr, classes[:5])) + (", ..." if len(classes) > 5 else "")
        raise DataError(f"expected two classes, one of them {positive[0]!r}, got {len(classes)}: {shown}")
